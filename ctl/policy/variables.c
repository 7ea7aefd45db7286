// SPDX-License-Identifier: GPL-2.0
/* Variables of a policy, and their expansion in strings. */
#include "ctl/policy/variables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"

static void variable_done(struct variable *variable)
{
	free(variable->name);
	free(variable->value);
	free(variable->written);
}

static int append(struct variables *variables, const char *name, const char *value, char *written)
{
	struct variable entry = { strdup(name), strdup(value), written, false };
	struct variable *list = NULL;

	if (entry.name && entry.value && entry.written)
		list = realloc(variables->list, (variables->count + 1) * sizeof(*list));
	if (!list) {
		variable_done(&entry);
		return -ENOMEM;
	}
	list[variables->count++] = entry;
	variables->list = list;
	return 0;
}

static struct variable *find(const struct variables *variables, const char *name)
{
	for (size_t i = 0; i < variables->count; i++)
		if (!strcmp(variables->list[i].name, name))
			return &variables->list[i];
	return NULL;
}

int variables_init(struct variables *variables, const struct policy_options *options)
{
	int result = 0;

	*variables = (struct variables){ .options = options };
	for (size_t i = 0; i < options->define_count && !result; i++) {
		const struct policy_define *define = &options->defines[i];

		if (find(variables, define->name))
			continue;
		/* What stands for it where the policy itself gives no value: a name that nothing else has. */
		result = append(variables, define->name, define->value,
				text_format("%s\001%s", define->value[0] == '/' ? "/" : "", define->name));
	}
	variables->define_count = variables->count;
	return result;
}

void variables_forget(struct variables *variables, size_t count)
{
	while (variables->count > count)
		variable_done(&variables->list[--variables->count]);
}

