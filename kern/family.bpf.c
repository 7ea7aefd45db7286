// SPDX-License-Identifier: GPL-2.0
/* Making sockets: families and protocols that no rule about addresses can judge, and raw sockets. */
#include "family.bpf.h"
#include "surface.bpf.h"
#include "verdict.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define FAMILY_RAW 3 /* SOCK_RAW */

/* The kernel's own sockets (KERN) are not the task's. Without a net section nothing of this is judged. */
SEC("lsm/socket_create")
int BPF_PROG(hook_socket_create, int family, int type, int protocol, int kern)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	struct act act;
	struct families families;
	bool is_raw;
	__u32 bit;

	if (!policy || kern)
		return 0;
	if (families_find(policy, &families))
		return -EPERM;
	if (!families.is_enforced)
		return 0;
	bit = family_bit(family, type, protocol);
	is_raw = (family == DECIDE_AF_INET || family == DECIDE_AF_INET6) && type == FAMILY_RAW;
	if (!is_raw && (bit == FAMILY_JUDGED || families.allowed >> bit & 1))
		return 0;
	act = (struct act){ .policy = policy };
	act.op = is_raw ? OP_KERNEL_RAW_SOCKET : OP_KERNEL_FAMILIES;
	act.detail = SOCKET_DETAIL(family, type, protocol);
	return surface_judge(&act, false) ? -EPERM : 0;
}
