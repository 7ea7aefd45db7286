// SPDX-License-Identifier: GPL-2.0
// Putting a pattern's automaton together, taking its empty moves out, and running it on a string.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "nfa.h"

#define MOVE_EMPTY 0xffffffffu

bool nfa_set_has(const struct nfa *nfa, unsigned int set, unsigned int byte)
{
	if (set < NFA_ANY)
		return set == byte;
	if (set == NFA_ANY)
		return true;
	if (set == NFA_COMPONENT)
		return byte != '/';
	return byte_set_has(&nfa->set[set - NFA_SETS], byte);
}

void nfa_done(struct nfa *nfa)
{
	free(nfa->state);
	free(nfa->edge);
	free(nfa->set);
	memset(nfa, 0, sizeof(*nfa));
}

/* The states that follow those of FROM on BYTE; both are bit maps. */
static bool step(const struct nfa *nfa, const uint64_t *from, uint64_t *to, unsigned int byte)
{
	uint32_t words = nfa->state_count / 64 + 1;
	bool any = false;

	memset(to, 0, words * sizeof(*to));
	for (uint32_t word = 0; word < words; word++) {
		for (uint64_t left = from[word]; left; left &= left - 1) {
			uint32_t state = word * 64 + __builtin_ctzll(left);

			for (uint32_t i = nfa->state[state].edge; i < nfa->state[state + 1].edge; i++) {
				uint32_t target = nfa->edge[i].target;

				if (!nfa_set_has(nfa, nfa->edge[i].set, byte))
					continue;
				to[target >> 6] |= 1ull << (target & 63);
				any = true;
			}
		}
	}
	return any;
}

bool nfa_matches(const struct nfa *nfa, const uint8_t *bytes, size_t len)
{
	uint64_t sets[2][NFA_STATES_MAX / 64 + 1];
	uint32_t words = nfa->state_count / 64 + 1;
	int now = 0;

	memset(sets[0], 0, words * sizeof(uint64_t));
	sets[0][nfa->start >> 6] |= 1ull << (nfa->start & 63);
	for (size_t i = 0; i < len; i++, now = !now)
		if (!step(nfa, sets[now], sets[!now], bytes[i]))
			return false;
	for (uint32_t state = 0; state < nfa->state_count; state++)
		if (sets[now][state >> 6] >> (state & 63) & 1 && nfa->state[state].flags & NFA_ACCEPT)
			return true;
	return false;
}

int nfa_begin(struct nfa_builder *builder)
{
	memset(builder, 0, sizeof(*builder));
	builder->nodes = 2;
	builder->move_capacity = 64;
	builder->move = malloc(builder->move_capacity * sizeof(*builder->move));
	return builder->move ? 0 : -ENOMEM;
}

uint32_t nfa_node(struct nfa_builder *builder)
{
	return builder->nodes++;
}

void nfa_move(struct nfa_builder *builder, uint32_t from, uint32_t set, uint32_t to)
{
	if (builder->failed)
		return;
	if (builder->move_count == builder->move_capacity) {
		uint32_t capacity = builder->move_capacity * 2;
		struct nfa_move *bigger = realloc(builder->move, capacity * sizeof(*bigger));

		if (!bigger) {
			builder->failed = true;
			return;
		}
		builder->move = bigger;
		builder->move_capacity = capacity;
	}
	builder->move[builder->move_count++] = (struct nfa_move){ from, to, set };
}

void nfa_empty_move(struct nfa_builder *builder, uint32_t from, uint32_t to)
{
	nfa_move(builder, from, MOVE_EMPTY, to);
}

/* A set that holds one byte, all of them, or all but '/' goes by the number that all patterns share. */
static bool set_is_common(const struct byte_set *set, uint32_t *ret)
{
	unsigned int count = 0, last = 0;

	for (unsigned int byte = 0; byte < 256; byte++) {
		if (byte_set_has(set, byte)) {
			count++;
			last = byte;
		}
	}
	if (count == 1)
		*ret = last;
	else if (count == 256)
		*ret = NFA_ANY;
	else if (count == 255 && !byte_set_has(set, '/'))
		*ret = NFA_COMPONENT;
	else
		return false;
	return true;
}

