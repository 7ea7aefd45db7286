// SPDX-License-Identifier: GPL-2.0
// Laying the patterns of a lane side by side, with what floating ones have in common only once.
#include <errno.h>
#include <stdlib.h>

#include "positions.h"

#define NONE UINT32_MAX

/*
 * A floating pattern begins anew at each slash: it has a state at the
 * beginning of every component, a loop that waits for the next slash, and, if
 * its tail begins with a star, a state that is there from the first byte to the
 * next slash. These are in the same places for all such patterns: three shared
 * positions stand for them, or every set would hold two for each rule.
 */
struct restart {
	uint32_t first; /* the state behind the first slash; it has the edges of again */
	uint32_t again; /* behind another */
	uint32_t loop;
	uint32_t star; /* or NONE */
};

void positions_done(struct positions *pos)
{
	free(pos->edge);
	free(pos->target);
	free(pos->set);
	free(pos->member);
	free(pos->operations);
	free(pos->flags);
	free(pos->start);
	free(pos->is_plain);
}

static bool is_edge(const struct nfa_edge *edge, uint32_t set, uint32_t target)
{
	return edge->set == set && edge->target == target;
}

static const struct nfa_edge *state_edges(const struct nfa *nfa, uint32_t state, uint32_t *ret_count)
{
	*ret_count = nfa->state[state + 1].edge - nfa->state[state].edge;
	return &nfa->edge[nfa->state[state].edge];
}

static bool is_loop(const struct nfa *nfa, uint32_t state, uint32_t *ret_again)
{
	uint32_t count;
	const struct nfa_edge *edge = state_edges(nfa, state, &count);

	if (count != 2 || nfa->state[state].flags & NFA_ACCEPT || !is_edge(&edge[0], NFA_COMPONENT, state) ||
	    edge[1].set != '/')
		return false;
	*ret_again = edge[1].target;
	return true;
}

static bool is_star(const struct nfa *nfa, uint32_t state)
{
	uint32_t count;
	const struct nfa_edge *edge = state_edges(nfa, state, &count);

	if (nfa->state[state].flags & NFA_ACCEPT)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (is_edge(&edge[i], NFA_COMPONENT, state))
			return true;
	return false;
}

static bool has_same_edges(const struct nfa *nfa, uint32_t a, uint32_t b)
{
	uint32_t count, others;
	const struct nfa_edge *edge = state_edges(nfa, a, &count), *other = state_edges(nfa, b, &others);

	if (count != others || nfa->state[a].flags & NFA_ACCEPT || nfa->state[b].flags & NFA_ACCEPT)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!is_edge(&edge[i], other[i].set, other[i].target))
			return false;
	return true;
}

/* The restart of a pattern that has one from its first slash on. */
static bool restart_find(const struct nfa *nfa, struct restart *ret)
{
	uint32_t count;
	const struct nfa_edge *edge = state_edges(nfa, nfa->start, &count);

	if (count != 1 || edge->set != '/')
		return false;
	*ret = (struct restart){ edge->target, NONE, NONE, NONE };
	edge = state_edges(nfa, ret->first, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (edge[i].set != NFA_COMPONENT || edge[i].target == ret->first)
			continue;
		if (ret->loop == NONE && is_loop(nfa, edge[i].target, &ret->again))
			ret->loop = edge[i].target;
		else if (ret->star == NONE && is_star(nfa, edge[i].target))
			ret->star = edge[i].target;
	}
	return ret->loop != NONE && has_same_edges(nfa, ret->first, ret->again);
}

/* The shared positions, behind those of all members. */
struct shared {
	struct restart *restart; /* by member; loop is NONE for those that share nothing */
	uint32_t again;
	uint32_t loop;
	uint32_t star;
	bool has_star;
};

/*
 * Sharing hides from the subset construction which rule a restart belongs to,
 * so that it cannot drop those of decided rules. Where some rule decides for
 * good, that is worth more.
 */
static int shared_find(struct shared *shared, const struct lane_input *input)
{
	bool is_deep = input->kind == AUTOMATON_ADDRESSES;

	shared->restart = malloc((input->members + 1) * sizeof(*shared->restart));
	if (!shared->restart)
		return -ENOMEM;
	for (uint32_t i = 0; i < input->members; i++)
		is_deep |= input->unit[input->member[i]].part->shape & SHAPE_DEEP;
	for (uint32_t i = 0; i < input->members; i++) {
		struct restart *restart = &shared->restart[i];

		if (is_deep || !restart_find(&input->unit[input->member[i]].part->nfa, restart))
			*restart = (struct restart){ NONE, NONE, NONE, NONE };
		shared->has_star |= restart->star != NONE;
	}
	return 0;
}

static int positions_alloc(struct positions *pos, const struct lane_input *input, struct shared *shared)
{
	size_t states = 0, edges = 5;

	for (uint32_t i = 0; i < input->members; i++) {
		const struct nfa *nfa = &input->unit[input->member[i]].part->nfa;

		states += nfa->state_count;
		edges += 3 * nfa->edge_count; /* those of a restart are copied twice at most */
	}
	shared->again = states;
	shared->loop = states + 1;
	shared->star = states + 2;
	states += 3;
	pos->edge = malloc((states + 1) * sizeof(*pos->edge));
	pos->target = malloc(edges * sizeof(*pos->target));
	pos->set = malloc(edges * sizeof(*pos->set));
	pos->member = malloc(states * sizeof(*pos->member));
	pos->operations = malloc(states * sizeof(*pos->operations));
	pos->flags = malloc(states);
	pos->start = malloc((input->members + 1) * sizeof(*pos->start));
	pos->is_plain = malloc(input->members + 1);
	if (!pos->edge || !pos->target || !pos->set || !pos->member || !pos->operations || !pos->flags ||
	    !pos->start || !pos->is_plain)
		return -ENOMEM;
	return 0;
}

