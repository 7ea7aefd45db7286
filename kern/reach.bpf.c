// SPDX-License-Identifier: GPL-2.0
/* Reaching files without opening them: descriptors that arrive from outside, and watches. */
#include "special.bpf.h"
#include "verdict.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define REACH_O_PATH 010000000
#define REACH_WATCH_OBJECT 0 /* FSNOTIFY_OBJ_TYPE_INODE */

#define TRUSTED __attribute__((btf_decl_tag("arg:trusted")))

/*
 * A descriptor is as good as an open: it is judged as the open would be that it
 * came from. One of mode 3 (neither read nor write, for ioctl only) needs both, as
 * at file_open. One that was opened with O_PATH reads and writes nothing: what is
 * opened through it is judged then, by its own name.
 */
static __always_inline int receive_judge(struct dentry *object, struct vfsmount *mnt, fmode_t mode,
					 unsigned int flags, __u32 policy)
{
	struct request request = { .task = bpf_get_current_task_btf(), .policy = policy };

	request_open(&request, mode, 0);
	return flags & REACH_O_PATH ? 0 : verdict_path(object, mnt, &request);
}

__noinline int receive_judge_path(struct path *path TRUSTED, __u32 mode, __u32 flags, __u32 policy)
{
	return receive_judge(path->dentry, path->mnt, mode, flags, policy);
}

/* SCM_RIGHTS, pidfd_getfd and what a seccomp supervisor puts in; the current task is the one that gets it. */
SEC("?lsm/file_receive")
int BPF_PROG(hook_file_receive, struct file *file)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	int special;

	if (!policy)
		return 0;
	special = special_file(file, policy);
	if (special)
		return SPECIAL_RESULT(special);
	return receive_judge(file->f_path.dentry, file->f_path.mnt, file->f_mode, file->f_flags, policy);
}

SEC("?lsm/file_receive")
int BPF_PROG(hook_file_receive_trusted, struct file *file)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	int special;

	if (!policy)
		return 0;
	special = special_file(file, policy);
	if (special)
		return SPECIAL_RESULT(special);
	return EACCES_IF(
		receive_judge_path((struct path *)&file->f_path, file->f_mode, file->f_flags, policy));
}

/*
 * A mark on a whole mount or file system tells names that nobody asked for, and
 * there is no one name to judge: whoever may not read everything gets none.
 */
static __always_inline int watch_refuse(struct dentry *object, struct vfsmount *mnt, __u32 policy)
{
	struct found found = { .kind = NAME_NONE, .reason = REASON_ERROR, .op = { OP_FILE_READ, OP_COUNT } };
	struct head head;

	head_copy(policy, &head);
	if (!(head.enforced & OP_BIT(OP_FILE_READ)))
		return 0;
	return verdict_settle(object, POINTER_NUMBER(mnt), &head, &found);
}

/* inotify, fanotify, dnotify: a watch tells what happens to an object, and of a directory the names in it, as reading does. */
SEC("lsm/path_notify")
int BPF_PROG(hook_path_notify, const struct path *path, __u64 mask, unsigned int kind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct request request = {
		.task = task, .policy = subject_policy(task), .first = OP_FILE_READ, .second = OP_COUNT
	};
	struct dentry *object;
	struct vfsmount *mnt;

	if (!request.policy)
		return 0;
	object = path->dentry;
	mnt = path->mnt;
	if (!object || !mnt)
		return -EACCES;
	if (kind != REACH_WATCH_OBJECT)
		return EACCES_IF(watch_refuse(object, mnt, request.policy));
	return verdict_path(object, mnt, &request);
}
