// SPDX-License-Identifier: GPL-2.0
/* From a policy to its image: the automata of its rules, and what the kernel tells about each rule. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/pattern/pack.h"
#include "ctl/policy/dead.h"
#include "ctl/policy/deputy.h"
#include "ctl/policy/signal.h"
#include "ctl/policy/words.h"

#define TEXT_CELLS (sizeof(struct rule_text) / sizeof(uint64_t))

static uint32_t anonymous_word(const struct policy *policy, int op)
{
	for (uint32_t i = 0; i < policy->rule_count; i++)
		if (policy->rules[i].names_anonymous && policy->rules[i].operations & OP_BIT(op))
			return WORD(i, policy->rules[i].verb);
	return WORD(RULE_DEFAULT, policy->section[SECTION_EXEC].fallback);
}

/* The kernel section, without having to say so; ptrace is open within the attachment where it says nothing. */
static void fill_surface(const struct policy *policy, struct image_header *header)
{
	header->enforced |= OPS_KERNEL & OPS_HOOKED;
	for (int op = OP_KERNEL_FIRST; op < OP_COUNT; op++) {
		const struct policy_surface *surface = &policy->surface[op];

		if (!surface->is_allowed)
			header->fallback[op] = WORD(RULE_DEFAULT, VERB_DENY);
		if (surface->programs)
			header->by_program |= OP_BIT(op);
		if (surface->is_session || (op == OP_KERNEL_PTRACE && !surface->place.file))
			header->in_session |= OP_BIT(op);
	}
}

/* The first rule about @session. */
static uint32_t session_word(const struct policy *policy)
{
	for (uint32_t i = 0; i < policy->rule_count; i++)
		if (policy->rules[i].names_session && policy->rules[i].operations & OP_BIT(OP_UNIX_CONNECT))
			return WORD(i, policy->rules[i].verb);
	return WORD_NONE;
}

/* What holds without a rule; operations of absent sections are not enforced, and their words allow. */
static void fill_header(const struct policy *policy, struct image_header *header)
{
	header->magic = IMAGE_MAGIC;
	header->abi = ABI_VERSION;
	header->flags = policy->is_audit ? IMAGE_AUDIT : 0;
	header->observed = policy->observed;
	header->signals_observed[0] = policy->signals_observed;
	header->signals_observed[1] = policy->signals_observed >> 32;
	header->rule_count = policy->rule_count;
	memcpy(header->name, policy->name, sizeof(header->name));
	for (int op = 0; op < OPS_MAX; op++)
		header->fallback[op] = WORD(RULE_DEFAULT, VERB_ALLOW);
	for (int op = 0; op < ROW_WORDS; op++)
		header->anonymous[op] = WORD(RULE_DEFAULT, VERB_ALLOW);
	for (int section = 0; section < SECTION_COUNT; section++) {
		uint32_t operations = section_decides(section) & OPS_HOOKED;

		if (!policy->section[section].is_present)
			continue;
		header->enforced |= operations;
		for (int op = 0; op < OP_COUNT; op++)
			if (operations & OP_BIT(op))
				header->fallback[op] = WORD(RULE_DEFAULT, policy->section[section].fallback);
	}
	/*
	 * What is allowed by default are addresses; a Unix socket outside the attachment needs a rule.
	 * Binding one is the session's own affair where no rule says otherwise.
	 */
	if (header->enforced & OP_BIT(OP_UNIX_CONNECT))
		header->fallback[OP_UNIX_CONNECT] = WORD(RULE_DEFAULT, VERB_DENY);
	header->fallback[OP_UNIX_BIND] = WORD(RULE_DEFAULT, VERB_ALLOW);
	header->session_word = session_word(policy);
	fill_surface(policy, header);
	/* What sockets may be made is decided where it is said whom they may talk to. */
	if (!policy->section[SECTION_NET].is_present)
		header->enforced &= ~OPS_FAMILY;
	header->families[0] = policy->families;
	header->families[1] = policy->families >> 32;
	for (int op = 0; op < OP_COUNT; op++)
		if (header->enforced & OPS_EXEC & OP_BIT(op))
			header->anonymous[op] = anonymous_word(policy, op);
}

