// SPDX-License-Identifier: GPL-2.0
/* Writing out the braces in the leading part of a pattern, so that its links can be followed. */
#include "ctl/policy/braces.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"

/* The offset after the character, escape or class at AT. */
static size_t skip_one(const char *pattern, size_t at)
{
	if (pattern[at] == '\\' && pattern[at + 1])
		return at + 2;
	if (pattern[at] != '[')
		return at + 1;
	at += pattern[at + 1] == '!' ? 2 : 1;
	/* First in a class, a bracket is itself. */
	if (pattern[at] == ']')
		at++;
	while (pattern[at] && pattern[at] != ']')
		at += pattern[at] == '\\' && pattern[at + 1] ? 2 : 1;
	return pattern[at] ? at + 1 : at;
}

/* The offset of the first brace, if no other glob character stands before it, else that of the end. */
static size_t find_brace(const char *pattern)
{
	size_t at = 0;

	while (pattern[at] && !strchr("*?[{", pattern[at]))
		at = skip_one(pattern, at);
	return pattern[at] == '{' ? at : strlen(pattern);
}

/* The end of the alternative that begins at AT: its comma or closing brace. */
static size_t find_end(const char *pattern, size_t at)
{
	unsigned int depth = 0;

	while (pattern[at] && (depth || !strchr(",}", pattern[at]))) {
		depth += pattern[at] == '{';
		depth -= pattern[at] == '}';
		at = skip_one(pattern, at);
	}
	return at;
}

/* The alternatives of the brace at OPEN; *ret_close is where it closes, or the pattern's end. */
static size_t count_alternatives(const char *pattern, size_t open, size_t *ret_close)
{
	size_t count = 1, at = find_end(pattern, open + 1);

	for (; pattern[at] == ','; count++)
		at = find_end(pattern, at + 1);
	*ret_close = at;
	return count;
}

static int expand(const char *pattern, size_t room, int (*each)(const char *pattern, void *data), void *data)
{
	size_t open = find_brace(pattern), close, count, at = open;
	int result = 0;

	if (!pattern[open])
		return each(pattern, data);
	count = count_alternatives(pattern, open, &close);
	if (count > room || !pattern[close])
		return each(pattern, data);
	for (size_t i = 0; i < count && !result; i++) {
		size_t start = at + 1;
		char *text;

		at = find_end(pattern, start);
		text = text_format("%.*s%.*s%s", (int)open, pattern, (int)(at - start), pattern + start,
				   pattern + close + 1);
		/* The room is shared, so that braces in a row do not multiply beyond it. */
		result = text ? expand(text, room / count, each, data) : -ENOMEM;
		free(text);
	}
	return result;
}

int braces_expand(const char *pattern, int (*each)(const char *pattern, void *data), void *data)
{
	return expand(pattern, BRACES_MAX, each, data);
}
