/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that are no files: writing in a cgroup tree moves tasks and limits, names
 * in a BPF file system are what keeps programs in force, /proc/sys/kernel and its
 * like name programs that the kernel runs as root, outside, and a node of a device
 * is the device. Whatever changes something there is judged by the kernel section,
 * before file rules.
 */
#ifndef AGENTCTL_SPECIAL_BPF_H
#define AGENTCTL_SPECIAL_BPF_H

#include "surface.bpf.h"

#define CGROUP1_MAGIC 0x27e0eb
#define CGROUP2_MAGIC 0x63677270
#define BPFFS_MAGIC 0xcafe4a11
#define PROC_MAGIC 0x9fa0
#define SYSFS_MAGIC 0x62656572
#define BINFMT_MAGIC 0x42494e4d
#define DEVICE_MAGIC 0 /* no file system: a new node, on any */

#define SPECIAL_FMODE_WRITE 2

enum special {
	SPECIAL_WRITE, /* an open file, for writing */
	SPECIAL_NAME,  /* a name made, removed or changed */
	SPECIAL_ATTR,  /* mode, owner, attributes */
};

static __always_inline bool magic_is_special(__u64 magic)
{
	return magic == CGROUP2_MAGIC || magic == CGROUP1_MAGIC || magic == BPFFS_MAGIC;
}

#define SPECIAL_NAME_MAX 24

/* Eight bytes at once, as they lie in memory. */
struct special_name {
	__u64 word[SPECIAL_NAME_MAX / 8];
};

#define NAME_IS(name, string)                                                                     \
	({                                                                                        \
		const char wanted_[SPECIAL_NAME_MAX] = string;                                    \
		const __u64 *w_ = (const __u64 *)wanted_;                                         \
		(name)->word[0] == w_[0] && (name)->word[1] == w_[1] && (name)->word[2] == w_[2]; \
	})

static __always_inline void special_name_read(struct dentry *dentry, struct special_name *name)
{
	const unsigned char *bytes = BPF_CORE_READ(dentry, d_name.name);

	name->word[0] = name->word[1] = name->word[2] = 0;
	bpf_probe_read_kernel_str(name, sizeof(*name), bytes);
}

/*
 * A cgroup's file or directory. Below the attachment is what "session" allows; of
 * the attachment's own directory that is only what delegation gives: its tasks, and
 * which controllers are passed on, but not its limits.
 */
enum cgroup_look {
	CGROUP_MEMBERS = 1, /* about which tasks are in it, by an open file */
	CGROUP_OWN = 2,	    /* of the cgroup that the task is in */
	CGROUP_INSIDE = 4,  /* at or below the attachment */
	CGROUP_SESSION = 8, /* what "session" allows */
};

static __always_inline __u64 file_folder(struct file *file)
{
	return (__u64)BPF_CORE_READ(file, f_path.dentry, d_parent);
}

/*
 * Does the current task, which is governed, still run the code of a service manager
 * outside that is its parent? Such a child puts itself into its cgroup, where its
 * parent may have moved it before, and must not fail at that. Others may not even
 * do that: the file would take any process in, and one that was taken in would be
 * the session's to trace.
 *
 * A child that has not executed anything shares its program's file with its parent,
 * as the very same open file: another process cannot get that. systemd's later
 * versions execute a helper first, which is the first program after the manager's
 * own by both counts of programs.
 */
static __noinline bool task_is_launched(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_struct *parent = BPF_CORE_READ(task, real_parent);
	struct file *exe = BPF_CORE_READ(task, mm, exe_file), *manager = BPF_CORE_READ(parent, mm, exe_file);
	__u64 cgroup = BPF_CORE_READ(parent, cgroups, dfl_cgrp, kn, id);
	__u64 count = BPF_CORE_READ(parent, self_exec_id);
	struct special_name name;

	if (!exe || !manager || governed.bit[cgroup >> 6 & (GOVERNED_BITS / 64 - 1)] >> (cgroup & 63) & 1)
		return false;
	if (exe == manager)
		return true;
	special_name_read(BPF_CORE_READ(exe, f_path.dentry), &name);
	return NAME_IS(&name, "systemd-executor") && file_folder(exe) == file_folder(manager) &&
	       BPF_CORE_READ(task, parent_exec_id) == count && BPF_CORE_READ(task, self_exec_id) == count + 1;
}

/* A function of its own, and bits: the hooks on attributes leave little of the stack. */
static __noinline __u32 cgroup_look(struct dentry *dentry, enum special what)
{
	__u64 id = BPF_CORE_READ(dentry, d_parent, d_inode, i_ino), root = task_root();
	struct attachment *entry = bpf_map_lookup_elem(&attachments, &id);
	bool is_directory = (BPF_CORE_READ(dentry, d_inode, i_mode) & 0170000) == 0040000;
	bool is_delegated = false;
	struct special_name name;
	__u32 look = 0;

	special_name_read(dentry, &name);
	if (what == SPECIAL_WRITE) {
		if (NAME_IS(&name, "cgroup.procs") || NAME_IS(&name, "cgroup.threads"))
			look |= CGROUP_MEMBERS;
		is_delegated = look || NAME_IS(&name, "cgroup.subtree_control");
	}
	if (id == subject_cgroup())
		look |= CGROUP_OWN;
	if (!entry || !root || entry->root != root)
		return look;
	look |= CGROUP_INSIDE;
	if (id != root || is_delegated || is_directory || what == SPECIAL_NAME)
		look |= CGROUP_SESSION;
	return look;
}

