/* SPDX-License-Identifier: GPL-2.0 */
/* Reading JSON (RFC 8259) strictly, with the place of every value. */
#ifndef AGENTCTL_JSON_H
#define AGENTCTL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/diagnostic.h"

#define JSON_DEPTH_MAX 32	 /* arrays and objects within each other */
#define JSON_LEN_MAX (16u << 20) /* bytes; callers have smaller limits of their own */

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/* A value; strings are decoded, end in NUL and hold none. Owned by the document. */
struct json_node {
	enum json_type type;
	uint32_t offset;     /* of its first byte in the text */
	uint32_t key_offset; /* of the quote that begins its key */
	const char *key;     /* in an object, else NULL */
	const char *string;
	uint32_t len; /* bytes of the string, or members */
	bool boolean;
	bool is_integer; /* a number without fraction or exponent, not -0, that fits */
	int64_t integer;
	struct json_node *first; /* member */
	struct json_node *next;	 /* in the same array or object */
};

struct json_document;

/*
 * Reads TEXT, which FILE names in errors; both are borrowed while the document
 * lives. A syntax error is added to DIAGNOSTICS and ends the reading with
 * -EINVAL. Duplicate keys are added as well, but the reading goes on and returns
 * 0, so that other errors are found in the same run. Else -ENOMEM.
 */
int json_read(const char *text, size_t len, const char *file, struct diagnostics *diagnostics,
	      struct json_document **ret);
void json_free(struct json_document *document);

const struct json_node *json_root(const struct json_document *document);

/* The member KEY of OBJECT, or NULL. */
const struct json_node *json_member(const struct json_node *object, const char *key);

struct place json_place(const struct json_document *document, const struct json_node *node);
struct place json_key_place(const struct json_document *document, const struct json_node *node);

/* Where byte OFFSET of the decoded string of NODE stands in the text. */
struct place json_string_place(const struct json_document *document, const struct json_node *node,
			       size_t offset);

/* "a string", "an object"…: the value as errors call it. */
const char *json_type_name(enum json_type type);

#endif
