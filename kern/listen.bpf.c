// SPDX-License-Identifier: GPL-2.0
/* Network: which addresses a socket may listen at, and whose connections it takes. */
#include "net.bpf.h"
#include "unix.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define LISTEN_PORT_LOCK 8 /* SOCK_BINDPORT_LOCK: the program chose the port */
#define LISTEN_IP 0x0800   /* ETH_P_IP */
#define LISTEN_SEQ 4	   /* of a TCP header */
#define LISTEN_SYNS 1024

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct listener);
} listeners __weak SEC(".maps");

/* Attempts to connect that were told: who is not answered tries again. */
struct syn {
	__u8 peer[16];
	__u16 peer_port;
	__u16 port;
	__u32 sequence;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, LISTEN_SYNS);
	__type(key, struct syn);
	__type(value, __u8);
} syns __weak SEC(".maps");

static __always_inline bool listen_is_judged(const struct head *head, __u32 op)
{
	return (head->enforced | head->observed) & OP_BIT(op);
}

static __always_inline bool listen_is_refused(const struct act *act)
{
	return decide_strictness(WORD_VERB(act->word)) > decide_strictness(VERB_AUDIT) &&
	       !(act->generation & GENERATION_AUDIT);
}

static __always_inline __u16 port_of(__be16 port)
{
	return __builtin_bswap16(port);
}

/* Binding a Unix socket to an abstract name; to a path it is bound by making its file (path_mknod). */
static __noinline int bind_name(__u64 address, int len, __u32 policy)
{
	struct act act = { .policy = policy, .op = OP_UNIX_BIND, .family = NET_AF_UNIX };
	struct unix_look *look;
	__u8 first = 1;
	int err;

	bpf_probe_read_kernel(&first, sizeof(first), (void *)(address + UNIX_NAME_AT - 1));
	if (len < UNIX_NAME_AT || first)
		return 0;
	look = unix_take(policy, OP_UNIX_BIND);
	if (!look)
		return -EACCES;
	err = unix_abstract(look, address, len);
	act.target = address;
	act.port = len;
	act.word = look->word;
	act.generation = look->generation;
	act.observed = look->observed;
	act.reason = WORD_RULE(act.word) == RULE_DEFAULT ? REASON_DEFAULT : REASON_RULE;
	look->busy = 0;
	return EACCES_IF(err || act_settle(&act));
}

static __noinline int bind_address(struct sock *sk, struct sockaddr *address, int len, __u32 policy)
{
	struct act act = { .policy = policy, .op = OP_NET_BIND };
	struct head head;
	int err;

	head_copy(policy, &head);
	if (!listen_is_judged(&head, OP_NET_BIND))
		return 0;
	net_socket(&act, sk);
	act.is_v6_only = BPF_CORE_READ_BITFIELD(sk, __sk_common.skc_ipv6only);
	err = net_take(&act, address, len, sk->__sk_common.skc_family, false);
	if (err)
		return EACCES_IF(err < 0);
	return net_judge(&act, &head, act.port);
}

/* Binding to port 0, which lets the kernel choose one, is judged as that; listening then by the one it chose. */
SEC("lsm/socket_bind")
int BPF_PROG(hook_socket_bind, struct socket *sock, struct sockaddr *address, int len)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	struct sock *sk;
	__u32 family;

	if (!policy)
		return 0;
	sk = sock->sk;
	if (!sk)
		return 0;
	family = sk->__sk_common.skc_family;
	if (family == NET_AF_UNIX)
		return EACCES_IF(bind_name(POINTER_NUMBER(address), len, policy));
	if (!net_is_inet(family))
		return 0;
	return EACCES_IF(bind_address(sk, address, len, policy));
}

