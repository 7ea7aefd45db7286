// SPDX-License-Identifier: GPL-2.0
/* What the readers of a policy's parts share: the state of the reading, and checks that report what is wrong. */
#include "ctl/policy/reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"

void reader_no_memory(struct reader *reader)
{
	reader->diagnostics->is_incomplete = true;
}

static void report(struct reader *reader, struct place place, const char *remedy, const char *format,
		   va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0) {
		reader_no_memory(reader);
		return;
	}
	diagnostics_error(reader->diagnostics, &place, remedy, "%s", text);
	free(text);
}

void reader_error(struct reader *reader, const struct json_node *node, const char *remedy, const char *format,
		  ...)
{
	va_list arguments;

	va_start(arguments, format);
	report(reader, json_place(reader->document, node), remedy, format, arguments);
	va_end(arguments);
}

void reader_key_error(struct reader *reader, const struct json_node *node, const char *remedy,
		      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report(reader, json_key_place(reader->document, node), remedy, format, arguments);
	va_end(arguments);
}

/* "one of a, b, c" */
static char *list_words(const char *const *words)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	for (size_t i = 0; words[i]; i++)
		fprintf(stream, "%s%s", i ? ", " : words[1] ? "write one of " : "write ", words[i]);
	if (fclose(stream)) {
		free(text);
		return NULL;
	}
	return text;
}

/* WHERE is what the word stands in, with a space before it, or "". */
static void report_unknown(struct reader *reader, const struct place *place, const char *what,
			   const char *word, const char *where, const char *const *words)
{
	const char *near = text_suggest(word, words);
	char *remedy = list_words(words), *shown = text_name(word, strlen(word));

	if (!remedy || !shown)
		reader_no_memory(reader);
	else if (near)
		diagnostics_error(reader->diagnostics, place, remedy,
				  "unknown %s '%s'%s (did you mean '%s'?)", what, shown, where, near);
	else
		diagnostics_error(reader->diagnostics, place, remedy, "unknown %s '%s'%s", what, shown,
				  where);
	free(remedy);
	free(shown);
}

void reader_unknown(struct reader *reader, const struct place *place, const char *what, const char *word,
		    const char *const *words)
{
	report_unknown(reader, place, what, word, "", words);
}

void reader_refuse(struct reader *reader, struct place place, const char *word)
{
	diagnostics_error(reader->diagnostics, &place, "leave it out, and know that nothing decides it",
			  "'%s' is not enforced by this version yet", word);
}

void reader_check_keys(struct reader *reader, const struct json_node *object, const char *const *known,
		       const char *where)
{
	char in[80];

	snprintf(in, sizeof(in), " in %s", where);
	for (const struct json_node *node = object->first; node; node = node->next) {
		struct place place = json_key_place(reader->document, node);
		size_t i = 0;

		while (known[i] && strcmp(known[i], node->key))
			i++;
		if (!known[i])
			report_unknown(reader, &place, "key", node->key, in, known);
	}
}

/* "'path'", or "a list's member" within one. */
static const char *value_name(const struct json_node *node, char *buffer, size_t size)
{
	char *key = node->key ? text_name(node->key, strlen(node->key)) : NULL;

	snprintf(buffer, size, key ? "'%s'" : "a member of this list", key);
	free(key);
	return buffer;
}

bool reader_is(struct reader *reader, const struct json_node *node, enum json_type type)
{
	static const char *const remedies[] = {
		[JSON_NULL] = "write null",	    [JSON_BOOL] = "write true or false",
		[JSON_NUMBER] = "write a number",   [JSON_STRING] = "write a string in double quotes",
		[JSON_ARRAY] = "write a list: […]", [JSON_OBJECT] = "write an object: {…}",
	};
	char name[80];

	if (node->type == type)
		return true;
	reader_error(reader, node, remedies[type], "%s is %s, not %s", value_name(node, name, sizeof(name)),
		     json_type_name(node->type), json_type_name(type));
	return false;
}

static size_t each_string(struct reader *reader, const struct json_node *node, reader_string_function *each,
			  void *data)
{
	if (!reader_is(reader, node, JSON_STRING))
		return 0;
	if (!node->len) {
		reader_error(reader, node, "write what is meant, or remove it", "an empty string");
		return 0;
	}
	each(reader, node, data);
	return 1;
}

size_t reader_each(struct reader *reader, const struct json_node *node, reader_string_function *each,
		   void *data)
{
	size_t count = 0;

	if (node->type != JSON_ARRAY)
		return each_string(reader, node, each, data);
	if (!node->len)
		reader_error(reader, node, "name something in it, or remove it", "an empty list");
	if (node->len > LIST_MAX) {
		reader_error(reader, node, "split the rule", "a list of more than %d members", LIST_MAX);
		return 0;
	}
	for (const struct json_node *member = node->first; member; member = member->next)
		count += each_string(reader, member, each, data);
	return count;
}

