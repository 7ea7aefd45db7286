/* SPDX-License-Identifier: GPL-2.0 */
/* Who is governed, and by which policy: decided from the cgroup of the current task, for ungoverned ones in one bit. */
#ifndef AGENTCTL_SUBJECT_BPF_H
#define AGENTCTL_SUBJECT_BPF_H

#include "maps.bpf.h"

#define SUBJECT_DEPTH_MAX 65536

struct subject_walk {
	__u32 level;
	__u32 policy;
};

static long subject_up(__u32 i, struct subject_walk *walk)
{
	__u64 id = bpf_get_current_ancestor_cgroup_id(walk->level);
	struct attachment *entry = bpf_map_lookup_elem(&attachments, &id);

	walk->policy = entry ? entry->policy : 0;
	if (entry || !walk->level)
		return 1;
	walk->level--;
	/* What a walk that ends early leaves behind: a policy that has no image, which denies. */
	walk->policy = POLICY_NONE;
	return 0;
}

/*
 * The slow way, for a bit that is set and a slot that another cgroup holds: the
 * hash by the cgroup's own id and its ancestors', so that an entry that was
 * never made (the hash was full) costs time and not enforcement.
 *
 * Race: an attachment made between the look-up and the store would be hidden by
 * this slot. `attach` therefore waits for all programs that run (an RCU grace
 * period) after it made its entries, and clears the slots after that.
 */
static __noinline __u32 subject_slow(__u64 cgroup)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct subject_walk walk = { .level = task->cgroups->dfl_cgrp->level };

	bpf_loop(SUBJECT_DEPTH_MAX, subject_up, &walk, 0);
	governed.slot[cgroup & (SLOTS - 1)] = (__u64)walk.policy << 48 | (cgroup & 0xffffffffffffull);
	return walk.policy;
}

static __always_inline __u64 subject_cgroup(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return task->cgroups->dfl_cgrp->kn->id;
}

/* Counts a judged act; shards by task, so that processors rarely meet in one. */
static __always_inline void subject_count(struct task_struct *task)
{
	__sync_fetch_and_add(&control.checks[POINTER_DIFF(task) >> 7 & (CHECK_SHARDS - 1)].count, 1);
}

/* The index of the policy that governs TASK, the current one; 0 if none. */
static __always_inline __u32 subject_policy(struct task_struct *task)
{
	__u64 cgroup = task->cgroups->dfl_cgrp->kn->id;
	__u64 slot;

	if (!(governed.bit[cgroup >> 6 & (GOVERNED_BITS / 64 - 1)] >> (cgroup & 63) & 1))
		return 0;
	subject_count(task);
	slot = *(volatile __u64 *)&governed.slot[cgroup & (SLOTS - 1)];
	if (SLOT_IS(slot, cgroup))
		return SLOT_POLICY(slot);
	return subject_slow(cgroup);
}

#endif
