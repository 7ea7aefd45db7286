/* SPDX-License-Identifier: GPL-2.0 */
/* The maps and variables that all programs share; weak, so that each file compiles alone and the linker keeps one. */
#ifndef AGENTCTL_MAPS_BPF_H
#define AGENTCTL_MAPS_BPF_H

#include "abi.h"
#include <bpf/bpf_helpers.h>

/* What stands before it in the source is done before what stands behind it. */
#define barrier() asm volatile("" ::: "memory")

/*
 * Gives a slot back whose BUSY its owner had set. An exchange, since it orders: a
 * plain store could come before the last use of what the slot holds.
 */
static __always_inline void slot_release(__u64 *busy)
{
	__sync_lock_test_and_set(busy, 0);
}

/*
 * Policy images by policy index, one outer map a size class. A policy stands in
 * at most one of them, but for the moment of a replacement that changes class:
 * the smaller class is looked at first, so whichever way it moves one update
 * switches over (image.bpf.h).
 */
struct inner_small {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct image_small));
};

struct inner_medium {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct image_medium));
};

struct inner_large {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct image_large));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, POLICIES_MAX);
	__type(key, __u32);
	__array(values, struct inner_small);
} images_small __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, POLICIES_MAX);
	__type(key, __u32);
	__array(values, struct inner_medium);
} images_medium __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, POLICIES_MAX);
	__type(key, __u32);
	__array(values, struct inner_large);
} images_large __weak SEC(".maps");

/* Governed cgroups by id. The bitmap in subject.bpf.h says who need not look. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CGROUPS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct attachment);
} attachments __weak SEC(".maps");

/* Variables that the control tool maps, too: a direct load each, no map look-up. */
struct governed governed __weak SEC(".data.governed");
struct control control __weak SEC(".data.control");

/* The distance of a kernel pointer of any kind from a fixed place, which the verifier takes for a number. */
#define POINTER_DIFF(p)                                                      \
	({                                                                   \
		__u64 value_ = (__u64)(p), base_ = (unsigned long)&governed; \
		asm volatile("%0 -= %1" : "+r"(value_) : "r"(base_));        \
		value_;                                                      \
	})

struct policy_head heads[POLICIES_MAX] __weak SEC(".data.heads");

struct way {
	__u64 key;
	__u64 state[LANES_MAX];
};

/* What a directory's inode remembers: its state under up to four keys (name.bpf.h). */
struct directory {
	struct way way[4];
};

struct {
	__uint(type, BPF_MAP_TYPE_INODE_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct directory);
} directories __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} denials __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} observations __weak SEC(".maps");

struct accounts account __weak SEC(".data.account");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BUCKETS_MAX);
	__type(key, struct bucket_key);
	__type(value, struct bucket);
} buckets __weak SEC(".maps");

/* The reader's own: no program touches it, but it lives and is pinned with the rest. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BUCKETS_MAX);
	__type(key, struct bucket_key);
	__type(value, struct told);
} told __weak SEC(".maps");

struct reader_state reader __weak SEC(".data.reader");

/* What stands in each policy index, for `status`; the control tool's own. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, POLICIES_MAX);
	__type(key, __u32);
	__type(value, struct policy_slot);
} policies __weak SEC(".maps");

#endif
