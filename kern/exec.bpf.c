// SPDX-License-Identifier: GPL-2.0
/* Programs: running them and mapping code. */
#include "verdict.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define EXEC_PROT_EXEC 4

#define TRUSTED __attribute__((btf_decl_tag("arg:trusted")))

/* Deleted files are code without a name that anyone could have ruled on. */
static __always_inline bool exec_is_anonymous(struct dentry *dentry)
{
	return dentry && !dentry->d_hash.pprev;
}

/*
 * A mapping of an overlay's file holds the file behind it from 6.8, on a mount that
 * has no name: what is opened there was judged, but what is to become executable
 * was not, and is denied. Loaders map code executable at once.
 */
#define EXEC_NEEDS_NAME (1u << 31)

static __always_inline int exec_judge(struct dentry *object, struct vfsmount *mnt, __u32 policy, __u32 op)
{
	struct request request = {
		.task = bpf_get_current_task_btf(),
		.policy = policy,
		.first = op & ~EXEC_NEEDS_NAME,
		.second = OP_COUNT,
		.is_anonymous = exec_is_anonymous(object),
		.needs_name = op & EXEC_NEEDS_NAME,
	};

	return verdict_path(object, mnt, &request);
}

__noinline int exec_judge_path(struct path *path TRUSTED, __u32 policy, __u32 op)
{
	return exec_judge(path->dentry, path->mnt, policy, op);
}

/* Runs for the file and again for each interpreter: every one of them is judged. */
SEC("?lsm/bprm_check_security")
int BPF_PROG(hook_bprm_check_security, struct linux_binprm *bprm)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	struct file *file = bprm->file;

	if (!policy)
		return 0;
	if (!file)
		return -EACCES;
	return exec_judge(file->f_path.dentry, file->f_path.mnt, policy, OP_EXEC_RUN);
}

SEC("?lsm/bprm_check_security")
int BPF_PROG(hook_bprm_check_security_trusted, struct linux_binprm *bprm)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	struct file *file = bprm->file;

	if (!policy)
		return 0;
	if (!file)
		return -EACCES;
	return EACCES_IF(exec_judge_path((struct path *)&file->f_path, policy, OP_EXEC_RUN));
}

/*
 * FILE is NULL for anonymous memory. The verifier of 6.12 believes that it never
 * is and deletes the comparison, and the load behind it would crash the kernel:
 * so a probe read of one of its fields decides there, which fails softly.
 */
static __always_inline bool mmap_is_anonymous(struct file *file)
{
	__u64 inode = 0;

	return bpf_probe_read_kernel(&inode, sizeof(inode), &file->f_inode) || !inode;
}

SEC("?lsm/mmap_file")
int BPF_PROG(hook_mmap_file, struct file *file, unsigned long reqprot, unsigned long prot)
{
	__u32 policy;

	if (!(prot & EXEC_PROT_EXEC) || !file || mmap_is_anonymous(file))
		return 0;
	policy = subject_policy(bpf_get_current_task_btf());
	if (!policy)
		return 0;
	return exec_judge(file->f_path.dentry, file->f_path.mnt, policy, OP_EXEC_MAP);
}

SEC("?lsm/mmap_file")
int BPF_PROG(hook_mmap_file_trusted, struct file *file, unsigned long reqprot, unsigned long prot)
{
	__u32 policy;

	if (!(prot & EXEC_PROT_EXEC) || !file || mmap_is_anonymous(file))
		return 0;
	policy = subject_policy(bpf_get_current_task_btf());
	if (!policy)
		return 0;
	return EACCES_IF(exec_judge_path((struct path *)&file->f_path, policy, OP_EXEC_MAP));
}

/* Mapping readable and asking for execution later comes to the same. */
SEC("?lsm/file_mprotect")
int BPF_PROG(hook_file_mprotect, struct vm_area_struct *vma, unsigned long reqprot, unsigned long prot)
{
	struct file *file;
	__u32 policy;

	if (!(prot & EXEC_PROT_EXEC))
		return 0;
	file = vma->vm_file;
	if (!file || mmap_is_anonymous(file))
		return 0;
	policy = subject_policy(bpf_get_current_task_btf());
	if (!policy)
		return 0;
	return exec_judge(file->f_path.dentry, file->f_path.mnt, policy, OP_EXEC_MAP | EXEC_NEEDS_NAME);
}

SEC("?lsm/file_mprotect")
int BPF_PROG(hook_file_mprotect_trusted, struct vm_area_struct *vma, unsigned long reqprot,
	     unsigned long prot)
{
	struct file *file;
	__u32 policy;

	if (!(prot & EXEC_PROT_EXEC))
		return 0;
	file = vma->vm_file;
	if (!file || mmap_is_anonymous(file))
		return 0;
	policy = subject_policy(bpf_get_current_task_btf());
	if (!policy)
		return 0;
	return EACCES_IF(
		exec_judge_path((struct path *)&file->f_path, policy, OP_EXEC_MAP | EXEC_NEEDS_NAME));
}