uint32_t nfa_set(struct nfa_builder *builder, const struct byte_set *set)
{
	uint32_t number;

	if (set_is_common(set, &number))
		return number;
	for (uint32_t i = 0; i < builder->set_count; i++)
		if (!memcmp(&builder->set[i], set, sizeof(*set)))
			return NFA_SETS + i;
	if (builder->set_count == builder->set_capacity) {
		uint32_t capacity = builder->set_capacity ? builder->set_capacity * 2 : 4;
		struct byte_set *bigger = realloc(builder->set, capacity * sizeof(*bigger));

		if (!bigger) {
			builder->failed = true;
			return NFA_ANY;
		}
		builder->set = bigger;
		builder->set_capacity = capacity;
	}
	builder->set[builder->set_count] = *set;
	return NFA_SETS + builder->set_count++;
}

/* What turning nodes into states needs: the moves ordered by their source, and each node's state. */
struct finish {
	const struct nfa_builder *builder;
	uint32_t *first;   /* of each node, into order */
	uint32_t *order;   /* moves by source */
	uint32_t *state;   /* of each node, or ~0 */
	uint32_t *pending; /* the node of each state */
	uint32_t *stack;
	uint32_t *seen; /* by which state's closure, + 1 */
	bool *everything;
};

static int finish_init(struct finish *finish, const struct nfa_builder *builder)
{
	size_t nodes = builder->nodes;
	/* One block: 6 arrays by node and one by move. */
	uint32_t *block = calloc(nodes * 6 + builder->move_count + 2, sizeof(*block));

	finish->everything = calloc(nodes, 1);
	finish->first = block;
	if (!block || !finish->everything)
		return -ENOMEM;
	finish->builder = builder;
	finish->order = block + nodes + 2;
	finish->state = finish->order + builder->move_count;
	finish->pending = finish->state + nodes;
	finish->stack = finish->pending + nodes;
	finish->seen = finish->stack + nodes;
	return 0;
}

static void finish_done(struct finish *finish)
{
	free(finish->first);
	free(finish->everything);
}

static void finish_sort(struct finish *finish)
{
	const struct nfa_builder *builder = finish->builder;
	uint32_t *first = finish->first;

	for (uint32_t i = 0; i < builder->move_count; i++)
		first[builder->move[i].from + 2]++;
	for (uint32_t node = 2; node < builder->nodes + 2; node++)
		first[node] += first[node - 1];
	for (uint32_t i = 0; i < builder->move_count; i++)
		finish->order[first[builder->move[i].from + 1]++] = i;
}

/* Nodes that reach the accept-everything node by empty moves are that node. */
static void finish_everything(struct finish *finish)
{
	const struct nfa_builder *builder = finish->builder;
	bool changed = true;

	finish->everything[NFA_NODE_EVERYTHING] = true;
	while (changed) {
		changed = false;
		for (uint32_t i = builder->move_count; i-- > 0;) {
			const struct nfa_move *move = &builder->move[i];

			if (move->set != MOVE_EMPTY || !finish->everything[move->to] ||
			    finish->everything[move->from])
				continue;
			finish->everything[move->from] = true;
			changed = true;
		}
	}
}

static uint32_t finish_state(struct finish *finish, struct nfa *nfa, uint32_t node)
{
	if (finish->everything[node])
		return 0;
	if (finish->state[node] == UINT32_MAX) {
		finish->state[node] = nfa->state_count;
		finish->pending[nfa->state_count++] = node;
	}
	return finish->state[node];
}

/* The edges of one state: those of all the nodes that its node reaches by empty moves. */
static void finish_closure(struct finish *finish, struct nfa *nfa, uint32_t state)
{
	const struct nfa_builder *builder = finish->builder;
	uint32_t depth = 0, node = finish->pending[state];

	finish->seen[node] = state + 1;
	finish->stack[depth++] = node;
	while (depth) {
		node = finish->stack[--depth];
		if (node == NFA_NODE_FINAL)
			nfa->state[state].flags |= NFA_ACCEPT;
		for (uint32_t i = finish->first[node]; i < finish->first[node + 1]; i++) {
			const struct nfa_move *move = &builder->move[finish->order[i]];

			if (move->set != MOVE_EMPTY) {
				nfa->edge[nfa->edge_count].target = finish_state(finish, nfa, move->to);
				nfa->edge[nfa->edge_count++].set = move->set;
			} else if (finish->seen[move->to] != state + 1) {
				finish->seen[move->to] = state + 1;
				finish->stack[depth++] = move->to;
			}
		}
	}
}

