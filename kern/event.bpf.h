/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Telling what happened: filling an event in a slot of its own and putting it
 * into a ring. Only for acts that are logged; nothing here changes a verdict.
 */
#ifndef AGENTCTL_EVENT_BPF_H
#define AGENTCTL_EVENT_BPF_H

#include "name.bpf.h"
#include "subject.bpf.h"

#define EVENT_SLOTS 64
#define PENDING_MAX 256
#define PENDING_NS 2000000ull
#define PENDING_TRIES 1000
#define PENDING_CLOCK 1 /* CLOCK_MONOTONIC */
#define PAR_LOOKUP_BEFORE_ENUM (1u << 28)
#define CHAIN_MAX 256
#define EVENT_TEXT_MAX 128 /* with its NUL */
#define SECOND_NS 1000000000ull
#define EVENT_AF_UNIX 1
#define EVENT_NAME_AT 3
#define EVENT_NAME_MAX 108

/* The flag of a dentry whose name is still being looked up, so that nobody knows yet whether it exists. */
static __always_inline __u32 dentry_lookup_flag(void)
{
	if (bpf_core_enum_value_exists(enum dentry_flags, DCACHE_PAR_LOOKUP))
		return bpf_core_enum_value(enum dentry_flags, DCACHE_PAR_LOOKUP);
	return PAR_LOOKUP_BEFORE_ENUM;
}

/* An act that was judged: what the event will say. */
struct act {
	__u64 generation;
	__u64 dentry; /* kernel addresses, 0 if the object is an address */
	union {
		struct {
			__u64 mnt;
			__u64 target; /* the new name of a rename or link, on the same mount */
		};
		__u8 local[16]; /* of net.accept: what was connected to, of the same family */
	};
	__u64 other; /* the task that the act is about, of net.accept the struct listener that acts; 0 for none */
	__u64 text;   /* what it is about where that is no file: a string in the kernel; 0 for none */
	__u32 detail; /* see struct event */
	__u32 policy;
	__u32 op;
	__u32 word;
	__u32 reason;
	__u16 family;
	__u16 port; /* of an abstract Unix socket, whose name is target, the length of its address */
	__u16 protocol;
	__u8 is_raw;	 /* a raw socket's, */
	__u8 is_v6_only; /* or one of IPv6 that takes no IPv4 */
	__u8 address[16] __attribute__((aligned(8)));
	__u32 verdict; /* set by act_settle */
	__s32 error;
	__u32 is_anonymous; /* memory without a file: the name it had is not what was judged */
	__u32 observed;	    /* the image's, for what it allows */
	__u32 is_quiet;	    /* nobody is told */
	__u32 is_tentative; /* a creating open of a name that may turn out to exist: it is told when the open ends */
};

/* Who made a socket listen: when a connection comes in, any task may be the current one. */
struct listener {
	__u64 node; /* of the socket's cgroup */
	__u64 start_ns;
	__u64 exe_inode;
	__u32 pid;
	__u32 tid;
	__u32 ppid;
	__u32 uid;
	char comm[16];
};

/* The listener of an act that no task does, or NULL. */
static __always_inline struct listener *act_owner(const struct act *act)
{
	return act->op == OP_NET_ACCEPT ? (void *)act->other : 0;
}

/*
 * A tentative act, by its thread; its event waits in a slot of its own. An open
 * that may create asks path_mknod before it has looked the name up: if the file
 * turns out to be there, nothing was created and nothing refused. What became of
 * it is known when file_open sees the same dentry, or, if it never does, when a
 * timer finds that the name is not being looked up any more.
 */
struct pending {
	struct bpf_timer timer;
	struct act act;
	__u64 attachment;
	__u64 parent; /* by these the timer knows the dentry again, which may have been freed */
	__u64 hash_len;
	__u64 tries; /* of the timer */
	__u64 slot;
	__u64 is_taken; /* file_open or the timer has it: who sets it first */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PENDING_MAX);
	__type(key, __u64);
	__type(value, struct pending);
} pendings __weak SEC(".maps");