void variables_done(struct variables *variables)
{
	variables_forget(variables, 0);
	free(variables->list);
	*variables = (struct variables){ 0 };
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool variable_name_is_valid(const char *name)
{
	if (!is_letter(*name))
		return false;
	while (is_letter(*name) || (*name >= '0' && *name <= '9'))
		name++;
	return !*name;
}

int variables_add(struct variables *variables, const char *name, const char *value, const char *written)
{
	struct variable *before = find(variables, name);
	char *copy;

	if (!before && variables->count - variables->define_count >= VARIABLES_MAX)
		return -ENOSPC;
	if (!before)
		return append(variables, name, value, strdup(written));
	before->is_used = true;
	if (before >= variables->list + variables->define_count)
		return 0;
	copy = strdup(written);
	if (!copy)
		return -ENOMEM;
	free(before->written);
	before->written = copy;
	return 0;
}

/* What `run` knows of its user, or NULL. */
static const char *find_user(const struct policy_options *options, const char *name)
{
	for (size_t i = 0; i < options->user_count; i++)
		if (!strcmp(options->user[i].name, name))
			return options->user[i].value;
	return NULL;
}

/* What stands for more than itself in a pattern. */
static bool is_special(char c)
{
	return c && strchr("*?[]{}\\,", c);
}

/* The same where the pattern may be inside a class or about to begin one. */
static bool is_special_in_class(char c)
{
	return is_special(c) || (c && strchr("!^-", c));
}

struct output {
	FILE *stream;
	FILE *written;
	FILE *origin;
	size_t len;
	bool has_define;
};

static void put_origin(struct output *out, uint32_t offset)
{
	fwrite(&offset, sizeof(offset), 1, out->origin);
}

static void put_byte(struct output *out, char c, size_t offset)
{
	fputc(c, out->stream);
	fputc(c, out->written);
	put_origin(out, offset);
	out->len++;
}

static void put_value(struct output *out, const char *value, const char *written, bool is_pattern,
		      size_t offset)
{
	for (; *value; value++) {
		if (is_pattern && is_special_in_class(*value)) {
			fputc('\\', out->stream);
			put_origin(out, offset);
			out->len++;
		}
		fputc(*value, out->stream);
		put_origin(out, offset);
		out->len++;
	}
	for (; *written; written++) {
		if (is_pattern && is_special_in_class(*written))
			fputc('\\', out->written);
		fputc(*written, out->written);
	}
}

static int refuse(struct expansion_error *error, size_t offset, const char *what, const char *remedy)
{
	error->offset = offset;
	error->what = what;
	error->remedy = remedy;
	return -EINVAL;
}

static int expand_name(struct variables *variables, struct output *out, bool is_pattern, size_t offset,
		       struct expansion_error *error)
{
	struct variable *variable = find(variables, error->name);
	const char *value = NULL;

	if (variable) {
		variable->is_used = true;
		out->has_define |= strcmp(variable->value, variable->written) != 0;
		put_value(out, variable->value, variable->written, is_pattern, offset);
		return 0;
	}
	if (variables->options->is_run)
		value = find_user(variables->options, error->name);
	if (value) {
		put_value(out, value, value, is_pattern, offset);
		return 0;
	}
	if (!strncmp(error->name, "env.", 4) && !variables->options->is_run)
		return refuse(error, offset, "only 'run' knows the variable",
			      "use a variable of 'vars' or -D");
	return refuse(error, offset, "undefined variable", "define it in 'vars', or with -D NAME=VALUE");
}

/* The variable at TEXT + *AT, which is "${". */
static int expand_variable(struct variables *variables, struct output *out, bool is_pattern, const char *text,
			   size_t len, size_t *at, struct expansion_error *error)
{
	size_t start = *at + 2;
	const char *end = memchr(text + start, '}', len - start);
	size_t name_len = end ? (size_t)(end - text - start) : 0;
	int result;

	if (!end)
		return refuse(error, *at, "unclosed '${'",
			      "close it with '}', or write \\$\\{ for the characters themselves");
	if (!name_len || name_len >= sizeof(error->name))
		return refuse(error, *at, "'${…}' without a name of 1 to 63 characters",
			      "name a variable in it");
	memcpy(error->name, text + start, name_len);
	error->name[name_len] = '\0';
	result = expand_name(variables, out, is_pattern, *at, error);
	*at = start + name_len + 1;
	return result;
}

static int expand_text(struct variables *variables, struct output *out, bool is_pattern, const char *text,
		       size_t len, struct expansion_error *error)
{
	int result = 0;

	for (size_t at = 0; at < len && !result;) {
		if (text[at] == '$' && at + 1 < len && text[at + 1] == '{') {
			result = expand_variable(variables, out, is_pattern, text, len, &at, error);
		} else {
			if (is_pattern && text[at] == '\\' && at + 1 < len) {
				put_byte(out, text[at], at);
				at++;
			}
			put_byte(out, text[at], at);
			at++;
		}
		if (out->len > EXPANSION_LEN_MAX && !result)
			result = refuse(error, 0, "a string longer than 65536 bytes",
					"shorten the variables in it");
	}
	put_origin(out, len);
	return result;
}

int variables_expand(struct variables *variables, const char *text, size_t len, enum expansion_kind kind,
		     struct expansion *ret, struct expansion_error *ret_error)
{
	struct expansion expansion = { 0 };
	size_t written_len, origin_len;
	struct output out = { .stream = open_memstream(&expansion.text, &expansion.len),
			      .written = open_memstream(&expansion.written, &written_len),
			      .origin = open_memstream((char **)&expansion.origin, &origin_len) };
	int result = -ENOMEM;

	if (out.stream && out.written && out.origin)
		result = expand_text(variables, &out, kind == EXPANSION_PATTERN, text, len, ret_error);
	if ((out.stream && fclose(out.stream)) | (out.written && fclose(out.written)) |
	    (out.origin && fclose(out.origin)))
		result = -ENOMEM;
	if (result) {
		expansion_done(&expansion);
		return result;
	}
	if (!out.has_define) {
		free(expansion.written);
		expansion.written = NULL;
	}
	*ret = expansion;
	return 0;
}

void expansion_done(struct expansion *expansion)
{
	free(expansion->text);
	free(expansion->origin);
	free(expansion->written);
	*expansion = (struct expansion){ 0 };
}

char *pattern_escape(const char *text)
{
	char *escaped = malloc(2 * strlen(text) + 1), *out = escaped;

	if (!escaped)
		return NULL;
	for (; *text; text++) {
		if (is_special(*text))
			*out++ = '\\';
		*out++ = *text;
	}
	*out = '\0';
	return escaped;
}
