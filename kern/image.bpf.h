/* SPDX-License-Identifier: GPL-2.0 */
/* Reaching into a policy's image: which one it is now, and walking its automata over one name. */
#ifndef AGENTCTL_IMAGE_BPF_H
#define AGENTCTL_IMAGE_BPF_H

#include "maps.bpf.h"
#include "decide.h"
#include <linux/errno.h>

#define CELLS_OF(image) (sizeof((image)->cell) / sizeof((image)->cell[0]))

/*
 * The image of POLICY in one size class, or NULL. The control tool puts a
 * replacement into its class before it takes the old one out of another, and both
 * updates wait for programs that run (they hold the RCU read lock): whoever looks
 * into the classes from small to large sees the old image or the new one.
 */
#define IMAGE_GET(class, policy)                                                            \
	({                                                                                  \
		__u32 zero_ = 0, index_ = (policy);                                         \
		void *inner_ = bpf_map_lookup_elem(&images_##class, &index_);               \
		(struct image_##class *)(inner_ ? bpf_map_lookup_elem(inner_, &zero_) : 0); \
	})

/*
 * Returns FUNCTION(header, cells, mask, ARGUMENT) of the image of POLICY; goes on
 * if there is none. FUNCTION is inlined once for each class, so that the mask is
 * a constant which the verifier can rely on.
 */
#define IMAGE_CALL_CLASS(class, policy, function, argument)                                             \
	do {                                                                                            \
		struct image_##class *image_ = IMAGE_GET(class, policy);                                \
                                                                                                        \
		if (image_)                                                                             \
			return function(&image_->header, image_->cell, CELLS_OF(image_) - 1, argument); \
	} while (0)

#define IMAGE_CALL(policy, function, argument)                        \
	do {                                                          \
		IMAGE_CALL_CLASS(small, policy, function, argument);  \
		IMAGE_CALL_CLASS(medium, policy, function, argument); \
		IMAGE_CALL_CLASS(large, policy, function, argument);  \
	} while (0)

#define IMAGE_FUNCTION static __always_inline int

/* What a check needs to know of the image before it has a name. */
struct head {
	__u64 generation;
	__u32 enforced;
	__u32 observed;
	__u32 policy;
};

IMAGE_FUNCTION head_read(const struct image_header *header, const __u64 *cell, __u32 mask,
			 struct head *ret_head)
{
	ret_head->generation = header->generation;
	ret_head->enforced = header->enforced;
	ret_head->observed = header->observed;
	return 0;
}

/* 0, or -ESTALE: the policy is gone, which denies. */
__weak __noinline int image_head(__u32 policy, struct head *ret_head)
{
	if (!ret_head)
		return -EINVAL;
	IMAGE_CALL(policy, head_read, ret_head);
	return -ESTALE;
}

#define LOOK_CHUNK 32

/* The same from the copy in memory, for the warm path. */
static __always_inline void head_copy(__u32 policy, struct head *head)
{
	struct policy_head *copy = &heads[policy & (POLICIES_MAX - 1)];
	__u64 masks = *(volatile __u64 *)&copy->enforced;

	head->policy = policy;
	head->generation = *(volatile __u64 *)&copy->generation;
	head->enforced = masks;
	head->observed = masks >> 32;
}

/* What was found out about an object: its verdict words if it has a name. */
struct found {
	__u32 kind;
	__u32 reason;
	__u32 op[2];
	__u32 word[2];
};

/*
 * A name being judged. The states belong to one generation: every step compares
 * it, since between two steps the image may have been replaced.
 */
struct look {
	__u64 generation;
	__u64 name; /* kernel address of what is left of the component */
	__u32 policy;
	__u32 len;   /* bytes left */
	__u32 chunk; /* bytes of the step at work */
	__u32 depth; /* components of the directory whose state the lanes hold */
	__u32 slash; /* step a '/' after the last byte */
	__u32 lanes;
	__u32 op[2]; /* after the last byte find the words of these; OP_COUNT for none */
	__u32 word[2];
	__u32 state[LANES_MAX];
	/* The chunk's bytes, then their classes. Here and not on the stack, where the verifier would follow each byte. */
	__u8 byte[LOOK_CHUNK] __attribute__((aligned(8)));
};

IMAGE_FUNCTION lanes_start(const struct image_header *header, const __u64 *cell, __u32 mask,
			   struct look *look)
{
	if (header->generation != look->generation)
		return -ESTALE;
	look->lanes = header->lanes;
	for (__u32 lane = 0; lane < LANES_MAX; lane++)
		look->state[lane] = header->lane_start[lane];
	return 0;
}

/* Sets the lanes to the state after the name of the root. 0 or -ESTALE. */
__weak __noinline int image_start(struct look *look)
{
	if (!look)
		return -EINVAL;
	IMAGE_CALL(look->policy, lanes_start, look);
	return -ESTALE;
}

/* The lowest word of OP over all lanes: the first rule that matches, or the default. */
static __always_inline __u32 lanes_word(const struct image_header *header, const __u64 *cell, __u32 mask,
					const struct look *look, __u32 op)
{
	__u32 best = WORD_NONE;

	if (op >= OP_COUNT || !(header->enforced & OP_BIT(op)))
		return WORD(RULE_DEFAULT, VERB_ALLOW);
	for (__u32 lane = 0; lane < LANES_MAX; lane++) {
		__u32 word;

		if (lane >= header->lanes)
			break;
		word = match_word(cell, mask, look->state[lane], op);
		if (word < best)
			best = word;
	}
	return best == WORD_NONE ? header->fallback[op & (OPS_MAX - 1)] : best;
}

/* Names below 32 bytes lie in the dentry itself, so reading to the next power of two stays in mapped memory. */
static __always_inline int look_fetch(struct look *look)
{
	__u32 n = look->len;

	if (n > LOOK_CHUNK)
		n = LOOK_CHUNK;
	look->chunk = n;
	if (n <= 8)
		return n ? bpf_probe_read_kernel(look->byte, 8, (void *)look->name) : 0;
	if (n <= 16)
		return bpf_probe_read_kernel(look->byte, 16, (void *)look->name);
	return bpf_probe_read_kernel(look->byte, 32, (void *)look->name);
}

/*
 * The length is read anew for each loop: the verifier would otherwise carry what
 * it learnt of it at one loop's end into the next, and check every length apart.
 */
#define CHUNK_OF(look) (*(volatile __u32 *)&(look)->chunk)

/* Writes MACRO(0) to MACRO(31) out: the bytes are what a check costs, and the compiler does not unroll such loops. */
#define EIGHT_TIMES(macro, from)                                                                  \
	macro((from) + 0) macro((from) + 1) macro((from) + 2) macro((from) + 3) macro((from) + 4) \
		macro((from) + 5) macro((from) + 6) macro((from) + 7)
#define CHUNK_TIMES(macro) \
	EIGHT_TIMES(macro, 0) EIGHT_TIMES(macro, 8) EIGHT_TIMES(macro, 16) EIGHT_TIMES(macro, 24)

#define STEP_BYTE(i)      \
	if (n <= (i))     \
		goto end; \
	state = match_step(cell, mask, state, look->byte[i]);

#define CLASSIFY_BYTE(i)  \
	if (n <= (i))     \
		goto end; \
	look->byte[i] = header->class[look->byte[i]];

/* The chunk's classes through one lane. */
static __always_inline int lane_step(const struct image_header *header, const __u64 *cell, __u32 mask,
				     struct look *look, __u32 lane)
{
	__u32 n = CHUNK_OF(look);
	__u64 state;

	lane &= LANES_MAX - 1;
	state = look->state[lane];
	CHUNK_TIMES(STEP_BYTE)
end:
	if (look->slash && look->len == CHUNK_OF(look))
		state = match_step(cell, mask, state, header->class['/']);
	look->state[lane] = state;
	return 0;
}

/* Takes the chunk's bytes and turns them into classes once for all lanes. */
static __always_inline int look_classify(const struct image_header *header, struct look *look)
{
	__u32 n;

	if (header->generation != look->generation)
		return -ESTALE;
	if (look_fetch(look))
		return -EFAULT;
	n = CHUNK_OF(look);
	CHUNK_TIMES(CLASSIFY_BYTE)
end:
	return 0;
}

static __always_inline void look_advance(const struct image_header *header, const __u64 *cell, __u32 mask,
					 struct look *look)
{
	__u32 n = CHUNK_OF(look);

	look->name += n;
	look->len -= n;
	if (look->len)
		return;
	look->word[0] = lanes_word(header, cell, mask, look, look->op[0]);
	look->word[1] = lanes_word(header, cell, mask, look, look->op[1]);
}

/*
 * The walk through one lane is a global function of each size class: the verifier
 * checks it once, and not once for every lane and every length.
 */
#define LANE_STEP(class)                                                                                \
	__weak __noinline int lane_step_##class(struct image_##class * image, struct look * look,       \
						__u32 lane)                                             \
	{                                                                                               \
		if (!image || !look)                                                                    \
			return -EINVAL;                                                                 \
		return lane_step(&image->header, image->cell, CELLS_OF(image) - 1, look, lane);         \
	}                                                                                               \
                                                                                                        \
	static __always_inline int lanes_step_##class(struct image_##class * image, struct look * look) \
	{                                                                                               \
		int err = look_classify(&image->header, look);                                          \
                                                                                                        \
		for (__u32 lane = 0; !err && lane < LANES_MAX; lane++) {                                \
			if (lane >= look->lanes)                                                        \
				break;                                                                  \
			err = lane_step_##class(image, look, lane);                                     \
		}                                                                                       \
		if (!err)                                                                               \
			look_advance(&image->header, image->cell, CELLS_OF(image) - 1, look);           \
		return err;                                                                             \
	}

LANE_STEP(small)
LANE_STEP(medium)
LANE_STEP(large)

/*
 * Steps all lanes over the next bytes of the component, at most LOOK_CHUNK, and
 * after the last one finds the words asked for. 0, -ESTALE if the image was
 * replaced or taken out since the states were made, -EFAULT if the name cannot
 * be read.
 */
__weak __noinline int image_step(struct look *look)
{
	struct image_small *small;
	struct image_medium *medium;
	struct image_large *large;

	if (!look)
		return -EINVAL;
	small = IMAGE_GET(small, look->policy);
	if (small)
		return lanes_step_small(small, look);
	medium = IMAGE_GET(medium, look->policy);
	if (medium)
		return lanes_step_medium(medium, look);
	large = IMAGE_GET(large, look->policy);
	if (large)
		return lanes_step_large(large, look);
	return -ESTALE;
}

/*
 * The warm path's walk: a whole name of one chunk from the directory's states to
 * the words of both operations, without a detour over memory for one lane. An
 * operation of a section that is not there needs no check here: no rule has it,
 * and its fallback allows.
 *
 * Four bytes at a time, so that the length is asked for once in four; what is
 * left over is stepped byte by byte.
 */
#define FOUR_BYTES(step, i)    \
	if (n < (i) + 4)       \
		goto tail_##i; \
	step((i) + 0);         \
	step((i) + 1);         \
	step((i) + 2);         \
	step((i) + 3);

#define LAST_BYTES(step, i)                \
	tail_##i : if (n == (i)) goto end; \
	step((i) + 0);                     \
	if (n == (i) + 1)                  \
		goto end;                  \
	step((i) + 1);                     \
	if (n == (i) + 2)                  \
		goto end;                  \
	step((i) + 2);                     \
	goto end;

/* N bytes, below 32, each by STEP. */
#define NAME_TIMES(step)     \
	FOUR_BYTES(step, 0)  \
	FOUR_BYTES(step, 4)  \
	FOUR_BYTES(step, 8)  \
	FOUR_BYTES(step, 12) \
	FOUR_BYTES(step, 16) \
	FOUR_BYTES(step, 20) \
	FOUR_BYTES(step, 24) \
	goto tail_28;        \
	LAST_BYTES(step, 0)  \
	LAST_BYTES(step, 4)  \
	LAST_BYTES(step, 8)  \
	LAST_BYTES(step, 12) \
	LAST_BYTES(step, 16) \
	LAST_BYTES(step, 20) \
	LAST_BYTES(step, 24) \
	LAST_BYTES(step, 28)

static __always_inline __u32 quick_word(const struct image_header *header, __u32 word, __u32 op)
{
	return word == WORD_NONE ? header->fallback[op & (OPS_MAX - 1)] : word;
}

/* The class of a byte, by the shortest way, as match_cell. */
static __always_inline __u64 quick_class(const struct image_header *header, __u64 byte)
{
	asm("%0 += %1" : "+r"(byte) : "r"(header));
	return *((const __u8 *)byte + offsetof(struct image_header, class));
}

#define QUICK_ONE(i) state = match_step(cell, mask, state, quick_class(header, look->byte[i]))

static __always_inline __u64 quick_first(const struct image_header *header, const __u64 *cell, __u32 mask,
					 const struct look *look, __u32 n, __u64 state)
{
	NAME_TIMES(QUICK_ONE)
end:
	return state;
}

static __always_inline void quick_one(const struct image_header *header, const __u64 *cell, __u32 mask,
				      struct look *look, struct found *found, __u32 n)
{
	__u64 state = quick_first(header, cell, mask, look, n, look->state[0]);

	found->word[0] = quick_word(header, match_word(cell, mask, state, found->op[0]), found->op[0]);
	if (found->op[1] < OP_COUNT)
		found->word[1] = quick_word(header, match_word(cell, mask, state, found->op[1]),
					    found->op[1]);
}

static __always_inline __u32 lower_word(__u32 a, __u32 b)
{
	return a < b ? a : b;
}

/* What another lane has to say; most often nothing. */
static __always_inline void quick_lower(const __u64 *cell, __u32 mask, struct found *found, __u32 state)
{
	__u32 row = match_row(cell, mask, state);

	if (row == ROW_NONE)
		return;
	found->word[0] = lower_word(found->word[0], match_row_word(cell, mask, row, found->op[0]));
	if (found->op[1] < OP_COUNT)
		found->word[1] = lower_word(found->word[1], match_row_word(cell, mask, row, found->op[1]));
}

/* Two lanes side by side; what they share is done once, and the classes are left for further lanes. */
#define QUICK_TWO(i)                                  \
	class = quick_class(header, look->byte[i]);   \
	look->byte[i] = class;                        \
	state = match_step(cell, mask, state, class); \
	other = match_step(cell, mask, other, class)

static __always_inline void quick_two(const struct image_header *header, const __u64 *cell, __u32 mask,
				      struct look *look, struct found *found, __u32 n)
{
	__u64 state = look->state[0], other = look->state[1], class;

	NAME_TIMES(QUICK_TWO)
end:
	found->word[0] = match_word(cell, mask, state, found->op[0]);
	if (found->op[1] < OP_COUNT)
		found->word[1] = match_word(cell, mask, state, found->op[1]);
	quick_lower(cell, mask, found, other);
}

#define QUICK_LANE(i) state = match_step(cell, mask, state, look->byte[i])

static __always_inline __u32 quick_lane(const __u64 *cell, __u32 mask, struct look *look, __u32 n,
					__u64 state)
{
	NAME_TIMES(QUICK_LANE)
end:
	return state;
}

static __always_inline void quick_default(const struct image_header *header, struct found *found)
{
	found->word[0] = quick_word(header, found->word[0], found->op[0]);
	if (found->op[1] < OP_COUNT)
		found->word[1] = quick_word(header, found->word[1], found->op[1]);
}

/* The state of one further lane after the N classes in LOOK: a function, so that it has all registers to itself. */
#define FURTHER(class)                                                                                     \
	__weak __noinline __u64 further_##class(struct image_##class * image, struct look * look, __u32 n, \
						__u64 state)                                               \
	{                                                                                                  \
		if (!image || !look)                                                                       \
			return 0;                                                                          \
		return quick_lane(image->cell, CELLS_OF(image) - 1, look, n, state);                       \
	}

