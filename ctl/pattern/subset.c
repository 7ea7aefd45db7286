// SPDX-License-Identifier: GPL-2.0
// The subset construction: from the patterns of a lane's rules to one deterministic automaton.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "positions.h"

#define NONE UINT32_MAX
/* Ceilings that keep one lane's making below 256 MiB. */
#define POSITIONS_MAX (24u << 20)
#define LISTED_MAX (6u << 20)
#define CHUNK_POSITIONS (1u << 16)

struct chunk {
	struct chunk *next;
	uint32_t position[];
};

/* An edge on one class, in a list by class; the lists keep the order of the positions. */
struct single {
	uint32_t target;
	uint32_t order;
	uint32_t next;
};

struct wide {
	uint32_t target;
	uint32_t order;
	uint16_t set;
};

struct subset {
	const struct lane_input *input;
	struct budget *budget;
	struct positions pos;
	struct rows *rows;
	/* The states: their sets, as found by hashing. */
	uint32_t **set;
	uint32_t *len;
	uint32_t capacity;
	uint32_t *slot;
	uint32_t slots;
	struct chunk *chunk;
	uint32_t chunk_left;
	uint64_t stored;
	/* The automaton that grows. */
	struct dfa dfa;
	uint32_t listed;
	uint32_t listed_capacity;
	/* Scratch. */
	uint32_t *mark; /* by position: the set it was last put in */
	uint32_t stamp;
	uint32_t *next; /* the set being made */
	uint32_t next_len;
	uint32_t *spare; /* as large as next */
	struct single *single;
	struct wide *wide;
	uint32_t wides;
	uint32_t head[256];
	uint32_t tail[256];
	struct byte_set touched; /* classes that may lead elsewhere than "other" */
};

/*
 * Drops what cannot win any more. A position that accepts for good decides the
 * operations of its rule; one that accepts to the end of the component decides
 * them for those that end there, too.
 */
static void set_prune(struct subset *subset)
{
	uint32_t decided = 0, decided_here = 0, kept = 0;

	for (uint32_t i = 0; i < subset->next_len; i++) {
		uint32_t position = subset->next[i];
		uint32_t operations = subset->pos.operations[position];
		uint8_t flags = subset->pos.flags[position];

		if (!(operations & ~(flags & NFA_LOCAL ? decided | decided_here : decided)))
			continue;
		if (flags & NFA_UNIVERSAL)
			decided |= operations;
		if (flags & NFA_COMPONENT_UNIVERSAL)
			decided_here |= operations;
		subset->next[kept++] = position;
	}
	subset->next_len = kept;
}

static uint32_t run_end(const uint32_t *set, uint32_t len, uint32_t from)
{
	uint32_t to = from + 1;

	while (to < len && set[to - 1] < set[to])
		to++;
	return to < len ? to : len;
}

/* Merges each run of FROM with the one behind it. Returns the length of the first: LEN when all is sorted. */
static uint32_t runs_merge(const uint32_t *from, uint32_t *to, uint32_t len)
{
	uint32_t first = 0;

	for (uint32_t at = 0; at < len;) {
		uint32_t middle = run_end(from, len, at);
		uint32_t end = middle < len ? run_end(from, len, middle) : middle;

		for (uint32_t i = at, j = middle, k = at; k < end; k++)
			to[k] = i < middle && (j == end || from[i] < from[j]) ? from[i++] : from[j++];
		first = at ? first : end;
		at = end;
	}
	return first;
}

/* Sets come as a few sorted runs: those of single edges, of wide ones, of shared positions. */
static void set_sort(struct subset *subset)
{
	if (!subset->next_len || run_end(subset->next, subset->next_len, 0) == subset->next_len)
		return;
	for (bool sorted = false; !sorted;) {
		uint32_t *merged = subset->spare;

		sorted = runs_merge(subset->next, merged, subset->next_len) == subset->next_len;
		subset->spare = subset->next;
		subset->next = merged;
	}
}

