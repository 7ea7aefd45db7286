/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Other processes: what they are to the current one, and those of the control tool
 * itself, which no governed process may touch, whatever its policy says.
 */
#ifndef AGENTCTL_OTHER_BPF_H
#define AGENTCTL_OTHER_BPF_H

#include "surface.bpf.h"

#define OTHER_PF_KTHREAD 0x200000
/* As deep as processes can be nested: whoever is further down would not count as a descendant. */
#define DESCENT_MAX 65536

static __always_inline bool other_is_own(struct task_struct *other)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return POINTER_DIFF(other->signal) == POINTER_DIFF(task->signal);
}

struct ascent {
	__u64 task;
	__u64 signal; /* of the process that is looked for */
	__u32 is_found;
};

static long ascent_step(__u32 i, struct ascent *ascent)
{
	struct task_struct *task = (void *)ascent->task, *parent = BPF_CORE_READ(task, real_parent);

	if (!parent || (__u64)parent == ascent->task)
		return 1;
	ascent->task = (__u64)parent;
	ascent->is_found = (__u64)BPF_CORE_READ(parent, signal) == ascent->signal;
	return ascent->is_found;
}

/*
 * The targets that OTHER is to the current process, whose attachment is ROOT. By
 * the parents that started processes, not by tracers; tasks and their parents go
 * after an RCU grace period only.
 */
static __noinline __attribute__((unused)) __u32 other_targets(struct task_struct *other, __u64 root)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct ascent ascent = { .task = POINTER_NUMBER(other), .signal = POINTER_NUMBER(task->signal) };
	__u32 targets = 0;

	if (other->tgid == 1 || other->flags & OTHER_PF_KTHREAD)
		return TARGET_BIT(TARGET_SYSTEM);
	if (other_is_own(other))
		return TARGET_BIT(TARGET_SELF) | TARGET_BIT(TARGET_SESSION);
	if (task_is_inside(other, root))
		targets = TARGET_BIT(TARGET_SESSION);
	if (ascent_step(0, &ascent) && ascent.is_found)
		return targets | TARGET_BIT(TARGET_CHILD) | TARGET_BIT(TARGET_DESCENDANT);
	bpf_loop(DESCENT_MAX, ascent_step, &ascent, 0);
	if (ascent.is_found)
		targets |= TARGET_BIT(TARGET_DESCENDANT);
	return targets ? targets : TARGET_BIT(TARGET_EXTERNAL);
}

/*
 * Does OTHER run this tool outside of all attachments? By the inode of its
 * executable, noted when the programs are tried; a governed process that runs it,
 * too, is as any other.
 */
static __noinline __attribute__((unused)) bool other_is_tool(struct task_struct *other)
{
	struct inode *inode = BPF_CORE_READ(other, mm, exe_file, f_inode);
	__u64 cgroup = BPF_CORE_READ(other, cgroups, dfl_cgrp, kn, id);
	__u64 number, device;

	if (!inode || bpf_map_lookup_elem(&attachments, &cgroup))
		return false;
	number = BPF_CORE_READ(inode, i_ino);
	device = BPF_CORE_READ(inode, i_sb, s_dev);
	for (int i = 0; i < TOOLS_MAX; i++)
		if (control.tools[i].inode == number && control.tools[i].device == device && number)
			return true;
	return false;
}

/* Notes what the current process, the self-check's, runs. */
static __noinline __attribute__((unused)) int tool_note(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct inode *inode = BPF_CORE_READ(task, mm, exe_file, f_inode);
	__u64 number = BPF_CORE_READ(inode, i_ino), device = BPF_CORE_READ(inode, i_sb, s_dev);

	for (int i = 0; i < TOOLS_MAX; i++)
		if (control.tools[i].inode == number && control.tools[i].device == device)
			return 0;
	for (int i = 0; i < TOOLS_MAX; i++) {
		if (i != (control.tool_count & (TOOLS_MAX - 1)))
			continue;
		control.tools[i].device = device;
		control.tools[i].inode = number;
	}
	control.tool_count++;
	return 0;
}

/* Refuses ACT on a process of this tool: audit mode does not open that. */
static __noinline __attribute__((unused)) int tool_refuse(struct act *act)
{
	struct head head;

	if (image_head(act->policy, &head))
		return -EPERM;
	act->generation = head.generation & ~(__u64)GENERATION_AUDIT;
	act->observed = head.observed;
	act->word = WORD(RULE_DEFAULT, VERB_DENY);
	act->reason = REASON_DEFAULT;
	act_settle(act);
	return -EPERM;
}

#endif
