// SPDX-License-Identifier: GPL-2.0
/* The signal section: its rules, and the table of words that the kernel reads. */
#include "ctl/policy/signal.h"

#include <errno.h>
#include <string.h>

#include "ctl/base/signal_name.h"
#include "ctl/policy/dead.h"
#include "ctl/policy/words.h"
#include "kern/decide.h"

const char *const target_words[] = {
#define X(id, word) [TARGET_##id] = word,
	TARGETS(X)
#undef X
		NULL,
};

#define SELF TARGET_BIT(TARGET_SELF)
#define CHILD TARGET_BIT(TARGET_CHILD)
#define DESCENDANT TARGET_BIT(TARGET_DESCENDANT)
#define SESSION TARGET_BIT(TARGET_SESSION)
#define EXTERNAL TARGET_BIT(TARGET_EXTERNAL)
#define SYSTEM TARGET_BIT(TARGET_SYSTEM)

/*
 * What targets are at once, a row of the kernel's table each; WORD is the one that
 * `explain` calls it by. Children and descendants leave the attachment only if
 * somebody moves them, so no rule lives by these alone.
 */
static const struct {
	uint32_t targets;
	const char *word;
	bool is_rare;
} kinds[SIGNAL_KINDS] = {
	{ SELF | SESSION, "self", false },
	{ CHILD | DESCENDANT | SESSION, "child", false },
	{ DESCENDANT | SESSION, "descendant", false },
	{ SESSION, "session", false },
	{ CHILD | DESCENDANT | EXTERNAL, NULL, true },
	{ DESCENDANT | EXTERNAL, NULL, true },
	{ EXTERNAL, "external", false },
	{ SYSTEM, "system", false },
};

int signal_kind_parse(const char *word)
{
	for (int i = 0; i < SIGNAL_KINDS; i++)
		if (kinds[i].word && !strcmp(kinds[i].word, word))
			return decide_signal_kind(kinds[i].targets);
	return -1;
}

int signal_read(struct reader *reader, struct place place, const char *word)
{
	int number = signal_parse(word);

	if (number < 0)
		reader_unknown(reader, &place, "signal", word, signal_names);
	return number;
}

struct signal_reading {
	struct policy_rule *rule;
	bool is_list;
};

static void read_signal(struct reader *reader, const struct json_node *node, void *data)
{
	struct signal_reading *reading = data;
	int number;

	if (!strcmp(node->string, "*")) {
		if (reading->is_list)
			reader_error(reader, node, "write \"*\" instead of the list",
				     "'*' in a list of operations");
		reading->rule->signals = SIGNALS_ALL;
		return;
	}
	number = signal_read(reader, json_place(reader->document, node), node->string);
	if (number > 0)
		reading->rule->signals |= signal_bit(number);
}

static void read_target(struct reader *reader, const struct json_node *node, void *data)
{
	struct policy_rule *rule = data;
	int target = reader_word(reader, node, target_words, "target");

	if (target >= 0)
		rule->targets |= TARGET_BIT(target);
}

void signal_rule_read(struct reader *reader, const struct json_node *node, const struct json_node *verb,
		      struct policy_rule *rule)
{
	const struct json_node *to = json_member(node, "to");
	struct signal_reading reading = { .rule = rule, .is_list = verb && verb->type == JSON_ARRAY };

	rule->operations = OP_BIT(OP_SIGNAL_SEND);
	if (verb)
		reader_each(reader, verb, read_signal, &reading);
	if (to)
		reader_each(reader, to, read_target, rule);
	else
		reader_error(reader, node, "add it with targets such as \"child\"", "a rule without 'to'");
}

static bool rule_matches(const struct policy_rule *rule, int kind, uint64_t signals)
{
	return rule->section == SECTION_SIGNAL && rule->targets & kinds[kind].targets &&
	       rule->signals & signals;
}

static uint32_t word_of(const struct policy *policy, int kind, unsigned int number)
{
	for (uint32_t i = 0; i < policy->rule_count; i++)
		if (rule_matches(&policy->rules[i], kind, signal_bit(number)))
			return WORD(i, policy->rules[i].verb);
	return WORD(RULE_DEFAULT, policy->section[SECTION_SIGNAL].fallback);
}

/* Of the words for everybody but the process itself. */
static uint32_t strictest(const uint32_t words[SIGNAL_KINDS * SIGNAL_MAX])
{
	uint32_t word = WORD(RULE_DEFAULT, VERB_ALLOW);

	for (int i = 0; i < SIGNAL_KINDS; i++)
		for (int s = 0; s < SIGNAL_MAX && !kinds[i].is_rare && !(kinds[i].targets & SELF); s++)
			word = decide_stricter(word,
					       words[decide_signal_kind(kinds[i].targets) * SIGNAL_MAX + s]);
	return word;
}

int signal_pack(struct pack *pack, const struct policy *policy, struct image_header *header)
{
	uint32_t words[SIGNAL_KINDS * SIGNAL_MAX];
	int result;

	if (!policy->section[SECTION_SIGNAL].is_present)
		return 0;
	result = pack_reserve(pack, sizeof(words) / sizeof(uint64_t), &header->signals);
	if (result)
		return result;
	for (int i = 0; i < SIGNAL_KINDS; i++)
		for (unsigned int number = 1; number <= SIGNAL_MAX; number++)
			words[decide_signal_kind(kinds[i].targets) * SIGNAL_MAX + number - 1] =
				word_of(policy, i, number);
	memcpy(pack->cell + header->signals, words, sizeof(words));
	header->signal_owner = strictest(words);
	return 0;
}

/*
 * Takes from LEFT what BY decides, signals for each kind; false if that is
 * nothing. Files that a file includes may be overruled by it.
 */
static bool take(uint64_t left[SIGNAL_KINDS], const struct policy_rule *by)
{
	bool has_taken = false;

	for (int kind = 0; kind < SIGNAL_KINDS; kind++) {
		if (!rule_matches(by, kind, left[kind]))
			continue;
		left[kind] &= ~by->signals;
		has_taken = true;
	}
	return has_taken;
}

/* The rule that decides first what RULE matches, if those before it leave nothing to RULE; else NULL. */
static const struct policy_rule *find_cover(const struct policy *policy, const struct policy_rule *rule)
{
	uint64_t left[SIGNAL_KINDS], any = 0;
	const struct policy_rule *cover = NULL;

	for (int kind = 0; kind < SIGNAL_KINDS; kind++)
		left[kind] = rule_matches(rule, kind, SIGNALS_ALL) && !kinds[kind].is_rare ? rule->signals
											   : 0;
	for (const struct policy_rule *by = policy->rules; by < rule; by++)
		if (by->depth >= rule->depth && take(left, by) && !cover)
			cover = by;
	for (int kind = 0; kind < SIGNAL_KINDS; kind++)
		any |= left[kind];
	return any ? NULL : cover;
}

int signal_dead_report(const struct policy *policy, struct diagnostics *diagnostics)
{
	for (uint32_t i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *cover;

		if (policy->rules[i].section != SECTION_SIGNAL)
			continue;
		cover = find_cover(policy, &policy->rules[i]);
		if (cover)
			dead_report(&policy->rules[i], cover, false, diagnostics);
	}
	return diagnostics_result(diagnostics);
}
