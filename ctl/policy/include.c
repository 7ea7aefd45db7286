// SPDX-License-Identifier: GPL-2.0
/* The files of a policy, and how one includes another. */
#include "ctl/policy/include.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/policy/source.h"

#ifndef DATADIR
#define DATADIR "/usr/share/agentctl"
#endif

/* The file itself, whatever its name: what tells a circle. */
static char *real_name(const struct reader *reader, const char *path)
{
	char *real = reader->bundle ? NULL : realpath(path, NULL);

	return real ? real : strdup(path);
}

static int append_file(struct policy *policy, const char *path, char *real, char *text, size_t len)
{
	struct policy_file *files = realloc(policy->files, (policy->file_count + 1) * sizeof(*files));
	char *copy = strdup(path);

	if (files)
		policy->files = files;
	if (!files || !copy) {
		free(copy);
		return -ENOMEM;
	}
	files[policy->file_count++] = (struct policy_file){ copy, text, len, real, true };
	return 0;
}

/* Parses the text of file number FILE and reads it as a part of the policy. */
static int read_text(struct reader *reader, size_t file, bool is_included)
{
	const struct policy_file *entry = &reader->policy->files[file];
	const struct json_document *outer = reader->document;
	bool was_included = reader->is_included;
	struct json_document *document;
	int result = json_read(entry->text, entry->len_bytes, entry->path, reader->diagnostics, &document);

	if (!result) {
		reader->document = document;
		reader->is_included = is_included;
		reader->depth += is_included;
		file_read(reader, json_root(document));
		reader->document = outer;
		reader->is_included = was_included;
		reader->depth -= is_included;
		json_free(document);
	}
	reader->policy->files[file].is_open = false;
	return result == -EINVAL ? 0 : result;
}

static size_t text_left(const struct policy *policy)
{
	size_t left = POLICY_TEXT_MAX;

	for (size_t i = 0; i < policy->file_count; i++)
		left -= policy->files[i].len_bytes;
	return left < POLICY_FILE_MAX ? left : POLICY_FILE_MAX;
}

static int read_path(struct reader *reader, const char *path, char *real, bool is_included)
{
	char *text = NULL;
	size_t len = 0;
	int result = source_read(reader->bundle, path, text_left(reader->policy),
				 reader->options->refuse_writable, &text, &len);

	if (!result)
		result = append_file(reader->policy, path, real, text, len);
	if (result) {
		free(real);
		free(text);
		return result;
	}
	return read_text(reader, reader->policy->file_count - 1, is_included);
}

static const char *read_remedy(int result)
{
	return result == -EFBIG	  ? "split it into files that include each other"
	       : result == -EPERM ? "take the right to write it from others (chmod o-w)"
				  : "name a file beside this one, or a shipped one such as base.json";
}

static const char *read_failure(int result)
{
	return result == -EFBIG	  ? "it is larger than 1 MiB, or all files together than 4 MiB"
	       : result == -EPERM ? "anybody may write it"
				  : strerror(-result);
}

/* "a.json includes b.json, which includes …": a file that is still being read. */
static void refuse_circle(struct reader *reader, const struct json_node *node, const char *real)
{
	for (size_t i = 0; i < reader->policy->file_count; i++)
		if (!strcmp(reader->policy->files[i].real, real))
			reader_error(reader, node, "remove one of the includes",
				     "'%s' includes itself by way of this file",
				     reader->policy->files[i].path);
}

/* Reads PATH, unless it has been: a file that is included twice counts once. */
static void include_path(struct reader *reader, const struct json_node *node, const char *path)
{
	struct policy *policy = reader->policy;
	char *real = real_name(reader, path);
	size_t depth = 0;
	int result;

	if (!real) {
		reader_no_memory(reader);
		return;
	}
	for (size_t i = 0; i < policy->file_count; i++) {
		depth += policy->files[i].is_open;
		if (strcmp(policy->files[i].real, real))
			continue;
		if (policy->files[i].is_open)
			refuse_circle(reader, node, real);
		free(real);
		return;
	}
	if (depth >= POLICY_INCLUDE_DEPTH_MAX || policy->file_count >= POLICY_FILES_MAX) {
		reader_error(reader, node, "put the rules into fewer files",
			     "more than %d files, or %d within each other", POLICY_FILES_MAX,
			     POLICY_INCLUDE_DEPTH_MAX);
		free(real);
		return;
	}
	result = read_path(reader, path, real, true);
	if (result)
		reader_error(reader, node, read_remedy(result), "cannot read '%s': %s", path,
			     read_failure(result));
}