static __always_inline void listen_note(struct sock *sk)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct listener *owner = bpf_sk_storage_get(&listeners, sk, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	__u64 ids = bpf_get_current_pid_tgid();

	if (!owner)
		return;
	owner->pid = ids >> 32;
	owner->tid = ids;
	owner->ppid = BPF_CORE_READ(task, real_parent, tgid);
	owner->uid = bpf_get_current_uid_gid();
	owner->start_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	owner->exe_inode = BPF_CORE_READ(task, mm, exe_file, f_inode, i_ino);
	bpf_get_current_comm(owner->comm, sizeof(owner->comm));
}

/*
 * Listening picks a port where none was bound, and opens one that the kernel picked.
 * One that the program chose was judged when it was bound, and is not told twice;
 * it is refused here if the policy has changed, or the socket comes from outside.
 */
SEC("lsm/socket_listen")
int BPF_PROG(hook_socket_listen, struct socket *sock, int backlog)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	struct act act = { .policy = policy, .op = OP_NET_BIND };
	struct sock *sk;
	struct head head;

	if (!policy)
		return 0;
	head_copy(policy, &head);
	sk = sock->sk;
	if (!sk)
		return 0;
	act.family = sk->__sk_common.skc_family;
	if (!net_is_inet(act.family))
		return 0;
	if (listen_is_judged(&head, OP_NET_ACCEPT))
		listen_note(sk);
	if (!listen_is_judged(&head, OP_NET_BIND))
		return 0;
	net_socket(&act, sk);
	act.is_v6_only = BPF_CORE_READ_BITFIELD_PROBED(sk, __sk_common.skc_ipv6only);
	act.port = sk->__sk_common.skc_num;
	if (act.family == DECIDE_AF_INET)
		BPF_CORE_READ_INTO((__be32 *)act.address, sk, __sk_common.skc_rcv_saddr);
	else
		BPF_CORE_READ_INTO(&act.address, sk, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
	if (net_find(&act, &head, act.port))
		return -EACCES;
	if (BPF_CORE_READ_BITFIELD_PROBED(sk, sk_userlocks) & LISTEN_PORT_LOCK && !listen_is_refused(&act))
		return 0;
	if (WORD_VERB(act.word) == VERB_ALLOW && !(head.observed & OP_BIT(OP_NET_BIND)))
		return 0;
	return EACCES_IF(act_settle(&act));
}

struct node_search {
	struct kernfs_node *node;
	__u32 policy;
};

static long node_policy(__u32 i, struct node_search *search)
{
	struct kernfs_node *node = search->node;
	__u64 id = BPF_CORE_READ(node, id);
	struct attachment *entry = bpf_map_lookup_elem(&attachments, &id);

	search->policy = entry ? entry->policy : 0;
	node = node_parent(node);
	search->node = node;
	return entry || !node;
}

/* The policy of the cgroup in which a socket was made; 0 if none governs it. As subject_policy, but not the current task's. */
static __always_inline __u32 socket_policy(struct kernfs_node *node)
{
	struct node_search search = { .node = node };
	__u64 id = BPF_CORE_READ(node, id);

	if (!(governed.bit[id >> 6 & (GOVERNED_BITS / 64 - 1)] >> (id & 63) & 1))
		return 0;
	bpf_loop(SUBJECT_DEPTH_MAX, node_policy, &search, 0);
	return search.policy;
}

