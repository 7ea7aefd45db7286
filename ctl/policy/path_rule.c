// SPDX-License-Identifier: GPL-2.0
/* The paths of a rule: variables, the caller's own process, symbolic links on this machine, memory without a file. */
#include "ctl/policy/braces.h"
#include "ctl/policy/rule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/sys/links.h"

#define ANONYMOUS "anon:"
#define OWN_THREAD "/proc/thread-self"

struct path_reading {
	struct rule_draft *draft; /* NULL: the path is only checked */
	char **written; /* of each path: the pattern without this machine's links and -D; NULL if nobody asks */
	size_t count;
};

/*
 * The kernel names the caller's own process directory "self", and a thread has
 * its directory below that: /proc/thread-self/X is one of /proc/self/task/TID/X.
 */
static bool is_own_thread(const char *pattern)
{
	size_t len = sizeof(OWN_THREAD) - 1;

	return !strncmp(pattern, OWN_THREAD, len) && (!pattern[len] || pattern[len] == '/');
}

static char *rewrite_thread(const char *pattern)
{
	if (!is_own_thread(pattern))
		return strdup(pattern);
	return text_format("/proc/self/task/*%s", pattern + sizeof(OWN_THREAD) - 1);
}

/* Length of the leading components of PATTERN that hold no glob character; all of it if none does. */
static size_t fixed_part(const char *pattern)
{
	size_t fixed = 0;

	for (size_t at = 0;; at++) {
		if (!pattern[at] || pattern[at] == '/')
			fixed = at;
		if (!pattern[at] || strchr("*?[{", pattern[at]))
			return fixed;
		if (pattern[at] == '\\' && pattern[at + 1])
			at++;
	}
}

static char *unescape(const char *pattern, size_t len)
{
	char *text = malloc(len + 1), *out = text;

	if (!text)
		return NULL;
	for (size_t at = 0; at < len; at++) {
		if (pattern[at] == '\\' && at + 1 < len)
			at++;
		*out++ = pattern[at];
	}
	*out = '\0';
	return text;
}

/* Follows the fixed part of PATTERN; *ret_target is the pattern that then holds, or NULL if there is no link. */
static int follow_links(const char *pattern, struct links *links, char **ret_target)
{
	size_t len = *pattern == '/' ? fixed_part(pattern) : 0;
	char *fixed, *escaped;
	int result;

	*ret_target = NULL;
	if (!len)
		return 0;
	fixed = unescape(pattern, len);
	if (!fixed)
		return -ENOMEM;
	result = links_resolve(fixed, true, links);
	free(fixed);
	if (result || !links->target)
		return result;
	/* The root is "" before what follows it. */
	escaped = pattern_escape(links->target[1] || !pattern[len] ? links->target : "");
	*ret_target = escaped ? text_format("%s%s", escaped, pattern + len) : NULL;
	free(escaped);
	return *ret_target ? 0 : -ENOMEM;
}

static int add_pattern(struct rule_draft *draft, const char *text)
{
	struct pattern_error error;
	struct pattern *pattern;
	char *rewritten = rewrite_thread(text);
	int result = -ENOMEM;

	if (rewritten)
		result = pattern_path(rewritten, strlen(rewritten), &pattern, &error);
	if (!result)
		result = pattern_list_add(&draft->real, pattern);
	free(rewritten);
	return result;
}

static void explain_link(struct reader *reader, const struct json_node *node, const struct links *links,
			 const char *target, bool is_strict)
{
	struct place place = json_place(reader->document, node);

	if (reader->options->wants_notes)
		diagnostics_warning(reader->diagnostics, &place,
				    is_strict ? "both names count" : "the rule holds for that name",
				    "'%s' is a symbolic link here, which leads to '%s'", links->link, target);
}

/*
 * Whoever can change a link of an allow rule could make it lead anywhere, so
 * only root may: else the rule must name its target itself.
 */
static void refuse_link(struct reader *reader, const struct json_node *node, const struct links *links,
			const char *target)
{
	char *remedy = text_format("name '%s' itself, or let root alone write in '%s'", target,
				   links->open_directory);

	if (remedy)
		reader_error(
			reader, node, remedy,
			"the path goes through the symbolic link '%s', and others than root can write in '%s'",
			links->link, links->open_directory);
	else
		reader_no_memory(reader);
	free(remedy);
}

