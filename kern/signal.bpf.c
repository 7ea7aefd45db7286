// SPDX-License-Identifier: GPL-2.0
/* Signals: which of them a process may send, and to whom. */
#include "owner.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define SIGNAL_PF_EXITING 4
#define FCNTL_SETFL 4
#define FCNTL_SETOWN 8
#define FCNTL_SETSIG 10
#define FCNTL_SETOWN_EX 15
#define SIGNAL_O_ASYNC 020000

struct signal_look {
	struct act *act;
	__u32 kind;
};

IMAGE_FUNCTION signal_read(const struct image_header *header, const __u64 *cell, __u32 mask,
			   struct signal_look *look)
{
	struct act *act = look->act;

	act->generation = header->generation;
	act->observed = decide_observed(header, act->detail);
	act->word = decide_signal(header, cell, mask, look->kind, act->detail);
	return 0;
}

static __noinline int signal_find(struct signal_look *look)
{
	if (!look->act)
		return -ESTALE;
	IMAGE_CALL(look->act->policy, signal_read, look);
	return -ESTALE;
}

static __always_inline int signal_judge(struct task_struct *other, __u32 policy, __u32 number)
{
	struct act act = {
		.policy = policy,
		.op = OP_SIGNAL_SEND,
		.detail = number,
		.other = POINTER_NUMBER(other),
	};
	struct signal_look look = { .act = &act };

	if (other_is_tool(other))
		return tool_refuse(&act);
	look.kind = decide_signal_kind(other_targets(other, task_root()));
	if (signal_find(&look))
		return -EPERM;
	act.reason = WORD_RULE(act.word) == RULE_DEFAULT ? REASON_DEFAULT : REASON_RULE;
	return act_settle(&act) ? -EPERM : 0;
}

/*
 * All system calls that send signals come by here, once for each process that they
 * find, after the kernel has asked for the rights of the user. Signal 0 sends
 * nothing. What the kernel itself sends (terminals, timers, the death of a child,
 * faults) does not come, but for what a process has asked for at the death of its
 * parent: that comes from the parent as it exits, when it can ask for nothing any
 * more. With CRED it comes on behalf of whoever set up a transfer on a USB device,
 * and the current task is any.
 */
SEC("?lsm/task_kill")
int BPF_PROG(hook_task_kill, struct task_struct *other, void *info, int number, const struct cred *cred)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 policy;

	if (!number || task->flags & SIGNAL_PF_EXITING || POINTER_NUMBER(cred))
		return 0;
	policy = subject_policy(task);
	if (!policy)
		return 0;
	if (policy == POLICY_CANARY)
		tool_note();
	return signal_judge(other, policy, number) ? -EPERM : 0;
}

/* Does the request name another process, or change what another that is the owner already will get? */
static __always_inline bool fcntl_is_about_other(struct file *file, unsigned int request,
						 unsigned long argument)
{
	switch (request) {
	case FCNTL_SETOWN:
		return (__u32)argument && (__u32)argument != owner_own_id();
	case FCNTL_SETOWN_EX:
		/* It lies in memory that another thread may change. */
		return true;
	case FCNTL_SETSIG:
		return !owner_is_own(file);
	case FCNTL_SETFL:
		return argument & SIGNAL_O_ASYNC && !owner_is_own(file);
	}
	return false;
}

static __always_inline bool fcntl_is_judged(unsigned int request, unsigned long argument)
{
	return request == FCNTL_SETOWN || request == FCNTL_SETOWN_EX || request == FCNTL_SETSIG ||
	       (request == FCNTL_SETFL && argument & SIGNAL_O_ASYNC);
}

SEC("?lsm/file_fcntl")
int BPF_PROG(hook_file_fcntl, struct file *file, unsigned int request, unsigned long argument)
{
	__u32 policy, number = OWNER_SIGIO;

	if (!fcntl_is_judged(request, argument))
		return 0;
	policy = subject_policy(bpf_get_current_task_btf());
	if (!policy || !fcntl_is_about_other(file, request, argument))
		return 0;
	if (request == FCNTL_SETSIG && argument && argument <= SIGNAL_MAX)
		number = argument;
	return owner_judge_file(file, policy, number) ? -EPERM : 0;
}

/*
 * Delivery, in whichever task's time. Processes of this tool ask for no such
 * signal, so none that comes is theirs, however it was set up.
 */
SEC("?lsm/file_send_sigiotask")
int BPF_PROG(hook_file_send_sigiotask, struct task_struct *other)
{
	if (!other_is_tool(other))
		return 0;
	if (subject_policy(bpf_get_current_task_btf()) == POLICY_CANARY)
		__sync_fetch_and_or(&control.canary_hits, 1ull << OP_SIGNAL_SEND);
	return -EPERM;
}
