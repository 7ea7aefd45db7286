/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an object is called: the automaton's states after the name of its
 * directory, found from the dentry and the mount that were used, cached in the
 * directory's inode.
 *
 * Names follow the mount through which the object was reached and end at the
 * root of that mount's namespace; chroot and strings that the caller passed play
 * no part. See docs/design.md for why bpf_d_path is not used.
 */
#ifndef AGENTCTL_NAME_BPF_H
#define AGENTCTL_NAME_BPF_H

#include "cache.bpf.h"
#include "ends.bpf.h"

#define PROC_SUPER_MAGIC 0x9fa0
#define MQUEUE_MAGIC 0x19800202
#define S_CASEFOLD (1u << 15)
#define SB_KERNMOUNT (1u << 22)
#define MNT_NS_INTERNAL ((__u64)(-EINVAL))
#define PIDTYPE_TGID 1

#define NAME_TRIES 512 /* most of them a look at a lock that a writer holds */
#define WORK_SLOTS 256

/* To 6.7 overlayfs opens the file behind its own under the overlay's path: verdict.bpf.h tells them apart. */
const volatile __u32 backing_has_own_path __weak = 0;

/* Where the state of a directory can come from when it is no state. */
enum name_kind {
	NAME_FOUND,
	NAME_ANONYMOUS, /* no place: pipe, socket, memfd, message queue */
	NAME_SKIP,	/* a file system opening what backs its own, already judged file */
	NAME_NONE,	/* no honest name: denied for the reason given */
};

/*
 * The cold path's working memory: too large for the stack, and programs can be
 * preempted, so each walk takes a slot instead of a per-CPU buffer.
 *
 * Whatever a bpf_loop() callback counts has to stand here and not on the stack:
 * the verifier of 6.1 follows a callback for one round only, believes what the
 * stack holds after that, and removes branches which only later rounds can take.
 */
struct work {
	__u64 busy;
	__u32 n;	   /* directories between the object and a known one */
	__u32 is_known;	   /* the walk ended at a cached directory */
	__u32 is_top;	   /* the walk ended at the mount's root */
	__u32 is_caseless; /* the walk ended at a directory that folds case */
	__u64 top;	   /* the root of the mount that was used */
	__u64 mount;	   /* the climb through the mounts above */
	__u64 dentry;
	__u64 root;
	__u32 names;
	__u32 is_root; /* it reached the topmost mount */
	__u32 exact;
	__s32 err;
	__u32 enforced; /* of the image that the lanes' states belong to */
	__u32 observed;
	struct look look;
	__u64 name[DEPTH_MAX]; /* the components climbed, by address */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WORK_SLOTS);
	__type(key, __u32);
	__type(value, struct work);
} works __weak SEC(".maps");

struct work_search {
	struct work *work;
};

static long work_try(__u32 i, struct work_search *search)
{
	__u32 index = (bpf_get_smp_processor_id() * 17 + i) & (WORK_SLOTS - 1);
	struct work *work = bpf_map_lookup_elem(&works, &index);

	if (!work || __sync_val_compare_and_swap(&work->busy, 0, 1))
		return 0;
	search->work = work;
	return 1;
}

/* A slot of one's own, to be given back with slot_release(), or NULL if all are taken. */
static __always_inline struct work *work_take(void)
{
	struct work_search search = {};

	bpf_loop(WORK_SLOTS, work_try, &search, 0);
	return search.work;
}

/* State of a cold walk; what the verifier must know the type of, and what is left. */
struct walk {
	struct dentry *dentry; /* where the walk is */
	struct dentry *directory;
	struct dentry *object;
	struct work *work;
	__u64 mnt;
	__u64 key;
	__u64 sequence; /* of the tree when the try began */
	__u32 lanes;
	__u16 kind;
	__u16 reason;
	bool exact; /* the object is a mount's root and takes the mount's name */
	bool is_proc;
	bool is_done;
};

static __always_inline bool magic_is_caseless(__u64 magic)
{
	switch (magic) {
#define X(number, types) case number:
		CASELESS(X)
#undef X
		return true;
	}
	return false;
}

