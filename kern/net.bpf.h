/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses of sockets: reading them as the kernel will, walking the address automaton, settling what comes of it. */
#ifndef AGENTCTL_NET_BPF_H
#define AGENTCTL_NET_BPF_H

#include "verdict.bpf.h"

#define NET_AF_UNSPEC 0
#define NET_AF_UNIX 1
#define NET_AF_NETLINK 16
#define NET_LEN_V4 16 /* shorter ones the kernel refuses itself */
#define NET_LEN_V6 24
#define NET_RAW 3 /* SOCK_RAW */
#define NET_TCP 6
#define NET_MPTCP 262

/* A socket's address, of either family, as far as rules are about it. */
struct net_address {
	__u16 family;
	__be16 port;
	__be32 v4;
	__u8 v6[16];
};

struct net_look {
	__u64 generation;
	__u32 policy;
	__u32 op;
	__u32 word;
	struct address_key key;
};

#define NET_STEP(i) (state = match_step(cell, mask, state, look->key.byte[i] + 1))

/* Keys have two lengths, so both walks are written out: what a byte costs is most of a check. */
static __always_inline int address_walk(const struct image_header *header, const __u64 *cell, __u32 mask,
					struct net_look *look)
{
	__u32 op = look->op & (ROW_WORDS - 1);
	__u64 state = header->address_start[look->key.start & 1];

	if (header->generation != look->generation)
		return -ESTALE;
	look->word = WORD(RULE_DEFAULT, VERB_ALLOW);
	if (!(header->enforced & OP_BIT(op)))
		return 0;
	NET_STEP(0);
	NET_STEP(1);
	NET_STEP(2);
	NET_STEP(3);
	NET_STEP(4);
	NET_STEP(5);
	NET_STEP(6);
	if (look->key.start) {
		NET_STEP(7);
		NET_STEP(8);
		NET_STEP(9);
		NET_STEP(10);
		NET_STEP(11);
		NET_STEP(12);
		NET_STEP(13);
		NET_STEP(14);
		NET_STEP(15);
		NET_STEP(16);
		NET_STEP(17);
		NET_STEP(18);
	}
	look->word = match_word(cell, mask, state, op);
	if (look->word == WORD_NONE)
		look->word = header->fallback[op];
	return 0;
}

#define NET_WALK(class)                                                                      \
	do {                                                                                 \
		struct image_##class *image = IMAGE_GET(class, look->policy);                \
                                                                                             \
		if (!image)                                                                  \
			return -ESTALE;                                                      \
		return address_walk(&image->header, image->cell, CELLS_OF(image) - 1, look); \
	} while (0)

/* 0 with the word of LOOK's key, or -ESTALE: the policy's image is not of LOOK's generation. */
__weak __noinline int net_walk(struct net_look *look)
{
	__u32 class;

	if (!look)
		return -EINVAL;
	class = GENERATION_CLASS(look->generation);
	if (class == CLASS_SMALL)
		NET_WALK(small);
	if (class == CLASS_MEDIUM)
		NET_WALK(medium);
	NET_WALK(large);
}

/* The words of an address, and of the IPv4 address inside it if it carries one; the stricter holds. */
static __always_inline int net_word(struct net_look *look, struct act *act, __u8 *port)
{
	__u8 protocol = act->is_raw ? decide_raw(act->protocol) : decide_protocol(act->protocol);
	__u32 embedded, word;
	int err;

	if (act->family == DECIDE_AF_INET) {
		decide_key4(&look->key, act->op, act->address, protocol, port);
		return net_walk(look);
	}
	decide_key6(&look->key, act->op, act->address, protocol, port);
	err = net_walk(look);
	if (err || look->key.start == 0)
		return err;
	embedded = decide_embedded(act->op, act->address, act->is_v6_only);
	if (!embedded)
		return 0;
	word = look->word;
	decide_key4(&look->key, act->op, embedded == 2 ? act->address + 2 : act->address + 12, protocol,
		    port);
	err = net_walk(look);
	look->word = decide_stricter(word, look->word);
	return err;
}

/* The same for the rare second time: no loop, whose way back the verifier of 6.1 can take for an endless one. */
static __noinline int net_word_again(struct net_look *look, struct act *act, __u8 *port)
{
	return net_word(look, act, port);
}

