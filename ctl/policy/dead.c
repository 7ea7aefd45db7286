// SPDX-License-Identifier: GPL-2.0
/* Rules as automata take them, and those among them that can never win. */
#include "ctl/policy/dead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"

int rule_set_init(struct rule_set *set, const struct policy *policy, enum automaton_kind kind,
		  enum rule_form form, uint32_t depth)
{
	*set = (struct rule_set){ .kind = kind };
	set->rules = calloc(policy->rule_count + 1, sizeof(*set->rules));
	set->source = calloc(policy->rule_count + 1, sizeof(*set->source));
	if (!set->rules || !set->source) {
		rule_set_done(set);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i];
		const struct pattern *pattern = rule->pattern;

		if (form == RULES_WRITTEN && rule->is_local)
			pattern = rule->written;
		if (!pattern || !rule->operations || (form == RULES_INCLUDED && rule->depth < depth) ||
		    (kind == AUTOMATON_ADDRESSES) != (rule->section == SECTION_NET && !rule->is_unix))
			continue;
		set->source[set->count] = i;
		set->rules[set->count++] = (struct automaton_rule){ pattern, WORD(i, rule->verb),
								    rule->operations };
	}
	return 0;
}

void rule_set_done(struct rule_set *set)
{
	free(set->rules);
	free(set->source);
	*set = (struct rule_set){ 0 };
}

int rule_set_build(const struct rule_set *set, const struct policy *policy, struct diagnostics *diagnostics,
		   struct automaton **ret)
{
	uint32_t *blame = NULL;
	size_t blame_count = 0;
	int result = automaton_build(set->kind, set->rules, set->count, ret, &blame, &blame_count);

	if (result != -E2BIG)
		return result;
	for (size_t i = 0; i < blame_count; i++) {
		if (set->source[blame[i]] >= policy->rule_count)
			continue;

		const struct policy_rule *rule = &policy->rules[set->source[blame[i]]];

		diagnostics_error(
			diagnostics, &rule->place,
			set->kind == AUTOMATON_ADDRESSES
				? "write addresses with one verdict as a list in one rule, or split the policy"
				: "begin its patterns with fixed folders, or split the policy",
			"rule %u of '%s' and others like it make the policy too large", rule->index,
			section_names[rule->section]);
	}
	if (!blame_count)
		diagnostics_error(diagnostics, &policy->rules[set->source[0]].place, "split the policy",
				  "the rules are too many for one policy");
	free(blame);
	return result;
}

/* Does a rule before RULE decide each of its operations on memory without a file? */
static bool is_anonymous_dead(const struct policy *policy, uint32_t rule)
{
	uint32_t decided = 0;

	for (uint32_t i = 0; i < rule; i++)
		if (policy->rules[i].names_anonymous)
			decided |= policy->rules[i].operations;
	return !(policy->rules[rule].operations & ~decided);
}

void dead_report(const struct policy_rule *rule, const struct policy_rule *by, bool is_here,
		 struct diagnostics *diagnostics)
{
	bool is_same = !strcmp(rule->place.file, by->place.file);
	char *remedy = text_format("rule %u at %s%s%u:%u decides first%s", by->index,
				   is_same ? "" : by->place.file, is_same ? "" : ":", by->place.line,
				   by->place.column,
				   is_here ? ", by this machine's links and addresses or a -D" : "");

	if (!remedy)
		diagnostics->is_incomplete = true;
	else if (is_here)
		diagnostics_warning(diagnostics, &rule->place, remedy, "rule %u can never match here",
				    rule->index);
	else
		diagnostics_error(diagnostics, &rule->place, remedy, "rule %u can never match", rule->index);
	free(remedy);
}

/*
 * Marks in IS_DEAD, by number in the policy, what is dead among the rules in FORM;
 * in RULES_INCLUDED only rules of files that are included just DEPTH deep.
 */