int reader_word(struct reader *reader, const struct json_node *node, const char *const *words,
		const char *what)
{
	struct place place = json_place(reader->document, node);

	if (!reader_is(reader, node, JSON_STRING))
		return -1;
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], node->string))
			return i;
	reader_unknown(reader, &place, what, node->string, words);
	return -1;
}

bool reader_expand(struct reader *reader, const struct json_node *node, enum expansion_kind kind,
		   struct expansion *ret)
{
	struct expansion_error error = { 0 };
	struct place place;
	int result = variables_expand(&reader->variables, node->string, node->len, kind, ret, &error);
	char *name;

	if (!result)
		return true;
	name = result == -EINVAL ? text_name(error.name, strlen(error.name)) : NULL;
	if (!name) {
		reader_no_memory(reader);
		return false;
	}
	place = json_string_place(reader->document, node, error.offset);
	if (*name)
		diagnostics_error(reader->diagnostics, &place, error.remedy, "%s '${%s}'", error.what, name);
	else
		diagnostics_error(reader->diagnostics, &place, error.remedy, "%s", error.what);
	free(name);
	return false;
}

void reader_pattern_error(struct reader *reader, const struct json_node *node,
			  const struct expansion *expansion, const struct pattern_error *error)
{
	size_t at = error->offset < expansion->len ? error->offset : expansion->len;
	struct place place = json_string_place(reader->document, node, expansion->origin[at]);

	diagnostics_error(reader->diagnostics, &place, error->remedy, "%s", error->what);
}

void reader_line(struct reader *reader, const struct json_node *node, size_t max, char **ret)
{
	struct place place;
	uint32_t code;

	if (!reader_is(reader, node, JSON_STRING))
		return;
	if (!node->len)
		reader_error(reader, node, "write it, or remove the key", "'%s' is empty", node->key);
	if (node->len >= max)
		reader_error(reader, node, "shorten it", "'%s' is longer than %zu bytes", node->key, max - 1);
	for (size_t i = 0; i < node->len; i += text_utf8(node->string + i, node->len - i, NULL)) {
		text_utf8(node->string + i, node->len - i, &code);
		if (code >= 0x20 && (code < 0x7f || code > 0x9f))
			continue;
		place = json_string_place(reader->document, node, i);
		diagnostics_error(reader->diagnostics, &place, "remove it: events are lines",
				  "a control character in '%s'", node->key);
		break;
	}
	if (*ret)
		return;
	*ret = strdup(node->string);
	if (!*ret)
		reader_no_memory(reader);
}

void reader_check_duration(struct reader *reader, const struct json_node *node)
{
	static const char remedy[] = "write seconds, or a whole number with s, m, h or d, as in \"90s\"";
	size_t digits;

	if (node->type == JSON_NUMBER) {
		if (!node->is_integer || node->integer < 1 || node->integer > UINT32_MAX)
			reader_error(reader, node, remedy, "'%s' is no whole number of seconds", node->key);
		return;
	}
	if (!reader_is(reader, node, JSON_STRING))
		return;
	digits = strspn(node->string, "0123456789");
	if (!digits || digits > 9 || strspn(node->string, "0") == digits ||
	    (node->string[digits] && (!strchr("smhd", node->string[digits]) || node->string[digits + 1])))
		reader_error(reader, node, remedy, "'%s' is no duration", node->key);
}

int pattern_list_add(struct pattern_list *patterns, struct pattern *pattern)
{
	size_t count = patterns->count;
	struct pattern **list = patterns->list;

	if (!(count & (count - 1)))
		list = realloc(list, (count ? 2 * count : 1) * sizeof(struct pattern *));
	if (!list) {
		pattern_free(pattern);
		return -ENOMEM;
	}
	patterns->list = list;
	list[patterns->count++] = pattern;
	return 0;
}

void pattern_list_done(struct pattern_list *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		pattern_free(patterns->list[i]);
	free(patterns->list);
	*patterns = (struct pattern_list){ 0 };
}

/* Joined in pairs, round by round, so that no pattern is copied more often than the rounds. */
int pattern_list_union(struct pattern_list *patterns, struct pattern **ret)
{
	struct pattern **list = patterns->list;
	int result = 0;

	while (patterns->count > 1 && !result) {
		size_t joined = 0, at = 0;

		for (; at + 1 < patterns->count && !result; at += 2) {
			result = pattern_union(list[at], list[at + 1], &list[joined]);
			joined += !result;
		}
		/* What was not joined moves up; a pair that failed is gone. */
		for (; at < patterns->count; at++)
			list[joined++] = list[at];
		patterns->count = joined;
	}
	*ret = NULL;
	if (!result && patterns->count) {
		*ret = list[0];
		patterns->count = 0;
	}
	pattern_list_done(patterns);
	return result;
}