/* MORE, if it is not NULL, comes behind the policy's rules, whose numbers end before it. */
static int pack_rules(struct pack *pack, const struct policy *policy, enum automaton_kind kind,
		      const struct automaton_rule *more, struct image_header *header,
		      struct diagnostics *diagnostics)
{
	struct automaton *automaton = NULL;
	struct rule_set set;
	int result = rule_set_init(&set, policy, kind, RULES_REAL, 0);

	if (result)
		return result;
	if (more) {
		set.source[set.count] = policy->rule_count;
		set.rules[set.count++] = *more;
	}
	result = rule_set_build(&set, policy, diagnostics, &automaton);
	if (!result)
		result = dead_rules_report(policy, &set, automaton, diagnostics);
	if (!result) {
		result = pack_automaton(pack, automaton, header);
		if (result == -E2BIG)
			diagnostics_error(diagnostics, &policy->rules[set.source[0]].place,
					  "write lists in fewer rules, or split the policy",
					  "the %zu rules from here on are too large for one policy",
					  set.count);
	}
	automaton_free(automaton);
	rule_set_done(&set);
	return result;
}

/* One rule an operation: of its programs there is no first and no last. */
static size_t list_programs(const struct policy *policy, struct automaton_rule *rules)
{
	size_t count = 0;

	for (int op = OP_KERNEL_FIRST; op < OP_COUNT; op++)
		if (policy->surface[op].programs)
			rules[count++] = (struct automaton_rule){ policy->surface[op].programs,
								  WORD(op, VERB_ALLOW),
								  OP_BIT(op - OP_KERNEL_FIRST) };
	return count;
}

static int pack_programs(struct pack *pack, const struct policy *policy, struct image_header *header,
			 struct diagnostics *diagnostics)
{
	struct automaton_rule rules[OP_COUNT];
	size_t count = list_programs(policy, rules), blame_count = 0;
	struct automaton *automaton = NULL;
	uint32_t *blame = NULL;
	int result;

	if (!count)
		return 0;
	result = automaton_build(AUTOMATON_PROGRAMS, rules, count, &automaton, &blame, &blame_count);
	if (!result)
		result = pack_automaton(pack, automaton, header);
	if (result == -E2BIG)
		diagnostics_error(diagnostics,
				  &policy->surface[WORD_RULE(rules[blame_count ? *blame : 0].word)].place,
				  "begin the patterns with fixed folders, or name fewer programs",
				  "the programs of the section 'kernel' are too many for one policy");
	free(blame);
	automaton_free(automaton);
	return result;
}

static struct automaton_rule deputy_rule(const struct pattern *pattern)
{
	return (struct automaton_rule){ pattern, WORD(RULE_DEPUTY, VERB_DENY), OP_BIT(ROW_DEPUTY) };
}

/* Names of abstract sockets: their own automaton, of the same kind as that of programs. */
static int pack_names(struct pack *pack, const struct policy *policy, const struct pattern *deputies,
		      struct image_header *header, struct diagnostics *diagnostics)
{
	struct automaton_rule *rules = calloc(policy->rule_count + 1, sizeof(*rules));
	struct automaton *automaton = NULL;
	struct image_header names = *header;
	uint32_t *blame = NULL;
	size_t count = 0, blame_count = 0;
	int result = rules ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < policy->rule_count && !result; i++)
		if (policy->rules[i].names)
			rules[count++] = (struct automaton_rule){ policy->rules[i].names,
								  WORD(i, policy->rules[i].verb),
								  policy->rules[i].operations };
	if (!result) {
		rules[count++] = deputy_rule(deputies);
		result = automaton_build(AUTOMATON_PROGRAMS, rules, count, &automaton, &blame, &blame_count);
	}
	if (!result)
		result = pack_automaton(pack, automaton, &names);
	header->abstract_start = names.program_start;
	if (result == -E2BIG)
		diagnostics_error(diagnostics, &(struct place){ policy->files[0].path, 1, 1 },
				  "begin them with fixed letters, or name fewer",
				  "the names of abstract sockets are too many for one policy");
	free(rules);
	free(blame);
	automaton_free(automaton);
	return result;
}

static int pack_sockets(struct pack *pack, const struct policy *policy, struct image_header *header,
			struct diagnostics *diagnostics)
{
	struct pattern *paths, *names;
	int result = deputy_patterns(&paths, &names);
	struct automaton_rule more;

