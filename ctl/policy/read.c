// SPDX-License-Identifier: GPL-2.0
/* Reading a policy file: its head, its sections of rules, its variables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/policy/include.h"
#include "ctl/policy/rule.h"
#include "ctl/policy/sections.h"
#include "ctl/policy/words.h"

enum verb default_read(struct reader *reader, const struct json_node *node)
{
	int verb = reader_word(reader, node, verb_words, "verb");

	if (verb == VERB_ASK && !coverage_has(FEATURE_ASK))
		reader_refuse(reader, json_place(reader->document, node), "ask");
	return verb < 0 ? VERB_DENY : (enum verb)verb;
}

/*
 * The file's own default holds. An included file gives one only to a section
 * that none before it has: including rules never opens what is closed.
 */
static void read_fallback(struct reader *reader, const struct json_node *node, struct policy_section *section)
{
	const struct json_node *fallback = json_member(node, "default");
	enum verb verb = fallback ? default_read(reader, fallback) : VERB_DENY;

	if (section->is_present)
		return;
	section->is_present = true;
	section->fallback = verb;
	section->place = fallback ? json_place(reader->document, fallback)
				  : json_key_place(reader->document, node);
}

static void read_section(struct reader *reader, const struct json_node *node, enum section section)
{
	static const char *const keys[] = { "default", "rules", NULL };
	const struct json_node *rules = json_member(node, "rules");
	char where[16];

	if (!reader_is(reader, node, JSON_OBJECT))
		return;
	strcat(strcat(strcpy(where, "'"), section_names[section]), "'");
	reader_check_keys(reader, node, keys, where);
	read_fallback(reader, node, &reader->policy->section[section]);
	if (!rules || !reader_is(reader, rules, JSON_ARRAY))
		return;
	if (!rules->len)
		reader_error(reader, rules, "write a rule in it, or remove it", "an empty list");
	for (const struct json_node *rule = rules->first; rule; rule = rule->next) {
		if (reader->policy->rule_count >= POLICY_RULES_MAX) {
			reader_error(reader, rule, "split the policy", "more than %d rules",
				     POLICY_RULES_MAX);
			return;
		}
		rule_read(reader, section, rule);
	}
}

static bool is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	return strspn(name, letters) == strlen(name) && !strchr("._-", *name) &&
	       strlen(name) < POLICY_NAME_MAX;
}

static void read_name(struct reader *reader, const struct json_node *root)
{
	const struct json_node *name = json_member(root, "name");
	char *shown;

	if (!name) {
		reader_error(reader, root, "add \"name\": \"…\"", "a policy without a name");
		return;
	}
	if (!reader_is(reader, name, JSON_STRING))
		return;
	if (!is_name(name->string)) {
		shown = text_name(name->string, name->len);
		reader_error(
			reader, name,
			"begin with a letter or digit and go on with up to 62 of letters, digits, '.', '_', '-'",
			"'%s' is no name of a policy", shown ? shown : "");
		free(shown);
	} else if (!reader->is_included) {
		strcpy(reader->policy->name, name->string);
	}
}

static void read_mode(struct reader *reader, const struct json_node *node)
{
	static const char *const words[] = { "enforce", "audit", NULL };
	int mode = reader_word(reader, node, words, "mode");

	if (!reader->is_included)
		reader->policy->is_audit = mode == 1;
}

static void read_description(struct reader *reader, const struct json_node *node)
{
	if (!reader_is(reader, node, JSON_STRING) || reader->policy->description || reader->is_included)
		return;
	reader->policy->description = strdup(node->string);
	if (!reader->policy->description)
		reader_no_memory(reader);
}

static void read_variable(struct reader *reader, const struct json_node *node)
{
	struct expansion expansion;
	int result;

	if (!variable_name_is_valid(node->key)) {
		reader_key_error(reader, node, "write letters, digits and '_', and no digit first",
				 "no name of a variable");
		return;
	}
	if (!reader_is(reader, node, JSON_STRING) ||
	    !reader_expand(reader, node, EXPANSION_PLAIN, &expansion))
		return;
	result = variables_add(&reader->variables, node->key, expansion.text,
			       expansion.written ? expansion.written : expansion.text);
	if (result == -ENOSPC)
		reader_key_error(reader, node, "remove some", "more than %d variables", VARIABLES_MAX);
	else if (result)
		reader_no_memory(reader);
	expansion_done(&expansion);
}

static void read_variables(struct reader *reader, const struct json_node *node)
{
	if (!reader_is(reader, node, JSON_OBJECT))
		return;
	for (const struct json_node *member = node->first; member; member = member->next)
		read_variable(reader, member);
}

/*
 * What an included file observes and tests is its own affair: it is read as
 * strictly, but only its rules come along.
 */
static void read_own_parts(struct reader *reader, const struct json_node *member)
{
	struct policy scratch = { 0 }, *policy = reader->policy;

	if (reader->is_included)
		reader->policy = &scratch;
	if (!strcmp(member->key, "observe"))
		observe_read(reader, member);
	else
		tests_read(reader, member);
	reader->policy = policy;
	policy_tests_free(&scratch);
}

static void read_member(struct reader *reader, const struct json_node *member)
{
	static const struct {
		const char *key;
		void (*read)(struct reader *reader, const struct json_node *node);
	} readers[] = {
		{ "description", read_description }, { "mode", read_mode },	{ "observe", read_own_parts },
		{ "tests", read_own_parts },	     { "kernel", kernel_read }, { "env", env_check },
		{ "limits", limits_check },
	};
	enum section section = section_find(member->key);

	if (section < SECTION_COUNT)
		read_section(reader, member, section);
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (!strcmp(readers[i].key, member->key))
			readers[i].read(reader, member);
}

void file_read(struct reader *reader, const struct json_node *root)
{
	static const char *const keys[] = { "name", "description", "mode",    "include", "vars",
					    "file", "exec",	   "net",     "signal",	 "kernel",
					    "env",  "limits",	   "observe", "tests",	 NULL };
	const struct json_node *variables = json_member(root, "vars"),
			       *include = json_member(root, "include");
	size_t outer = reader->variables.count;

	if (root->type != JSON_OBJECT) {
		reader_error(reader, root, "write an object: { \"name\": … }",
			     "a policy is an object, not %s", json_type_name(root->type));
		return;
	}
	reader_check_keys(reader, root, keys, "a policy");
	read_name(reader, root);
	if (variables)
		read_variables(reader, variables);
	for (const struct json_node *member = root->first; member; member = member->next)
		read_member(reader, member);
	if (include)
		include_read(reader, include);
	variables_forget(&reader->variables, outer);
}
