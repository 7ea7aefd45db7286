// SPDX-License-Identifier: GPL-2.0
// Blocks of addresses with protocols and ports as automata over the address keys of kern/abi.h.
#include <string.h>

#include "part.h"

/* A move on the bytes from LOW to HIGH. */
static void move_range(struct nfa_builder *builder, uint32_t from, unsigned int low, unsigned int high,
		       uint32_t to)
{
	struct byte_set set = { 0 };

	for (; low <= high; low++)
		byte_set_add(&set, low);
	nfa_move(builder, from, nfa_set(builder, &set), to);
}

/* The bytes of the address; what lies beyond the prefix may be anything. */
static uint32_t build_block(struct nfa_builder *builder, uint32_t node, const struct pattern_address *address)
{
	unsigned int len = address->is_v6 ? 16 : 4;

	for (unsigned int i = 0; i < len; i++) {
		unsigned int bits = address->prefix < i * 8 ? 0 : address->prefix - i * 8;
		unsigned int host = bits >= 8 ? 0 : 0xff >> bits;
		uint32_t next = nfa_node(builder);

		move_range(builder, node, address->address[i] & ~host, address->address[i] | host, next);
		node = next;
	}
	return node;
}

/* Two bytes, the higher first, from LOW to HIGH: the first and last higher byte bound the lower one. */
static void build_ports(struct nfa_builder *builder, uint32_t node, unsigned int low, unsigned int high)
{
	unsigned int first = low >> 8, last = high >> 8;
	uint32_t next;

	if (first != last && low & 0xff) {
		next = nfa_node(builder);
		move_range(builder, node, first, first, next);
		move_range(builder, next, low & 0xff, 255, NFA_NODE_FINAL);
		low = ++first << 8;
	}
	if (first != last && (high & 0xff) != 0xff) {
		next = nfa_node(builder);
		move_range(builder, node, last, last, next);
		move_range(builder, next, 0, high & 0xff, NFA_NODE_FINAL);
		high = (last-- << 8) - 1;
	}
	next = nfa_node(builder);
	move_range(builder, node, first, last, next);
	move_range(builder, next, low & 0xff, high & 0xff, NFA_NODE_FINAL);
}

/*
 * A state whose every string of the right length is accepted decides its rule
 * for good, as the sink of a path's last "**" does.
 */
static void mark_universal(struct nfa *nfa)
{
	for (uint32_t state = nfa->state_count; state-- > 1;) {
		const struct nfa_edge *edge = &nfa->edge[nfa->state[state].edge];
		uint32_t count = nfa->state[state + 1].edge - nfa->state[state].edge;

		if ((!count && nfa->state[state].flags & NFA_ACCEPT) ||
		    (count == 1 && edge->set == NFA_ANY && nfa->state[edge->target].flags & NFA_UNIVERSAL))
			nfa->state[state].flags |= NFA_UNIVERSAL;
		nfa->state[state].flags &= ~(NFA_LOCAL | NFA_COMPONENT_UNIVERSAL);
	}
}

int pattern_address(const struct pattern_address *address, struct pattern **ret)
{
	struct nfa_builder builder;
	uint32_t start, node, next;
	bool any = address->protocol < 0;
	int err = nfa_begin(&builder);

	if (err)
		return err;
	start = nfa_node(&builder);
	node = build_block(&builder, start, address);
	next = nfa_node(&builder);
	move_range(&builder, node, any ? 0 : address->protocol, any ? 255 : address->protocol, next);
	build_ports(&builder, next, address->port_low, address->port_high);
	err = part_new(&builder, start, ret);
	if (err)
		return err;
	mark_universal(&(*ret)->nfa);
	(*ret)->family = address->is_v6;
	return 0;
}
