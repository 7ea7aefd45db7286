// SPDX-License-Identifier: GPL-2.0
/* Reading many small JSON objects, one a line, with memory that is used again for each. */
#include "ctl/base/json_line.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Without links to parents jsmn looks back for them: quadratic in a long array. */
#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include "ctl/base/json_syntax.h"
#include "ctl/base/text.h"

#define TOKENS_FIRST 128

struct json_line {
	const char *text;
	jsmntok_t *tokens;
	int capacity;
	int count;
	char *strings; /* what had to be decoded, each string where it begins in the text, for none gets longer */
	size_t strings_size;
};

int json_line_new(struct json_line **ret)
{
	struct json_line *line = calloc(1, sizeof(*line));

	if (!line)
		return -ENOMEM;
	line->capacity = TOKENS_FIRST;
	line->tokens = calloc(line->capacity, sizeof(*line->tokens));
	if (!line->tokens) {
		free(line);
		return -ENOMEM;
	}
	*ret = line;
	return 0;
}

void json_line_free(struct json_line *line)
{
	if (!line)
		return;
	free(line->tokens);
	free(line->strings);
	free(line);
}

static int grow_tokens(struct json_line *line)
{
	jsmntok_t *tokens = realloc(line->tokens, 2ul * line->capacity * sizeof(*tokens));

	if (!tokens)
		return -ENOMEM;
	line->tokens = tokens;
	line->capacity *= 2;
	return 0;
}

static int grow_strings(struct json_line *line, size_t len)
{
	char *strings;

	if (len <= line->strings_size)
		return 0;
	strings = realloc(line->strings, len);
	if (!strings)
		return -ENOMEM;
	line->strings = strings;
	line->strings_size = len;
	return 0;
}

int json_line_read(struct json_line *line, const char *text, size_t len)
{
	struct json_syntax_error error;
	jsmn_parser parser;

	line->text = text;
	line->count = 0;
	/* jsmn counts in int, and accepts more than JSON. */
	if (len > INT_MAX || json_check(text, len, &error))
		return -EINVAL;
	if (grow_strings(line, len))
		return -ENOMEM;
	for (;;) {
		jsmn_init(&parser);
		line->count = jsmn_parse(&parser, text, len, line->tokens, line->capacity);
		if (line->count != JSMN_ERROR_NOMEM)
			break;
		if (grow_tokens(line))
			return -ENOMEM;
	}
	return line->count > 0 && line->tokens[0].type == JSMN_OBJECT ? 0 : -EINVAL;
}

static const char *decode(struct json_line *line, const jsmntok_t *token, size_t *ret_len)
{
	const char *from = line->text + token->start, *end = line->text + token->end;
	char *string = line->strings + token->start, *out = string;
	uint32_t code;

	*ret_len = end - from;
	if (!memchr(from, '\\', end - from))
		return from;
	while (from < end) {
		if (*from != '\\') {
			*out++ = *from++;
			continue;
		}
		from += json_escape(from, &code);
		out += text_put_utf8(out, code);
	}
	*ret_len = out - string;
	return string;
}

/* The first token after all that lies within token AT. */
static int skip(const struct json_line *line, int at)
{
	int end = line->tokens[at].end;

	for (at++; at < line->count && line->tokens[at].start < end; at++)
		;
	return at;
}

static void fill(struct json_line *line, int at, bool has_key, struct json_item *item)
{
	const jsmntok_t *token = &line->tokens[at];
	int parent = token->parent;

	item->key = NULL;
	item->key_len = 0;
	if (has_key) {
		item->key = decode(line, token, &item->key_len);
		token = &line->tokens[++at];
	}
	item->at = at;
	item->is_string = token->type == JSMN_STRING;
	item->is_object = token->type == JSMN_OBJECT;
	item->is_array = token->type == JSMN_ARRAY;
	item->data = line->text + token->start;
	item->len = token->end - token->start;
	if (item->is_string)
		item->data = decode(line, token, &item->len);
	item->next = skip(line, at);
	if (item->next >= line->count || line->tokens[item->next].parent != parent)
		item->next = -1;
}

bool json_line_first(struct json_line *line, int at, struct json_item *ret)
{
	if (at >= line->count || !line->tokens[at].size)
		return false;
	fill(line, at + 1, line->tokens[at].type == JSMN_OBJECT, ret);
	return true;
}

bool json_line_next(struct json_line *line, struct json_item *item)
{
	if (item->next < 0)
		return false;
	fill(line, item->next, item->key, item);
	return true;
}

bool json_item_unsigned(const struct json_item *item, uint64_t *ret)
{
	uint64_t value = 0;

	if (item->is_string || item->is_object || item->is_array || !item->len)
		return false;
	for (size_t i = 0; i < item->len; i++) {
		if (item->data[i] < '0' || item->data[i] > '9' ||
		    __builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(item->data[i] - '0'), &value))
			return false;
	}
	*ret = value;
	return true;
}
