// SPDX-License-Identifier: GPL-2.0
/* Reading JSON (RFC 8259) strictly, with the place of every value. */
#include "ctl/base/json.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include "ctl/base/json_syntax.h"
#include "ctl/base/text.h"

struct json_document {
	const char *text;
	size_t len;
	const char *file;
	uint32_t *lines; /* offset of each line's first byte */
	size_t line_count;
	struct json_node *nodes;
	char *strings; /* decoded, one after the other; never longer than the text */
	size_t strings_used;
};

void json_free(struct json_document *document)
{
	if (!document)
		return;
	free(document->lines);
	free(document->nodes);
	free(document->strings);
	free(document);
}

static int index_lines(struct json_document *document)
{
	size_t count = 1;

	for (size_t i = 0; i < document->len; i++)
		count += document->text[i] == '\n';
	document->lines = calloc(count, sizeof(*document->lines));
	if (!document->lines)
		return -ENOMEM;
	document->line_count = 1;
	for (size_t i = 0; i < document->len; i++)
		if (document->text[i] == '\n')
			document->lines[document->line_count++] = i + 1;
	return 0;
}

static struct place place_at(const struct json_document *document, size_t offset)
{
	size_t low = 0, high = document->line_count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (document->lines[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return (struct place){ document->file, low + 1, offset - document->lines[low] + 1 };
}

struct place json_place(const struct json_document *document, const struct json_node *node)
{
	return place_at(document, node->offset);
}

struct place json_key_place(const struct json_document *document, const struct json_node *node)
{
	return place_at(document, node->key ? node->key_offset : node->offset);
}

struct place json_string_place(const struct json_document *document, const struct json_node *node,
			       size_t offset)
{
	size_t at = node->offset + 1, decoded = 0;
	uint32_t code;

	while (decoded < offset && document->text[at] != '"') {
		size_t raw = 1, size = 1;

		if (document->text[at] == '\\') {
			raw = json_escape(document->text + at, &code);
			size = text_utf8_size(code);
		}
		if (decoded + size > offset)
			break;
		decoded += size;
		at += raw;
	}
	return place_at(document, at);
}

/* Decodes the checked string between START and END of the text, quotes not included. */
static const char *decode_string(struct json_document *document, size_t start, size_t end, uint32_t *ret_len)
{
	char *string = document->strings + document->strings_used, *out = string;
	uint32_t code;

	for (size_t at = start; at < end;) {
		if (document->text[at] != '\\') {
			*out++ = document->text[at++];
			continue;
		}
		at += json_escape(document->text + at, &code);
		out += text_put_utf8(out, code);
	}
	*ret_len = out - string;
	*out++ = '\0';
	document->strings_used = out - document->strings;
	return string;
}

static void set_number(struct json_node *node, const char *text, size_t len)
{
	bool is_negative = text[0] == '-';
	uint64_t value = 0;

	node->type = JSON_NUMBER;
	for (size_t i = is_negative; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' || value > (INT64_MAX - 9) / 10)
			return;
		value = value * 10 + (text[i] - '0');
	}
	if (is_negative && !value)
		return;
	node->integer = is_negative ? -(int64_t)value : (int64_t)value;
	node->is_integer = true;
}

static void set_value(struct json_document *document, struct json_node *node, const jsmntok_t *token)
{
	const char *text = document->text + token->start;

	node->offset = token->start;
	if (token->type == JSMN_STRING) {
		node->type = JSON_STRING;
		node->offset = token->start - 1;
		node->string = decode_string(document, token->start, token->end, &node->len);
	} else if (token->type == JSMN_OBJECT || token->type == JSMN_ARRAY) {
		node->type = token->type == JSMN_OBJECT ? JSON_OBJECT : JSON_ARRAY;
		node->len = token->size;
	} else if (text[0] == 't' || text[0] == 'f') {
		node->type = JSON_BOOL;
		node->boolean = text[0] == 't';
	} else if (text[0] == 'n') {
		node->type = JSON_NULL;
	} else {
		set_number(node, text, token->end - token->start);
	}
}

/* Is token I the key of a member? jsmn makes the value the key's child. */
static bool is_key(const jsmntok_t *tokens, int i)
{
	int parent = tokens[i].parent;

	return parent >= 0 && tokens[parent].type == JSMN_OBJECT;
}

/*
 * Nodes stand at their tokens' indexes (those of keys stay unused), so parents
 * are found without a search. Going backwards, each list grows at its front.
 */
static void link_nodes(struct json_document *document, const jsmntok_t *tokens, int count)
{
	for (int i = count - 1; i > 0; i--) {
		struct json_node *node = &document->nodes[i], *parent;
		int above = tokens[i].parent;

		if (is_key(tokens, i))
			continue;
		if (is_key(tokens, above)) {
			node->key = document->nodes[above].string;
			node->key_offset = document->nodes[above].offset;
			above = tokens[above].parent;
		}
		parent = &document->nodes[above];
		node->next = parent->first;
		parent->first = node;
	}
}

static int compare_members(const void *left, const void *right)
{
	const struct json_node *a = *(const struct json_node *const *)left;
	const struct json_node *b = *(const struct json_node *const *)right;
	int order = strcmp(a->key, b->key);

	return order ? order : a->key_offset < b->key_offset ? -1 : a->key_offset > b->key_offset;
}

static void report_duplicate(const struct json_document *document, const struct json_node *node,
			     const struct json_node *before, struct diagnostics *diagnostics)
{
	struct place place = json_key_place(document, node), first = json_key_place(document, before);
	char *key = text_name(node->key, strlen(node->key));

	diagnostics_error(diagnostics, &place, "remove one of the two", "duplicate key '%s' (first at %u:%u)",
			  key ? key : "", first.line, first.column);
	free(key);
}

static int check_duplicates(const struct json_document *document, const struct json_node *object,
			    struct diagnostics *diagnostics)
{
	const struct json_node **members = calloc(object->len + 1, sizeof(*members));
	size_t count = 0, first = 0;

	if (!members)
		return -ENOMEM;
	for (const struct json_node *node = object->first; node; node = node->next)
		members[count++] = node;
	qsort(members, count, sizeof(*members), compare_members);
	for (size_t i = 1; i < count; i++) {
		if (strcmp(members[i]->key, members[first]->key))
			first = i;
		else
			report_duplicate(document, members[i], members[first], diagnostics);
	}
	free(members);
	return 0;
}

static int read_tokens(struct json_document *document, jsmntok_t **ret_tokens, int *ret_count)
{
	jsmn_parser parser;
	jsmntok_t *tokens;
	int count;

	jsmn_init(&parser);
	count = jsmn_parse(&parser, document->text, document->len, NULL, 0);
	if (count <= 0)
		return -EINVAL;
	tokens = calloc(count, sizeof(*tokens));
	if (!tokens)
		return -ENOMEM;
	jsmn_init(&parser);
	if (jsmn_parse(&parser, document->text, document->len, tokens, count) != count) {
		free(tokens);
		return -EINVAL;
	}
	*ret_tokens = tokens;
	*ret_count = count;
	return 0;
}

static int build_nodes(struct json_document *document, struct diagnostics *diagnostics)
{
	jsmntok_t *tokens = NULL;
	int count = 0, result = read_tokens(document, &tokens, &count);

	if (result)
		return result;
	result = -ENOMEM;
	document->nodes = calloc(count, sizeof(*document->nodes));
	document->strings = malloc(document->len + 1);
	if (!document->nodes || !document->strings)
		goto out;
	for (int i = 0; i < count; i++)
		set_value(document, &document->nodes[i], &tokens[i]);
	link_nodes(document, tokens, count);
	for (int i = 0; i < count; i++) {
		if (document->nodes[i].type == JSON_OBJECT &&
		    check_duplicates(document, &document->nodes[i], diagnostics))
			goto out;
	}
	result = 0;
out:
	free(tokens);
	return result;
}

static int check_syntax(const struct json_document *document, struct diagnostics *diagnostics)
{
	struct json_syntax_error error;
	struct place place;

	if (!json_check(document->text, document->len, &error))
		return 0;
	place = place_at(document, error.offset);
	diagnostics_error(diagnostics, &place, error.remedy, "%s", error.what);
	return -EINVAL;
}

int json_read(const char *text, size_t len, const char *file, struct diagnostics *diagnostics,
	      struct json_document **ret)
{
	struct json_document *document;
	int result = -EFBIG;

	if (len > JSON_LEN_MAX)
		return result;
	document = calloc(1, sizeof(*document));
	if (!document)
		return -ENOMEM;
	document->text = text;
	document->len = len;
	document->file = file;
	result = index_lines(document);
	if (!result)
		result = check_syntax(document, diagnostics);
	if (!result)
		result = build_nodes(document, diagnostics);
	if (result)
		json_free(document);
	else
		*ret = document;
	return result;
}

const struct json_node *json_root(const struct json_document *document)
{
	return &document->nodes[0];
}

const struct json_node *json_member(const struct json_node *object, const char *key)
{
	const struct json_node *node = object->type == JSON_OBJECT ? object->first : NULL;

	while (node && strcmp(node->key, key))
		node = node->next;
	return node;
}

const char *json_type_name(enum json_type type)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",	    [JSON_BOOL] = "true or false", [JSON_NUMBER] = "a number",
		[JSON_STRING] = "a string", [JSON_ARRAY] = "a list",	   [JSON_OBJECT] = "an object",
	};

	return names[type];
}