FURTHER(small)
FURTHER(medium)
FURTHER(large)

/* Lane I; goes on behind the last one. */
#define QUICK_FURTHER(class, i) \
	if (lanes <= (i))       \
		break;          \
	quick_lower(image->cell, CELLS_OF(image) - 1, found, further_##class(image, look, n, look->state[i]));

/*
 * 0 with FOUND's words, or -ESTALE: the image is not of GENERATION. N is the
 * length of the name in LOOK. A function of each class, which the verifier checks
 * once for all its callers.
 */
#define QUICK(class)                                                                                 \
	__weak __noinline int quick_##class(struct image_##class * image, struct look * look,        \
					    struct found * found, __u64 generation, __u32 n)         \
	{                                                                                            \
		__u32 lanes = GENERATION_LANES(generation);                                          \
                                                                                                     \
		if (!image || !look || !found)                                                       \
			return -EINVAL;                                                              \
		if (image->header.generation != generation)                                          \
			return -ESTALE;                                                              \
		if (lanes == 1) {                                                                    \
			quick_one(&image->header, image->cell, CELLS_OF(image) - 1, look, found, n); \
			return 0;                                                                    \
		}                                                                                    \
		quick_two(&image->header, image->cell, CELLS_OF(image) - 1, look, found, n);         \
		do {                                                                                 \
			QUICK_FURTHER(class, 2)                                                      \
			QUICK_FURTHER(class, 3)                                                      \
			QUICK_FURTHER(class, 4)                                                      \
			QUICK_FURTHER(class, 5)                                                      \
			QUICK_FURTHER(class, 6)                                                      \
			QUICK_FURTHER(class, 7)                                                      \
		} while (0);                                                                         \
		quick_default(&image->header, found);                                                \
		return 0;                                                                            \
	}

QUICK(small)
QUICK(medium)
QUICK(large)

#define QUICK_CLASS(i) look->byte[i] = quick_class(header, look->byte[i])

static __always_inline void quick_classify(const struct image_header *header, struct look *look, __u32 n)
{
	NAME_TIMES(QUICK_CLASS)
end:
	return;
}

#define QUICK_IN(class)                                                                          \
	do {                                                                                     \
		struct image_##class *image = IMAGE_GET(class, head->policy);                    \
                                                                                                 \
		return image ? quick_##class(image, look, found, head->generation, n) : -ESTALE; \
	} while (0)

static __always_inline int image_quick(struct look *look, struct found *found, const struct head *head,
				       __u32 n)
{
	__u32 class = GENERATION_CLASS(head->generation);

	if (class == CLASS_SMALL)
		QUICK_IN(small);
	if (class == CLASS_MEDIUM)
		QUICK_IN(medium);
	QUICK_IN(large);
}

/* A whole component of up to 255 bytes. */
static __always_inline int image_walk(struct look *look)
{
	int err = image_step(look);

	for (int i = 0; i < 8 && !err && look->len; i++)
		err = image_step(look);
	return err;
}

#endif
