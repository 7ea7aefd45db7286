// SPDX-License-Identifier: GPL-2.0
// Minimising an automaton by splitting blocks of states until all of a block behave alike.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lane.h"

#define SEEDS 8

/*
 * Only states whose successors changed block are looked at again, and of the
 * pieces of a block the largest keeps its number: n log n steps. Signatures
 * are compared by hash; the result is checked, and made anew with another
 * seed should two hashes ever have met.
 */
struct block {
	uint32_t first; /* in order */
	uint32_t len;
	uint32_t dirty; /* so many at its beginning are to be looked at again */
};

struct keyed {
	uint64_t key;
	uint32_t state;
};

struct minimiser {
	const struct dfa *dfa;
	uint64_t seed;
	uint32_t *block_of;
	uint32_t *order; /* states, block by block */
	uint32_t *where; /* each state's place in order */
	struct block *block;
	uint32_t blocks;
	uint32_t *queue; /* stack of the blocks with dirty states */
	uint32_t queued;
	uint32_t *source_first; /* count + 1 */
	uint32_t *source;	/* the states that lead to each state */
	struct keyed *keyed;
};

void dfa_done(struct dfa *dfa)
{
	free(dfa->row);
	free(dfa->fallback);
	free(dfa->first);
	free(dfa->class);
	free(dfa->target);
	memset(dfa, 0, sizeof(*dfa));
}

static int sources_fill(struct minimiser *mini)
{
	const struct dfa *dfa = mini->dfa;
	uint32_t moves = dfa->first[dfa->count] + dfa->count;
	uint32_t *first = calloc(dfa->count + 2, sizeof(*first));

	mini->source_first = first;
	mini->source = malloc(moves * sizeof(*mini->source));
	if (!first || !mini->source)
		return -ENOMEM;
	for (uint32_t i = 0; i < dfa->first[dfa->count]; i++)
		first[dfa->target[i] + 2]++;
	for (uint32_t state = 0; state < dfa->count; state++)
		first[dfa->fallback[state] + 2]++;
	for (uint32_t state = 2; state < dfa->count + 2; state++)
		first[state] += first[state - 1];
	for (uint32_t state = 0; state < dfa->count; state++) {
		for (uint32_t i = dfa->first[state]; i < dfa->first[state + 1]; i++)
			mini->source[first[dfa->target[i] + 1]++] = state;
		mini->source[first[dfa->fallback[state] + 1]++] = state;
	}
	return 0;
}

static int minimiser_init(struct minimiser *mini, const struct dfa *dfa)
{
	mini->dfa = dfa;
	mini->block_of = malloc(dfa->count * sizeof(*mini->block_of));
	mini->order = malloc(dfa->count * sizeof(*mini->order));
	mini->where = malloc(dfa->count * sizeof(*mini->where));
	mini->block = calloc(dfa->count, sizeof(*mini->block));
	mini->queue = malloc(dfa->count * sizeof(*mini->queue));
	mini->keyed = malloc(dfa->count * sizeof(*mini->keyed));
	if (!mini->block_of || !mini->order || !mini->where || !mini->block || !mini->queue || !mini->keyed)
		return -ENOMEM;
	return sources_fill(mini);
}

static void minimiser_done(struct minimiser *mini)
{
	free(mini->block_of);
	free(mini->order);
	free(mini->where);
	free(mini->block);
	free(mini->queue);
	free(mini->source_first);
	free(mini->source);
	free(mini->keyed);
}

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *left = a, *right = b;

	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	return left->state < right->state ? -1 : left->state > right->state;
}

static void block_add(struct minimiser *mini, uint32_t first, uint32_t len)
{
	mini->block[mini->blocks] = (struct block){ first, len, 0 };
	for (uint32_t i = first; i < first + len; i++)
		mini->block_of[mini->order[i]] = mini->blocks;
	mini->blocks++;
}

/* The first blocks: states with the same row. All are to be looked at. */
static void blocks_begin(struct minimiser *mini, const uint32_t *row_class)
{
	const struct dfa *dfa = mini->dfa;
	uint32_t first = 0;

	mini->blocks = mini->queued = 0;
	for (uint32_t state = 0; state < dfa->count; state++)
		mini->keyed[state] = (struct keyed){ row_class[dfa->row[state]], state };
	qsort(mini->keyed, dfa->count, sizeof(*mini->keyed), compare_keyed);
	for (uint32_t i = 0; i < dfa->count; i++) {
		mini->order[i] = mini->keyed[i].state;
		mini->where[mini->order[i]] = i;
	}
	for (uint32_t i = 1; i <= dfa->count; i++) {
		if (i < dfa->count && mini->keyed[i].key == mini->keyed[first].key)
			continue;
		block_add(mini, first, i - first);
		mini->block[mini->blocks - 1].dirty = i - first;
		mini->queue[mini->queued++] = mini->blocks - 1;
		first = i;
	}
}