/* The word of ACT's address and port into ACT: 0, or -EACCES if it was not to be had. PORT is what rules are about. */
static __noinline int net_find(struct act *act, struct head *head, __u32 port_number)
{
	bool has_ports = !act->is_raw && decide_protocol(act->protocol) != PROTOCOL_ICMP;
	__u32 number = has_ports ? port_number : 0;
	__u8 port[2] = { number >> 8, number & 255 };
	struct net_look look = { .policy = act->policy, .op = act->op, .generation = head->generation };

	/* An image replaced in between: once more with the new one; not to be had twice in a row is an error. */
	if (net_word(&look, act, port)) {
		if (image_head(act->policy, head))
			return -EACCES;
		look.generation = head->generation;
		if (net_word_again(&look, act, port))
			return -EACCES;
	}
	act->word = look.word;
	act->generation = head->generation;
	act->observed = head->observed;
	act->reason = WORD_RULE(act->word) == RULE_DEFAULT ? REASON_DEFAULT : REASON_RULE;
	return 0;
}

static __always_inline int net_judge(struct act *act, struct head *head, __u32 port)
{
	if (net_find(act, head, port))
		return -EACCES;
	if (WORD_VERB(act->word) == VERB_ALLOW && !(head->observed & OP_BIT(act->op & 31)))
		return 0;
	return EACCES_IF(act_settle(act));
}

/* What ACT says of the socket that it is about. */
static __always_inline void net_socket(struct act *act, struct sock *sk)
{
	act->protocol = sk->sk_protocol;
	act->is_raw = sk->sk_type == NET_RAW;
}

static __always_inline bool net_is_inet(__u32 family)
{
	return family == DECIDE_AF_INET || family == DECIDE_AF_INET6;
}

/* Of an internet socket: does it speak TCP itself? A raw one that writes TCP's packets does not. */
static __always_inline bool net_is_tcp(__u32 protocol, bool is_raw)
{
	return !is_raw && (protocol == NET_TCP || protocol == NET_MPTCP);
}

/*
 * The family that the kernel will take an address for. Connecting goes by the
 * address's own. Sending, an IPv4 socket takes none for its own, a raw IPv6 socket
 * likewise; other IPv6 sockets then send to whom they are connected, but may be
 * turned into IPv4 ones before they do (IPV6_ADDRFORM). Binding takes its own,
 * an IPv4 socket none for it, a raw one (to 6.1) any. 0: the kernel refuses
 * it itself, or there is no address.
 */
static __always_inline __u32 net_family(const struct act *act, __u32 family, __u32 socket_family,
					bool is_connect)
{
	if (act->op == OP_NET_BIND) {
		if (socket_family == DECIDE_AF_INET && (act->is_raw || family == NET_AF_UNSPEC))
			return DECIDE_AF_INET;
		return family == socket_family ? family : 0;
	}
	if (net_is_inet(family))
		return family;
	if (family != NET_AF_UNSPEC || is_connect || net_is_tcp(act->protocol, act->is_raw))
		return 0;
	return act->is_raw ? socket_family : DECIDE_AF_INET;
}

/*
 * Puts ADDRESS of LEN bytes into ACT as the kernel will take it. 0 if there is one to
 * judge, 1 if none, -EACCES. What hooks get as a struct sockaddr is typed, and read
 * without a helper as far as that type goes: to the end of an IPv4 address.
 */
static __always_inline int net_take(struct act *act, struct sockaddr *address, int len, __u32 socket_family,
				    bool is_connect)
{
	const struct net_address *raw = (void *)address;

	if (len < (int)sizeof(raw->family))
		return 1;
	act->family = net_family(act, raw->family, socket_family, is_connect);
	act->port = __builtin_bswap16(raw->port);
	if (act->family == DECIDE_AF_INET && len >= NET_LEN_V4) {
		*(__be32 *)act->address = raw->v4;
		return 0;
	}
	if (act->family != DECIDE_AF_INET6 || len < NET_LEN_V6)
		return 1;
	return EACCES_IF(
		bpf_probe_read_kernel(act->address, sizeof(raw->v6),
				      (char *)POINTER_NUMBER(address) + offsetof(struct net_address, v6)));
}

/* The same of an address that is not typed, but that has room for any, as the kernel's copies have. */
static __always_inline int net_copy(struct act *act, __u64 address, int len, __u32 socket_family)
{
	struct net_address raw;

	if (bpf_probe_read_kernel(&raw, sizeof(raw), (void *)address))
		return -EACCES;
	act->family = net_family(act, raw.family, socket_family, false);
	act->port = __builtin_bswap16(raw.port);
	if (act->family == DECIDE_AF_INET && len >= NET_LEN_V4)
		*(__be32 *)act->address = raw.v4;
	else if (act->family == DECIDE_AF_INET6 && len >= NET_LEN_V6)
		__builtin_memcpy(act->address, raw.v6, sizeof(raw.v6));
	else
		return 1;
	return 0;
}

#endif