/* One path of a rule while what its links make of it is added. */
struct path_adding {
	struct reader *reader;
	const struct json_node *node;
	struct rule_draft *draft;
};

/* Adds PATTERN, whose leading part holds no braces, and what its links on this machine make of it. */
static int add_followed(const char *pattern, void *data)
{
	const struct path_adding *adding = data;
	struct rule_draft *draft = adding->draft;
	bool is_strict = draft->rule.verb == VERB_DENY || draft->rule.verb == VERB_ASK;
	struct links links = { 0 };
	char *target = NULL;
	int result = follow_links(pattern, &links, &target);

	if (!result && target && !is_strict && links.open_directory) {
		refuse_link(adding->reader, adding->node, &links, target);
	} else if (!result && target) {
		explain_link(adding->reader, adding->node, &links, target, is_strict);
		draft->rule.is_local = true;
		result = add_pattern(draft, target);
	}
	if (!result && (!target || is_strict))
		result = add_pattern(draft, pattern);
	links_done(&links);
	free(target);
	return result;
}

/* 1 if PATTERN, whose leading part holds no braces, is not to be taken as it is written. */
static int is_followed(const char *pattern, void *data)
{
	struct links links = { 0 };
	char *target = NULL;
	int result = is_own_thread(pattern) ? 1 : follow_links(pattern, &links, &target);

	(void)data;
	if (!result && target)
		result = 1;
	links_done(&links);
	free(target);
	return result;
}

/* Adds the checked pattern TEXT. Its braces are written out only where a link asks for it. */
static void add_path(struct reader *reader, const struct json_node *node, struct path_reading *reading,
		     const char *text)
{
	struct path_adding adding = { reader, node, reading->draft };
	int result = braces_expand(text, is_followed, NULL);

	if (result == 1)
		result = braces_expand(text, add_followed, &adding);
	else if (!result)
		result = add_pattern(reading->draft, text);
	if (result == -ENOMEM)
		reader_no_memory(reader);
	else if (result)
		reader_error(reader, node, "name the link's target itself",
			     "the pattern becomes too long by its links");
}

/* Is TEXT a pattern? Reports it if not. */
static bool check_path(struct reader *reader, const struct json_node *node, const struct expansion *expansion)
{
	struct pattern_error error;
	struct pattern *pattern;
	int result;

	if (expansion->text[0] == '~' && (expansion->text[1] == '/' || !expansion->text[1])) {
		reader_error(reader, node, "write \"/home/*/…\", or a variable for the folder",
			     "'~' stands for nobody's home here");
		return false;
	}
	result = pattern_path(expansion->text, expansion->len, &pattern, &error);
	if (!result)
		pattern_free(pattern);
	else if (result == -EINVAL)
		reader_pattern_error(reader, node, expansion, &error);
	else
		reader_no_memory(reader);
	return !result;
}

static bool is_anonymous(struct reader *reader, const struct json_node *node, struct path_reading *reading)
{
	if (strcmp(node->string, ANONYMOUS))
		return false;
	if (reading->draft && reading->draft->rule.section == SECTION_EXEC)
		reading->draft->rule.names_anonymous = true;
	else
		reader_error(reader, node, "name it in a rule of 'exec', or write a path",
			     "'" ANONYMOUS "' is memory without a file");
	return true;
}

static void keep_written(struct path_reading *reading, struct expansion *expansion)
{
	reading->draft->rule.is_local |= expansion->written != NULL;
	if (!reading->written)
		return;
	reading->written[reading->count++] = expansion->written ? expansion->written : expansion->text;
	if (expansion->written)
		expansion->written = NULL;
	else
		expansion->text = NULL;
}

/* A name behind its '@' is a pattern in which `*` crosses slashes: to a name they are bytes like others. */
static void add_name(struct reader *reader, const struct json_node *node, const struct expansion *expansion,
		     struct rule_draft *draft)
{
	struct pattern_error error;
	struct pattern *pattern;
	int result;

