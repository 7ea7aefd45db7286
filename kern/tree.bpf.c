// SPDX-License-Identifier: GPL-2.0
/* The tree of names, and what changes a file without opening it: mkdir, symlink, unlink, rmdir, truncate, chmod, chown. */
#include "special.bpf.h"
#include "verdict.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * These hooks come after the kernel has looked the name up and found it free, or
 * taken, as the call needs it: so there is nothing tentative about them, as there
 * is about an open that may create (event.bpf.h). They run for system calls alone:
 * what overlayfs and other file systems do beneath their own files does not pass.
 */
static __always_inline int tree_judge(struct dentry *object, struct vfsmount *mnt, __u32 op,
				      enum special what)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct request request = {
		.task = task, .policy = subject_policy(task), .first = op, .second = OP_COUNT
	};
	int special;

	if (!request.policy)
		return 0;
	special = special_object(object, POINTER_NUMBER(mnt), request.policy, what);
	if (special)
		return SPECIAL_RESULT(special);
	return verdict_path(object, mnt, &request);
}

SEC("lsm/path_mkdir")
int BPF_PROG(hook_path_mkdir, const struct path *dir, struct dentry *dentry)
{
	return tree_judge(dentry, dir->mnt, OP_FILE_CREATE, SPECIAL_NAME);
}

/* The link's own name is made; where it leads is judged when it is followed, and may be nowhere yet. */
SEC("lsm/path_symlink")
int BPF_PROG(hook_path_symlink, const struct path *dir, struct dentry *dentry)
{
	return tree_judge(dentry, dir->mnt, OP_FILE_CREATE, SPECIAL_NAME);
}

SEC("lsm/path_unlink")
int BPF_PROG(hook_path_unlink, const struct path *dir, struct dentry *dentry)
{
	return tree_judge(dentry, dir->mnt, OP_FILE_DELETE, SPECIAL_NAME);
}

SEC("lsm/path_rmdir")
int BPF_PROG(hook_path_rmdir, const struct path *dir, struct dentry *dentry)
{
	return tree_judge(dentry, dir->mnt, OP_FILE_DELETE, SPECIAL_NAME);
}

/* To 6.1 the hook below is asked for descriptors, too: for ftruncate and for the end of an O_TRUNC open. */
const volatile __u32 truncate_has_descriptors = 0;

/* The largest stack of any configuration: too much judges a descriptor, too little lets a name through. */
#define STACK_MAX 65536

/* A path that was looked up for this call stands on the task's stack, a descriptor's in its file. */
static __always_inline bool truncate_is_by_name(const struct path *path, struct task_struct *task)
{
	return POINTER_NUMBER(path) - (__u64)task->stack < STACK_MAX;
}

/*
 * Truncating by name is a write without an open. By a descriptor it is one use of
 * it among others: the right to write was judged when it was opened, or came with
 * the file that it made, and an O_TRUNC open was judged as a write by file_open.
 * To judge it here again would tell of one act twice, and refuse ftruncate where
 * write(2) goes through.
 */
SEC("lsm/path_truncate")
int BPF_PROG(hook_path_truncate, const struct path *path)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct request request = {
		.task = task, .policy = subject_policy(task), .first = OP_FILE_WRITE, .second = OP_COUNT
	};
	int special;

	if (!request.policy || (truncate_has_descriptors && !truncate_is_by_name(path, task)))
		return 0;
	special = special_object(path->dentry, POINTER_NUMBER(path->mnt), request.policy, SPECIAL_WRITE);
	if (special)
		return SPECIAL_RESULT(special);
	return verdict_path(path->dentry, path->mnt, &request);
}

/* With fchmod and fchown the path is the descriptor's. */
SEC("lsm/path_chmod")
int BPF_PROG(hook_path_chmod, const struct path *path)
{
	return tree_judge(path->dentry, path->mnt, OP_FILE_ATTR, SPECIAL_ATTR);
}

SEC("lsm/path_chown")
int BPF_PROG(hook_path_chown, const struct path *path)
{
	return tree_judge(path->dentry, path->mnt, OP_FILE_ATTR, SPECIAL_ATTR);
}
