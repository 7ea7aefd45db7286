// SPDX-License-Identifier: GPL-2.0
/* Unix sockets: whose one may connect or send to, by what it was bound to. */
#include "surface.bpf.h"
#include "unix.bpf.h"
#include "verdict.bpf.h"

char LICENSE[] SEC("license") = "GPL";

static __always_inline bool word_denies(__u32 word)
{
	return decide_strictness(WORD_VERB(word)) > decide_strictness(VERB_AUDIT);
}

/* A rule that denies writing to the socket's file denies connecting to it; a section's default does not. */
static __always_inline __u32 unix_stricter(const struct unix_look *look, __u32 word)
{
	__u32 write = look->found.word[1];

	if (!(look->head.enforced & OP_BIT(OP_FILE_WRITE)) || WORD_RULE(write) == RULE_DEFAULT ||
	    !word_denies(write))
		return word;
	return decide_stricter(word, write);
}

/* A socket under the same attachment is allowed where no rule decides otherwise. */
static __always_inline __u32 unix_session(const struct unix_look *look, __u32 word)
{
	if (!look->is_inside)
		return word;
	word = look->session < word ? look->session : word;
	return WORD_RULE(word) == RULE_DEFAULT ? WORD(RULE_DEFAULT, VERB_ALLOW) : word;
}

static __always_inline void unix_ask(struct unix_look *look, __u32 first, __u32 second)
{
	look->found.op[0] = first;
	look->found.op[1] = second;
	look->found.kind = look->found.reason = 0;
}

/*
 * The words of a socket that is bound to a path: by the file's name, not by the alias
 * that the caller used. It is a deputy's also if it was bound as one's: who owns its
 * folder, which may be the one that is governed, could have renamed it.
 */
static __noinline int unix_named(struct unix_sock *socket, struct unix_address *address,
				 struct unix_look *look)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct dentry *object = socket->path.dentry;
	struct vfsmount *mnt = socket->path.mnt;
	__u32 word;

	if (!object || !mnt || unix_read(look, (__u64)&address->name, address->len, UNIX_PATH_AT))
		return -EACCES;
	head_copy(look->policy, &look->head);
	unix_ask(look, OP_UNIX_CONNECT, OP_FILE_WRITE);
	name_find(object, mnt, task, &look->head, &look->found);
	word = look->found.word[0];
	if (look->found.kind != NAME_FOUND) {
		word = nameless_word(&look->head, OP_BIT(OP_UNIX_CONNECT) | OP_BIT(OP_FILE_WRITE));
		look->reason = look->found.kind == NAME_NONE ? look->found.reason : REASON_DETACHED;
	} else {
		word = unix_stricter(look, unix_session(look, word));
	}
	look->word = word;
	look->generation = look->head.generation;
	look->observed = look->head.observed;
	if (look->is_inside)
		look->deputy = WORD_NONE;
	if (look->is_inside || word_denies(word) || look->deputy != WORD_NONE ||
	    look->found.kind != NAME_FOUND)
		return 0;
	unix_ask(look, ROW_DEPUTY, OP_COUNT);
	name_find(object, mnt, task, &look->head, &look->found);
	look->deputy = look->found.kind == NAME_FOUND ? look->found.word[0] : WORD_NONE;
	return 0;
}

/* The words of one with an abstract name. */
static __noinline int unix_unnamed(struct unix_address *address, struct unix_look *look)
{
	if (unix_abstract(look, (__u64)&address->name, address->len))
		return -EACCES;
	if (!(look->enforced & OP_BIT(OP_UNIX_CONNECT)))
		look->word = WORD(RULE_DEFAULT, VERB_ALLOW);
	look->word = unix_session(look, look->word);
	if (look->is_inside)
		look->deputy = WORD_NONE;
	return 0;
}

/* A deputy's socket needs kernel.deputies, whatever the rules say of its name. */
static __always_inline int unix_settle(struct act *act, const struct unix_look *look)
{
	if (!word_denies(look->word) && WORD_RULE(look->deputy) == RULE_DEPUTY) {
		act->op = OP_KERNEL_DEPUTIES;
		if (surface_judge(act, false))
			return -EPERM;
		act->op = OP_UNIX_CONNECT;
	}
	act->word = look->word;
	act->generation = look->generation;
	act->observed = look->observed;
	act->reason = look->reason;
	if (act->reason == REASON_RULE && WORD_RULE(act->word) == RULE_DEFAULT)
		act->reason = REASON_DEFAULT;
	return EACCES_IF(act_settle(act));
}

static __always_inline bool socket_is_inside(struct unix_sock *socket)
{
	__u64 cgroup = socket->sk.sk_cgrp_data.cgroup->kn->id;
	struct attachment *entry;

	if (cgroup == subject_cgroup())
		return true;
	entry = bpf_map_lookup_elem(&attachments, &cgroup);
	return entry && entry->root == task_root();
}

/*
 * SOCKET is whom the current task connects or sends to. One without a name is
 * nobody that could be asked for: the other end of a pair, which one has.
 *
 * Whose it is, is told by the cgroup in which it was made.
 */
static __always_inline int unix_judge(struct unix_sock *socket, __u32 policy)
{
	struct unix_address *address = socket->addr;
	struct act act = { .policy = policy, .op = OP_UNIX_CONNECT };
	struct unix_look *look;
	int err;

	if (!address)
		return 0;
	look = unix_take(policy, OP_UNIX_CONNECT);
	if (!look)
		return -EACCES;
	look->is_inside = socket_is_inside(socket);
	act.dentry = (__u64)socket->path.dentry;
	if (act.dentry) {
		act.mnt = (__u64)socket->path.mnt;
		err = unix_named(socket, address, look);
	} else {
		act.family = EVENT_AF_UNIX;
		act.target = (__u64)&address->name;
		act.port = address->len;
		err = unix_unnamed(address, look);
	}
	if (!err)
		err = unix_settle(&act, look);
	look->busy = 0;
	return err == -EPERM ? -EPERM : EACCES_IF(err);
}

SEC("lsm/unix_stream_connect")
int BPF_PROG(hook_unix_stream_connect, struct sock *sk, struct sock *other, struct sock *fresh)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	struct unix_sock *socket;

	if (!policy)
		return 0;
	socket = bpf_skc_to_unix_sock(other);
	return socket ? unix_judge(socket, policy) : 0;
}

/* Datagrams, each one; also where a datagram socket is connected. */
SEC("lsm/unix_may_send")
int BPF_PROG(hook_unix_may_send, struct socket *sock, struct socket *other)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	struct unix_sock *socket;
	struct sock *sk;

	if (!policy)
		return 0;
	sk = other->sk;
	if (!sk)
		return 0;
	socket = bpf_skc_to_unix_sock(sk);
	return socket ? unix_judge(socket, policy) : 0;
}
