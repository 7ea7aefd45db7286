/* SPDX-License-Identifier: GPL-2.0 */
/* The automaton behind one pattern: nondeterministic, over bytes, without empty moves once it is finished. */
#ifndef AGENTCTL_NFA_H
#define AGENTCTL_NFA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NFA_ANY 256u	   /* the set of all bytes; smaller numbers are single bytes */
#define NFA_COMPONENT 257u /* all bytes but '/' */
#define NFA_SETS 258u	   /* the first of the automaton's own sets */
#define NFA_STATES_MAX 131072u

enum {
	NFA_ACCEPT = 1,
	NFA_UNIVERSAL = 2,	     /* accepts whatever real string follows: later rules are decided */
	NFA_COMPONENT_UNIVERSAL = 4, /* accepts whatever follows up to the next '/' */
	NFA_LOCAL = 8,		     /* accepts nothing that has another '/' in it */
};

struct byte_set {
	uint64_t bit[4];
};

struct nfa_edge {
	uint32_t target;
	uint16_t set;
};

struct nfa_state {
	uint32_t edge; /* its first; they end where the next state's begin */
	uint8_t flags;
};

struct nfa {
	struct nfa_state *state; /* state_count + 1 of them; universal ones come first */
	struct nfa_edge *edge;
	struct byte_set *set;
	uint32_t state_count;
	uint32_t edge_count;
	uint32_t set_count;
	uint32_t start;
};

static inline void byte_set_add(struct byte_set *set, unsigned int byte)
{
	set->bit[byte >> 6] |= 1ull << (byte & 63);
}

static inline bool byte_set_has(const struct byte_set *set, unsigned int byte)
{
	return set->bit[byte >> 6] >> (byte & 63) & 1;
}

/* Does SET, as an edge of NFA carries it, hold BYTE? */
bool nfa_set_has(const struct nfa *nfa, unsigned int set, unsigned int byte);

/* Does NFA accept the whole string? */
bool nfa_matches(const struct nfa *nfa, const uint8_t *bytes, size_t len);

void nfa_done(struct nfa *nfa);

/*
 * An automaton while it is put together from nodes, edges and empty moves. A
 * failed allocation is remembered and returned by nfa_finish. Two nodes are
 * there from the start.
 */
#define NFA_NODE_FINAL 0u      /* accepts, has no edges */
#define NFA_NODE_EVERYTHING 1u /* accepts whatever follows */

struct nfa_move {
	uint32_t from;
	uint32_t to;
	uint32_t set;
};

struct nfa_builder {
	struct nfa_move *move;
	struct byte_set *set;
	uint32_t move_count;
	uint32_t move_capacity;
	uint32_t set_count;
	uint32_t set_capacity;
	uint32_t nodes;
	bool failed;
};

int nfa_begin(struct nfa_builder *builder);
uint32_t nfa_node(struct nfa_builder *builder);
void nfa_move(struct nfa_builder *builder, uint32_t from, uint32_t set, uint32_t to);
void nfa_empty_move(struct nfa_builder *builder, uint32_t from, uint32_t to);

/* The number of SET for nfa_move; sets that are single bytes, or all of them, have theirs already. */
uint32_t nfa_set(struct nfa_builder *builder, const struct byte_set *set);

/* Ends BUILDER, whatever it returns: 0 or -ENOMEM. */
int nfa_finish(struct nfa_builder *builder, uint32_t start, struct nfa *ret);

#endif