	expansion->text[0] = '/';
	result = pattern_argument(expansion->text, expansion->len, &pattern, &error);
	expansion->text[0] = '@';
	if (!result)
		result = pattern_list_add(&draft->names, pattern);
	if (result == -EINVAL)
		reader_pattern_error(reader, node, expansion, &error);
	else if (result)
		reader_no_memory(reader);
}

static void read_name(struct reader *reader, const struct json_node *node, struct rule_draft *draft)
{
	struct expansion expansion;

	if (!strcmp(node->string, "@session")) {
		draft->rule.names_session = true;
		return;
	}
	if (!reader_expand(reader, node, EXPANSION_PATTERN, &expansion))
		return;
	if (expansion.len < 2)
		reader_error(reader, node, "write a name behind it, or @session", "'@' alone");
	else
		add_name(reader, node, &expansion, draft);
	expansion_done(&expansion);
}

static void read_path(struct reader *reader, const struct json_node *node, void *data)
{
	struct path_reading *reading = data;
	struct expansion expansion;

	if (reading->draft && reading->draft->rule.section == SECTION_NET && node->string[0] == '@') {
		read_name(reader, node, reading->draft);
		return;
	}
	if (is_anonymous(reader, node, reading) ||
	    !reader_expand(reader, node, EXPANSION_PATTERN, &expansion))
		return;
	if (check_path(reader, node, &expansion) && reading->draft) {
		add_path(reader, node, reading, expansion.text);
		keep_written(reading, &expansion);
	}
	expansion_done(&expansion);
}

/* The patterns as the policy writes them: only what differs from what holds here needs them. */
static void add_written(struct reader *reader, struct path_reading *reading)
{
	struct rule_draft *draft = reading->draft;

	for (size_t i = 0; i < reading->count; i++) {
		char *text = draft->rule.is_local ? rewrite_thread(reading->written[i]) : NULL;
		struct pattern_error error;
		struct pattern *pattern;

		/* What is no pattern without its -D matches nothing. */
		if (text && !pattern_path(text, strlen(text), &pattern, &error) &&
		    pattern_list_add(&draft->written, pattern))
			reader_no_memory(reader);
		free(text);
		free(reading->written[i]);
	}
}

static void read_paths(struct reader *reader, const struct json_node *path, struct rule_draft *draft)
{
	struct path_reading reading = { .draft = draft };
	size_t members;

	members = path->type == JSON_ARRAY && path->len <= LIST_MAX ? path->len : 1;
	reading.written = calloc(members + 1, sizeof(*reading.written));
	if (!reading.written) {
		reader_no_memory(reader);
		return;
	}
	reader_each(reader, path, read_path, &reading);
	add_written(reader, &reading);
	free(reading.written);
}

void path_rule_read(struct reader *reader, const struct json_node *node, struct rule_draft *draft)
{
	const struct json_node *path = json_member(node, "path"), *args = json_member(node, "args");

	if (args && draft->rule.section == SECTION_EXEC && !coverage_has(FEATURE_ARGS))
		reader_refuse(reader, json_key_place(reader->document, args), "args");
	if (!path) {
		reader_error(reader, node, "add it; \"/**\" is everything", "a rule without 'path'");
		return;
	}
	read_paths(reader, path, draft);
}

void unix_rule_read(struct reader *reader, const struct json_node *list, struct rule_draft *draft)
{
	draft->rule.is_unix = true;
	read_paths(reader, list, draft);
}

void path_list_check(struct reader *reader, const struct json_node *node)
{
	struct path_reading reading = { 0 };

	reader_each(reader, node, read_path, &reading);
}

void program_list_read(struct reader *reader, const struct json_node *node, struct pattern **ret_programs)
{
	struct rule_draft draft = { .rule = { .section = SECTION_FILE, .verb = VERB_ALLOW } };
	struct path_reading reading = { .draft = &draft };

	*ret_programs = NULL;
	reader_each(reader, node, read_path, &reading);
	if (pattern_list_union(&draft.real, ret_programs))
		reader_no_memory(reader);
}