static uint64_t signature(const struct minimiser *mini, uint32_t state)
{
	const struct dfa *dfa = mini->dfa;
	uint32_t fallback = mini->block_of[dfa->fallback[state]];
	/* Mixed before the listed ones come in: else what is listed and what is not could change places. */
	uint64_t hash = (mini->seed ^ fallback) * 0xff51afd7ed558ccdull;

	hash ^= hash >> 32;
	for (uint32_t i = dfa->first[state]; i < dfa->first[state + 1]; i++) {
		uint32_t block = mini->block_of[dfa->target[i]];

		if (block == fallback)
			continue;
		hash = (hash ^ ((uint64_t)dfa->class[i] << 32 | block)) * 0xff51afd7ed558ccdull;
		hash ^= hash >> 32;
	}
	hash *= 0x9e3779b97f4a7c15ull;
	return hash >> 1; /* leaves room for a key above all others */
}

static void mark_dirty(struct minimiser *mini, uint32_t state)
{
	uint32_t number = mini->block_of[state];
	struct block *block = &mini->block[number];
	uint32_t from = mini->where[state], to = block->first + block->dirty;

	if (block->len == 1 || from < to)
		return;
	mini->order[from] = mini->order[to];
	mini->where[mini->order[from]] = from;
	mini->order[to] = state;
	mini->where[state] = to;
	if (!block->dirty++)
		mini->queue[mini->queued++] = number;
}

static void mark_sources(struct minimiser *mini, uint32_t number)
{
	const struct block block = mini->block[number];

	/* Marking moves states within their blocks: go by the members as they stand in keyed, which stays. */
	for (uint32_t i = 0; i < block.len; i++)
		mini->keyed[i].state = mini->order[block.first + i];
	for (uint32_t i = 0; i < block.len; i++) {
		uint32_t state = mini->keyed[i].state;

		for (uint32_t j = mini->source_first[state]; j < mini->source_first[state + 1]; j++)
			mark_dirty(mini, mini->source[j]);
	}
}

/* Sorts the dirty states of BLOCK by signature, those like the clean ones last, next to them. */
static void block_sort(struct minimiser *mini, const struct block *block, uint32_t dirty)
{
	bool has_clean = dirty < block->len;
	uint64_t clean = has_clean ? signature(mini, mini->order[block->first + dirty]) : 0;

	for (uint32_t i = 0; i < dirty; i++) {
		uint32_t state = mini->order[block->first + i];
		uint64_t key = signature(mini, state);

		mini->keyed[i] = (struct keyed){ has_clean && key == clean ? UINT64_MAX : key, state };
	}
	qsort(mini->keyed, dirty, sizeof(*mini->keyed), compare_keyed);
	for (uint32_t i = 0; i < dirty; i++) {
		mini->order[block->first + i] = mini->keyed[i].state;
		mini->where[mini->keyed[i].state] = block->first + i;
	}
}

/* The end of the piece that begins at FROM, within BLOCK whose first DIRTY states are sorted in keyed. */
static uint32_t piece_end(const struct minimiser *mini, const struct block *block, uint32_t dirty,
			  uint32_t from)
{
	uint32_t to = from;

	if (from >= dirty || mini->keyed[from].key == UINT64_MAX)
		return block->len;
	while (to < dirty && mini->keyed[to].key == mini->keyed[from].key)
		to++;
	return to;
}

static void block_split(struct minimiser *mini, uint32_t number)
{
	struct block block = mini->block[number];
	uint32_t dirty = block.dirty, blocks = mini->blocks;
	uint32_t best = 0, best_end = 0;

	mini->block[number].dirty = 0;
	block_sort(mini, &block, dirty);
	for (uint32_t from = 0, to; from < block.len; from = to) {
		to = piece_end(mini, &block, dirty, from);
		if (to - from > best_end - best) {
			best = from;
			best_end = to;
		}
	}
	for (uint32_t from = 0, to; from < block.len; from = to) {
		to = piece_end(mini, &block, dirty, from);
		if (from != best)
			block_add(mini, block.first + from, to - from);
	}
	mini->block[number].first = block.first + best;
	mini->block[number].len = best_end - best;
	for (uint32_t fresh = blocks; fresh < mini->blocks; fresh++)
		mark_sources(mini, fresh);
}

