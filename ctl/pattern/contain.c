// SPDX-License-Identifier: GPL-2.0
// Making the containment matrix: collapse what differs in no right, then compare the directories that are left.
#include "contain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "directories.h"
#include "pairs.h"

#define WORK_MAX 12000000u /* moves of pairs; half a second */

/* Lane 0 with classes of rights instead of verdict rows. */
struct collapsed {
	struct dfa dfa;
	uint32_t *of; /* for each state of the lane the one that stands for it */
};

static void *copy_of(const void *from, size_t count, size_t size)
{
	void *copy = malloc(count * size + 1);

	return copy ? memcpy(copy, from, count * size) : NULL;
}

static int dfa_copy(const struct dfa *dfa, struct dfa *ret)
{
	uint32_t count = dfa->count, listed = dfa->first[count];

	*ret = *dfa;
	ret->row = copy_of(dfa->row, count, sizeof(*dfa->row));
	ret->fallback = copy_of(dfa->fallback, count, sizeof(*dfa->fallback));
	ret->first = copy_of(dfa->first, count + 1, sizeof(*dfa->first));
	ret->class = copy_of(dfa->class, listed, sizeof(*dfa->class));
	ret->target = copy_of(dfa->target, listed, sizeof(*dfa->target));
	return ret->row && ret->fallback && ret->first && ret->class && ret->target ? 0 : -ENOMEM;
}

/* Finds what each state of DFA became by walking both automata together. */
static int collapsed_map(const struct dfa *dfa, struct collapsed *collapsed)
{
	const struct dfa *small = &collapsed->dfa;
	uint32_t *of = malloc(dfa->count * sizeof(*of)), *stack = malloc(dfa->count * sizeof(*stack));
	uint32_t depth = 0;

	collapsed->of = of;
	if (!of || !stack) {
		free(stack);
		return -ENOMEM;
	}
	memset(of, 0xff, dfa->count * sizeof(*of));
	of[dfa->start[0]] = small->start[0];
	stack[depth++] = dfa->start[0];
	while (depth) {
		uint32_t state = stack[--depth], first = dfa->first[state], end = dfa->first[state + 1];

		/* The fallback last: that a class is not listed here says nothing of which it is there. */
		for (uint32_t i = first; i < end; i++) {
			uint32_t target = dfa->target[i];

			if (of[target] != UINT32_MAX)
				continue;
			of[target] = dfa_step(small, of[state], dfa->class[i]);
			stack[depth++] = target;
		}
		if (of[dfa->fallback[state]] == UINT32_MAX) {
			of[dfa->fallback[state]] = small->fallback[of[state]];
			stack[depth++] = dfa->fallback[state];
		}
	}
	free(stack);
	return 0;
}

/*
 * The row of a state that only ever stands after a slash is nobody's: it may as well be
 * that of any other such state, and has a class of its own.
 */
static int collapse(const struct dfa *dfa, const uint8_t *reach, const struct automaton *automaton,
		    const struct rights *rights, struct collapsed *ret)
{
	uint32_t nobody = automaton->rows.count;
	uint32_t *row_class = malloc((nobody + 1) * sizeof(*row_class));
	int err = row_class ? dfa_copy(dfa, &ret->dfa) : -ENOMEM;

	if (!err) {
		memcpy(row_class, rights->class_of, nobody * sizeof(*row_class));
		row_class[nobody] = rights->count;
		for (uint32_t state = 0; state < dfa->count; state++)
			if (!(reach[state] & REACH_IN_NAME))
				ret->dfa.row[state] = nobody;
		err = dfa_minimise(&ret->dfa, row_class);
	}
	free(row_class);
	return err ? err : collapsed_map(dfa, ret);
}

/* Numbers the directories; *ret_state is, for each number, the collapsed state. */
static int number_directories(const struct dfa *dfa, const uint8_t *reach, const struct collapsed *collapsed,
			      struct contain *contain, uint32_t **ret_state)
{
	uint32_t *number = calloc(collapsed->dfa.count, sizeof(*number));
	uint32_t *state_of = malloc((CONTAIN_DIRECTORIES_MAX + 1) * sizeof(*state_of));
	int err = 0;

	contain->number = calloc(dfa->count, sizeof(*contain->number));
	contain->directories = 1;
	if (!number || !state_of || !contain->number)
		err = -ENOMEM;
	for (uint32_t state = 0; !err && state < dfa->count; state++) {
		uint32_t small = collapsed->of[state];

		if (!(reach[state] & REACH_AFTER_SLASH))
			continue;
		if (!number[small] && contain->directories == CONTAIN_DIRECTORIES_MAX)
			err = -E2BIG;
		if (!number[small] && !err) {
			state_of[contain->directories] = small;
			number[small] = contain->directories++;
		}
		contain->number[state] = number[small];
	}
	free(number);
	if (err)
		free(state_of);
	else
		*ret_state = state_of;
	return err;
}

static int matrix_fill(struct contain *contain, const uint32_t *state, struct pairs *pairs)
{
	uint64_t bits = (uint64_t)contain->directories * contain->directories;

	contain->bit = calloc((bits + 63) / 64, sizeof(*contain->bit));
	if (!contain->bit)
		return -ENOMEM;
	for (uint32_t to = 1; to < contain->directories; to++) {
		for (uint32_t from = 1; from < contain->directories; from++) {
			uint64_t bit = (uint64_t)to * contain->directories + from;
			int decided = pairs_decide(pairs, state[to], state[from]);

			if (decided < 0)
				return decided;
			contain->bit[bit / 64] |= (uint64_t)decided << bit % 64;
		}
	}
	return 0;
}

static int matrix_make(const struct automaton *automaton, const struct rights *rights,
		       const struct collapsed *collapsed, const uint32_t *state, struct contain *contain)
{
	const struct classes *classes = &automaton->classes;
	struct below below;
	struct pairs pairs;
	int err = below_build(&collapsed->dfa, classes, rights, &below);

	if (!err) {
		pairs_init(&pairs, &collapsed->dfa, classes, &below, WORK_MAX);
		err = matrix_fill(contain, state, &pairs);
		pairs_done(&pairs);
	}
	below_done(&below);
	return err;
}

int contain_build(const struct automaton *automaton, const struct image_header *header, struct contain *ret)
{
	const struct dfa *dfa = &automaton->lane[0];
	struct collapsed collapsed = { 0 };
	struct rights rights;
	uint32_t *state = NULL;
	uint8_t *reach = NULL;
	int err;

	memset(ret, 0, sizeof(*ret));
	err = rights_build(automaton, header, &rights);
	if (!err)
		err = directories_reach(dfa, &automaton->classes, &reach);
	if (!err)
		err = collapse(dfa, reach, automaton, &rights, &collapsed);
	if (!err && collapsed.dfa.count > CONTAIN_STATES_MAX)
		err = -E2BIG;
	if (!err)
		err = number_directories(dfa, reach, &collapsed, ret, &state);
	if (!err)
		err = matrix_make(automaton, &rights, &collapsed, state, ret);
	free(state);
	free(reach);
	free(collapsed.of);
	dfa_done(&collapsed.dfa);
	rights_done(&rights);
	return err;
}

void contain_done(struct contain *contain)
{
	free(contain->number);
	free(contain->bit);
	memset(contain, 0, sizeof(*contain));
}
