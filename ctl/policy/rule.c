// SPDX-License-Identifier: GPL-2.0
/* Reading one rule: verb, operations and what travels with its events. */
#include "ctl/policy/rule.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/policy/signal.h"
#include "ctl/policy/words.h"

#define RULE_KEYS "deny", "allow", "audit", "ask", "tag", "severity", "message", "timeout"

static const char *const rule_keys[SECTION_COUNT][16] = {
	[SECTION_FILE] = { "path", RULE_KEYS, NULL },
	[SECTION_EXEC] = { "path", "args", RULE_KEYS, NULL },
	[SECTION_NET] = { "cidr", "host", "unix", "port", "proto", RULE_KEYS, NULL },
	[SECTION_SIGNAL] = { "to", RULE_KEYS, NULL },
};

const struct json_node *rule_verb(struct reader *reader, const struct json_node *node, enum verb *ret_verb)
{
	const struct json_node *found = NULL;

	for (const struct json_node *member = node->first; member; member = member->next) {
		int verb = word_find(verb_words, member->key);

		if (verb < 0)
			continue;
		if (found) {
			reader_key_error(reader, member, "split the rule in two",
					 "a second verb '%s' beside '%s'", member->key, found->key);
			continue;
		}
		found = member;
		*ret_verb = verb;
		if (verb == VERB_ASK && !coverage_has(FEATURE_ASK))
			reader_refuse(reader, json_key_place(reader->document, member), "ask");
	}
	if (!found)
		reader_error(reader, node, "add one of allow, deny, audit, ask with its operations",
			     "a rule without a verb");
	return found;
}

void rule_words(struct reader *reader, const struct json_node *node, enum verb verb, struct policy_rule *rule)
{
	for (const struct json_node *member = node->first; member; member = member->next) {
		if (!strcmp(member->key, "tag")) {
			reader_line(reader, member, RULE_TAG_MAX, &rule->tag);
		} else if (!strcmp(member->key, "message")) {
			reader_line(reader, member, RULE_MESSAGE_MAX, &rule->message);
		} else if (!strcmp(member->key, "severity")) {
			rule->severity = reader_word(reader, member, severity_words, "severity") + 1;
		} else if (!strcmp(member->key, "timeout")) {
			if (verb != VERB_ASK)
				reader_key_error(reader, member, "remove it",
						 "'timeout' in a rule that does not ask");
			reader_check_duration(reader, member);
		}
	}
}

struct operation_reading {
	enum section section;
	uint32_t operations;
	bool is_list;
};

/* The words of the operations that rules of a section take, and "*"; NULL-ended. */
static void list_operations(enum section section, const char **words)
{
	uint32_t mask = section_operations(section);

	for (int op = 0; op < OP_COUNT; op++)
		if (mask & OP_BIT(op))
			*words++ = operation_word(op);
	*words++ = "\"*\"";
	*words = NULL;
}

static void unknown_operation(struct reader *reader, const struct json_node *node, enum section section)
{
	const char *words[OP_COUNT + 2];
	struct place place = json_place(reader->document, node);

	for (int other = 0; other < SECTION_COUNT; other++) {
		if (other != (int)section && operation_find(section_names[other], node->string) >= 0) {
			reader_error(reader, node, "write it in a rule of that section",
				     "'%s' is an operation of '%s'", node->string, section_names[other]);
			return;
		}
	}
	if (section == SECTION_FILE && operation_find("file", node->string) >= 0) {
		reader_error(reader, node, "write delete for the old name and create for the new one",
			     "unknown operation '%s'", node->string);
		return;
	}
	list_operations(section, words);
	reader_unknown(reader, &place, "operation", node->string, words);
}

static void read_operation(struct reader *reader, const struct json_node *node, void *data)
{
	struct operation_reading *reading = data;
	uint32_t mask = section_operations(reading->section);
	int op = operation_find(section_names[reading->section], node->string);

	if (!strcmp(node->string, "*")) {
		if (reading->is_list)
			reader_error(reader, node, "write \"*\" instead of the list",
				     "'*' in a list of operations");
		reading->operations |= mask & OPS_HOOKED;
	} else if (op < 0 || !(mask & OP_BIT(op))) {
		unknown_operation(reader, node, reading->section);
	} else if (!(OP_BIT(op) & OPS_HOOKED)) {
		reader_refuse(reader, json_place(reader->document, node), node->string);
	} else {
		reading->operations |= OP_BIT(op);
	}
}

static uint32_t read_operations(struct reader *reader, const struct json_node *verb, enum section section)
{
	struct operation_reading reading = { .section = section, .is_list = verb->type == JSON_ARRAY };

	reader_each(reader, verb, read_operation, &reading);
	return reading.operations;
}

static int append_rule(struct policy *policy, const struct policy_rule *rule)
{
	size_t count = policy->rule_count;
	struct policy_rule *rules = policy->rules;

	if (!(count & (count - 1)))
		rules = realloc(rules, (count ? 2 * count : 1) * sizeof(*rules));
	if (!rules)
		return -1;
	policy->rules = rules;
	rules[policy->rule_count++] = *rule;
	return 0;
}

static void finish_rule(struct reader *reader, struct rule_draft *draft)
{
	struct policy_rule *rule = &draft->rule;

	if (pattern_list_union(&draft->real, &rule->pattern) ||
	    pattern_list_union(&draft->names, &rule->names))
		reader_no_memory(reader);
	if (rule->is_local && pattern_list_union(&draft->written, &rule->written))
		reader_no_memory(reader);
	pattern_list_done(&draft->written);
	if (append_rule(reader->policy, rule)) {
		pattern_free(rule->pattern);
		pattern_free(rule->names);
		pattern_free(rule->written);
		free(rule->tag);
		free(rule->message);
		reader_no_memory(reader);
	}
}

void rule_read(struct reader *reader, enum section section, const struct json_node *node)
{
	static const char *const where[SECTION_COUNT] = {
		[SECTION_FILE] = "a rule of 'file'",
		[SECTION_EXEC] = "a rule of 'exec'",
		[SECTION_NET] = "a rule of 'net'",
		[SECTION_SIGNAL] = "a rule of 'signal'",
	};
	struct rule_draft draft = {
		.rule = { .section = section, .is_included = reader->is_included, .depth = reader->depth }
	};
	const struct json_node *verb;

	if (!reader_is(reader, node, JSON_OBJECT))
		return;
	draft.rule.place = json_place(reader->document, node);
	reader_check_keys(reader, node, rule_keys[section], where[section]);
	verb = rule_verb(reader, node, &draft.rule.verb);
	if (verb && section != SECTION_SIGNAL)
		draft.rule.operations = read_operations(reader, verb, section);
	rule_words(reader, node, draft.rule.verb, &draft.rule);
	if (section == SECTION_NET)
		net_rule_read(reader, node, &draft);
	else if (section == SECTION_SIGNAL)
		signal_rule_read(reader, node, verb, &draft.rule);
	else
		path_rule_read(reader, node, &draft);
	finish_rule(reader, &draft);
}