/* Does STATE behave as the first of its block does? */
static bool is_like_first(const struct minimiser *mini, const uint32_t *row_class, uint32_t state)
{
	const struct dfa *dfa = mini->dfa;
	uint32_t first = mini->order[mini->block[mini->block_of[state]].first];
	uint32_t fallback = mini->block_of[dfa->fallback[state]];
	uint32_t i = dfa->first[state], j = dfa->first[first];

	if (row_class[dfa->row[state]] != row_class[dfa->row[first]] ||
	    fallback != mini->block_of[dfa->fallback[first]])
		return false;
	for (;;) {
		while (i < dfa->first[state + 1] && mini->block_of[dfa->target[i]] == fallback)
			i++;
		while (j < dfa->first[first + 1] && mini->block_of[dfa->target[j]] == fallback)
			j++;
		if (i == dfa->first[state + 1] || j == dfa->first[first + 1])
			return i == dfa->first[state + 1] && j == dfa->first[first + 1];
		if (dfa->class[i] != dfa->class[j] ||
		    mini->block_of[dfa->target[i]] != mini->block_of[dfa->target[j]])
			return false;
		i++;
		j++;
	}
}

static bool is_stable(const struct minimiser *mini, const uint32_t *row_class)
{
	for (uint32_t state = 0; state < mini->dfa->count; state++)
		if (!is_like_first(mini, row_class, state))
			return false;
	return true;
}

/* False if hashes met however often it was tried. */
static bool blocks_refine(struct minimiser *mini, const uint32_t *row_class)
{
	for (int i = 0; i < SEEDS; i++) {
		mini->seed += 0x632be59bd9b4e019ull;
		blocks_begin(mini, row_class);
		while (mini->queued)
			block_split(mini, mini->queue[--mini->queued]);
		if (is_stable(mini, row_class))
			return true;
	}
	return false;
}

static int quotient_alloc(struct dfa *dfa, uint32_t states, uint32_t listed)
{
	dfa->row = malloc(states * sizeof(*dfa->row));
	dfa->fallback = malloc(states * sizeof(*dfa->fallback));
	dfa->first = malloc((states + 1) * sizeof(*dfa->first));
	dfa->class = malloc((listed + 1) * sizeof(*dfa->class));
	dfa->target = malloc((listed + 1) * sizeof(*dfa->target));
	return dfa->row && dfa->fallback && dfa->first && dfa->class && dfa->target ? 0 : -ENOMEM;
}

/* Numbers the blocks by their lowest state, so that equal input gives equal output; queue holds those numbers. */
static void blocks_number(struct minimiser *mini)
{
	uint32_t count = 0;

	memset(mini->queue, 0xff, mini->dfa->count * sizeof(*mini->queue));
	for (uint32_t state = 0; state < mini->dfa->count; state++) {
		uint32_t *number = &mini->queue[mini->block_of[state]];

		if (*number != UINT32_MAX)
			continue;
		*number = count;
		mini->where[count++] = state;
	}
}

static void quotient_fill(const struct minimiser *mini, const uint32_t *row_class, struct dfa *ret)
{
	const struct dfa *dfa = mini->dfa;
	uint32_t listed = 0;

	for (uint32_t block = 0; block < mini->blocks; block++) {
		uint32_t state = mini->where[block];
		uint32_t fallback = mini->block_of[dfa->fallback[state]];

		ret->row[block] = row_class[dfa->row[state]];
		ret->fallback[block] = mini->queue[fallback];
		ret->first[block] = listed;
		for (uint32_t i = dfa->first[state]; i < dfa->first[state + 1]; i++) {
			uint32_t target = mini->block_of[dfa->target[i]];

			if (target == fallback)
				continue;
			ret->class[listed] = dfa->class[i];
			ret->target[listed++] = mini->queue[target];
		}
	}
	ret->first[mini->blocks] = listed;
	ret->count = mini->blocks;
	for (int i = 0; i < 2; i++)
		ret->start[i] = mini->queue[mini->block_of[dfa->start[i]]];
}

int dfa_minimise(struct dfa *dfa, const uint32_t *row_class)
{
	struct minimiser mini = { 0 };
	struct dfa small = { 0 };
	int err = minimiser_init(&mini, dfa);

	if (err)
		goto out;
	if (!blocks_refine(&mini, row_class)) {
		/* As it is it decides the same, only larger. */
		for (uint32_t state = 0; state < dfa->count; state++)
			dfa->row[state] = row_class[dfa->row[state]];
		goto out;
	}
	blocks_number(&mini);
	err = quotient_alloc(&small, mini.blocks, dfa->first[dfa->count]);
	if (err)
		goto out;
	quotient_fill(&mini, row_class, &small);
	dfa_done(dfa);
	*dfa = small;
	memset(&small, 0, sizeof(small));
out:
	dfa_done(&small);
	minimiser_done(&mini);
	return err;
}