static int mark_dead(const struct policy *policy, enum automaton_kind kind, enum rule_form form,
		     uint32_t depth, bool *is_dead)
{
	struct automaton *automaton = NULL;
	struct automaton_dead *dead = NULL;
	struct diagnostics ignored;
	struct rule_set set;
	size_t count = 0;
	int result = rule_set_init(&set, policy, kind, form, depth);

	if (result)
		return result;
	diagnostics_init(&ignored);
	result = rule_set_build(&set, policy, &ignored, &automaton);
	if (!result)
		result = automaton_dead(automaton, &dead, &count);
	for (size_t i = 0; i < count && !result; i++)
		if (form != RULES_INCLUDED || policy->rules[set.source[dead[i].rule]].depth == depth)
			is_dead[set.source[dead[i].rule]] = true;
	/* Rules that are too large only in this form are not known to be dead in it. */
	if (result == -E2BIG)
		result = 0;
	free(dead);
	automaton_free(automaton);
	rule_set_done(&set);
	diagnostics_done(&ignored);
	return result;
}

static bool has_local(const struct policy *policy)
{
	for (size_t i = 0; i < policy->rule_count; i++)
		if (policy->rules[i].is_local)
			return true;
	return false;
}

struct candidates {
	struct automaton_dead *list; /* numbers in the policy */
	size_t count;
	uint32_t depth; /* of the one that is included deepest */
};

/*
 * What came by include and is decided earlier by a file above it is what
 * including is for, and anon: keeps a rule alive whose paths are dead.
 */
static void choose_candidates(const struct policy *policy, const struct rule_set *set,
			      struct candidates *candidates)
{
	size_t kept = 0;

	for (size_t i = 0; i < candidates->count; i++) {
		uint32_t rule = set->source[candidates->list[i].rule],
			 by = set->source[candidates->list[i].by];
		uint32_t depth = policy->rules[rule].depth;

		if (policy->rules[by].depth < depth)
			continue;
		if (policy->rules[rule].names_anonymous && !is_anonymous_dead(policy, rule))
			continue;
		if (policy->rules[rule].names || policy->rules[rule].names_session)
			continue;
		if (depth > candidates->depth)
			candidates->depth = depth;
		candidates->list[kept++] = (struct automaton_dead){ rule, by };
	}
	candidates->count = kept;
}

int dead_rules_report(const struct policy *policy, const struct rule_set *set,
		      const struct automaton *automaton, struct diagnostics *diagnostics)
{
	bool *is_written_dead = calloc(policy->rule_count + 1, sizeof(bool));
	bool *is_included_dead = calloc(policy->rule_count + 1, sizeof(bool));
	struct candidates candidates = { 0 };
	bool is_local = has_local(policy);
	int result = -ENOMEM;

	if (is_written_dead && is_included_dead)
		result = automaton_dead(automaton, &candidates.list, &candidates.count);
	if (!result)
		choose_candidates(policy, set, &candidates);
	if (!result && candidates.count && is_local)
		result = mark_dead(policy, set->kind, RULES_WRITTEN, 0, is_written_dead);
	for (uint32_t depth = 1; depth <= candidates.depth && !result; depth++)
		result = mark_dead(policy, set->kind, RULES_INCLUDED, depth, is_included_dead);
	for (size_t i = 0; i < candidates.count && !result; i++) {
		const struct policy_rule *rule = &policy->rules[candidates.list[i].rule];

		/* Included rules that only those of files above cover, or help to cover, are no fault of any file. */
		if (!rule->is_included || is_included_dead[candidates.list[i].rule])
			dead_report(rule, &policy->rules[candidates.list[i].by],
				    is_local && !is_written_dead[candidates.list[i].rule], diagnostics);
	}
	free(candidates.list);
	free(is_written_dead);
	free(is_included_dead);
	return result ? result : diagnostics_result(diagnostics);
}

int dead_anonymous_report(const struct policy *policy, struct diagnostics *diagnostics)
{
	for (uint32_t i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i], *by = policy->rules;

		if (!rule->names_anonymous || rule->pattern || !rule->operations ||
		    !is_anonymous_dead(policy, i))
			continue;
		while (!by->names_anonymous || !(by->operations & rule->operations))
			by++;
		if (by->depth >= rule->depth)
			dead_report(rule, by, false, diagnostics);
	}
	return diagnostics_result(diagnostics);
}
