/* SPDX-License-Identifier: GPL-2.0 */
/* What a policy's image says of Unix sockets beside their paths: abstract names, sockets of the attachment. */
#ifndef AGENTCTL_UNIX_BPF_H
#define AGENTCTL_UNIX_BPF_H

#include "image.bpf.h"

#define UNIX_PATH_AT 2 /* in struct sockaddr_un */
#define UNIX_NAME_AT 3 /* behind the zero that makes a name abstract */
#define UNIX_NAME_MAX 107
#define UNIX_SLOTS 128

/* A socket being judged: in memory of its own, since the stack is what naming and telling need. */
struct unix_look {
	__u64 busy;
	__u64 generation;
	__u32 policy;
	__u32 op;
	__u32 len;
	__u32 word;    /* of the name, default included */
	__u32 deputy;  /* the deputies' word */
	__u32 session; /* a rule's for sockets of the attachment */
	__u32 enforced;
	__u32 observed;
	__u32 is_inside; /* it is one of the attachment */
	__u32 reason;	 /* why a path has no honest name; REASON_RULE if it has one */
	struct head head;
	struct found found;
	__u8 name[128];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, UNIX_SLOTS);
	__type(key, __u32);
	__type(value, struct unix_look);
} unix_looks __weak SEC(".maps");

struct unix_search {
	struct unix_look *look;
};

static long unix_try(__u32 i, struct unix_search *search)
{
	__u32 index = (bpf_get_smp_processor_id() * 13 + i) & (UNIX_SLOTS - 1);
	struct unix_look *look = bpf_map_lookup_elem(&unix_looks, &index);

	if (!look || __sync_val_compare_and_swap(&look->busy, 0, 1))
		return 0;
	search->look = look;
	return 1;
}

/* One to be given back with busy = 0, or NULL if all are taken. */
static __always_inline struct unix_look *unix_take(__u32 policy, __u32 op)
{
	struct unix_search search = {};
	struct unix_look *look;

	bpf_loop(UNIX_SLOTS, unix_try, &search, 0);
	look = search.look;
	if (!look)
		return 0;
	look->policy = policy;
	look->op = op;
	look->len = look->is_inside = 0;
	look->deputy = WORD_NONE;
	look->reason = REASON_RULE;
	return look;
}

IMAGE_FUNCTION unix_walk(const struct image_header *header, const __u64 *cell, __u32 mask,
			 struct unix_look *look)
{
	__u32 op = look->op & (ROW_WORDS - 1), word;
	__u64 state = header->abstract_start;

	look->generation = header->generation;
	look->enforced = header->enforced;
	look->observed = header->observed;
	look->session = header->session_word;
	look->word = header->fallback[op];
	if (!state || !look->len)
		return 0;
	for (__u32 i = 0; i < UNIX_NAME_MAX; i++) {
		if (i >= look->len)
			break;
		state = match_step(cell, mask, state, look->name[i] + 1);
	}
	word = match_word(cell, mask, state, op);
	if (word != WORD_NONE && header->enforced & OP_BIT(op))
		look->word = word;
	look->deputy = match_word(cell, mask, state, ROW_DEPUTY);
	return 0;
}

/* Fills LOOK for the name in it, or for none of length 0. 0, or -ESTALE: the policy is gone, which denies. */
__weak __noinline int unix_image(struct unix_look *look)
{
	if (!look)
		return -EINVAL;
	IMAGE_CALL(look->policy, unix_walk, look);
	return -ESTALE;
}

/* The same for the name in kernel memory of a struct sockaddr_un of LEN bytes, which begins at byte AT. */
static __always_inline int unix_read(struct unix_look *look, __u64 address, int len, __u32 at)
{
	/* Before an abstract name there is a zero, behind a path: both count. */
	len -= UNIX_NAME_AT;
	if (len < 0)
		return -EINVAL;
	look->len = len > UNIX_NAME_MAX ? UNIX_NAME_MAX : len;
	bpf_probe_read_kernel(look->name, look->len & 127, (void *)(address + at));
	return unix_image(look);
}

static __noinline int unix_abstract(struct unix_look *look, __u64 address, int len)
{
	return unix_read(look, address, len, UNIX_NAME_AT);
}

#endif
