/* SPDX-License-Identifier: GPL-2.0 */
/* From states and addresses to a verdict: pure logic that kernel programs and the control tool share. */
#ifndef AGENTCTL_DECIDE_H
#define AGENTCTL_DECIDE_H

#include "match.h"

#define DECIDE_AF_INET 2
#define DECIDE_AF_INET6 10

/* What an address operation is about, as the address automaton will read it. */
struct address_key {
	__u8 byte[ADDRESS_KEY_MAX + 1] __attribute__((aligned(8)));
	__u32 start; /* index into address_start: 0 IPv4, 1 IPv6 */
	__u32 len;
};

/* Four bytes of an address at once, to be compared with DECIDE_FOUR of them as a number. */
static __always_inline __u32 decide_four(const __u8 *byte)
{
	__u32 four;

	__builtin_memcpy(&four, byte, sizeof(four));
	return four;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define DECIDE_FOUR(number) __builtin_bswap32(number)
#else
#define DECIDE_FOUR(number) (number)
#endif

/* The protocol's byte in a key: MPTCP is tcp, ICMPv6 is icmp, what no rule can name is PROTOCOL_OTHER. */
static __always_inline __u8 decide_protocol(__u32 protocol)
{
	if (protocol == 6 || protocol == 262)
		return PROTOCOL_TCP;
	if (protocol == 17)
		return PROTOCOL_UDP;
	if (protocol == 1 || protocol == 58)
		return PROTOCOL_ICMP;
	return PROTOCOL_OTHER;
}

/*
 * A raw socket writes headers of its own: what looks like TCP to some port may be
 * anything, so that only rules about any protocol and port match; but ICMP has no ports.
 */
static __always_inline __u8 decide_raw(__u32 protocol)
{
	return decide_protocol(protocol) == PROTOCOL_ICMP ? PROTOCOL_ICMP : PROTOCOL_OTHER;
}

/* 0.0.0.0 is where the kernel connects to itself; who binds to it listens on all addresses, and it stays what it is. */
static __always_inline void decide_key4(struct address_key *key, __u32 op, const __u8 *address, __u8 protocol,
					const __u8 *port)
{
	key->start = 0;
	key->len = 7;
	__builtin_memcpy(key->byte, address, 4);
	if (op == OP_NET_CONNECT && !decide_four(address)) {
		key->byte[0] = 127;
		key->byte[3] = 1;
	}
	key->byte[4] = protocol;
	key->byte[5] = port[0];
	key->byte[6] = port[1];
}

/* The first three quarters of an IPv6 address are zero, or all of it. */
static __always_inline int decide_is_low(const __u8 *address)
{
	return !(decide_four(address) | decide_four(address + 4) | decide_four(address + 8));
}

static __always_inline int decide_is_zero(const __u8 *address)
{
	return decide_is_low(address) && !decide_four(address + 12);
}

static __always_inline int decide_is_mapped(const __u8 *address)
{
	return !(decide_four(address) | decide_four(address + 4)) &&
	       decide_four(address + 8) == DECIDE_FOUR(0xffff);
}

/*
 * Where an IPv6 address carries an IPv4 one that a translator or tunnel would
 * reach (64:ff9b::/96, 2002::/16, ::/96 except :: and ::1): the offset of those
 * four bytes, else 0 (no address carries one at its start).
 */
static __always_inline __u32 decide_embedded(__u32 op, const __u8 *address, __u32 is_v6_only)
{
	/* A socket that listens on all IPv6 addresses does so on all IPv4 ones, unless it was told not to. */
	if (op == OP_NET_BIND)
		return decide_is_zero(address) && !is_v6_only ? 12 : 0;
	if (address[0] == 0x20 && address[1] == 0x02)
		return 2;
	if (decide_four(address) == DECIDE_FOUR(0x64ff9b) &&
	    !(decide_four(address + 4) | decide_four(address + 8)))
		return 12;
	if (decide_is_low(address) && decide_four(address + 12) &&
	    decide_four(address + 12) != DECIDE_FOUR(1))
		return 12;
	return 0;
}

/* The key of an IPv6 address: a v4-mapped one is its IPv4 address, :: is to IPv6 what 0.0.0.0 is to IPv4. */
static __always_inline void decide_key6(struct address_key *key, __u32 op, const __u8 *address, __u8 protocol,
					const __u8 *port)
{
	if (decide_is_mapped(address)) {
		decide_key4(key, op, address + 12, protocol, port);
		return;
	}
	key->start = 1;
	key->len = ADDRESS_KEY_MAX;
	__builtin_memcpy(key->byte, address, 16);
	if (op == OP_NET_CONNECT && decide_is_zero(address))
		key->byte[15] = 1;
	key->byte[16] = protocol;
	key->byte[17] = port[0];
	key->byte[18] = port[1];
}

/*
 * Which bit of an image's families says that sockets of FAMILY, TYPE and PROTOCOL may be
 * made: the family's own number, or for protocols of the internet families one
 * of those that no family has. FAMILY_JUDGED needs none.
 */
#define FAMILY_JUDGED 0
#define FAMILY_SMC 43
#define FAMILY_SCTP 56
#define FAMILY_DCCP 57
#define FAMILY_L2TP 58
#define FAMILY_OTHER 63 /* no name allows it */

static __always_inline __u32 decide_family_of(__u32 protocol)
{
	switch (protocol) {
	case 1:
	case 6:
	case 17:
	case 58:
	case 136: /* UDP-Lite */
	case 262:
		return FAMILY_JUDGED;
	case 33:
		return FAMILY_DCCP;
	case 115:
		return FAMILY_L2TP;
	case 132:
		return FAMILY_SCTP;
	case 256:
		return FAMILY_SMC;
	}
	return FAMILY_OTHER;
}

/* Without a protocol the type has one; that of streams, datagrams and raw sockets is judged. */
static __always_inline __u32 decide_family_by_type(__u32 type)
{
	if (type >= 1 && type <= 3)
		return FAMILY_JUDGED;
	return type == 5 ? FAMILY_SCTP : type == 6 ? FAMILY_DCCP : FAMILY_OTHER;
}

static __always_inline __u32 family_bit(__u32 family, __u32 type, __u32 protocol)
{
	if (family == DECIDE_AF_INET || family == DECIDE_AF_INET6)
		return protocol ? decide_family_of(protocol) : decide_family_by_type(type);
	if (family == 1 || (family == 16 && !protocol)) /* unix, and netlink's routes */
		return FAMILY_JUDGED;
	return family && family < FAMILY_SCTP ? family : FAMILY_OTHER;
}

/*
 * How strict a verb is, to combine two verdicts on one act: the stricter holds.
 * Two bits a verb and no branch, each of which the kernel's verifier would follow.
 */
static __always_inline __u32 decide_strictness(__u32 verb)
{
	const __u32 table = 3u << 2 * VERB_DENY | 2u << 2 * VERB_ASK | 1u << 2 * VERB_AUDIT;

	return table >> (2 * (verb & 15)) & 3;
}

/* Of equally strict words the lower one, so that a rule is named rather than a default. */
static __always_inline __u32 decide_stricter(__u32 a, __u32 b)
{
	__u32 first = decide_strictness(WORD_VERB(a)), second = decide_strictness(WORD_VERB(b));

	if (first != second)
		return first > second ? a : b;
	return a < b ? a : b;
}

/*
 * The row of the signals' table for what a target is to the sender. Who is both
 * the system's and something else is the system's; whether it is under the same
 * attachment matters to all others but the sender itself, who always is.
 */
static __always_inline __u32 decide_signal_kind(__u32 targets)
{
	__u32 kind = 2;

	if (targets & TARGET_BIT(TARGET_SYSTEM))
		return 7;
	if (targets & TARGET_BIT(TARGET_SELF))
		return 0;
	if (targets & TARGET_BIT(TARGET_CHILD))
		kind = 0;
	else if (targets & TARGET_BIT(TARGET_DESCENDANT))
		kind = 1;
	return kind + (targets & TARGET_BIT(TARGET_SESSION) ? 1 : 4);
}

/* The verdict word of signal NUMBER, 1 to SIGNAL_MAX, to a target of KIND. */
static __always_inline __u32 decide_signal(const struct image_header *header, const __u64 *cell, __u32 mask,
					   __u32 kind, __u32 number)
{
	__u32 index = (kind & (SIGNAL_KINDS - 1)) * SIGNAL_MAX + ((number - 1) & (SIGNAL_MAX - 1));

	if (!(header->enforced & OP_BIT(OP_SIGNAL_SEND)))
		return WORD(RULE_DEFAULT, VERB_ALLOW);
	return match_row_word(cell, mask, header->signals * 2, index);
}

/* Which operations' allowed uses are logged of signal NUMBER. */
static __always_inline __u32 decide_observed(const struct image_header *header, __u32 number)
{
	if (header->signals_observed[(number - 1) >> 5 & 1] >> ((number - 1) & 31) & 1)
		return header->observed;
	return header->observed & ~OP_BIT(OP_SIGNAL_SEND);
}

/*
 * What the words of a name permit, one bit an operation of paths: bits 0 to 15
 * at once, bits 16 to 31 at once or after somebody's decision.
 */
static __always_inline __u32 decide_right(__u32 op, __u32 word)
{
	const __u32 table = 3u << 2 * VERB_ALLOW | 3u << 2 * VERB_AUDIT | 2u << 2 * VERB_ASK;
	__u32 right = table >> (2 * WORD_VERB(word)) & 3;

	return (right & 1) << op | right >> 1 << (op + 16);
}

/*
 * May what was called something with the rights FROM get a name with the rights
 * TO? Not if that permits more: names would be laundered.
 */
static __always_inline int decide_is_contained(__u32 to, __u32 from)
{
	return !(to & ~from);
}

/* The same of what may lie below a directory: nor may it arrive where it could not have been made. */
static __always_inline int decide_is_contained_below(__u32 to, __u32 from)
{
	const __u32 create = OP_BIT(OP_FILE_CREATE) | OP_BIT(OP_FILE_CREATE + 16);

	return decide_is_contained(to, from) && !(from & create & ~to);
}

/* The number of a directory state of lane 0 in the containment matrix; 0 for none. */
static __always_inline __u32 decide_directory(const struct image_header *header, const __u64 *cell,
					      __u32 mask, __u32 state)
{
	if (!header->directory_class)
		return 0;
	return match_step(cell, mask, state, header->directory_class);
}

/* Does the directory state TO of lane 0 contain nothing that FROM does not, by the matrix? */
static __always_inline int decide_is_subtree(const struct image_header *header, const __u64 *cell, __u32 mask,
					     __u32 to, __u32 from)
{
	__u64 bit;

	if (to == from)
		return 1;
	to = decide_directory(header, cell, mask, to);
	from = decide_directory(header, cell, mask, from);
	if (!to || !from || to >= header->directories || from >= header->directories)
		return 0;
	bit = (__u64)to * header->directories + from;
	return cell[(header->containment + (bit >> 6)) & mask] >> (bit & 63) & 1;
}

#endif