	if (!result) {
		more = deputy_rule(paths);
		result = pack_rules(pack, policy, AUTOMATON_PATHS, &more, header, diagnostics);
	}
	if (!result)
		result = pack_names(pack, policy, names, header, diagnostics);
	pattern_free(paths);
	pattern_free(names);
	return result;
}

static int compare_words(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_texts(const void *left, const void *right)
{
	const struct policy_rule *a = *(const struct policy_rule *const *)left;
	const struct policy_rule *b = *(const struct policy_rule *const *)right;
	int order = compare_words(a->tag, b->tag);

	return order ? order : compare_words(a->message, b->message);
}

static int pack_text(struct pack *pack, const struct policy_rule *rule, uint32_t *ret_cell)
{
	struct rule_text text = { 0 };
	int result = pack_reserve(pack, TEXT_CELLS, ret_cell);

	if (result)
		return result;
	if (rule->tag)
		strncpy(text.tag, rule->tag, sizeof(text.tag) - 1);
	if (rule->message)
		strncpy(text.message, rule->message, sizeof(text.message) - 1);
	memcpy(pack->cell + *ret_cell, &text, sizeof(text));
	return 0;
}

/* Tags and messages, rules with equal ones next to each other and sharing them. */
static int pack_texts(struct pack *pack, const struct policy *policy, const struct image_header *header)
{
	const struct policy_rule **order = calloc(policy->rule_count + 1, sizeof(*order));
	uint32_t cell = 0;
	int result = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < policy->rule_count; i++)
		order[i] = &policy->rules[i];
	qsort(order, policy->rule_count, sizeof(*order), compare_texts);
	for (size_t i = 0; i < policy->rule_count && !result; i++) {
		if (!order[i]->tag && !order[i]->message)
			continue;
		if (!i || compare_texts(&order[i - 1], &order[i]))
			result = pack_text(pack, order[i], &cell);
		if (!result)
			pack->cell[header->rules + (order[i] - policy->rules)] |= (uint64_t)cell << 32;
	}
	free(order);
	return result;
}

static int pack_descriptions(struct pack *pack, const struct policy *policy, struct image_header *header)
{
	int result;

	if (!policy->rule_count)
		return 0;
	result = pack_reserve(pack, policy->rule_count, &header->rules);
	if (result)
		return result;
	for (size_t i = 0; i < policy->rule_count; i++)
		pack->cell[header->rules + i] = policy->rules[i].index | (uint32_t)policy->rules[i].severity
										 << 24;
	return pack_texts(pack, policy, header);
}

static int report_size(const struct policy *policy, struct diagnostics *diagnostics, int result)
{
	if (result == -E2BIG)
		diagnostics_error(diagnostics, &(struct place){ policy->files[0].path, 1, 1 },
				  "split the policy",
				  "the rules with their texts are too many for one policy");
	return result;
}

int policy_compile(const struct policy *policy, struct diagnostics *diagnostics, struct image_header **ret,
		   size_t *ret_bytes)
{
	struct image_header header = { 0 };
	struct pack pack;
	int result = pack_init(&pack);
	int path_result = 0, net_result = 0, program_result;

	if (result)
		return result;
	fill_header(policy, &header);
	/* All automata are tried, so that one run names every rule that is dead. */
	path_result = pack_sockets(&pack, policy, &header, diagnostics);
	if (policy->section[SECTION_NET].is_present)
		net_result = pack_rules(&pack, policy, AUTOMATON_ADDRESSES, NULL, &header, diagnostics);
	program_result = pack_programs(&pack, policy, &header, diagnostics);
	result = dead_anonymous_report(policy, diagnostics);
	if (!result)
		result = signal_dead_report(policy, diagnostics);
	result = path_result	  ? path_result
		 : net_result	  ? net_result
		 : program_result ? program_result
				  : result;
	if (!result)
		result = report_size(policy, diagnostics, signal_pack(&pack, policy, &header));
	if (!result)
		result = report_size(policy, diagnostics, pack_descriptions(&pack, policy, &header));
	if (!result)
		result = report_size(policy, diagnostics, pack_image(&pack, &header, ret, ret_bytes));
	if (!result && header.enforced & OPS_PATH && !(*ret)->containment)
		(*ret)->flags |= IMAGE_UNCONTAINED;
	pack_done(&pack);
	return result;
}
