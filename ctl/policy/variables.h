/* SPDX-License-Identifier: GPL-2.0 */
/* Variables of a policy, and their expansion in strings. */
#ifndef AGENTCTL_VARIABLES_H
#define AGENTCTL_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/policy/policy.h"

#define VARIABLES_MAX 4096
#define EXPANSION_LEN_MAX 65536 /* bytes of one expanded string */

struct variable {
	char *name;
	char *value;
	char *written; /* its value without any -D */
	bool is_used;
};

struct variables {
	struct variable *list;
	size_t count;
	size_t define_count; /* the first ones come from -D and win */
	const struct policy_options *options;
};

int variables_init(struct variables *variables, const struct policy_options *options);
void variables_done(struct variables *variables);

/* Is NAME one that a policy may define? */
bool variable_name_is_valid(const char *name);

/*
 * Defines NAME, unless an outer file did. Where a -D of that name exists, the
 * value only tells what the policy says without it. Copies both values.
 * -ENOSPC beyond VARIABLES_MAX.
 */
int variables_add(struct variables *variables, const char *name, const char *value, const char *written);

/* Forgets what was added since there were COUNT of them. */
void variables_forget(struct variables *variables, size_t count);

/* An expanded string. */
struct expansion {
	char *text;
	size_t len;
	uint32_t *origin; /* for each byte of text and its end: the offset that it came from */
	char *written;	  /* the same without any -D, NULL if that makes no difference */
};

struct expansion_error {
	size_t offset; /* of the "${" */
	const char *what;
	const char *remedy;
	char name[64]; /* of the variable, "" where it is not about one */
};

enum expansion_kind {
	EXPANSION_PLAIN,
	EXPANSION_PATTERN, /* values match themselves: their glob characters get a backslash; "\$" is no variable */
};

/* Expands each ${NAME} once. 0, -EINVAL with *ret_error, or -ENOMEM. */
int variables_expand(struct variables *variables, const char *text, size_t len, enum expansion_kind kind,
		     struct expansion *ret, struct expansion_error *ret_error);
void expansion_done(struct expansion *expansion);

/* TEXT as a pattern that matches just it, for the caller to free; NULL without memory. */
char *pattern_escape(const char *text);

#endif