/* Edges are copied to every state whose closure holds them: room for them grows as needed. */
static int edges_reserve(struct nfa *nfa, uint32_t *capacity, uint32_t more)
{
	struct nfa_edge *bigger;

	if (nfa->edge_count + more <= *capacity)
		return 0;
	*capacity = (nfa->edge_count + more) * 2;
	bigger = realloc(nfa->edge, *capacity * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	nfa->edge = bigger;
	return 0;
}

static int finish_states(struct finish *finish, struct nfa *nfa, uint32_t start)
{
	const struct nfa_builder *builder = finish->builder;
	uint32_t capacity = 0;

	memset(finish->state, 0xff, builder->nodes * sizeof(uint32_t));
	nfa->state = calloc(builder->nodes + 2, sizeof(*nfa->state));
	if (!nfa->state || edges_reserve(nfa, &capacity, builder->move_count + 1))
		return -ENOMEM;
	nfa->edge[nfa->edge_count++] = (struct nfa_edge){ 0, NFA_ANY };
	nfa->state[0].flags = NFA_ACCEPT | NFA_UNIVERSAL;
	nfa->state_count = 1;
	nfa->start = finish_state(finish, nfa, start);
	for (uint32_t state = 1; state < nfa->state_count; state++) {
		if (edges_reserve(nfa, &capacity, builder->move_count))
			return -ENOMEM;
		nfa->state[state].edge = nfa->edge_count;
		finish_closure(finish, nfa, state);
	}
	nfa->state[nfa->state_count].edge = nfa->edge_count;
	return nfa->state_count > NFA_STATES_MAX ? -ENOMEM : 0;
}

static bool state_is_local(const struct nfa *nfa, uint32_t state)
{
	for (uint32_t i = nfa->state[state].edge; i < nfa->state[state + 1].edge; i++) {
		const struct nfa_edge *edge = &nfa->edge[i];

		if (nfa_set_has(nfa, edge->set, '/') || !(nfa->state[edge->target].flags & NFA_LOCAL))
			return false;
	}
	return true;
}

/* The flags that let the subset construction drop positions of rules that are already decided. */
static void finish_flags(struct nfa *nfa)
{
	bool changed = true;

	for (uint32_t state = 0; state < nfa->state_count; state++) {
		nfa->state[state].flags |= NFA_LOCAL;
		for (uint32_t i = nfa->state[state].edge; i < nfa->state[state + 1].edge; i++)
			if (nfa->edge[i].target == state && nfa->state[state].flags & NFA_ACCEPT &&
			    (nfa->edge[i].set == NFA_ANY || nfa->edge[i].set == NFA_COMPONENT))
				nfa->state[state].flags |= NFA_COMPONENT_UNIVERSAL;
	}
	while (changed) {
		changed = false;
		for (uint32_t state = nfa->state_count; state-- > 0;) {
			if (!(nfa->state[state].flags & NFA_LOCAL) || state_is_local(nfa, state))
				continue;
			nfa->state[state].flags &= ~NFA_LOCAL;
			changed = true;
		}
	}
}

/* There may be ten thousand of these: gives back what was reserved in vain. */
static void nfa_shrink(struct nfa *nfa)
{
	struct nfa_state *state = realloc(nfa->state, (nfa->state_count + 1) * sizeof(*state));
	struct nfa_edge *edge = realloc(nfa->edge, nfa->edge_count * sizeof(*edge));

	nfa->state = state ? state : nfa->state;
	nfa->edge = edge ? edge : nfa->edge;
}

int nfa_finish(struct nfa_builder *builder, uint32_t start, struct nfa *ret)
{
	struct finish finish = { 0 };
	struct nfa nfa = { 0 };
	int err = builder->failed ? -ENOMEM : finish_init(&finish, builder);

	if (err)
		goto out;
	finish_sort(&finish);
	finish_everything(&finish);
	err = finish_states(&finish, &nfa, start);
	if (err)
		goto out;
	nfa.set = builder->set;
	nfa.set_count = builder->set_count;
	builder->set = NULL;
	finish_flags(&nfa);
	nfa_shrink(&nfa);
	*ret = nfa;
out:
	if (err)
		nfa_done(&nfa);
	finish_done(&finish);
	free(builder->move);
	free(builder->set);
	memset(builder, 0, sizeof(*builder));
	return err;
}