struct event_slot {
	__u64 busy;
	__u64 chain[CHAIN_MAX]; /* components from the object upwards, by address */
	__u64 dentry;
	__u64 mount;
	__u64 root;
	__u32 links; /* components in the chain */
	__u32 used;  /* bytes of event.data */
	__u32 limit; /* where the name being written has to end */
	__u32 cut;
	/* A pending act on its way into its map: too large for the stack. */
	__u64 staged[sizeof(struct pending) / 8];
	struct event event;
	__u8 slack[256]; /* so that a component's length needs no exact bound */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, EVENT_SLOTS);
	__type(key, __u32);
	__type(value, struct event_slot);
} event_slots __weak SEC(".maps");

struct event_search {
	struct event_slot *slot;
	__u32 index;
};

static long event_try(__u32 i, struct event_search *search)
{
	__u32 index = (bpf_get_smp_processor_id() * 5 + i) & (EVENT_SLOTS - 1);
	struct event_slot *slot = bpf_map_lookup_elem(&event_slots, &index);

	if (!slot || __sync_val_compare_and_swap(&slot->busy, 0, 1))
		return 0;
	search->slot = slot;
	search->index = index;
	return 1;
}

static __always_inline void event_put(struct event_slot *slot, __u64 from, __u32 len)
{
	__u32 used = slot->used;

	if (len > COMPONENT_MAX) {
		slot->cut = 1;
		len = COMPONENT_MAX;
	}
	if (used + len > slot->limit) {
		slot->cut = 1;
		len = used < slot->limit ? slot->limit - used : 0;
	}
	len &= 255;
	used &= EVENT_DATA_MAX - 1;
	if (len && bpf_probe_read_kernel(slot->event.data + used, len, (void *)from))
		return;
	slot->used = used + len;
}

static __always_inline void event_slash(struct event_slot *slot)
{
	__u32 used = slot->used & (EVENT_DATA_MAX - 1);

	if (used >= slot->limit) {
		slot->cut = 1;
		return;
	}
	slot->event.data[used] = '/';
	slot->used = used + 1;
}

/* One step up from the object, over a component or over a mount, as name.bpf.h climbs. */
static long chain_up(__u32 i, struct event_search *search)
{
	struct event_slot *slot = search->slot;
	struct dentry *dentry;
	__u64 parent;
	__u32 n;

	if (!slot)
		return 1;
	dentry = (void *)slot->dentry;
	if (slot->dentry == slot->root) {
		struct mount *mount = (void *)slot->mount;
		struct mount *above = BPF_CORE_READ(mount, mnt_parent);

		if (above == mount)
			return 1;
		slot->dentry = (__u64)BPF_CORE_READ(mount, mnt_mountpoint);
		slot->mount = (__u64)above;
		slot->root = (__u64)BPF_CORE_READ(above, mnt.mnt_root);
		return 0;
	}
	parent = (__u64)BPF_CORE_READ(dentry, d_parent);
	n = slot->links;
	if (n >= CHAIN_MAX) {
		slot->cut = 1;
		return 1;
	}
	slot->chain[n] = slot->dentry;
	slot->links = n + 1;
	if (parent == slot->dentry)
		return 1;
	slot->dentry = parent;
	return 0;
}

/* As proc_is_own of name.bpf.h, by probe reads: events call the caller's own process directory what policies call it. */
static __always_inline bool chain_is_own(struct dentry *dentry)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct super_block *sb = BPF_CORE_READ(dentry, d_sb);
	struct proc_inode *proc;
	__u64 inode, pid;

	if (BPF_CORE_READ(sb, s_magic) != PROC_SUPER_MAGIC ||
	    BPF_CORE_READ(dentry, d_parent) != BPF_CORE_READ(sb, s_root))
		return false;
	inode = (__u64)BPF_CORE_READ(dentry, d_inode);
	proc = (void *)(inode - bpf_core_field_offset(struct proc_inode, vfs_inode));
	pid = (__u64)BPF_CORE_READ(proc, pid);
	return pid && (pid == (__u64)BPF_CORE_READ(task, thread_pid) ||
		       pid == (__u64)BPF_CORE_READ(task, signal, pids[PIDTYPE_TGID]));
}

