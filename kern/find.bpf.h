/* SPDX-License-Identifier: GPL-2.0 */
/* Finding what a policy says of a name: the warm path, from the state that the directory's inode holds, or the climb. */
#ifndef AGENTCTL_FIND_BPF_H
#define AGENTCTL_FIND_BPF_H

#include "name.bpf.h"

/* The warm path's cache_hit: the first lane by itself, since most policies have no other. */
static __always_inline bool cache_hit_quick(struct directory *dir, __u64 key, __u32 lanes, struct look *look)
{
	struct way *way = &dir->way[key >> 62];
	__u64 word;

	if (*(volatile __u64 *)&way->key != key)
		return false;
	word = *(volatile __u64 *)&way->state[0];
	if ((__u32)word != (__u32)key)
		return false;
	look->state[0] = word >> 40;
	for (__u32 lane = 1; lane < LANES_MAX; lane++) {
		if (lane >= lanes)
			break;
		word = *(volatile __u64 *)&way->state[lane];
		if ((__u32)word != (__u32)key)
			return false;
		look->state[lane] = word >> 40;
	}
	return lanes;
}

/* Eight bytes of the name that lies in the dentry itself: all of a name below NAME_INLINE bytes does. */
#define NAME_INLINE 32

static __always_inline __u64 dentry_bytes(struct dentry *dentry, __u32 i)
{
	void *bytes;

	if (bpf_core_field_exists(struct dentry___short, d_shortname))
		bytes = &((struct dentry___short *)dentry)->d_shortname;
	else
		bytes = &dentry->d_iname;
	asm volatile("" : "+r"(bytes));
	return ((__u64 *)bytes)[i];
}

/* What is read of a dentry between these two belongs together, unless a rename moved it meanwhile. */
static __always_inline __u32 dentry_begin(struct dentry *dentry)
{
	__u32 sequence = *(volatile __u32 *)&dentry->d_seq.seqcount.sequence;

	barrier();
	return sequence;
}

/* An odd SEQUENCE is a writer at work: it never equals an even one. */
static __always_inline bool dentry_moved(struct dentry *dentry, __u32 sequence)
{
	barrier();
	return *(volatile __u32 *)&dentry->d_seq.seqcount.sequence != (sequence & ~1u);
}

static __always_inline void dentry_fetch(struct dentry *object, struct look *look, __u32 len)
{
	__u64 *word = (__u64 *)look->byte;

	word[0] = dentry_bytes(object, 0);
	if (len > 8)
		word[1] = dentry_bytes(object, 1);
	if (len > 16) {
		word[2] = dentry_bytes(object, 2);
		word[3] = dentry_bytes(object, 3);
	}
}

/* The key of whatever was reached through the mount that lies DISTANCE from the origin: without a probe read. */
static __always_inline __u64 warm_key(__u64 distance, struct task_struct *task, __u64 generation)
{
	struct mnt_namespace *ns = task->nsproxy->mnt_ns;

	return key_make(distance, *(volatile __u64 *)&ns->event, namespace_id(ns),
			*(volatile __u64 *)&control.epoch, generation);
}

/*
 * Takes the states of the directory from its inode and the name's bytes of an
 * object that is no mount's root: the name's length, or -ENOENT where the cold path
 * has to look, as it does for long names.
 */
static __always_inline int warm_begin(struct dentry *object, __u64 key, __u32 lanes, struct look *look)
{
	struct inode *inode = object->d_parent->d_inode;
	struct directory *dir;
	__u32 len;

	/* An empty directory can be made to fold case at any time, also one that is known. */
	if (!inode || inode->i_flags & S_CASEFOLD)
		return -ENOENT;
	dir = bpf_inode_storage_get(&directories, inode, 0, 0);
	if (!dir || !cache_hit_quick(dir, key, lanes, look))
		return -ENOENT;
	len = object->d_name.len;
	if (len >= NAME_INLINE)
		return -ENOENT;
	dentry_fetch(object, look, len);
	return len;
}

/*
 * The warm path: the directory's state is in its inode. 0 when FOUND holds the
 * words, else the cold path has to look.
 *
 * Race: a rename changes the parent and rewrites the name's bytes in place. It
 * does so under the dentry's own sequence, so what was read while that moved, the
 * new name under the old parent above all, is not believed.
 */
static __always_inline int name_warm(struct dentry *object, __u64 distance, struct task_struct *task,
				     struct head *head, struct found *found)
{
	__u32 sequence = dentry_begin(object);
	struct look look;
	int err = warm_begin(object, warm_key(distance, task, head->generation),
			     GENERATION_LANES(head->generation), &look);

	if (err < 0)
		return err;
	err = image_quick(&look, found, head, err);
	if (dentry_moved(object, sequence))
		return -ESTALE;
	found->kind = NAME_FOUND;
	return err;
}

static __noinline int name_fast(struct dentry *object, struct vfsmount *mnt, struct task_struct *task,
				struct head *head, struct found *found)
{
	if (object == mnt->mnt_root)
		return -ENOENT;
	return name_warm(object, POINTER_DIFF(mnt), task, head, found);
}

/*
 * Finds the words of FOUND's operations for OBJECT as reached through MNT by TASK, the
 * current one; the policy's image is the one of HEAD, or a newer one.
 */
static __always_inline void name_find(struct dentry *object, struct vfsmount *mnt, struct task_struct *task,
				      struct head *head, struct found *found)
{
	if (name_fast(object, mnt, task, head, found))
		name_slow(object, POINTER_NUMBER(mnt), head, found, 0);
}

/* The same of one end of a move, by the cold path. END is filled if its generation is HEAD's. */
static __always_inline void name_find_end(struct dentry *object, struct vfsmount *mnt, struct head *head,
					  struct found *found, struct end *end)
{
	name_slow(object, POINTER_NUMBER(mnt), head, found, end);
	end->generation = head->generation;
	/* Replaced meanwhile: of no generation, so that nothing is decided by it. */
	if (found->kind == NAME_FOUND && image_end(head->policy, end))
		end->generation = ~0ull;
}

#endif