/* The two ends of a connection that comes in, as the packet's family has them: its socket may be IPv6 for both. */
static __always_inline void accept_read(struct act *act, const struct request_sock *request,
					struct sk_buff *packet)
{
	if (BPF_CORE_READ(packet, protocol) == __builtin_bswap16(LISTEN_IP)) {
		act->family = DECIDE_AF_INET;
		BPF_CORE_READ_INTO((__be32 *)act->address, request, __req_common.skc_daddr);
		BPF_CORE_READ_INTO((__be32 *)act->local, request, __req_common.skc_rcv_saddr);
	} else {
		act->family = DECIDE_AF_INET6;
		BPF_CORE_READ_INTO(&act->address, request, __req_common.skc_v6_daddr.in6_u.u6_addr8);
		BPF_CORE_READ_INTO(&act->local, request, __req_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
	}
	act->port = port_of(BPF_CORE_READ(request, __req_common.skc_dport));
	act->detail = BPF_CORE_READ(request, __req_common.skc_num);
}

/* Has this attempt been told already? */
static __noinline bool accept_is_told(const struct act *act, struct sk_buff *packet)
{
	struct syn syn = { .peer_port = act->port, .port = act->detail };
	__u8 *head = BPF_CORE_READ(packet, head) + BPF_CORE_READ(packet, transport_header);
	__u8 told = 1;

	__builtin_memcpy(syn.peer, act->address, sizeof(syn.peer));
	bpf_probe_read_kernel(&syn.sequence, sizeof(syn.sequence), head + LISTEN_SEQ);
	return bpf_map_update_elem(&syns, &syn, &told, BPF_NOEXIST) == -EEXIST;
}

/*
 * accept() itself is asked before it knows whose connection it will hand out, and
 * nothing asks later. So a connection is judged when it is asked for, by the policy of
 * the cgroup in which the listening socket was made: one that is refused is never
 * made, and its peer gets no answer. No task acts here: the current one is whoever
 * was interrupted.
 */
SEC("lsm/inet_conn_request")
int BPF_PROG(hook_inet_conn_request, const struct sock *sk, struct sk_buff *packet,
	     struct request_sock *request)
{
	struct kernfs_node *node = BPF_CORE_READ(sk, sk_cgrp_data.cgroup, kn);
	struct act act = { .op = OP_NET_ACCEPT };
	struct listener *owner;
	struct head head;

	act.policy = socket_policy(node);
	if (!act.policy)
		return 0;
	head_copy(act.policy, &head);
	if (!listen_is_judged(&head, OP_NET_ACCEPT))
		return 0;
	act.protocol = sk->sk_protocol;
	accept_read(&act, request, packet);
	if (net_find(&act, &head, act.detail))
		return -EACCES;
	if (WORD_VERB(act.word) == VERB_ALLOW && !(head.observed & OP_BIT(OP_NET_ACCEPT)))
		return 0;
	owner = bpf_sk_storage_get(&listeners, (struct sock *)sk, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	/* Without memory for it there is nobody to tell of. */
	if (!owner)
		return EACCES_IF(listen_is_refused(&act));
	owner->node = (__u64)node;
	act.other = POINTER_NUMBER(owner);
	if (accept_is_told(&act, packet))
		return EACCES_IF(listen_is_refused(&act));
	return EACCES_IF(act_settle(&act));
}

/*
 * A socket that was made elsewhere, and handed over, takes connections by what
 * holds there. Under this policy it may be used where the rules let in everybody:
 * who is let in is not known yet.
 */
SEC("lsm/socket_accept")
int BPF_PROG(hook_socket_accept, struct socket *sock, struct socket *fresh)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	struct act act = { .policy = policy, .op = OP_NET_ACCEPT };
	struct sock *sk;
	struct head head;

	if (!policy)
		return 0;
	head_copy(policy, &head);
	sk = sock->sk;
	if (!sk)
		return 0;
	act.family = sk->__sk_common.skc_family;
	if (!net_is_inet(act.family) || !listen_is_judged(&head, OP_NET_ACCEPT))
		return 0;
	if (socket_policy(BPF_CORE_READ(sk, sk_cgrp_data.cgroup, kn)) == policy)
		return 0;
	act.protocol = sk->sk_protocol;
	act.detail = sk->__sk_common.skc_num;
	if (act.family == DECIDE_AF_INET)
		BPF_CORE_READ_INTO((__be32 *)act.local, sk, __sk_common.skc_rcv_saddr);
	else
		BPF_CORE_READ_INTO(&act.local, sk, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
	return net_judge(&act, &head, act.detail);
}