static long chain_down(__u32 k, struct event_search *search)
{
	struct event_slot *slot = search->slot;
	struct dentry *dentry;
	__u32 i;

	if (!slot)
		return 1;
	i = slot->links - 1 - k;
	if (i >= CHAIN_MAX)
		return 1;
	dentry = (void *)slot->chain[i];
	event_slash(slot);
	if (chain_is_own(dentry))
		event_put(slot, POINTER_NUMBER(proc_self), 4);
	else
		event_put(slot, (__u64)BPF_CORE_READ(dentry, d_name.name), BPF_CORE_READ(dentry, d_name.len));
	return 0;
}

const volatile char anonymous_word[8] __weak = "anon:";
const volatile char abstract_word[8] __weak = "@";

/* Appends the name of an object, at most MAX bytes; returns its length. */
static __noinline __u32 event_path(struct event_slot *slot, __u64 dentry_address, __u64 mnt_address,
				   __u32 max)
{
	struct event_search search = { .slot = slot };
	struct dentry *dentry = (void *)dentry_address;
	struct vfsmount *mnt = (void *)mnt_address;
	__u32 start = slot->used;

	slot->limit = start + max;
	slot->cut = slot->links = 0;
	slot->dentry = dentry_address;
	slot->mount = mnt_address - bpf_core_field_offset(struct mount, mnt);
	slot->root = (__u64)BPF_CORE_READ(mnt, mnt_root);
	if (BPF_CORE_READ(dentry, d_parent) == dentry && dentry_address != slot->root) {
		event_put(slot, (__u64)BPF_CORE_READ(dentry, d_name.name), BPF_CORE_READ(dentry, d_name.len));
		return slot->used - start;
	}
	bpf_loop(CHAIN_MAX * 2, chain_up, &search, 0);
	if (!slot->links)
		event_slash(slot);
	else
		bpf_loop(slot->links, chain_down, &search, 0);
	return slot->used - start;
}

static __always_inline struct kernfs_node *node_parent(struct kernfs_node *node)
{
	if (bpf_core_field_exists(struct kernfs_node___parent, parent))
		return BPF_CORE_READ((struct kernfs_node___parent *)node, parent);
	return BPF_CORE_READ((struct kernfs_node___rcu_parent *)node, __parent);
}

static long node_up(__u32 i, struct event_search *search)
{
	struct event_slot *slot = search->slot;
	struct kernfs_node *node, *parent;
	__u32 n;

	if (!slot)
		return 1;
	node = (void *)slot->dentry;
	parent = node_parent(node);
	n = slot->links;
	if (!parent || n >= CHAIN_MAX)
		return 1;
	slot->chain[n] = slot->dentry;
	slot->links = n + 1;
	slot->dentry = (__u64)parent;
	return 0;
}

static long node_down(__u32 k, struct event_search *search)
{
	struct event_slot *slot = search->slot;
	struct kernfs_node *node;
	__u32 i, used;
	long len;

	if (!slot)
		return 1;
	i = slot->links - 1 - k;
	if (i >= CHAIN_MAX)
		return 1;
	node = (void *)slot->chain[i];
	event_slash(slot);
	used = slot->used & (EVENT_DATA_MAX - 1);
	len = bpf_probe_read_kernel_str(slot->event.data + used, 255, BPF_CORE_READ(node, name));
	if (len < 1)
		return 1;
	slot->used = used + len - 1;
	if (slot->used <= slot->limit)
		return 0;
	slot->used = slot->limit;
	slot->cut = 1;
	return 1;
}

/* The cgroup of who acts. */
static __always_inline __u64 act_node(const struct act *act)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct listener *owner = act_owner(act);

	if (owner)
		return BPF_PROBE_READ(owner, node);
	return (__u64)BPF_CORE_READ(task, cgroups, dfl_cgrp, kn);
}