/* One step from the mount's root towards the namespace's: over a component, or over a mount. */
static long climb_up(__u32 i, struct walk *walk)
{
	struct work *work = walk->work;
	struct dentry *dentry;
	__u64 parent;
	__u32 n;

	if (!work)
		return 1;
	dentry = (void *)work->dentry;
	if (work->dentry == work->root) {
		struct mount *mount = (void *)work->mount;
		struct mount *above = BPF_CORE_READ(mount, mnt_parent);

		if (above == mount) {
			work->is_root = 1;
			return 1;
		}
		work->dentry = (__u64)BPF_CORE_READ(mount, mnt_mountpoint);
		work->mount = (__u64)above;
		work->root = (__u64)BPF_CORE_READ(above, mnt.mnt_root);
		return 0;
	}
	n = work->names;
	if (n >= DEPTH_MAX)
		return 1;
	work->name[n] = work->dentry;
	work->names = n + 1;
	parent = (__u64)BPF_CORE_READ(dentry, d_parent);
	if (parent == work->dentry)
		return 1;
	work->dentry = parent;
	return 0;
}

static long climb_down(__u32 k, struct walk *walk)
{
	struct work *work = walk->work;
	struct dentry *dentry;
	__u32 i;

	if (!work)
		return 1;
	i = work->names - 1 - k;
	if (i >= DEPTH_MAX)
		return 1;
	dentry = (void *)work->name[i];
	work->look.name = (__u64)BPF_CORE_READ(dentry, d_name.name);
	work->look.len = BPF_CORE_READ(dentry, d_name.len);
	work->look.slash = !(walk->exact && i == 0);
	work->err = work->look.len > COMPONENT_MAX ? -ENAMETOOLONG : image_walk(&work->look);
	return work->err != 0;
}

/*
 * Steps the lanes from the namespace's root down to the root of the walk's mount.
 * Returns the depth, or -errno: -ELOOP too deep, -ENAMETOOLONG a component too long,
 * -ENOENT no way up to the namespace's root, -ESTALE and -EFAULT as image_step.
 */
static __always_inline int climb(struct walk *walk, struct work *work, struct mount *mount,
				 struct mnt_namespace *ns)
{
	work->mount = (__u64)mount;
	work->root = (__u64)BPF_CORE_READ(mount, mnt.mnt_root);
	work->dentry = work->root;
	work->names = work->is_root = work->err = 0;
	bpf_loop(DEPTH_MAX * 2 + 2, climb_up, walk, 0);
	if (!*(volatile __u32 *)&work->is_root)
		return work->names >= DEPTH_MAX ? -ELOOP : -ENOENT;
	if (work->mount != (__u64)BPF_CORE_READ(ns, root))
		return -ENOENT;
	bpf_loop(work->names, climb_down, walk, 0);
	return work->err ? work->err : work->names;
}

static __always_inline bool walk_moved(struct walk *walk)
{
	return tree_sequence() != walk->sequence;
}

static long walk_up(__u32 i, struct walk *walk)
{
	struct dentry *dentry = walk->dentry;
	struct inode *inode = dentry->d_inode;
	struct work *work = walk->work;
	struct directory *dir = 0;
	struct dentry *parent;

	if (!inode || !work)
		return 1;
	/* Such a directory is never remembered, nor what lies below, so every walk comes by here. */
	if (inode->i_flags & S_CASEFOLD) {
		work->is_caseless = 1;
		return 1;
	}
	if (!walk->is_proc)
		dir = bpf_inode_storage_get(&directories, inode, 0, 0);
	if (dir && cache_read(dir, walk->key, walk->lanes, &work->look)) {
		work->is_known = 1;
		return 1;
	}
	if (POINTER_NUMBER(dentry) == work->top) {
		work->is_top = 1;
		return 1;
	}
	parent = dentry->d_parent;
	if (parent == dentry)
		return 1;
	walk->dentry = parent;
	work->n++;
	return 0;
}

/*
 * Remembers the state of a directory. Storage that is made here could be made on
 * an inode that is being evicted, if the tree has moved since it was reached:
 * then it is taken back and the walk starts anew. Nothing at or below a
 * process's directory is remembered, since `self` differs by who looks.
 */
static __always_inline int walk_store(struct walk *walk, struct inode *inode)
{
	struct directory *dir;

	if (walk->is_proc)
		return 0;
	if (!inode || !walk->work)
		return -EAGAIN;
	/* What it holds is too deep for a name: so the warm path, which never finds it, need not count. */
	if (walk->work->look.depth >= DEPTH_MAX)
		return 0;
	dir = bpf_inode_storage_get(&directories, inode, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (walk_moved(walk)) {
		bpf_inode_storage_delete(&directories, inode);
		return -EAGAIN;
	}
	if (dir)
		cache_write(dir, walk->key, walk->lanes, &walk->work->look);
	return 0;
}

const volatile char proc_self[8] __weak = "self";

/* Is this procfs directory the current process's own? Its name is `self` then, whatever procfs it lies in. */
static __always_inline bool proc_is_own(struct dentry *dentry)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct inode *inode = dentry->d_inode;
	struct proc_inode *proc;
	__u64 pid;

	if (!inode || dentry->d_parent != dentry->d_sb->s_root)
		return false;
	proc = (void *)(POINTER_NUMBER(inode) - bpf_core_field_offset(struct proc_inode, vfs_inode));
	pid = (__u64)BPF_CORE_READ(proc, pid);
	return pid && (pid == (__u64)BPF_CORE_READ(task, thread_pid) ||
		       pid == (__u64)BPF_CORE_READ(task, signal, pids[PIDTYPE_TGID]));
}

