// SPDX-License-Identifier: GPL-2.0
/* Network: where a socket may connect to. */
#include "verdict.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define NET_AF_UNSPEC 0
#define NET_AF_UNIX 1
#define NET_AF_NETLINK 16
#define NET_LEN_V4 16 /* shorter ones the kernel refuses itself */
#define NET_LEN_V6 24

struct net_look {
	__u32 policy;
	__u32 op;
	__u64 generation;
	struct address_key key;
	__u32 word;
};

IMAGE_FUNCTION address_walk(const struct image_header *header, const __u64 *cell, __u32 mask,
			    struct net_look *look)
{
	__u32 op = look->op & (ROW_WORDS - 1);
	__u32 state = header->address_start[look->key.start & 1];

	if (header->generation != look->generation)
		return -ESTALE;
	look->word = WORD(RULE_DEFAULT, VERB_ALLOW);
	if (!(header->enforced & OP_BIT(op)))
		return 0;
	for (__u32 i = 0; i < ADDRESS_KEY_MAX; i++) {
		if (i >= look->key.len)
			break;
		state = match_step(cell, mask, state, look->key.byte[i] + 1);
	}
	look->word = match_word(cell, mask, state, op);
	if (look->word == WORD_NONE)
		look->word = header->fallback[op];
	return 0;
}

__weak __noinline int net_walk(struct net_look *look)
{
	if (!look)
		return -EINVAL;
	IMAGE_CALL(look->policy, address_walk, look);
	return -ESTALE;
}

/* The words of an address, and of the IPv4 address inside it if it carries one; the stricter holds. */
static __noinline int net_word(struct net_look *look, struct act *act, __u8 *port)
{
	__u8 protocol = decide_protocol(act->protocol);
	__u32 embedded, word;
	int err;

	if (act->family == DECIDE_AF_INET) {
		decide_key4(&look->key, act->address, protocol, port);
		return net_walk(look);
	}
	decide_key6(&look->key, act->address, protocol, port);
	err = net_walk(look);
	if (err || look->key.start == 0)
		return err;
	embedded = decide_embedded(act->address);
	if (!embedded)
		return 0;
	word = look->word;
	decide_key4(&look->key, embedded == 2 ? act->address + 2 : act->address + 12, protocol, port);
	err = net_walk(look);
	look->word = decide_stricter(word, look->word);
	return err;
}

static __noinline int net_judge(struct act *act, struct head *head)
{
	__u8 port[2] = { act->port >> 8, act->port & 255 };
	struct net_look look = { .policy = act->policy, .op = act->op, .generation = head->generation };

	/* An image replaced in between: once more with the new one; not to be had twice in a row is an error. */
	if (net_word(&look, act, port)) {
		if (image_head(act->policy, head))
			return -EACCES;
		look.generation = head->generation;
		if (net_word(&look, act, port))
			return -EACCES;
	}
	act->word = look.word;
	act->generation = head->generation;
	act->observed = head->observed;
	act->reason = WORD_RULE(act->word) == RULE_DEFAULT ? REASON_DEFAULT : REASON_RULE;
	if (WORD_VERB(act->word) == VERB_ALLOW && !(head->observed & OP_BIT(act->op & 31)))
		return 0;
	return EACCES_IF(act_settle(act));
}

/*
 * The address as the kernel will read it, by the socket's family and then the
 * address's: an IPv6 socket takes IPv4 addresses, too. 0 if there is one to
 * judge, 1 if the kernel itself refuses or nothing is connected.
 */
static __always_inline int net_address(struct act *act, struct sockaddr *address, int len)
{
	__u8 raw[NET_LEN_V6] = {};
	__u16 family = 0;

	if (len < (int)sizeof(family))
		return 1;
	bpf_probe_read_kernel(&family, sizeof(family), address);
	if (family == DECIDE_AF_INET && len >= NET_LEN_V4) {
		bpf_probe_read_kernel(raw, NET_LEN_V4, address);
		__builtin_memcpy(act->address, raw + 4, 4);
	} else if (family == DECIDE_AF_INET6 && len >= NET_LEN_V6) {
		bpf_probe_read_kernel(raw, NET_LEN_V6, address);
		__builtin_memcpy(act->address, raw + 8, 16);
	} else {
		return 1;
	}
	act->family = family;
	act->port = (__u16)raw[2] << 8 | raw[3];
	return 0;
}

SEC("lsm/socket_connect")
int BPF_PROG(hook_socket_connect, struct socket *sock, struct sockaddr *address, int len)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	struct act act = { .policy = policy, .op = OP_NET_CONNECT };
	struct head head;
	__u16 family;

	if (!policy)
		return 0;
	if (image_head(policy, &head))
		return -EACCES;
	if (!((head.enforced | head.observed) & OP_BIT(OP_NET_CONNECT)))
		return 0;
	family = BPF_CORE_READ(sock, sk, __sk_common.skc_family);
	act.protocol = BPF_CORE_READ(sock, sk, sk_protocol);
	if (family == NET_AF_UNIX || family == NET_AF_NETLINK)
		return 0;
	if (family == DECIDE_AF_INET || family == DECIDE_AF_INET6) {
		if (net_address(&act, address, len))
			return 0;
		return net_judge(&act, &head);
	}
	if (!(head.enforced & OP_BIT(OP_NET_CONNECT)))
		return 0;
	act.family = family;
	act.generation = head.generation;
	act.word = WORD(RULE_DEFAULT, VERB_DENY);
	act.reason = REASON_DEFAULT;
	return EACCES_IF(act_settle(&act));
}