/* Appends the path of the cgroup whose node that is, below the cgroup2 mount's root. */
static __noinline __u32 event_cgroup(struct event_slot *slot, __u64 node)
{
	struct event_search search = { .slot = slot };
	__u32 start = slot->used;

	slot->limit = start + EVENT_CGROUP_MAX;
	slot->cut = slot->links = 0;
	slot->dentry = node;
	bpf_loop(CHAIN_MAX, node_up, &search, 0);
	if (!slot->links)
		event_slash(slot);
	else
		bpf_loop(slot->links, node_down, &search, 0);
	return slot->used - start;
}

static __noinline void event_process(struct event_slot *slot)
{
	struct event *event = &slot->event;
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 ids = bpf_get_current_pid_tgid();
	struct file *exe = BPF_CORE_READ(task, mm, exe_file);
	__u64 dentry, mnt;

	event->time_ns = bpf_ktime_get_boot_ns();
	event->cgroup = subject_cgroup();
	event->pid = ids >> 32;
	event->tid = ids;
	event->ppid = BPF_CORE_READ(task, real_parent, tgid);
	event->uid = bpf_get_current_uid_gid();
	event->start_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	event->exe_inode = 0;
	event->exe_len = 0;
	if (!exe)
		return;
	event->exe_inode = BPF_CORE_READ(exe, f_inode, i_ino);
	dentry = (__u64)BPF_CORE_READ(exe, f_path.dentry);
	mnt = (__u64)BPF_CORE_READ(exe, f_path.mnt);
	event->exe_len = event_path(slot, dentry, mnt, EVENT_EXE_MAX);
	if (slot->cut)
		event->flags |= EVENT_EXE_CUT;
}

/*
 * The same where no task acts, but the network on a socket: who made it listen,
 * as it was then. An address, since it may have none.
 */
static __noinline void event_owner(struct event_slot *slot, const struct act *act)
{
	struct event *event = &slot->event;
	struct listener owner = {};
	struct kernfs_node *node;

	bpf_probe_read_kernel(&owner, sizeof(owner), act_owner(act));
	node = (void *)owner.node;
	event->time_ns = bpf_ktime_get_boot_ns();
	event->cgroup = BPF_CORE_READ(node, id);
	event->pid = owner.pid;
	event->tid = owner.tid;
	event->ppid = owner.ppid;
	event->uid = owner.uid;
	event->start_ns = owner.start_ns;
	event->exe_inode = owner.exe_inode;
	event->exe_len = 0;
	__builtin_memcpy(event->comm, owner.comm, sizeof(event->comm));
}

struct rule_query {
	struct event *event;
	__u64 generation;
	__u32 number;
};

IMAGE_FUNCTION rule_read(const struct image_header *header, const __u64 *cell, __u32 mask,
			 struct rule_query *query)
{
	struct event *event = query->event;
	__u64 rule;

	bpf_probe_read_kernel(event->policy, sizeof(event->policy), header->name);
	if (header->generation != query->generation || query->number >= header->rule_count)
		return 0;
	rule = cell[(header->rules + query->number) & mask];
	event->rule = rule & 0xffffff;
	event->severity = rule >> 24 & 255;
	if (rule >> 32) {
		const struct rule_text *text = (void *)&cell[rule >> 32 & mask];

		bpf_probe_read_kernel(event->tag, sizeof(event->tag), text->tag);
		bpf_probe_read_kernel(event->message, sizeof(event->message), text->message);
	}
	return 0;
}

/* Which rule it was, in its section's counting, and its texts: from the image, which may be newer than the verdict. */
static __noinline int event_rule(struct event_slot *slot, struct act *act)
{
	struct event *event = &slot->event;
	struct rule_query query = {
		.event = event,
		.generation = act->generation,
		.number = WORD_RULE(act->word),
	};
	__u32 policy = act->policy;

	event->rule = ~0u;
	event->severity = 0;
	__builtin_memset(event->policy, 0, sizeof(event->policy));
	__builtin_memset(event->tag, 0, sizeof(event->tag));
	__builtin_memset(event->message, 0, sizeof(event->message));
	IMAGE_CALL(policy, rule_read, &query);
	return 0;
}

