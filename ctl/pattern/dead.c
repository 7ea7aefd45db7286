// SPDX-License-Identifier: GPL-2.0
// Rules that can never win, and which rule decides in their stead.
#include <errno.h>
#include <stdlib.h>

#include "inclusion.h"
#include "lane.h"

/*
 * Within a lane the automaton knows exactly: a rule that wins in no state that
 * a name leads to is dead. Across lanes a rule is dead if one earlier rule
 * matches all that it does. That comparison is dear, so it is only made where
 * the rule does not win for an example of its own.
 */
struct sample {
	uint8_t byte[SAMPLE_MAX];
	size_t len;	/* 0 if there is none */
	struct row row; /* the winning words of all lanes */
};

/* An example of an address block: all ways through its automaton lead to its end. */
static size_t address_sample(const struct pattern *part, uint8_t *sample)
{
	const struct nfa *nfa = &part->nfa;
	size_t len = part->family ? ADDRESS_KEY_MAX : ADDRESS_KEY_MAX - 12;
	uint32_t state = nfa->start;

	for (size_t i = 0; i < len; i++) {
		const struct nfa_edge *edge = &nfa->edge[nfa->state[state].edge];
		unsigned int byte = 0;

		while (!nfa_set_has(nfa, edge->set, byte))
			byte++;
		sample[i] = byte;
		state = edge->target;
	}
	return len;
}

/* What wins for SAMPLE, which begins behind the first SKIP bytes, in all lanes together. */
static void sample_judge(const struct automaton *automaton, struct sample *sample, int family, size_t skip)
{
	for (int op = 0; op < ROW_WORDS; op++)
		sample->row.word[op] = WORD_NONE;
	for (uint32_t lane = 0; lane < automaton->lanes; lane++) {
		const struct dfa *dfa = &automaton->lane[lane];
		uint32_t state = dfa->start[family];
		const struct row *row;

		for (size_t i = skip; i < sample->len; i++)
			state = dfa_step(dfa, state, automaton->classes.of[sample->byte[i]]);
		row = &automaton->rows.row[dfa->row[state]];
		for (int op = 0; op < ROW_WORDS; op++)
			if (row->word[op] < sample->row.word[op])
				sample->row.word[op] = row->word[op];
	}
}

static int sample_take(const struct automaton *automaton, const struct unit *unit, struct sample *sample)
{
	bool is_address = automaton->kind == AUTOMATON_ADDRESSES;
	int len = is_address ? (int)address_sample(unit->part, sample->byte)
			     : part_sample(unit->part, &automaton->classes, sample->byte);

	if (len < 0)
		return len;
	sample->len = len;
	sample_judge(automaton, sample, unit->part->family, is_address ? 0 : 1);
	return 0;
}

static bool sample_is_won(const struct sample *sample, const struct unit *unit)
{
	for (int op = 0; op < ROW_WORDS; op++)
		if (unit->operations & OP_BIT(op) && sample->row.word[op] >= unit->word)
			return true;
	return false;
}

/* The rule that wins for the example, or ~0 where none before UNIT's does. */
static uint32_t find_winner(const struct automaton *automaton, const struct unit *unit,
			    const struct sample *sample)
{
	uint32_t word = unit->operations ? sample->row.word[__builtin_ctz(unit->operations)] : WORD_NONE;

	for (uint32_t i = 0; i < unit->rule; i++)
		if (automaton->rule[i].word == word &&
		    pattern_matches(automaton->rule[i].pattern, sample->byte, sample->len))
			return i;
	return UINT32_MAX;
}

/* Does the rule with index I decide all operations of UNIT on all its names? 1, 0 or -ENOMEM. */
static int is_container(const struct automaton *automaton, const struct unit *unit,
			const struct sample *sample, uint32_t i)
{
	const struct automaton_rule *rule = &automaton->rule[i];

	if (rule->word >= unit->word || unit->operations & ~rule->operations ||
	    !pattern_matches(rule->pattern, sample->byte, sample->len))
		return 0;
	return part_is_within(unit->part, rule->pattern, &automaton->classes);
}

/* A rule before UNIT's that does: 1 with its index, 0 or -ENOMEM. WINNER is likely it. */
static int find_container(const struct automaton *automaton, const struct unit *unit,
			  const struct sample *sample, uint32_t winner, uint32_t *ret)
{
	int found = winner < unit->rule ? is_container(automaton, unit, sample, winner) : 0;

	*ret = winner;
	for (uint32_t i = 0; !found && i < unit->rule; i++) {
		found = is_container(automaton, unit, sample, i);
		if (found)
			*ret = i;
	}
	return found;
}

/* 1 with the rule that decides in its stead if UNIT can never win, else 0 or -ENOMEM. */
static int unit_is_dead(const struct automaton *automaton, const struct unit *unit, uint32_t *ret_by)
{
	bool is_address = automaton->kind == AUTOMATON_ADDRESSES;
	struct sample sample;
	uint32_t winner;
	int found;

	if (unit->is_live && automaton->lanes == 1)
		return 0;
	found = sample_take(automaton, unit, &sample);
	if (found)
		return found;
	if (unit->is_live && (!sample.len || sample_is_won(&sample, unit)))
		return 0;
	winner = find_winner(automaton, unit, &sample);
	found = is_address ? 0 : find_container(automaton, unit, &sample, winner, ret_by);
	if (found || unit->is_live)
		return found;
	*ret_by = winner < unit->rule ? winner : 0;
	return 1;
}

struct deads {
	struct automaton_dead *dead;
	size_t count;
	size_t capacity;
};

static int deads_add(struct deads *deads, uint32_t rule, uint32_t by)
{
	if (deads->count == deads->capacity) {
		size_t capacity = deads->capacity ? deads->capacity * 2 : 16;
		struct automaton_dead *bigger = realloc(deads->dead, capacity * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		deads->dead = bigger;
		deads->capacity = capacity;
	}
	deads->dead[deads->count++] = (struct automaton_dead){ rule, by };
	return 0;
}

/*
 * The units from FIRST on that share a word are one rule of the policy: it is
 * dead if all of them are. Returns the unit behind them, or -ENOMEM.
 */
static int64_t rule_settle(const struct automaton *automaton, uint32_t first, struct deads *deads)
{
	const struct unit *unit = automaton->unit;
	size_t before = deads->count;
	uint32_t end = first, by;
	int dead = 1;

	while (end < automaton->units && unit[end].word == unit[first].word)
		end++;
	for (uint32_t i = first; dead > 0 && i < end; i++) {
		dead = unit_is_dead(automaton, &unit[i], &by);
		if (dead <= 0 ||
		    (deads->count > before && deads->dead[deads->count - 1].rule == unit[i].rule))
			continue;
		if (deads_add(deads, unit[i].rule, by))
			dead = -ENOMEM;
	}
	if (dead <= 0)
		deads->count = before;
	return dead < 0 ? dead : (int64_t)end;
}

int automaton_dead(const struct automaton *automaton, struct automaton_dead **ret_dead, size_t *ret_count)
{
	struct deads deads = { 0 };
	int64_t next = 0;

	while (next >= 0 && next < automaton->units)
		next = rule_settle(automaton, next, &deads);
	if (next < 0) {
		free(deads.dead);
		return next;
	}
	*ret_dead = deads.dead;
	*ret_count = deads.count;
	return 0;
}
