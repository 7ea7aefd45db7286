// SPDX-License-Identifier: GPL-2.0
// Walking pairs of states in search of a name that gains rights.
#include "pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "directories.h"

#define PAIRS_MAX 2000000u

/*
 * A pair is bad if some name leads on from it to rows that are not contained:
 * bad pairs are those from which such rows can be reached. A depth-first search finds the
 * strongly connected components (Tarjan): one that was left without meeting a bad pair is good
 * for good. When a bad pair is met, all pairs that are still open lead to it, for each
 * leads to one on the path, and the path leads to it; so the search ends
 * there. Either way every pair that was met is decided, and none is walked twice.
 */
enum pair_verdict { PAIR_OPEN, PAIR_GOOD, PAIR_BAD };

struct pair {
	uint32_t to;
	uint32_t from;
	uint32_t low; /* the earliest pair on the path that it leads to */
	uint8_t is_in_name;
	uint8_t verdict;
};

/* A pair on the path, and how far its moves were walked. */
struct frame {
	uint32_t pair;
	uint32_t i;   /* next of TO's listed moves */
	uint32_t j;   /* next of FROM's */
	uint32_t met; /* classes other than the slash that either lists */
	bool met_slash;
	bool is_done;
};

/* Where a byte may lead. */
struct move {
	uint32_t to;
	uint32_t from;
	bool is_in_name;
};

void pairs_init(struct pairs *pairs, const struct dfa *dfa, const struct classes *classes,
		struct below *below, uint64_t work)
{
	memset(pairs, 0, sizeof(*pairs));
	pairs->dfa = dfa;
	pairs->classes = classes;
	pairs->rights = below->rights;
	pairs->below = below;
	pairs->work = work;
}

void pairs_done(struct pairs *pairs)
{
	free(pairs->pair);
	free(pairs->slot);
	free(pairs->path);
	free(pairs->open);
	memset(pairs, 0, sizeof(*pairs));
}

static uint32_t pair_slot(const struct pairs *pairs, const struct move *move)
{
	uint64_t hash = ((uint64_t)move->to << 32 | move->from << 1 | move->is_in_name) *
			0x9e3779b97f4a7c15ull;
	uint32_t mask = 2 * pairs->capacity - 1, i = hash >> 29 & mask;

	for (; pairs->slot[i]; i = (i + 1) & mask) {
		const struct pair *pair = &pairs->pair[pairs->slot[i] - 1];

		if (pair->to == move->to && pair->from == move->from && pair->is_in_name == move->is_in_name)
			break;
	}
	return i;
}

