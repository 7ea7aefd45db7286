// SPDX-License-Identifier: GPL-2.0
/* Files: opening them and making new ones. */
#include "special.bpf.h"
#include "verdict.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define FMODE_CREATED 0x100000
#define FMODE_EXEC_FLAG 0x20
#define FILE_O_TMPFILE 020000000

/* From 6.18 a file's path lies in a union, whose loads the verifier does not trust: a global function gives it back its type. */
#define TRUSTED __attribute__((btf_decl_tag("arg:trusted")))

/* The open whose creation was put aside has come to its end here: the file exists, and this open made it or did not. */
static __noinline int open_resolve(__u64 dentry, fmode_t mode)
{
	__u64 thread = bpf_get_current_pid_tgid();
	struct pending *pending = bpf_map_lookup_elem(&pendings, &thread);

	if (!pending || pending->act.dentry != dentry ||
	    __sync_val_compare_and_swap(&pending->is_taken, 0, 1))
		return 0;
	pending_resolve(pending, pending->act.verdict != VERDICT_BLOCKED && mode & FMODE_CREATED);
	bpf_map_delete_elem(&pendings, &thread);
	return 0;
}

/*
 * What an open needs. A file that this open made was judged at path_mknod, and
 * one that is opened to be executed at bprm_check_security.
 */
static __always_inline int open_judge(struct dentry *object, struct vfsmount *mnt, fmode_t mode,
				      unsigned int flags, struct request *request)
{
	if (control.pending)
		open_resolve(POINTER_NUMBER(object), mode);
	request_open(request, mode, flags);
	if (flags & FILE_O_TMPFILE) {
		request->first = OP_FILE_CREATE;
		request->second = OP_COUNT;
	} else if (mode & FMODE_CREATED || flags & FMODE_EXEC_FLAG) {
		return 0;
	}
	return verdict_path(object, mnt, request);
}

SEC("?lsm/file_open")
int BPF_PROG(hook_file_open, struct file *file)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct request request = { .task = task, .policy = subject_policy(task) };
	int special;

	if (!request.policy)
		return 0;
	special = special_file(file, request.policy);
	if (special)
		return SPECIAL_RESULT(special);
	request.inode = file->f_inode;
	return open_judge(file->f_path.dentry, file->f_path.mnt, file->f_mode, file->f_flags, &request);
}

__noinline int open_judge_path(struct path *path TRUSTED, __u32 mode, __u32 flags, __u32 policy)
{
	struct request request = { .task = bpf_get_current_task_btf(), .policy = policy };

	return open_judge(path->dentry, path->mnt, mode, flags, &request);
}

SEC("?lsm/file_open")
int BPF_PROG(hook_file_open_trusted, struct file *file)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	int special;

	if (!policy)
		return 0;
	special = special_file(file, policy);
	if (special)
		return SPECIAL_RESULT(special);
	return EACCES_IF(open_judge_path((struct path *)&file->f_path, file->f_mode, file->f_flags, policy));
}

/* Not the character device 0:0: so overlays mark what they hide, and nothing can open one. */
static __always_inline bool mknod_is_device(__u32 mode, __u32 dev)
{
	return (mode & 0170000) == 0060000 || ((mode & 0170000) == 0020000 && dev);
}

/* Which device a node is tells its number alone: rules about /dev would not hold for another name. */
SEC("lsm/path_mknod")
int BPF_PROG(hook_path_mknod, const struct path *dir, struct dentry *dentry, umode_t mode, unsigned int dev)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct request request = {
		.task = task, .policy = subject_policy(task), .first = OP_FILE_CREATE, .second = OP_COUNT
	};

	if (!request.policy)
		return 0;
	/* A socket is bound to its file by making it. */
	if ((mode & S_IFMT) == S_IFSOCK)
		request.second = OP_UNIX_BIND;
	if (mknod_is_device(mode, dev) &&
	    special_judge(DEVICE_MAGIC, POINTER_NUMBER(dentry), POINTER_NUMBER(dir->mnt), request.policy,
			  SPECIAL_NAME) < 0)
		return -EPERM;
	/* Pins are made so. In a cgroup tree nothing can be, and a name that an open finds there is no new one. */
	if (dentry->d_sb->s_magic == BPFFS_MAGIC &&
	    special_object(dentry, POINTER_NUMBER(dir->mnt), request.policy, SPECIAL_NAME) < 0)
		return -EPERM;
	return verdict_path(dentry, dir->mnt, &request);
}