/* Can PATH be had at all? */
static bool exists(const struct reader *reader, const char *path)
{
	char *text;
	size_t len;
	int result = source_read(reader->bundle, path, POLICY_FILE_MAX, false, &text, &len);

	if (!result)
		free(text);
	return result != -ENOENT && result != -ENOTDIR;
}

static void include_one(struct reader *reader, const struct json_node *node, void *data)
{
	const char *folder = reader->options->shipped_folder ? reader->options->shipped_folder
							     : DATADIR "/policies";
	const char *own = json_place(reader->document, node).file, *slash = strrchr(own, '/');
	char *beside = node->string[0] == '/'
			       ? strdup(node->string)
			       : text_format("%.*s%s", slash ? (int)(slash - own + 1) : 0, own, node->string);
	char *shipped = text_format("%s/%s", folder, node->string);

	(void)data;
	if (!beside || !shipped)
		reader_no_memory(reader);
	else if (node->string[0] != '/' && !exists(reader, beside) && exists(reader, shipped))
		include_path(reader, node, shipped);
	else
		include_path(reader, node, beside);
	free(beside);
	free(shipped);
}

void include_read(struct reader *reader, const struct json_node *node)
{
	reader_each(reader, node, include_one, NULL);
}

static void warn_unused(struct reader *reader)
{
	for (size_t i = 0; i < reader->variables.define_count; i++)
		if (!reader->variables.list[i].is_used)
			diagnostics_warning(reader->diagnostics, NULL, NULL,
					    "-D %s: the policy has no such variable",
					    reader->variables.list[i].name);
}

/* Rules in the order of sections, each section's as they were read. */
static int order_rules(struct policy *policy)
{
	struct policy_rule *ordered = calloc(policy->rule_count + 1, sizeof(*ordered));
	size_t count = 0;

	if (!ordered)
		return -ENOMEM;
	for (int section = 0; section < SECTION_COUNT; section++) {
		uint32_t index = 0;

		for (size_t i = 0; i < policy->rule_count; i++) {
			if ((int)policy->rules[i].section != section)
				continue;
			ordered[count] = policy->rules[i];
			ordered[count++].index = index++;
		}
	}
	free(policy->rules);
	policy->rules = ordered;
	return 0;
}

static int read_main(struct reader *reader, const char *path)
{
	struct place start = { path, 1, 1 };
	char *real = real_name(reader, path);
	int result = real ? read_path(reader, path, real, false) : -ENOMEM;

	if (result == -EFBIG || result == -EPERM) {
		diagnostics_error(reader->diagnostics, &start, read_remedy(result),
				  "cannot read the file: %s", read_failure(result));
		result = 0;
	}
	return result;
}

int policy_read_from(const char *path, const struct policy_bundle *bundle,
		     const struct policy_options *options, struct diagnostics *diagnostics,
		     struct policy **ret)
{
	static const struct policy_options none;
	struct reader reader = { .options = options ? options : &none,
				 .diagnostics = diagnostics,
				 .bundle = bundle };
	int result;

	reader.policy = calloc(1, sizeof(*reader.policy));
	result = reader.policy ? variables_init(&reader.variables, reader.options) : -ENOMEM;
	if (!result)
		result = read_main(&reader, path);
	if (!result)
		result = diagnostics_result(diagnostics);
	if (!result) {
		warn_unused(&reader);
		result = order_rules(reader.policy);
	}
	variables_done(&reader.variables);
	if (result)
		policy_free(reader.policy);
	else
		*ret = reader.policy;
	return result;
}

int policy_read(const char *path, const struct policy_options *options, struct diagnostics *diagnostics,
		struct policy **ret)
{
	return policy_read_from(path, NULL, options, diagnostics, ret);
}