static __always_inline int walk_component(struct walk *walk, struct dentry *dentry, bool slash)
{
	struct work *work = walk->work;

	if (!work)
		return -EINVAL;
	work->look.name = dentry_name(dentry);
	work->look.len = dentry->d_name.len;
	if (work->look.len > COMPONENT_MAX)
		return -ENAMETOOLONG;
	work->look.slash = slash;
	if (walk->is_proc && proc_is_own(dentry)) {
		work->look.name = POINTER_NUMBER(proc_self);
		work->look.len = 4;
	}
	return image_walk(&work->look);
}

/* Typed pointers cannot be kept in an array, so each directory is reached from the object anew. */
static long walk_hop(__u32 i, struct walk *walk)
{
	walk->dentry = walk->dentry->d_parent;
	return 0;
}

static long walk_down(__u32 k, struct walk *walk)
{
	struct work *work = walk->work;
	struct dentry *dentry;
	int err;

	if (!work)
		return 1;
	walk->dentry = walk->directory;
	bpf_loop(work->n - 1 - k, walk_hop, walk, 0);
	dentry = walk->dentry;
	err = walk_component(walk, dentry, true);
	work->look.depth++;
	if (!err && work->look.depth > DEPTH_MAX)
		err = -ELOOP;
	if (!err)
		err = walk_store(walk, dentry->d_inode);
	work->err = err;
	return err != 0;
}

static __always_inline long walk_end(struct walk *walk, __u32 kind, __u32 reason)
{
	walk->kind = kind;
	walk->reason = reason;
	walk->is_done = true;
	return 1;
}

/* An object on a mount that only the kernel uses. */
static __always_inline long walk_internal(struct walk *walk)
{
	struct dentry *object = walk->object;
	struct super_block *sb = object->d_sb;

	if (object == object->d_parent)
		return walk_end(walk, NAME_ANONYMOUS, 0);
	if (!(sb->s_flags & SB_KERNMOUNT))
		return walk_end(walk, NAME_SKIP, 0);
	if (sb->s_magic == MQUEUE_MAGIC)
		return walk_end(walk, NAME_ANONYMOUS, 0);
	return walk_end(walk, NAME_NONE, REASON_DETACHED);
}

/* What became of a step that failed: some failures ask for another try, some are final. */
static __always_inline long walk_failed(struct walk *walk, int err)
{
	if (err == -ELOOP)
		return walk_end(walk, NAME_NONE, REASON_TOO_DEEP);
	if (err == -ENAMETOOLONG)
		return walk_end(walk, NAME_NONE, REASON_TOO_LONG);
	if (err == -ENOENT)
		return walk_end(walk, NAME_NONE, REASON_DETACHED);
	return 0;
}

/* From a directory whose state the lanes hold down to the object, and its verdict words. */
static __always_inline long walk_finish(struct walk *walk, struct work *work)
{
	int err;

	work->err = 0;
	bpf_loop(work->n, walk_down, walk, 0);
	err = *(volatile __s32 *)&work->err;
	if (err)
		return walk_failed(walk, err);
	if (walk->exact) {
		work->look.len = work->look.slash = 0;
		err = image_step(&work->look);
	} else {
		if (work->look.depth >= DEPTH_MAX)
			return walk_end(walk, NAME_NONE, REASON_TOO_DEEP);
		err = walk_component(walk, walk->object, false);
	}
	if (walk_moved(walk))
		return 0;
	return err ? walk_failed(walk, err) : walk_end(walk, NAME_FOUND, 0);
}

/*
 * Where a try begins. Race: a rename between two tries, or before the first, gives
 * the object another directory; so which one it is, too, is read under the sequence
 * of the try, or the new name would be judged in the old directory.
 */
