// SPDX-License-Identifier: GPL-2.0
/*
 * Reaching into other processes: ptrace and whatever needs its permission, and
 * changing what other processes are given. The boundary is the attachment.
 */
#include "other.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define PTRACE_NOAUDIT 4
#define LOOK_CAP_SYS_ADMIN 21
#define LOOK_CAP_PERFMON 38

/*
 * Judges what the current task does to OTHER. IS_INSIDE says what the policy's
 * `ptrace` means by "session"; whoever runs this tool is always out of reach.
 */
static __always_inline int reach_judge(struct task_struct *other, __u32 policy, bool is_inside, bool is_quiet)
{
	struct act act = {
		.policy = policy,
		.op = OP_KERNEL_PTRACE,
		.other = POINTER_NUMBER(other),
		.is_quiet = is_quiet,
	};

	if (other_is_tool(other))
		return tool_refuse(&act);
	return surface_judge(&act, is_inside);
}

/*
 * ptrace, process_vm_readv and its like, pidfd_getfd, kcmp, and what of /proc/PID
 * shows a process from within. One's own process never comes here. Where the kernel
 * only asks how much to show (ps, top), nobody is told.
 */
SEC("?lsm/ptrace_access_check")
int BPF_PROG(hook_ptrace_access_check, struct task_struct *other, unsigned int mode)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());

	if (!policy || other_is_own(other))
		return 0;
	return reach_judge(other, policy, task_is_inside(other, task_root()), mode & PTRACE_NOAUDIT) ? -EPERM
												     : 0;
}

/*
 * Asking to be traced by the parent. One who is outside gains nothing by it that
 * it does not have: nobody is asked about a tracer that no policy governs.
 */
SEC("?lsm/ptrace_traceme")
int BPF_PROG(hook_ptrace_traceme, struct task_struct *parent)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());

	if (!policy || !task_is_inside(parent, task_root()))
		return 0;
	return reach_judge(parent, policy, true, false) ? -EPERM : 0;
}

/*
 * What a process is given: limits, priorities, processors. Inside the attachment
 * it needs no permission beyond the kernel's, to others that of ptrace, which could
 * have them do it themselves.
 */
static __always_inline int given_judge(struct task_struct *other)
{
	__u32 policy;

	if (other_is_own(other))
		return 0;
	policy = subject_policy(bpf_get_current_task_btf());
	if (!policy || task_is_inside(other, task_root()))
		return 0;
	return reach_judge(other, policy, false, false) ? -EPERM : 0;
}

SEC("?lsm/task_setrlimit")
int BPF_PROG(hook_task_setrlimit, struct task_struct *other)
{
	return given_judge(other) ? -EPERM : 0;
}

SEC("?lsm/task_setnice")
int BPF_PROG(hook_task_setnice, struct task_struct *other, int nice)
{
	return given_judge(other) ? -EPERM : 0;
}

SEC("?lsm/task_setioprio")
int BPF_PROG(hook_task_setioprio, struct task_struct *other, int priority)
{
	return given_judge(other) ? -EPERM : 0;
}

SEC("?lsm/task_setscheduler")
int BPF_PROG(hook_task_setscheduler, struct task_struct *other)
{
	return given_judge(other) ? -EPERM : 0;
}

/* Set by a thread that was refused CAP_PERFMON, until it asks for CAP_SYS_ADMIN instead. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u32);
} looks SEC(".maps");

static __always_inline bool look_is_governed(struct task_struct *task)
{
	__u64 cgroup = task->cgroups->dfl_cgrp->kn->id;

	return governed.bit[cgroup >> 6 & (GOVERNED_BITS / 64 - 1)] >> (cgroup & 63) & 1;
}

static __always_inline int look_refuse(struct task_struct *task)
{
	__u32 *look = bpf_task_storage_get(&looks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	/* Without memory the next question could not be told from others: nobody lives to ask it. */
	if (look)
		*look = 1;
	else
		bpf_send_signal(9);
	return -EPERM;
}

/*
 * From 6.15 the kernel shows memory maps, environments and the like of any process
 * to who has CAP_PERFMON, whatever ptrace_access_check says, and to who has
 * CAP_SYS_ADMIN, for which the same thread is asked right after. So neither counts
 * in that order for who may not use performance events, which imply that capability.
 */
SEC("?lsm/capable")
int BPF_PROG(hook_capable, const struct cred *cred, void *namespace, int capability)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 *look, policy;

	if ((capability != LOOK_CAP_PERFMON && capability != LOOK_CAP_SYS_ADMIN) || !look_is_governed(task))
		return 0;
	if (capability == LOOK_CAP_PERFMON) {
		policy = subject_policy(task);
		return policy && !surface_allows(policy, OP_KERNEL_PERF) ? look_refuse(task) : 0;
	}
	look = bpf_task_storage_get(&looks, task, 0, 0);
	if (!look || !*look)
		return 0;
	*look = 0;
	return -EPERM;
}
