// SPDX-License-Identifier: GPL-2.0
/* What keeps the tables true: new cgroups inherit, moved directories make cached names stale. */
#include "cache.bpf.h"
#include "subject.bpf.h"

char LICENSE[] SEC("license") = "GPL";

extern const void rename_lock __ksym;
extern const void mount_lock __ksym;

/* Both are seqlocks, whose count comes first. What cannot be read counts as a writer at work. */
__noinline __u64 tree_sequence(void)
{
	__u32 rename = 1, mount = 1;

	bpf_probe_read_kernel(&rename, sizeof(rename), &rename_lock);
	bpf_probe_read_kernel(&mount, sizeof(mount), &mount_lock);
	return (__u64)rename << 32 | mount;
}

static __always_inline __u64 cgroup_parent_id(struct cgroup *cgroup)
{
	struct kernfs_node *node = BPF_CORE_READ(cgroup, kn), *parent;

	if (bpf_core_field_exists(struct kernfs_node___parent, parent))
		parent = BPF_CORE_READ((struct kernfs_node___parent *)node, parent);
	else
		parent = BPF_CORE_READ((struct kernfs_node___rcu_parent *)node, __parent);
	return BPF_CORE_READ(parent, id);
}

/*
 * A child of a governed cgroup is governed before anyone can enter it: the
 * tracepoint comes before the new directory is made visible. The bit is set
 * first, so that a full hash leaves the child on the slow path, governed by its
 * ancestor. Other hierarchies have ids of their own and are not ours.
 */
SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(hook_cgroup_mkdir, struct cgroup *cgroup, const char *path)
{
	__u64 parent, id;
	struct attachment *entry;

	if (BPF_CORE_READ(cgroup, root, hierarchy_id))
		return 0;
	parent = cgroup_parent_id(cgroup);
	if (!(governed.bit[parent >> 6 & (GOVERNED_BITS / 64 - 1)] >> (parent & 63) & 1))
		return 0;
	id = BPF_CORE_READ(cgroup, kn, id);
	__sync_fetch_and_or(&governed.bit[id >> 6 & (GOVERNED_BITS / 64 - 1)], 1ull << (id & 63));
	entry = bpf_map_lookup_elem(&attachments, &parent);
	if (entry)
		bpf_map_update_elem(&attachments, &id, entry, BPF_NOEXIST);
	return 0;
}

/* Entries of cgroups that are gone; the bit stays, another cgroup may share it. */
SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(hook_cgroup_rmdir, struct cgroup *cgroup, const char *path)
{
	__u64 id;

	if (BPF_CORE_READ(cgroup, root, hierarchy_id))
		return 0;
	id = BPF_CORE_READ(cgroup, kn, id);
	if (bpf_map_lookup_elem(&attachments, &id))
		bpf_map_delete_elem(&attachments, &id);
	return 0;
}

#define MOUNTED_BEFORE_ENUM (1u << 16)

/* The flag of a dentry on which something is mounted, in whichever namespace. */
static __always_inline __u32 dentry_mounted_flag(void)
{
	if (bpf_core_enum_value_exists(enum dentry_flags, DCACHE_MOUNTED))
		return bpf_core_enum_value(enum dentry_flags, DCACHE_MOUNTED);
	return MOUNTED_BEFORE_ENUM;
}

/*
 * Of what moves, the names of others depend on directories, and on files that
 * something is mounted on: a file's own mount has its name from there.
 *
 * All callers hold rename_lock: who reads the epoch under an unchanged sequence of
 * it has the right one.
 */
SEC("fexit/__d_move")
int BPF_PROG(hook_d_move, struct dentry *dentry, struct dentry *target, bool exchange)
{
	struct inode *inode = dentry->d_inode;

	if (exchange || inode_is_directory(inode) || dentry->d_flags & dentry_mounted_flag())
		__sync_fetch_and_add(&control.epoch, 1);
	return 0;
}