static __always_inline void walk_begin(struct walk *walk, const struct work *work)
{
	struct dentry *object = walk->object, *parent = object->d_parent;

	walk->exact = POINTER_NUMBER(object) == work->top || object == parent;
	walk->directory = walk->exact ? object : parent;
}

/* One try under one state of the tree; 1 ends, 0 asks for another. */
static long walk_try(__u32 i, struct walk *walk)
{
	struct work *work = walk->work;
	struct mnt_namespace *ns;
	struct mount *mount;
	struct head head;
	__u64 event, id;
	int depth;

	if (!work)
		return 1;
	walk->sequence = tree_sequence();
	if (walk->sequence & 0x100000001ull)
		return 0;
	walk_begin(walk, work);
	if (image_head(work->look.policy, &head))
		return walk_end(walk, NAME_NONE, REASON_ERROR);
	work->look.generation = head.generation;
	work->enforced = head.enforced;
	work->observed = head.observed;
	walk->lanes = work->look.lanes = GENERATION_LANES(head.generation);
	mount = (void *)(walk->mnt - bpf_core_field_offset(struct mount, mnt));
	ns = BPF_CORE_READ(mount, mnt_ns);
	if ((__u64)ns == MNT_NS_INTERNAL || walk->object->d_sb->s_magic == MQUEUE_MAGIC)
		return walk_internal(walk);
	if (magic_is_caseless(walk->object->d_sb->s_magic))
		return walk_end(walk, NAME_NONE, REASON_CASELESS);
	event = BPF_CORE_READ(ns, event);
	id = ns ? namespace_id_of((__u64)ns) : 0;
	if (!id)
		return walk_end(walk, NAME_NONE, REASON_DETACHED);
	walk->key = key_make(walk->mnt - pointer_origin(), event, id, *(volatile __u64 *)&control.epoch,
			     head.generation);
	if (walk->exact)
		walk->key += cache_key[5];
	walk->dentry = walk->directory;
	work->n = work->is_known = work->is_top = work->is_caseless = 0;
	bpf_loop(DEPTH_MAX + 2, walk_up, walk, 0);
	if (work->is_known)
		return walk_finish(walk, work);
	if (work->is_caseless)
		return walk_end(walk, NAME_NONE, REASON_CASELESS);
	if (!work->is_top)
		return walk_end(walk, NAME_NONE, work->n > DEPTH_MAX ? REASON_TOO_DEEP : REASON_DETACHED);
	if (image_start(&work->look))
		return 0;
	depth = climb(walk, work, mount, ns);
	if (walk_moved(walk) || BPF_CORE_READ(ns, event) != event)
		return 0;
	if (depth < 0)
		return walk_failed(walk, depth);
	work->look.depth = depth;
	if (walk_store(walk, walk->dentry->d_inode))
		return 0;
	return walk_finish(walk, work);
}

static __always_inline void end_states(struct end *end, const struct look *look)
{
	for (__u32 lane = 0; lane < LANES_MAX; lane++)
		end->state[lane] = look->state[lane];
}

/*
 * The cold path: up to the nearest directory whose state is known, down again.
 * Denies (NAME_NONE) when no try came to an end in an unmoving tree. HEAD becomes
 * that of the image which was walked, so that the same one settles the verdict.
 * END, if there is one, learns where the name led. The mount MNT is a number: it
 * may come from a list without types.
 */
static __noinline __attribute__((unused)) void name_slow(struct dentry *object, __u64 mnt, struct head *head,
							 struct found *found, struct end *end)
{
	struct vfsmount *from = (void *)mnt;
	struct walk walk = {};
	struct work *work = work_take();

	found->kind = NAME_NONE;
	found->reason = REASON_ERROR;
	if (!work)
		return;
	walk.work = work;
	walk.object = object;
	walk.mnt = mnt;
	work->top = (__u64)BPF_CORE_READ(from, mnt_root);
	walk.is_proc = object->d_sb->s_magic == PROC_SUPER_MAGIC;
	work->look.policy = head->policy;
	work->look.generation = head->generation;
	work->enforced = head->enforced;
	work->observed = head->observed;
	work->look.op[0] = found->op[0];
	work->look.op[1] = found->op[1];
	bpf_loop(NAME_TRIES, walk_try, &walk, 0);
	if (walk.is_done) {
		found->kind = walk.kind;
		found->reason = walk.reason;
		found->word[0] = work->look.word[0];
		found->word[1] = work->look.word[1];
	}
	if (end)
		end_states(end, &work->look);
	head->generation = work->look.generation;
	head->enforced = work->enforced;
	head->observed = work->observed;
	slot_release(&work->busy);
}

#endif
