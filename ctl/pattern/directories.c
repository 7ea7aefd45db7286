// SPDX-License-Identifier: GPL-2.0
// Finding the states of directories by walking a lane over all names.
#include "directories.h"

#include <errno.h>
#include <stdlib.h>

struct walk {
	const struct dfa *dfa;
	const struct classes *classes;
	uint8_t *reach;
	uint32_t *stack; /* STATE << 1 | is in a name */
	uint32_t depth;
};

bool directories_has_rest(const struct dfa *dfa, const struct classes *classes, uint32_t state)
{
	uint32_t listed = dfa->first[state + 1] - dfa->first[state];

	for (uint32_t i = dfa->first[state]; i < dfa->first[state + 1]; i++)
		listed -= dfa->class[i] == classes->slash;
	return listed + 1 < classes->count;
}

static void walk_push(struct walk *walk, uint32_t state, uint8_t reach)
{
	if (walk->reach[state] & reach)
		return;
	walk->reach[state] |= reach;
	walk->stack[walk->depth++] = state << 1 | (reach == REACH_IN_NAME);
}

static void walk_state(struct walk *walk, uint32_t item)
{
	const struct dfa *dfa = walk->dfa;
	uint32_t state = item >> 1;

	for (uint32_t i = dfa->first[state]; i < dfa->first[state + 1]; i++)
		if (dfa->class[i] != walk->classes->slash)
			walk_push(walk, dfa->target[i], REACH_IN_NAME);
	if (directories_has_rest(dfa, walk->classes, state))
		walk_push(walk, dfa->fallback[state], REACH_IN_NAME);
	if (item & 1)
		walk_push(walk, dfa_step(dfa, state, walk->classes->slash), REACH_AFTER_SLASH);
}

int directories_reach(const struct dfa *dfa, const struct classes *classes, uint8_t **ret)
{
	struct walk walk = { .dfa = dfa, .classes = classes };

	walk.reach = calloc(dfa->count, 1);
	walk.stack = malloc(dfa->count * 2 * sizeof(*walk.stack));
	if (!walk.reach || !walk.stack) {
		free(walk.reach);
		free(walk.stack);
		return -ENOMEM;
	}
	walk_push(&walk, dfa->start[0], REACH_AFTER_SLASH);
	while (walk.depth)
		walk_state(&walk, walk.stack[--walk.depth]);
	free(walk.stack);
	*ret = walk.reach;
	return 0;
}

static int count_directories(const struct automaton *automaton, uint32_t lane, uint32_t *ret)
{
	const struct dfa *dfa = &automaton->lane[lane];
	uint8_t *reach;
	int err = directories_reach(dfa, &automaton->classes, &reach);

	if (err)
		return err;
	*ret = 0;
	for (uint32_t state = 0; state < dfa->count; state++)
		*ret += reach[state] & REACH_AFTER_SLASH;
	free(reach);
	return 0;
}

int directories_first(struct automaton *automaton)
{
	uint32_t best = 0, most = 0, count;
	struct dfa dfa;

	for (uint32_t lane = 0; lane < automaton->lanes; lane++) {
		int err = count_directories(automaton, lane, &count);

		if (err)
			return err;
		if (count > most) {
			most = count;
			best = lane;
		}
	}
	dfa = automaton->lane[best];
	automaton->lane[best] = automaton->lane[0];
	automaton->lane[0] = dfa;
	for (uint32_t i = 0; best && i < automaton->units; i++) {
		uint8_t lane = automaton->lane_of[i];

		automaton->lane_of[i] = lane == best ? 0 : lane ? lane : best;
	}
	return 0;
}