static int pairs_grow(struct pairs *pairs)
{
	uint32_t capacity = pairs->capacity ? 2 * pairs->capacity : 4096;
	struct pair *bigger = realloc(pairs->pair, capacity * sizeof(*bigger));
	uint32_t *slot;

	if (!bigger)
		return -ENOMEM;
	pairs->pair = bigger;
	slot = calloc(2 * capacity, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(pairs->slot);
	pairs->slot = slot;
	pairs->capacity = capacity;
	for (uint32_t i = 0; i < pairs->count; i++) {
		const struct pair *pair = &pairs->pair[i];
		struct move move = { pair->to, pair->from, pair->is_in_name };

		pairs->slot[pair_slot(pairs, &move)] = i + 1;
	}
	return 0;
}

/* Makes room for one more in *LIST of COUNT. */
static int list_grow(void *list, uint32_t count, uint32_t *capacity, size_t size)
{
	void **memory = list, *bigger;

	if (count < *capacity)
		return 0;
	bigger = realloc(*memory, (*capacity ? 2 * *capacity : 256) * size);
	if (!bigger)
		return -ENOMEM;
	*memory = bigger;
	*capacity = *capacity ? 2 * *capacity : 256;
	return 0;
}

/* What is known of MOVE without a walk. */
static enum below_verdict move_verdict(const struct pairs *pairs, const struct move *move)
{
	const struct below *below = pairs->below;
	const uint32_t *set = move->is_in_name ? below->inside : below->after_slash;
	const uint32_t *row = pairs->dfa->row;

	if (move->to == move->from)
		return BELOW_GOOD;
	if (move->is_in_name && !rights_is_contained(pairs->rights, row[move->to], row[move->from]))
		return BELOW_BAD;
	return below_compare(pairs->below, set[move->to], set[move->from]);
}

/* The next byte's move from the pair of FRAME: each class that either state lists, then the rest. False at the end. */
static bool frame_next(const struct pairs *pairs, struct frame *frame, struct move *ret)
{
	const struct dfa *dfa = pairs->dfa;
	const struct pair *pair = &pairs->pair[frame->pair];
	uint32_t i_end = dfa->first[pair->to + 1], j_end = dfa->first[pair->from + 1];

	while (frame->i < i_end || frame->j < j_end) {
		unsigned int mine = frame->i < i_end ? dfa->class[frame->i] : UINT16_MAX;
		unsigned int its = frame->j < j_end ? dfa->class[frame->j] : UINT16_MAX;
		unsigned int class = mine < its ? mine : its;
		bool is_slash = class == pairs->classes->slash;

		ret->to = mine == class ? dfa->target[frame->i++] : dfa->fallback[pair->to];
		ret->from = its == class ? dfa->target[frame->j++] : dfa->fallback[pair->from];
		ret->is_in_name = !is_slash;
		frame->met += !is_slash;
		frame->met_slash |= is_slash;
		/* No component is empty. */
		if (!is_slash || pair->is_in_name)
			return true;
	}
	ret->to = dfa->fallback[pair->to];
	ret->from = dfa->fallback[pair->from];
	if (!frame->met_slash && pair->is_in_name) {
		frame->met_slash = true;
		ret->is_in_name = false;
		return true;
	}
	ret->is_in_name = true;
	if (frame->is_done || frame->met + 1 >= pairs->classes->count)
		return false;
	frame->is_done = true;
	return true;
}

/* Begins the walk of a pair that was not met before. */
static int pair_open(struct pairs *pairs, const struct move *move, uint32_t depth)
{
	uint32_t index = pairs->count;
	int err = list_grow(&pairs->path, depth, &pairs->path_capacity, sizeof(*pairs->path));

	if (!err)
		err = list_grow(&pairs->open, pairs->opens, &pairs->open_capacity, sizeof(*pairs->open));
	if (!err && index == pairs->capacity)
		err = pairs_grow(pairs);
	if (err)
		return err;
	if (index == PAIRS_MAX)
		return -E2BIG;
	pairs->slot[pair_slot(pairs, move)] = index + 1;
	pairs->pair[pairs->count++] = (struct pair){ move->to, move->from, index, move->is_in_name,
						     PAIR_OPEN };
	pairs->open[pairs->opens++] = index;
	pairs->path[depth] = (struct frame){ .pair = index,
					     .i = pairs->dfa->first[move->to],
					     .j = pairs->dfa->first[move->from] };
	return 0;
}

/* Decides all open pairs from INDEX on. */
static void pairs_close(struct pairs *pairs, uint32_t index, enum pair_verdict verdict)
{
	while (pairs->opens && pairs->open[pairs->opens - 1] >= index)
		pairs->pair[pairs->open[--pairs->opens]].verdict = verdict;
}

/* Leaves the pair at the end of the path of length DEPTH. */
static void pair_leave(struct pairs *pairs, uint32_t depth)
{
	uint32_t index = pairs->path[depth - 1].pair, low = pairs->pair[index].low;

	if (low == index)
		pairs_close(pairs, index, PAIR_GOOD);
	else if (low < pairs->pair[pairs->path[depth - 2].pair].low)
		pairs->pair[pairs->path[depth - 2].pair].low = low;
}

/* Walks on by MOVE; *DEPTH grows if it leads to a new pair. 0, 1 if it is bad, or an error. */
static int move_walk(struct pairs *pairs, const struct move *move, uint32_t *depth)
{
	struct pair *pair = &pairs->pair[pairs->path[*depth - 1].pair];
	enum below_verdict verdict = move_verdict(pairs, move);
	uint32_t found;
	int err;

	if (verdict != BELOW_UNDECIDED)
		return verdict == BELOW_BAD;
	found = pairs->slot[pair_slot(pairs, move)];
	if (!found) {
		err = pair_open(pairs, move, *depth);
		*depth += !err;
		return err;
	}
	if (pairs->pair[found - 1].verdict == PAIR_OPEN && found - 1 < pair->low)
		pair->low = found - 1;
	return pairs->pair[found - 1].verdict == PAIR_BAD;
}

static int pairs_search(struct pairs *pairs, const struct move *root)
{
	uint32_t depth = 0;
	int err = pair_open(pairs, root, depth++);

	while (!err && depth) {
		struct move move;

		if (!pairs->work--)
			return -E2BIG;
		if (frame_next(pairs, &pairs->path[depth - 1], &move))
			err = move_walk(pairs, &move, &depth);
		else
			pair_leave(pairs, depth--);
	}
	if (err == 1)
		pairs_close(pairs, 0, PAIR_BAD);
	return err < 0 ? err : !err;
}

int pairs_decide(struct pairs *pairs, uint32_t to, uint32_t from)
{
	struct move root = { to, from, false };
	enum below_verdict verdict = move_verdict(pairs, &root);
	uint32_t found;

	if (verdict != BELOW_UNDECIDED)
		return verdict == BELOW_GOOD;
	found = pairs->capacity ? pairs->slot[pair_slot(pairs, &root)] : 0;
	return found ? pairs->pair[found - 1].verdict == PAIR_GOOD : pairs_search(pairs, &root);
}