/* Is this the tool's own folder in a BPF file system, what is in there, or the whole? */
static __always_inline bool special_is_ours(__u64 dentry)
{
	struct dentry *at = (void *)dentry, *parent;
	__u64 root = (__u64)BPF_CORE_READ(at, d_sb, s_root);
	struct special_name name;

	if (dentry == root)
		return true;
	for (int i = 0; i < 4; i++) {
		parent = BPF_CORE_READ(at, d_parent);
		if ((__u64)parent == root) {
			special_name_read(at, &name);
			return NAME_IS(&name, "agentctl");
		}
		at = parent;
	}
	return false;
}

#define ORDER_DEPTH_MAX 8

/* Is this file one of /proc/sys/kernel, or /proc/sysrq-trigger? */
static __always_inline bool proc_is_order(__u64 dentry)
{
	struct dentry *at = (void *)dentry, *below = at, *parent;
	__u64 root = (__u64)BPF_CORE_READ(at, d_sb, s_root);
	struct special_name name;

	for (int i = 0; i < ORDER_DEPTH_MAX; i++) {
		parent = BPF_CORE_READ(at, d_parent);
		if ((__u64)parent == root) {
			special_name_read(at, &name);
			if (NAME_IS(&name, "sysrq-trigger"))
				return true;
			if (!NAME_IS(&name, "sys"))
				return false;
			special_name_read(below, &name);
			return NAME_IS(&name, "kernel");
		}
		below = at;
		at = parent;
	}
	return false;
}

/*
 * Is this an order to the kernel: which program it runs by itself, as root and
 * outside of all attachments (for core dumps, modules, devices, kinds of
 * programs), or one that it carries out at once?
 */
static __noinline bool special_is_order(__u64 magic, __u64 dentry)
{
	struct special_name name;

	if (magic == PROC_MAGIC)
		return proc_is_order(dentry);
	if (magic == SYSFS_MAGIC) {
		special_name_read((void *)dentry, &name);
		return NAME_IS(&name, "uevent_helper");
	}
	return true;
}

#define LOOK_OP(op) ((__u32)(op) << 8)
#define LOOK_ALLOWED 16 /* whatever the policy says */
#define LOOK_REFUSED 32 /* likewise */

/* Which operation a change of that object is, with what is known of it; 0 if it is just a file. */
static __noinline __u32 special_look(__u64 magic, __u64 dentry, enum special what)
{
	__u32 look;

	switch (magic) {
	case BPFFS_MAGIC:
		return LOOK_OP(OP_KERNEL_BPF) | (special_is_ours(dentry) ? LOOK_REFUSED : 0);
	case CGROUP2_MAGIC:
		look = LOOK_OP(OP_KERNEL_CGROUP) | cgroup_look((void *)dentry, what);
		if ((look & CGROUP_MEMBERS) && (look & CGROUP_OWN) && task_is_launched())
			look |= LOOK_ALLOWED;
		return look;
	case CGROUP1_MAGIC:
		return LOOK_OP(OP_KERNEL_CGROUP);
	}
	return special_is_order(magic, dentry) ? LOOK_OP(OP_KERNEL_MODULE) : 0;
}

/*
 * Judges a change of the object at DENTRY on a special file system: 0 if file
 * rules are to judge it, too, 1 if it is allowed whatever they say, or -EPERM.
 * What is looked at is looked at elsewhere: this stands on a stack that is nearly full.
 */
static __noinline int special_judge(__u64 magic, __u64 dentry, __u64 mnt, __u32 policy, enum special what)
{
	__u32 look = special_look(magic, dentry, what);
	struct act act = { .policy = policy, .op = look >> 8, .dentry = dentry, .mnt = mnt };

	if (!look || look & LOOK_ALLOWED)
		return look ? 1 : 0;
	if (look & LOOK_REFUSED)
		return surface_refuse(&act);
	if (surface_settle(&act, look & CGROUP_SESSION))
		return -EPERM;
	return (look & CGROUP_MEMBERS) && (look & CGROUP_INSIDE);
}

/* The same of a name or attributes, for any file system; MNT is a number, 0 where nobody knows it. */
static __always_inline int special_object(struct dentry *object, __u64 mnt, __u32 policy, enum special what)
{
	__u64 magic = object->d_sb->s_magic;

	if (!magic_is_special(magic))
		return 0;
	return special_judge(magic, POINTER_NUMBER(object), mnt, policy, what);
}

/* The same of a file that is opened, or comes from outside. */
static __always_inline int special_file(struct file *file, __u32 policy)
{
	__u64 magic;

	if (!(file->f_mode & SPECIAL_FMODE_WRITE))
		return 0;
	magic = file->f_inode->i_sb->s_magic;
	if (!magic_is_special(magic) && magic != PROC_MAGIC && magic != SYSFS_MAGIC && magic != BINFMT_MAGIC)
		return 0;
	return special_judge(magic, (__u64)BPF_CORE_READ(file, f_path.dentry),
			     (__u64)BPF_CORE_READ(file, f_path.mnt), policy, SPECIAL_WRITE);
}

#define SPECIAL_RESULT(verdict) ((verdict) < 0 ? -EPERM : 0)

#endif
