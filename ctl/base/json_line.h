/* SPDX-License-Identifier: GPL-2.0 */
/* Reading many small JSON objects, one a line, with memory that is used again for each. */
#ifndef AGENTCTL_JSON_LINE_H
#define AGENTCTL_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_line;

/* A member of an object or an element of an array; its strings live until the next line is read. */
struct json_item {
	const char *key; /* decoded, not terminated; NULL in an array */
	size_t key_len;
	const char *data; /* a string decoded, else the value as it stands; not terminated */
	size_t len;
	bool is_string, is_object, is_array;
	int at;	  /* for json_line_first */
	int next; /* of the same level, or -1 */
};

int json_line_new(struct json_line **ret);
void json_line_free(struct json_line *line);

/* Reads TEXT, which is borrowed until the next reading. -EINVAL if it is not one JSON object, -ENOMEM. */
int json_line_read(struct json_line *line, const char *text, size_t len);

/* The first item of the object or array AT (0: of the line itself); false if it is empty. */
bool json_line_first(struct json_line *line, int at, struct json_item *ret);

/* The item after ITEM; false if that was the last. */
bool json_line_next(struct json_line *line, struct json_item *item);

/* A whole number of at most 64 bits without sign, fraction or exponent. */
bool json_item_unsigned(const struct json_item *item, uint64_t *ret);

#endif
