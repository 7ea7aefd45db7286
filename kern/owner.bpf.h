/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owners of descriptors: whom the kernel signals when something arrives. To name
 * another process is to send it signals, and by F_SETSIG any. Whether they arrive
 * is decided long after, when nobody knows any more who asked for it, so it is
 * judged when it is asked for, and as if it were sent to everybody.
 */
#ifndef AGENTCTL_OWNER_BPF_H
#define AGENTCTL_OWNER_BPF_H

#include "other.bpf.h"

#define OWNER_SIGIO 29

IMAGE_FUNCTION owner_read(const struct image_header *header, const __u64 *cell, __u32 mask, struct act *act)
{
	act->generation = header->generation;
	act->observed = decide_observed(header, act->detail);
	act->word = header->enforced & OP_BIT(OP_SIGNAL_SEND) ? header->signal_owner
							      : WORD(RULE_DEFAULT, VERB_ALLOW);
	return 0;
}

static __always_inline int owner_find(struct act *act)
{
	IMAGE_CALL(act->policy, owner_read, act);
	return -ESTALE;
}

static __noinline int owner_judge(struct act *act)
{
	if (owner_find(act))
		return -EPERM;
	act->reason = WORD_RULE(act->word) == RULE_DEFAULT ? REASON_DEFAULT : REASON_RULE;
	return act_settle(act) ? -EPERM : 0;
}

/* Judges that the owner of FILE be another process, or a group, which is to get the signal NUMBER. */
static __always_inline int owner_judge_file(struct file *file, __u32 policy, __u32 number)
{
	struct act act = {
		.policy = policy,
		.op = OP_SIGNAL_SEND,
		.detail = number,
		.dentry = (__u64)BPF_CORE_READ(file, f_path.dentry),
		.mnt = (__u64)BPF_CORE_READ(file, f_path.mnt),
	};

	return owner_judge(&act);
}

/* Is FILE's owner nobody, or the current process? */
static __always_inline bool owner_is_own(struct file *file)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 pid;

	if (bpf_core_field_exists(struct file___owner_pointer, f_owner))
		pid = (__u64)BPF_CORE_READ((struct file___owner_pointer *)file, f_owner, pid);
	else
		pid = (__u64)BPF_CORE_READ((struct file___owner *)file, f_owner.pid);
	return !pid || pid == (__u64)BPF_CORE_READ(task, thread_pid) ||
	       pid == (__u64)BPF_CORE_READ(task, signal, pids[PIDTYPE_TGID]);
}

/* The current process's id as it knows it itself. */
static __always_inline __u32 owner_own_id(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pid *pid = BPF_CORE_READ(task, signal, pids[PIDTYPE_TGID]);
	__u32 level = BPF_CORE_READ(pid, level);

	return BPF_CORE_READ(pid, numbers[level].nr);
}

#endif
