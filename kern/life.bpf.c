// SPDX-License-Identifier: GPL-2.0
/* What completes the tree of processes: their beginnings and ends, told where all of exec is observed. */
#include "settle.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * The policy that governs TASK, which need not be the current one: by the entry of
 * its cgroup. Only the current task's cgroup may be looked up the slow way, for
 * that goes by the current task's ancestors.
 */
static __always_inline __u32 life_policy(struct task_struct *task, __u64 *ret_root)
{
	__u64 cgroup = task->cgroups->dfl_cgrp->kn->id;
	struct attachment *entry;

	if (!(governed.bit[cgroup >> 6 & (GOVERNED_BITS / 64 - 1)] >> (cgroup & 63) & 1))
		return 0;
	*ret_root = cgroup;
	entry = bpf_map_lookup_elem(&attachments, &cgroup);
	if (entry) {
		*ret_root = entry->root;
		return entry->policy;
	}
	return cgroup == subject_cgroup() ? subject_slow(cgroup) : 0;
}

static __noinline int life_tell(__u32 policy, __u64 root, __u32 op, __u64 other, __u32 detail)
{
	struct act act = {
		.policy = policy,
		.op = op,
		.word = WORD(RULE_DEFAULT, VERB_ALLOW),
		.reason = REASON_DEFAULT,
		.verdict = VERDICT_ALLOWED,
		.other = other,
		.detail = detail,
	};
	struct head head;

	head_copy(policy, &head);
	if (policy == POLICY_CANARY || (head.observed & OPS_EXEC) != OPS_EXEC)
		return 0;
	act.generation = head.generation;
	return event_tell(&act, root);
}

/* The child is in its cgroup, and has not run yet. It is the policy of that cgroup which counts. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(hook_sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	__u64 root = 0;
	__u32 policy = life_policy(child, &root);

	/* A thread is no process. */
	if (!policy || child->pid != child->tgid)
		return 0;
	return life_tell(policy, root, EVENT_FORK, POINTER_NUMBER(child), 0);
}

/*
 * The last thread of a process ends. The tracepoint of it does not tell which one is
 * the last (two may both find that none is left), and comes when the program that ran
 * is gone; this function is called before, and told.
 */
SEC("fentry/taskstats_exit")
int BPF_PROG(hook_taskstats_exit, struct task_struct *task, int group_dead)
{
	__u64 root = 0;
	__u32 policy;

	if (!group_dead)
		return 0;
	policy = life_policy(task, &root);
	if (!policy)
		return 0;
	return life_tell(policy, root, EVENT_EXIT, 0, BPF_CORE_READ(task, signal, group_exit_code));
}
