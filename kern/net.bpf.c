// SPDX-License-Identifier: GPL-2.0
/* Network: where a socket may connect to, and send to without connecting. */
#include "family.bpf.h"
#include "net.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define NET_MSG_FASTOPEN 0x20000000

/* Sockets of a family that this section knows nothing of: refused as a whole, unless the policy names the family. */
static __noinline int net_foreign(struct act *act, struct head *head, __u32 family)
{
	struct families families;

	if (!(head->enforced & OP_BIT(OP_NET_CONNECT)))
		return 0;
	if (!families_find(act->policy, &families) && families.allowed >> family_bit(family, 0, 0) & 1)
		return 0;
	act->family = family;
	act->generation = head->generation;
	act->word = WORD(RULE_DEFAULT, VERB_DENY);
	act->reason = REASON_DEFAULT;
	return EACCES_IF(act_settle(act));
}

/* What comes of ACT, whose address was found as ERR says: what the socket is to talk to from now on, or for one message. */
static __always_inline int net_reach(struct act *act, struct head *head, int err)
{
	if (err)
		return EACCES_IF(err < 0);
	return net_judge(act, head, act->port);
}

/* The family of a socket whose addresses are to be judged, with HEAD; else 0, and *RET is what comes of it. */
static __always_inline __u32 net_begin(struct act *act, struct head *head, struct sock *sk, int *ret)
{
	__u32 family = sk->__sk_common.skc_family;

	*ret = 0;
	head_copy(act->policy, head);
	if (!((head->enforced | head->observed) & OP_BIT(OP_NET_CONNECT)))
		return 0;
	if (family == NET_AF_UNIX || family == NET_AF_NETLINK)
		return 0;
	net_socket(act, sk);
	if (net_is_inet(family))
		return family;
	*ret = net_foreign(act, head, family);
	return 0;
}

static __always_inline int connect_judge(struct sock *sk, struct sockaddr *address, int len, __u32 policy)
{
	struct act act = { .policy = policy, .op = OP_NET_CONNECT };
	struct head head;
	__u32 family;
	int ret;

	family = net_begin(&act, &head, sk, &ret);
	if (!family)
		return ret;
	return net_reach(&act, &head, net_take(&act, address, len, family, true));
}

SEC("lsm/socket_connect")
int BPF_PROG(hook_socket_connect, struct socket *sock, struct sockaddr *address, int len)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	struct sock *sk;

	if (!policy)
		return 0;
	sk = sock->sk;
	if (!sk)
		return 0;
	return EACCES_IF(connect_judge(sk, address, len, policy));
}

/*
 * A message with an address of its own goes there, also from a socket that is
 * connected elsewhere. TCP reads the address only where it is asked to connect by
 * it. What the kernel sends for itself, as for a network file system, is not the
 * task's.
 */
SEC("lsm/socket_sendmsg")
int BPF_PROG(hook_socket_sendmsg, struct socket *sock, struct msghdr *message)
{
	__u64 address = (__u64)message->msg_name;
	struct act act;
	struct head head;
	struct sock *sk;
	__u32 policy, family;
	int ret;

	if (!address)
		return 0;
	policy = subject_policy(bpf_get_current_task_btf());
	if (!policy)
		return 0;
	sk = sock->sk;
	if (!sk)
		return 0;
	if (net_is_tcp(sk->sk_protocol, sk->sk_type == NET_RAW) && net_is_inet(sk->__sk_common.skc_family) &&
	    !(message->msg_flags & NET_MSG_FASTOPEN))
		return 0;
	if (BPF_CORE_READ_BITFIELD(sk, sk_kern_sock))
		return 0;
	act = (struct act){ .policy = policy, .op = OP_NET_CONNECT };
	family = net_begin(&act, &head, sk, &ret);
	if (!family)
		return EACCES_IF(ret);
	return net_reach(&act, &head, net_copy(&act, address, message->msg_namelen, family));
}
