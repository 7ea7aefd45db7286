/* SPDX-License-Identifier: GPL-2.0 */
/* What an image says of the two names of a rename or link: in more detail than an open needs to know. */
#ifndef AGENTCTL_ENDS_BPF_H
#define AGENTCTL_ENDS_BPF_H

#include "image.bpf.h"

/* One of the two names. */
struct end {
	__u64 generation;
	__u32 kind;
	__u32 reason;
	__u32 op[2]; /* what is needed here; OP_COUNT for none */
	__u32 word[2];
	__u32 state[LANES_MAX]; /* of the lanes at its end, */
	__u32 row[LANES_MAX];	/* their verdict rows, */
	__u32 below[LANES_MAX]; /* and the states behind a slash after it */
};

/* Fills END from the states that its lanes came to. */
IMAGE_FUNCTION end_fill(const struct image_header *header, const __u64 *cell, __u32 mask, struct end *end)
{
	__u32 first = end->op[0] & (ROW_WORDS - 1), second = end->op[1] & (ROW_WORDS - 1);

	if (header->generation != end->generation)
		return -ESTALE;
	end->word[0] = end->word[1] = WORD_NONE;
	for (__u32 lane = 0; lane < LANES_MAX; lane++) {
		__u32 row;

		if (lane >= header->lanes)
			break;
		row = match_row(cell, mask, end->state[lane]);
		end->row[lane] = row;
		end->below[lane] = match_step(cell, mask, end->state[lane], header->class['/']);
		end->word[0] = lower_word(end->word[0], match_row_word(cell, mask, row, first));
		end->word[1] = lower_word(end->word[1], match_row_word(cell, mask, row, second));
	}
	end->word[0] = quick_word(header, end->word[0], first);
	end->word[1] = end->op[1] < OP_COUNT ? quick_word(header, end->word[1], second)
					     : WORD(RULE_DEFAULT, VERB_ALLOW);
	return 0;
}

/* 0 or -ESTALE: the image is not of END's generation any more. */
__weak __noinline int image_end(__u32 policy, struct end *end)
{
	if (!end)
		return -EINVAL;
	IMAGE_CALL(policy, end_fill, end);
	return -ESTALE;
}

/* Both names of a move on the warm path: what their directories' inodes hold, then where that leads. */
struct pair {
	__u64 generation;
	struct look look[2];
	__u32 len[2];
	struct end end[2];
};

/* The state of the only lane after the N bytes in LOOK: a function, as further_ is. */
#define FIRST(class)                                                                                     \
	__weak __noinline __u64 first_##class(struct image_##class * image, struct look * look, __u32 n, \
					      __u64 state)                                               \
	{                                                                                                \
		if (!image || !look)                                                                     \
			return 0;                                                                        \
		return quick_first(&image->header, image->cell, CELLS_OF(image) - 1, look, n, state);    \
	}

FIRST(small)
FIRST(medium)
FIRST(large)

#define QUICK_SIDE(class, side)                                                                        \
	do {                                                                                           \
		struct look *look = &pair->look[side];                                                 \
		struct end *end = &pair->end[side];                                                    \
		__u32 n = pair->len[side];                                                             \
                                                                                                       \
		if (lanes == 1) {                                                                      \
			end->state[0] = first_##class(image, look, n, look->state[0]);                 \
		} else {                                                                               \
			quick_classify(&image->header, look, n);                                       \
			for (__u32 lane = 0; lane < LANES_MAX; lane++) {                               \
				if (lane >= lanes)                                                     \
					break;                                                         \
				end->state[lane] = further_##class(image, look, n, look->state[lane]); \
			}                                                                              \
		}                                                                                      \
		end->generation = pair->generation;                                                    \
		end_fill(&image->header, image->cell, CELLS_OF(image) - 1, end);                       \
	} while (0)

#define QUICK_PAIR(class)                                               \
	do {                                                            \
		struct image_##class *image = IMAGE_GET(class, policy); \
		__u32 lanes = GENERATION_LANES(pair->generation);       \
                                                                        \
		if (!image)                                             \
			break;                                          \
		if (image->header.generation != pair->generation)       \
			return -ESTALE;                                 \
		QUICK_SIDE(class, 0);                                   \
		QUICK_SIDE(class, 1);                                   \
		return 0;                                               \
	} while (0)

/* Fills both ends from their names: 0, or -ESTALE: the image is not of the pair's generation. */
__weak __noinline int image_quick_pair(__u32 policy, struct pair *pair)
{
	if (!pair)
		return -EINVAL;
	QUICK_PAIR(small);
	QUICK_PAIR(medium);
	QUICK_PAIR(large);
	return -ESTALE;
}

#endif