static uint16_t position_set(const struct classes *classes, const struct nfa *nfa, unsigned int set)
{
	if (set < NFA_ANY)
		return classes->of[set];
	if (set < NFA_SETS)
		return set;
	return NFA_SETS + classes_find(classes, &nfa->set[set - NFA_SETS]);
}

/* What is being filled: the next edge, and the member that edges come from. */
struct filler {
	struct positions *pos;
	const struct lane_input *input;
	const struct shared *shared;
	uint32_t edges;
	uint32_t member;
	uint32_t base; /* the member's first position */
};

static void add_edge(struct filler *filler, uint16_t set, uint32_t target)
{
	filler->pos->set[filler->edges] = set;
	filler->pos->target[filler->edges++] = target;
}

static void copy_edge(struct filler *filler, const struct nfa *nfa, const struct nfa_edge *edge)
{
	const struct restart *restart = &filler->shared->restart[filler->member];
	uint32_t target = filler->base + edge->target;

	if (restart->loop != NONE && edge->target == restart->loop)
		target = filler->shared->loop;
	else if (restart->loop != NONE && (edge->target == restart->first || edge->target == restart->again))
		target = filler->shared->again;
	else if (restart->star != NONE && edge->target == restart->star)
		target = filler->shared->star;
	add_edge(filler, position_set(filler->input->classes, nfa, edge->set), target);
}

static void copy_member(struct filler *filler)
{
	struct positions *pos = filler->pos;
	const struct unit *unit = &filler->input->unit[filler->input->member[filler->member]];
	const struct nfa *nfa = &unit->part->nfa;

	pos->start[filler->member] = filler->base + nfa->start;
	pos->is_plain[filler->member] = filler->input->kind == AUTOMATON_ADDRESSES ||
					filler->shared->restart[filler->member].loop != NONE;
	for (uint32_t state = 0; state < nfa->state_count; state++) {
		uint32_t position = filler->base + state;

		pos->edge[position] = filler->edges + nfa->state[state].edge;
		pos->flags[position] = nfa->state[state].flags;
		pos->operations[position] = unit->operations;
		pos->member[position] = filler->member;
	}
	for (uint32_t i = 0; i < nfa->edge_count; i++)
		copy_edge(filler, nfa, &nfa->edge[i]);
}

static void shared_begin(struct filler *filler, uint32_t position)
{
	filler->pos->edge[position] = filler->edges;
	filler->pos->flags[position] = 0;
	filler->pos->operations[position] = UINT32_MAX;
	filler->pos->member[position] = POSITION_SHARED;
}

/* The edges that each member's STATE, one of its restart, has beside those that all share. */
static void copy_own_edges(struct filler *filler, bool is_star)
{
	filler->base = 0;
	for (filler->member = 0; filler->member < filler->input->members; filler->member++) {
		const struct restart *restart = &filler->shared->restart[filler->member];
		const struct nfa *nfa = &filler->input->unit[filler->input->member[filler->member]].part->nfa;
		uint32_t state = is_star ? restart->star : restart->again, count = 0;
		const struct nfa_edge *edge = state == NONE ? NULL : state_edges(nfa, state, &count);

		for (uint32_t i = 0; i < count; i++)
			if (!is_edge(&edge[i], NFA_COMPONENT, restart->loop) &&
			    !is_edge(&edge[i], '/', restart->again) &&
			    !is_edge(&edge[i], NFA_COMPONENT, restart->star))
				copy_edge(filler, nfa, &edge[i]);
		filler->base += nfa->state_count;
	}
}

static void copy_shared(struct filler *filler)
{
	const struct shared *shared = filler->shared;
	uint16_t slash = filler->input->classes->slash;

	shared_begin(filler, shared->again);
	add_edge(filler, NFA_COMPONENT, shared->loop);
	add_edge(filler, slash, shared->again);
	if (shared->has_star)
		add_edge(filler, NFA_COMPONENT, shared->star);
	copy_own_edges(filler, false);
	shared_begin(filler, shared->loop);
	add_edge(filler, NFA_COMPONENT, shared->loop);
	add_edge(filler, slash, shared->again);
	shared_begin(filler, shared->star);
	add_edge(filler, NFA_COMPONENT, shared->star);
	copy_own_edges(filler, true);
}

int positions_fill(struct positions *pos, const struct lane_input *input)
{
	struct shared shared = { 0 };
	struct filler filler = { .pos = pos, .input = input, .shared = &shared };
	int err = shared_find(&shared, input);

	if (!err)
		err = positions_alloc(pos, input, &shared);
	if (err)
		goto out;
	for (filler.member = 0; filler.member < input->members; filler.member++) {
		copy_member(&filler);
		filler.base += input->unit[input->member[filler.member]].part->nfa.state_count;
	}
	copy_shared(&filler);
	pos->count = shared.star + 1;
	pos->edge[pos->count] = filler.edges;
out:
	free(shared.restart);
	return err;
}