/* An abstract name, with '@' for the zero before it: port bytes of a struct sockaddr_un. */
static __always_inline void event_name(struct event_slot *slot, const struct act *act)
{
	__u32 len = act->port - EVENT_NAME_AT;

	slot->limit = slot->used + EVENT_OBJECT_MAX;
	event_put(slot, POINTER_NUMBER(abstract_word), 1);
	if (len < EVENT_NAME_MAX)
		event_put(slot, act->target + EVENT_NAME_AT, len);
	slot->event.object_len = slot->used;
}

/* What an act is about that has no name: what the program or the kernel calls it. */
static __always_inline void event_text(struct event_slot *slot, __u64 text)
{
	long len = bpf_probe_read_kernel_str(slot->event.data, EVENT_TEXT_MAX, (void *)text);

	if (len > 0 && len <= EVENT_TEXT_MAX)
		slot->used = slot->event.object_len = len - 1;
}

static __always_inline void event_object(struct event_slot *slot, struct act *act)
{
	struct event *event = &slot->event;

	event->family = act->family;
	event->port = act->port;
	event->protocol = act->protocol;
	__builtin_memcpy(event->address, act->address, sizeof(event->address));
	if (act->op == OP_NET_ACCEPT)
		__builtin_memcpy(event->local, act->local, sizeof(event->local));
	event->object_len = 0;
	if (act->family == EVENT_AF_UNIX)
		event_name(slot, act);
	if (act->text)
		event_text(slot, act->text);
	if (!act->dentry)
		return;
	if (act->is_anonymous) {
		slot->limit = slot->used + EVENT_OBJECT_MAX;
		event_put(slot, POINTER_NUMBER(anonymous_word), 5);
	}
	event->object_len = slot->used + event_path(slot, act->dentry, act->mnt, EVENT_OBJECT_MAX - 5);
	if (slot->cut)
		event->flags |= EVENT_OBJECT_CUT;
}

static __always_inline void event_target(struct event_slot *slot, struct act *act)
{
	struct event *event = &slot->event;

	event->flags |= EVENT_MORE;
	event->args_len = event->host_len = 0;
	event->target_len = event_path(slot, act->target, act->mnt, EVENT_TARGET_MAX);
	if (slot->cut)
		event->flags |= EVENT_TARGET_CUT;
}

/* The process that the act is about, as every namespace's events call it. */
static __always_inline void event_other(struct event *event, const struct act *act)
{
	struct task_struct *other = (void *)act->other;

	event->detail = act->detail;
	event->other_pid = 0;
	if (!act->other || act_owner(act))
		return;
	event->other_pid = BPF_CORE_READ(other, tgid);
	bpf_probe_read_kernel(event->other_comm, sizeof(event->other_comm), &other->comm);
}

static __noinline void event_fill(struct event_slot *slot, struct act *act, __u64 attachment)
{
	struct event *event = &slot->event;

	slot->used = 0;
	event->flags = 0;
	event->generation = act->generation;
	event->attachment = attachment;
	event->word = act->word;
	event->op = act->op;
	event->verdict = act->verdict;
	event->reason = act->reason;
	event->error = act->error;
	event_rule(slot, act);
	event_object(slot, act);
	event_other(event, act);
	if (act_owner(act))
		event_owner(slot, act);
	else
		event_process(slot);
	event->cgroup_len = event_cgroup(slot, act_node(act));
	if (slot->cut)
		event->flags |= EVENT_CGROUP_CUT;
	if (act->dentry && act->target)
		event_target(slot, act);
}

/* Sends what a slot holds and gives it back; an error counts as lost. */
static __noinline long event_output(struct event_slot *slot, __u32 ring)
{
	__u32 size = offsetof(struct event, data) + (slot->used & (EVENT_DATA_MAX - 1));
	long err;

	if (ring == RING_DENIALS)
		err = bpf_ringbuf_output(&denials, &slot->event, size, 0);
	else
		err = bpf_ringbuf_output(&observations, &slot->event, size, 0);
	slot_release(&slot->busy);
	return err;
}

#endif
