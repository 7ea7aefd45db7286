// SPDX-License-Identifier: GPL-2.0
// Automata over rules: taking the rules in, having them compiled, and naming those to blame.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

#define BLAME_MAX 16 /* rules named when the states multiply */
/* What all patterns together may have before they are compiled: some 25 a rule is usual. */
#define STATES_IN_MAX 1500000u
#define EDGES_IN_MAX 3000000u

static int units_fill(struct automaton *automaton)
{
	size_t units = 0;

	for (uint32_t i = 0; i < automaton->rules; i++)
		for (const struct pattern *part = automaton->rule[i].pattern; part; part = part->next)
			units++;
	automaton->unit = calloc(units + 1, sizeof(*automaton->unit));
	automaton->lane_of = calloc(units + 1, 1);
	if (!automaton->unit || !automaton->lane_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < automaton->rules; i++) {
		const struct automaton_rule *rule = &automaton->rule[i];

		for (const struct pattern *part = rule->pattern; part; part = part->next)
			automaton->unit[automaton->units++] = (struct unit){ part, i, rule->word,
									     rule->operations, false };
	}
	return 0;
}

static int classes_fill(struct automaton *automaton)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < automaton->units; i++)
		err = classes_add(&automaton->classes, &automaton->unit[i].part->nfa);
	return err ? err : classes_finish(&automaton->classes, automaton->kind == AUTOMATON_ADDRESSES);
}

static int compare_indexes(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

/* The rule with the most blame, whose blame is taken off, or RULES_MAX. */
static uint32_t blame_take(const struct automaton *automaton, uint32_t *blame, uint32_t least)
{
	uint32_t best = automaton->units, rule;

	for (uint32_t i = 0; i < automaton->units; i++)
		if (blame[i] >= least && (best == automaton->units || blame[i] > blame[best]))
			best = i;
	if (best == automaton->units)
		return RULES_MAX;
	rule = automaton->unit[best].rule;
	for (uint32_t i = 0; i < automaton->units; i++)
		if (automaton->unit[i].rule == rule)
			blame[i] = 0;
	return rule;
}

/* The rules with most blame, at least half as much as the first of them. */
static int blame_rules(const struct automaton *automaton, uint32_t *blame, uint32_t **ret, size_t *ret_count)
{
	uint32_t *rules = malloc(BLAME_MAX * sizeof(*rules));
	uint32_t most = 0;
	size_t count = 0;

	if (!rules)
		return -ENOMEM;
	for (uint32_t i = 0; i < automaton->units; i++)
		if (blame[i] > most)
			most = blame[i];
	while (count < BLAME_MAX) {
		uint32_t rule = blame_take(automaton, blame, most / 2 + 1);

		if (rule == RULES_MAX)
			break;
		rules[count++] = rule;
	}
	qsort(rules, count, sizeof(*rules), compare_indexes);
	*ret = rules;
	*ret_count = count;
	return -E2BIG;
}

/* Patterns that are too long altogether to begin with: the longest are to blame. */
static int check_positions(const struct automaton *automaton, uint32_t *blame)
{
	uint64_t states = 0, edges = 0;

	for (uint32_t i = 0; i < automaton->units; i++) {
		states += automaton->unit[i].part->nfa.state_count;
		edges += automaton->unit[i].part->nfa.edge_count;
	}
	if (states <= STATES_IN_MAX && edges <= EDGES_IN_MAX)
		return 0;
	for (uint32_t i = 0; i < automaton->units; i++)
		blame[i] = automaton->unit[i].part->nfa.edge_count;
	return -E2BIG;
}

/*
 * Addresses never multiply, but where a rule asks for nothing its automaton has to
 * remember the rule while it skips a byte, and the state behind it takes a row of all
 * bytes in the image. So the rules that skip most are to blame.
 */
static int fit_addresses(struct automaton *automaton, uint32_t *blame)
{
	uint64_t cells = 0;
	int err = dfa_choose_fallback(&automaton->lane[0], &automaton->classes);

	if (!err)
		err = dfa_count_cells(&automaton->lane[0], &automaton->classes, &cells);
	if (!err && cells > CELLS_LARGE)
		err = -E2BIG;
	for (uint32_t i = 0; err == -E2BIG && i < automaton->units; i++) {
		const struct nfa *nfa = &automaton->unit[i].part->nfa;

		for (uint32_t edge = 0; edge < nfa->edge_count; edge++)
			blame[i] += nfa->edge[edge].set == NFA_ANY;
	}
	return err;
}

static int automaton_fill(struct automaton *automaton, uint32_t **ret_blame, size_t *ret_blame_count)
{
	uint32_t *blame = NULL;
	int err = units_fill(automaton);

	if (!err)
		err = classes_fill(automaton);
	if (err)
		return err;
	blame = calloc(automaton->units + 1, sizeof(*blame));
	if (!blame)
		return -ENOMEM;
	err = check_positions(automaton, blame);
	if (!err)
		err = plan_lanes(automaton, blame);
	if (!err && automaton->kind == AUTOMATON_ADDRESSES)
		err = fit_addresses(automaton, blame);
	if (err == -E2BIG)
		err = blame_rules(automaton, blame, ret_blame, ret_blame_count);
	free(blame);
	return err;
}

int automaton_build(enum automaton_kind kind, const struct automaton_rule *rules, size_t count,
		    struct automaton **ret, uint32_t **ret_blame, size_t *ret_blame_count)
{
	struct automaton *automaton = calloc(1, sizeof(*automaton));
	struct automaton_rule *copy = malloc((count + 1) * sizeof(*copy));
	int err = -ENOMEM;

	if (!automaton || !copy) {
		free(copy);
		goto out;
	}
	if (count)
		memcpy(copy, rules, count * sizeof(*copy));
	automaton->kind = kind;
	automaton->rule = copy;
	automaton->rules = count;
	err = automaton_fill(automaton, ret_blame, ret_blame_count);
	if (err)
		goto out;
	*ret = automaton;
	return 0;
out:
	automaton_free(automaton);
	return err;
}

size_t automaton_lanes(const struct automaton *automaton)
{
	return automaton->lanes;
}

size_t automaton_states(const struct automaton *automaton)
{
	size_t states = 0;

	for (uint32_t lane = 0; lane < automaton->lanes; lane++)
		states += automaton->lane[lane].count;
	return states;
}

void automaton_free(struct automaton *automaton)
{
	if (!automaton)
		return;
	for (uint32_t lane = 0; lane < LANES_MAX; lane++)
		dfa_done(&automaton->lane[lane]);
	classes_done(&automaton->classes);
	rows_done(&automaton->rows);
	free(automaton->unit);
	free(automaton->lane_of);
	free((void *)automaton->rule);
	free(automaton);
}
