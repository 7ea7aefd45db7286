// SPDX-License-Identifier: GPL-2.0
/* Requests on open files (ioctl) that do more than the file's own rights say: keystrokes, snapshots, inode flags. */
#include "owner.bpf.h"
#include "verdict.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define IOCTL_TIOCSTI 0x5412
#define IOCTL_TIOCLINUX 0x541c
#define IOCTL_BTRFS_SNAP_CREATE 0x50009401
#define IOCTL_BTRFS_SNAP_CREATE_V2 0x50009417
#define IOCTL_BTRFS_SUBVOL_CREATE 0x5000940e
#define IOCTL_BTRFS_SUBVOL_CREATE_V2 0x50009418
#define IOCTL_BTRFS_SNAP_DESTROY 0x5000940f
#define IOCTL_BTRFS_SNAP_DESTROY_V2 0x5000943f
#define IOCTL_FIOASYNC 0x5452
#define IOCTL_FIOSETOWN 0x8901
#define IOCTL_SIOCSPGRP 0x8902
#define IOCTL_SETFLAGS 0x40086602
#define IOCTL_SETFLAGS_32 0x40046602
#define IOCTL_FSSETXATTR 0x401c5820

/* From 6.17 flags have a hook of their own, which file_setattr(2) passes, too (attr.bpf.c). */
const volatile __u32 flags_have_own_hook = 0;

/*
 * The operation that a request is; OP_COUNT for the many that are none.
 *
 * TIOCLINUX is one whatever it is about: what tells pasting from the rest lies in
 * the caller's memory, where another thread may change it after it was read here.
 */
static __always_inline __u32 ioctl_operation(unsigned int request)
{
	switch (request) {
	case IOCTL_TIOCSTI:
	case IOCTL_TIOCLINUX:
		return OP_KERNEL_TIOCSTI;
	case IOCTL_BTRFS_SNAP_CREATE:
	case IOCTL_BTRFS_SNAP_CREATE_V2:
	case IOCTL_BTRFS_SUBVOL_CREATE:
	case IOCTL_BTRFS_SUBVOL_CREATE_V2:
	case IOCTL_BTRFS_SNAP_DESTROY:
	case IOCTL_BTRFS_SNAP_DESTROY_V2:
		return OP_KERNEL_SNAPSHOT;
	case IOCTL_FIOASYNC:
	case IOCTL_FIOSETOWN:
	case IOCTL_SIOCSPGRP:
		return OP_SIGNAL_SEND;
	case IOCTL_SETFLAGS:
	case IOCTL_SETFLAGS_32:
	case IOCTL_FSSETXATTR:
		return OP_FILE_ATTR;
	}
	return OP_COUNT;
}

/* Whom the request names lies in the caller's memory, as with keystrokes. */
static __always_inline int ioctl_judge_owner(struct file *file, __u32 policy, unsigned int request)
{
	if (request == IOCTL_FIOASYNC && owner_is_own(file))
		return 0;
	return owner_judge_file(file, policy, OWNER_SIGIO) ? -EPERM : 0;
}

static __always_inline int ioctl_judge(struct file *file, unsigned int request)
{
	__u32 op = ioctl_operation(request), policy;
	struct request attr = { .first = OP_FILE_ATTR, .second = OP_COUNT };

	if (op == OP_COUNT)
		return 0;
	attr.task = bpf_get_current_task_btf();
	policy = subject_policy(attr.task);
	if (!policy)
		return 0;
	if (op == OP_SIGNAL_SEND)
		return ioctl_judge_owner(file, policy, request);
	if (op != OP_FILE_ATTR)
		return surface_judge_file(file, policy, op) ? -EPERM : 0;
	if (flags_have_own_hook)
		return 0;
	attr.policy = policy;
	return verdict_path(file->f_path.dentry, file->f_path.mnt, &attr);
}

/* Where the path needs another way to be trusted, flags have their own hook. */
static __always_inline int ioctl_judge_surface(struct file *file, unsigned int request)
{
	__u32 op = ioctl_operation(request), policy;

	if (op == OP_COUNT || op == OP_FILE_ATTR)
		return 0;
	policy = subject_policy(bpf_get_current_task_btf());
	if (policy && op == OP_SIGNAL_SEND)
		return ioctl_judge_owner(file, policy, request);
	return policy && surface_judge_file(file, policy, op) ? -EPERM : 0;
}

SEC("?lsm/file_ioctl")
int BPF_PROG(hook_file_ioctl, struct file *file, unsigned int request)
{
	return ioctl_judge(file, request);
}

SEC("?lsm/file_ioctl")
int BPF_PROG(hook_file_ioctl_trusted, struct file *file, unsigned int request)
{
	return ioctl_judge_surface(file, request);
}

/* 32-bit programs, where the kernel asks for them apart (6.8, and what was backported). */
SEC("?lsm/file_ioctl_compat")
int BPF_PROG(hook_file_ioctl_compat, struct file *file, unsigned int request)
{
	return ioctl_judge(file, request);
}

SEC("?lsm/file_ioctl_compat")
int BPF_PROG(hook_file_ioctl_compat_trusted, struct file *file, unsigned int request)
{
	return ioctl_judge_surface(file, request);
}