static uint64_t set_hash(const uint32_t *set, uint32_t len)
{
	uint64_t hash = len;

	for (uint32_t i = 0; i < len; i++) {
		hash = (hash ^ set[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	return hash;
}

static int states_grow(struct subset *subset)
{
	uint32_t capacity = subset->capacity ? subset->capacity * 2 : 1024;
	struct dfa *dfa = &subset->dfa;
	uint32_t **set = realloc(subset->set, capacity * sizeof(*set));
	uint32_t *len = realloc(subset->len, capacity * sizeof(*len));
	uint32_t *row = realloc(dfa->row, capacity * sizeof(*row));
	uint32_t *fallback = realloc(dfa->fallback, capacity * sizeof(*fallback));
	uint32_t *first = realloc(dfa->first, (capacity + 1) * sizeof(*first));
	uint32_t *slot = calloc(capacity * 2, sizeof(*slot));

	subset->set = set ? set : subset->set;
	subset->len = len ? len : subset->len;
	dfa->row = row ? row : dfa->row;
	dfa->fallback = fallback ? fallback : dfa->fallback;
	dfa->first = first ? first : dfa->first;
	if (!set || !len || !row || !fallback || !first || !slot) {
		free(slot);
		return -ENOMEM;
	}
	subset->capacity = capacity;
	free(subset->slot);
	subset->slot = slot;
	subset->slots = capacity * 2;
	for (uint32_t state = 0; state < dfa->count; state++) {
		uint32_t i = set_hash(set[state], len[state]) & (subset->slots - 1);

		while (slot[i])
			i = (i + 1) & (subset->slots - 1);
		slot[i] = state + 1;
	}
	return 0;
}

/* Room for LEN positions that stays where it is. */
static uint32_t *chunk_take(struct subset *subset, uint32_t len)
{
	struct chunk *chunk = subset->chunk;

	if (!chunk || subset->chunk_left < len) {
		uint32_t size = len > CHUNK_POSITIONS ? len : CHUNK_POSITIONS;

		chunk = malloc(sizeof(*chunk) + size * sizeof(uint32_t));
		if (!chunk)
			return NULL;
		chunk->next = subset->chunk;
		subset->chunk = chunk;
		subset->chunk_left = size;
	}
	subset->chunk_left -= len;
	return chunk->position + subset->chunk_left;
}

/* What wins in a new state, by unit; the set's order is the rules'. */
static int state_row(struct subset *subset, uint32_t *ret)
{
	struct row row;
	uint32_t decided = 0;

	memset(&row, 0xff, sizeof(row));
	for (uint32_t i = 0; i < subset->next_len; i++) {
		uint32_t position = subset->next[i], fresh;

		if (!(subset->pos.flags[position] & NFA_ACCEPT))
			continue;
		fresh = subset->pos.operations[position] & ~decided;
		decided |= fresh;
		for (; fresh; fresh &= fresh - 1)
			row.word[__builtin_ctz(fresh)] = subset->input->member[subset->pos.member[position]];
	}
	return rows_intern(subset->rows, &row, ret);
}

static int state_add(struct subset *subset, uint32_t *slot)
{
	struct dfa *dfa = &subset->dfa;
	uint32_t len = subset->next_len;
	int err;

	if (dfa->count >= subset->budget->states || subset->stored + len > POSITIONS_MAX)
		return -E2BIG;
	subset->set[dfa->count] = chunk_take(subset, len);
	if (!subset->set[dfa->count])
		return -ENOMEM;
	memcpy(subset->set[dfa->count], subset->next, len * sizeof(uint32_t));
	subset->len[dfa->count] = len;
	subset->stored += len;
	err = state_row(subset, &dfa->row[dfa->count]);
	if (err)
		return err;
	*slot = ++dfa->count;
	return 0;
}

/* The state of the set in subset->next. */
static int state_intern(struct subset *subset, uint32_t *ret)
{
	uint32_t i;
	int err = 0;

	if (subset->dfa.count == subset->capacity)
		err = states_grow(subset);
	if (err)
		return err;
	set_sort(subset);
	set_prune(subset);
	i = set_hash(subset->next, subset->next_len) & (subset->slots - 1);
	for (; subset->slot[i]; i = (i + 1) & (subset->slots - 1)) {
		uint32_t state = subset->slot[i] - 1;

		if (subset->len[state] == subset->next_len &&
		    !memcmp(subset->set[state], subset->next, subset->next_len * sizeof(uint32_t)))
			break;
	}
	if (!subset->slot[i])
		err = state_add(subset, &subset->slot[i]);
	*ret = subset->slot[i] - 1;
	return err;
}

static void next_begin(struct subset *subset)
{
	subset->next_len = 0;
	subset->stamp++;
}

static void next_add(struct subset *subset, uint32_t position)
{
	if (subset->mark[position] == subset->stamp)
		return;
	subset->mark[position] = subset->stamp;
	subset->next[subset->next_len++] = position;
}

/* Notes which classes a set of them tells apart from "other". */
static void touch(struct subset *subset, unsigned int set)
{
	const struct classes *classes = subset->input->classes;
	const struct byte_set *map;
	bool flip;

	if (set == NFA_ANY)
		return;
	if (set == NFA_COMPONENT) {
		byte_set_add(&subset->touched, classes->slash);
		return;
	}
	map = &classes->map[set - NFA_SETS];
	flip = byte_set_has(map, classes->other);
	for (int i = 0; i < 4; i++)
		subset->touched.bit[i] |= flip ? ~map->bit[i] : map->bit[i];
}

/* Where every byte is told apart, "other" is one of them: an edge on it tells it apart from all. */
static void touch_single(struct subset *subset, unsigned int class)
{
	if (class == subset->input->classes->other)
		memset(&subset->touched, 0xff, sizeof(subset->touched));
	else
		byte_set_add(&subset->touched, class);
}

/* Sorts the edges that leave STATE into lists by class, and the wide ones. */
static void edges_sort(struct subset *subset, uint32_t state)
{
	const struct positions *pos = &subset->pos;
	uint32_t order = 0;

	subset->wides = 0;
	memset(&subset->touched, 0, sizeof(subset->touched));
	for (uint32_t i = 0; i < subset->len[state]; i++) {
		uint32_t position = subset->set[state][i];

		for (uint32_t edge = pos->edge[position]; edge < pos->edge[position + 1]; edge++, order++) {
			uint32_t set = pos->set[edge];

			if (set >= NFA_ANY) {
				touch(subset, set);
				subset->wide[subset->wides++] = (struct wide){ pos->target[edge], order,
									       set };
				continue;
			}
			if (subset->head[set] == NONE)
				subset->head[set] = order;
			else
				subset->single[subset->tail[set]].next = order;
			touch_single(subset, set);
			subset->tail[set] = order;
			subset->single[order] = (struct single){ pos->target[edge], order, NONE };
		}
	}
	subset->budget->work -= order < subset->budget->work ? order : subset->budget->work;
}

static bool wide_has(const struct subset *subset, unsigned int set, unsigned int class)
{
	if (set == NFA_ANY)
		return true;
	if (set == NFA_COMPONENT)
		return class != subset->input->classes->slash;
	return byte_set_has(&subset->input->classes->map[set - NFA_SETS], class);
}

/* The state that the sorted edges lead to on CLASS. */
static int state_follow(struct subset *subset, unsigned int class, uint32_t *ret)
{
	uint32_t single = subset->head[class];

	next_begin(subset);
	for (uint32_t i = 0; i < subset->wides; i++) {
		const struct wide *wide = &subset->wide[i];

		for (; single != NONE && subset->single[single].order < wide->order;
		     single = subset->single[single].next)
			next_add(subset, subset->single[single].target);
		if (wide_has(subset, wide->set, class))
			next_add(subset, wide->target);
	}
	for (; single != NONE; single = subset->single[single].next)
		next_add(subset, subset->single[single].target);
	if (subset->budget->work < subset->next_len + subset->wides)
		return -E2BIG;
	subset->budget->work -= subset->next_len + subset->wides;
	return state_intern(subset, ret);
}

static int listed_add(struct subset *subset, unsigned int class, uint32_t target)
{
	struct dfa *dfa = &subset->dfa;

	if (subset->listed == subset->listed_capacity) {
		uint32_t capacity = subset->listed_capacity ? subset->listed_capacity * 2 : 4096;
		uint16_t *classes = realloc(dfa->class, capacity * sizeof(*classes));
		uint32_t *targets = realloc(dfa->target, capacity * sizeof(*targets));

		dfa->class = classes ? classes : dfa->class;
		dfa->target = targets ? targets : dfa->target;
		if (!classes || !targets)
			return -ENOMEM;
		subset->listed_capacity = capacity;
	}
	if (subset->listed == LISTED_MAX)
		return -E2BIG;
	dfa->class[subset->listed] = class;
	dfa->target[subset->listed++] = target;
	return 0;
}

static void heads_clear(struct subset *subset)
{
	memset(subset->head, 0xff, sizeof(subset->head));
}

static int state_expand(struct subset *subset, uint32_t state)
{
	const struct classes *classes = subset->input->classes;
	uint32_t other, target;
	int err;

	heads_clear(subset);
	edges_sort(subset, state);
	err = state_follow(subset, classes->other, &other);
	subset->dfa.fallback[state] = other;
	subset->dfa.first[state] = subset->listed;
	for (unsigned int class = 0; !err && class < classes->count; class ++) {
		if (class == classes->other || !byte_set_has(&subset->touched, class))
			continue;
		err = state_follow(subset, class, &target);
		if (!err && target != other)
			err = listed_add(subset, class, target);
	}
	return err;
}

/* The start states: for paths behind the first slash, for addresses one for each family. */
static int starts_add(struct subset *subset)
{
	const struct lane_input *input = subset->input;
	const struct positions *pos = &subset->pos;
	bool is_address = input->kind == AUTOMATON_ADDRESSES;
	int err = 0;

	for (int family = 0; !err && family < 2; family++) {
		next_begin(subset);
		for (uint32_t i = 0; i < input->members; i++) {
			uint32_t start = pos->start[i];

			if (is_address && input->unit[input->member[i]].part->family == family)
				next_add(subset, start);
			for (uint32_t edge = pos->edge[start]; !is_address && edge < pos->edge[start + 1];
			     edge++)
				if (pos->set[edge] == NFA_ANY || pos->set[edge] == input->classes->slash ||
				    (pos->set[edge] >= NFA_SETS &&
				     byte_set_has(&input->classes->map[pos->set[edge] - NFA_SETS],
						  input->classes->slash)))
					next_add(subset, pos->target[edge]);
		}
		err = state_intern(subset, &subset->dfa.start[family]);
	}
	return err;
}

/*
 * Whom to blame: the rules that most states were different for. The loop that
 * is in every state of a floating rule says nothing: where it is not shared,
 * one position of a rule does not count.
 */
static void blame_count(const struct subset *subset, uint32_t *blame)
{
	const struct positions *pos = &subset->pos;

	for (uint32_t state = 0; state < subset->dfa.count; state++) {
		uint32_t last = POSITION_SHARED, seen = 0;

		for (uint32_t i = 0; i < subset->len[state]; i++) {
			uint32_t member = pos->member[subset->set[state][i]];

			if (member == POSITION_SHARED)
				continue;
			seen = member == last ? seen + 1 : 1;
			last = member;
			if (seen == (pos->is_plain[member] ? 1 : 2))
				blame[member]++;
		}
	}
}

static int subset_init(struct subset *subset)
{
	struct positions *pos = &subset->pos;
	int err = positions_fill(pos, subset->input);
	uint32_t edges = err ? 0 : pos->edge[pos->count];

	if (err)
		return err;
	subset->mark = calloc(pos->count + 1, sizeof(*subset->mark));
	subset->next = malloc((pos->count + 1) * sizeof(*subset->next));
	subset->spare = malloc((pos->count + 1) * sizeof(*subset->spare));
	subset->single = malloc((edges + 1) * sizeof(*subset->single));
	subset->wide = malloc((edges + 1) * sizeof(*subset->wide));
	return subset->mark && subset->next && subset->spare && subset->single && subset->wide ? 0 : -ENOMEM;
}

static void subset_done(struct subset *subset)
{
	while (subset->chunk) {
		struct chunk *next = subset->chunk->next;

		free(subset->chunk);
		subset->chunk = next;
	}
	positions_done(&subset->pos);
	free(subset->set);
	free(subset->len);
	free(subset->slot);
	free(subset->mark);
	free(subset->next);
	free(subset->spare);
	free(subset->single);
	free(subset->wide);
}

int subset_build(const struct lane_input *input, struct budget *budget, uint32_t *blame, struct rows *rows,
		 struct dfa *ret)
{
	struct subset subset = { .input = input, .budget = budget, .rows = rows };
	int err = subset_init(&subset);

	if (!err)
		err = starts_add(&subset);
	for (uint32_t state = 0; !err && state < subset.dfa.count; state++)
		err = state_expand(&subset, state);
	if (err == -E2BIG)
		blame_count(&subset, blame);
	if (err) {
		dfa_done(&subset.dfa);
	} else {
		subset.dfa.first[subset.dfa.count] = subset.listed;
		*ret = subset.dfa;
	}
	subset_done(&subset);
	return err;
}
