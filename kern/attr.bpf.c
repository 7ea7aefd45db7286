// SPDX-License-Identifier: GPL-2.0
/* Attributes of files by hooks that get no mount: extended attributes, access control lists, flags. */
#include "mounts.bpf.h"
#include "special.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define TASK_IO_WORKER 0x10

/* The credentials of the request that a worker of io_uring runs; 0 if there is none. */
static __always_inline __u64 worker_credentials(struct task_struct *task)
{
	struct io_worker *worker = BPF_CORE_READ(task, worker_private);
	struct io_wq_work *work = BPF_CORE_READ(worker, cur_work);
	struct io_kiocb *request;

	if (!work)
		return 0;
	request = (void *)((__u64)work - bpf_core_field_offset(struct io_kiocb, work));
	return (__u64)BPF_CORE_READ(request, creds);
}

/*
 * A file system that lies over others, such as overlayfs, sets attributes of what is
 * below in the course of another act: to copy a file up, to pass the change of its
 * own file's attribute on. That act was judged by the name of its own file; what lies
 * below has no name for the caller in most cases, and would be denied.
 *
 * It does so with the credentials of whoever mounted it, in a copy of its own. A
 * system call, as against that, acts with the credentials that its task has, and
 * there is no way to ask for others but one: requests of io_uring bring theirs along.
 * Those that set attributes always run in a worker, so what a worker does is compared
 * with its request's credentials. No task can have a file system's copy for its own,
 * so nobody can make a direct change look like one from above.
 */
static __always_inline bool attr_is_from_above(struct task_struct *task)
{
	__u64 used = POINTER_NUMBER(task->cred), asked;

	if (used == POINTER_NUMBER(task->real_cred))
		return false;
	if (!(task->flags & TASK_IO_WORKER))
		return true;
	asked = worker_credentials(task);
	return asked && used != asked;
}

static __always_inline int attr_judge(struct dentry *dentry)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 policy = subject_policy(task);
	int special;

	if (!policy || attr_is_from_above(task))
		return 0;
	special = special_object(dentry, 0, policy, SPECIAL_ATTR);
	if (special)
		return SPECIAL_RESULT(special);
	return verdict_object(dentry, policy, OP_FILE_ATTR);
}

/* To 6.1 ACLs come by here, too. What the kernel does by itself when a file is written (security.capability) does not. */
SEC("lsm/inode_setxattr")
int BPF_PROG(hook_inode_setxattr, void *map, struct dentry *dentry)
{
	return attr_judge(dentry);
}

SEC("lsm/inode_removexattr")
int BPF_PROG(hook_inode_removexattr, void *map, struct dentry *dentry)
{
	return attr_judge(dentry);
}

SEC("?lsm/inode_set_acl")
int BPF_PROG(hook_inode_set_acl, void *map, struct dentry *dentry)
{
	return attr_judge(dentry);
}

SEC("?lsm/inode_remove_acl")
int BPF_PROG(hook_inode_remove_acl, void *map, struct dentry *dentry)
{
	return attr_judge(dentry);
}

/* From 6.3 the hook's first argument is the mount's map of ids. */
const volatile __u32 setattr_has_map = 0;

#define SETATTR_SIZE (1u << 3)
#define SETATTR_ACCESSED (1u << 4)
#define SETATTR_MODIFIED (1u << 5)

/*
 * Timestamps that somebody asked for: utimensat(2) and its like. The hook sees all
 * other changes, too: those of mode and owner bring neither time, the path hooks
 * have them, and a truncation brings its size.
 */
static __always_inline int times_judge(struct dentry *dentry, struct iattr *attr)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	__u32 valid;

	if (!policy)
		return 0;
	valid = attr->ia_valid;
	if (valid & SETATTR_SIZE || !(valid & (SETATTR_ACCESSED | SETATTR_MODIFIED)) ||
	    attr_is_from_above(bpf_get_current_task_btf()))
		return 0;
	return verdict_object(dentry, policy, OP_FILE_ATTR);
}

SEC("lsm/inode_setattr")
int hook_inode_setattr(unsigned long long *ctx)
{
	if (setattr_has_map)
		return times_judge((void *)ctx[1], (void *)ctx[2]);
	return times_judge((void *)ctx[0], (void *)ctx[1]);
}

/* From 6.17: file_setattr(2), and what chattr(1) and its like ask for by ioctl. */
SEC("?lsm/inode_file_setattr")
int BPF_PROG(hook_inode_file_setattr, struct dentry *dentry)
{
	return attr_judge(dentry);
}
