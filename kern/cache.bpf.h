/* SPDX-License-Identifier: GPL-2.0 */
/* What directories remember: lanes' states under keys that go stale by themselves, and what keys are made of. */
#ifndef AGENTCTL_CACHE_BPF_H
#define AGENTCTL_CACHE_BPF_H

#include "image.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* Random odd numbers, set at load: a key cannot be aimed at. */
const volatile __u64 cache_key[6] __weak = { 1, 1, 1, 1, 1, 1 };
/* From 6.17 the verifier takes a dentry's name for memory, before for a number. */
const volatile __u32 name_is_pointer __weak = 0;

/* The sequences of rename_lock (high half) and mount_lock: odd while a writer is at work (process.bpf.c). */
__u64 tree_sequence(void);

#define S_IFMT 0170000
#define S_IFDIR 0040000
#define S_IFSOCK 0140000

static __always_inline bool inode_is_directory(struct inode *inode)
{
	return inode && (inode->i_mode & S_IFMT) == S_IFDIR;
}

/*
 * A kernel pointer of any kind as a number: the verifier lets two pointers be
 * subtracted, and the second's own address, once stored, is a number.
 */
__u64 pointer_base __weak = 0;

static __always_inline __u64 pointer_origin(void)
{
	__u64 origin = *(volatile __u64 *)&pointer_base;

	if (!origin) {
		*(volatile __u64 *)&pointer_base = (__u64)&governed;
		origin = *(volatile __u64 *)&pointer_base;
	}
	return origin;
}

#define POINTER_NUMBER(p) (POINTER_DIFF(p) + pointer_origin())

static __always_inline __u64 dentry_name(struct dentry *dentry)
{
	if (name_is_pointer)
		return POINTER_NUMBER(dentry->d_name.name);
	return (__u64)dentry->d_name.name;
}

/* The number of a namespace, never used twice; by a typed load, for the warm path. */
static __always_inline __u64 namespace_id(struct mnt_namespace *ns)
{
	__u64 id;

	if (bpf_core_field_exists(struct mnt_namespace___seq, seq)) {
		id = *(volatile __u64 *)&((struct mnt_namespace___seq *)ns)->seq;
		asm volatile("" : "+r"(id));
	} else {
		id = *(volatile __u64 *)&((struct mnt_namespace___id *)ns)->ns.ns_id;
		asm volatile("" : "+r"(id));
	}
	return id;
}

/* The same of any namespace by probe reads; 0 for an anonymous one (detached mounts). */
static __always_inline __u64 namespace_id_of(__u64 address)
{
	__u64 id = 0;

	if (bpf_core_field_exists(struct mnt_namespace___seq, seq)) {
		struct mnt_namespace___seq *ns = (void *)address;

		asm volatile("" : "+r"(ns));
		bpf_core_read(&id, sizeof(id), &ns->seq);
	} else {
		struct mnt_namespace___id *ns = (void *)address;
		bool is_anonymous = true;

		asm volatile("" : "+r"(ns));
		bpf_core_read(&id, sizeof(id), &ns->ns.ns_id);
		bpf_core_read(&is_anonymous, sizeof(is_anonymous), &ns->is_anon);
		if (is_anonymous)
			id = 0;
	}
	return id;
}

/*
 * The cache's key: everything that the state of a directory depends on. A mount's
 * address is enough of the mount: an entry is only made under an unchanged
 * mount_lock and with the event count of the mount's own namespace, and while
 * that count stands the mount cannot have gone.
 */
static __always_inline __u64 key_make(__u64 mount, __u64 event, __u64 ns, __u64 epoch, __u64 generation)
{
	return mount * cache_key[0] + event * cache_key[1] + ns * cache_key[2] + epoch * cache_key[3] +
	       generation * cache_key[4];
}

/*
 * A way holds a key and a word per lane: the state in bits 40 to 63, the depth of
 * the directory in bits 32 to 39, and the key's low half, so that a reader who
 * sees words of two writers knows it.
 */
static __always_inline int cache_hit(struct directory *dir, __u64 key, __u32 lanes, struct look *look)
{
	struct way *way = &dir->way[key >> 62];

	if (*(volatile __u64 *)&way->key != key)
		return 0;
	for (__u32 lane = 0; lane < LANES_MAX; lane++) {
		__u64 word;

		if (lane >= lanes)
			break;
		word = *(volatile __u64 *)&way->state[lane];
		if ((__u32)word != (__u32)key)
			return 0;
		look->state[lane] = word >> 40;
		look->depth = word >> 32 & 255;
	}
	return 1;
}

static __always_inline void cache_put(struct directory *dir, __u64 key, __u32 lanes, const struct look *look)
{
	struct way *way = &dir->way[key >> 62];

	for (__u32 lane = 0; lane < LANES_MAX; lane++) {
		if (lane >= lanes)
			break;
		*(volatile __u64 *)&way->state[lane] = (__u64)look->state[lane] << 40 |
						       (__u64)(look->depth & 255) << 32 | (__u32)key;
	}
	*(volatile __u64 *)&way->key = key;
}

/* The same two as functions that the verifier checks once, for the cold path. */
__weak __noinline int cache_read(struct directory *dir, __u64 key, __u32 lanes, struct look *look)
{
	return dir && look ? cache_hit(dir, key, lanes, look) : 0;
}

__weak __noinline int cache_write(struct directory *dir, __u64 key, __u32 lanes, struct look *look)
{
	if (dir && look)
		cache_put(dir, key, lanes, look);
	return 0;
}

#endif
