// SPDX-License-Identifier: GPL-2.0
// Blocks of addresses with protocols and ports as automata over the address keys of kern/abi.h.
#include <string.h>

#include "../../kern/abi.h"
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

/* The byte of a protocol, or of any that a key can hold: to list these few takes far less room than to list all. */
static void move_protocol(struct nfa_builder *builder, uint32_t from, int protocol, uint32_t to)
{
	static const uint8_t known[] = { PROTOCOL_ICMP, PROTOCOL_TCP, PROTOCOL_UDP, PROTOCOL_OTHER };
	struct byte_set set = { 0 };

	if (protocol >= 0)
		byte_set_add(&set, protocol);
	for (size_t i = 0; protocol < 0 && i < sizeof(known); i++)
		byte_set_add(&set, known[i]);
	nfa_move(builder, from, nfa_set(builder, &set), to);
}

/* The first END bytes of the address; what lies beyond the prefix may be anything. */
static uint32_t build_block(struct nfa_builder *builder, uint32_t node, const struct pattern_address *address,
			    unsigned int end)
{
	for (unsigned int i = 0; i < end; i++) {
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
	if (!(low & 0xff) && (high & 0xff) == 0xff) {
		move_range(builder, node, first, last, NFA_NODE_EVERYTHING);
		return;
	}
	next = nfa_node(builder);
	move_range(builder, node, first, last, next);
	move_range(builder, next, low & 0xff, high & 0xff, NFA_NODE_FINAL);
}

/*
 * Where nothing that follows matters any more, the pattern ends in the state
 * that accepts everything, as the last "**" of a path does: keys have a fixed
 * length, and one such state is much smaller than a chain to the end.
 */
int pattern_address(const struct pattern_address *address, struct pattern **ret)
{
	struct nfa_builder builder;
	unsigned int len = address->is_v6 ? 16 : 4;
	bool any_protocol = address->protocol < 0,
	     any_port = !address->port_low && address->port_high == 65535;
	uint32_t start, node, next;
	int err = nfa_begin(&builder);

	if (err)
		return err;
	start = nfa_node(&builder);
	if (any_protocol && any_port)
		len = (address->prefix + 7) / 8;
	node = build_block(&builder, start, address, len);
	if (any_protocol && any_port) {
		nfa_empty_move(&builder, node, NFA_NODE_EVERYTHING);
	} else {
		next = any_port ? NFA_NODE_EVERYTHING : nfa_node(&builder);
		move_protocol(&builder, node, address->protocol, next);
		if (!any_port)
			build_ports(&builder, next, address->port_low, address->port_high);
	}
	err = part_new(&builder, start, ret);
	if (!err)
		(*ret)->family = address->is_v6;
	return err;
}
