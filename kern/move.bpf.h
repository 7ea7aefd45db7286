/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two names of a rename or a link: what the policy says of each, and whether
 * the new one would permit anything that the old one does not.
 *
 * Both names must be of one image and of one moment of the tree each. The kernel
 * holds the locks of both parents meanwhile, so neither end can move away; a
 * directory further up can be renamed by others in between. That is harmless: each
 * such rename is judged for everything below it, so whatever order they take,
 * the last name permits no more than the first.
 */
#ifndef AGENTCTL_MOVE_BPF_H
#define AGENTCTL_MOVE_BPF_H

#include "verdict.bpf.h"

#define MOVES 64
#define MOVE_TRIES 4 /* an image replaced between the two names asks for another */

enum move_side { MOVE_FROM, MOVE_TO };

/* Bits of what a move is. */
#define MOVE_RENAME 1u /* else a link */
#define MOVE_EXCHANGE 2u
#define MOVE_OF_DIRECTORY 4u
#define MOVE_BACK_OF_DIRECTORY 8u /* what an exchange brings to the old name */

/* By which of its words a move is settled. */
struct move_pick {
	__u32 side;
	__u32 op;
	__u32 word;
	__u32 strictness;
};

/*
 * Here and not on the stack, which has no room for it and where the verifier
 * would follow every value: see struct work. The two ends' states stay comparable
 * for as long as their generation is the same.
 */
struct move {
	__u64 busy;
	__u32 what;
	__u32 is_known; /* what follows was decided */
	__u32 is_nameless;
	__u32 widens;
	__u32 side; /* whose name is being found */
	struct head head;
	struct pair pair;
	struct end old[2]; /* as the mount that is used calls them, while other names are looked at */
	struct move_pick pick;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOVES);
	__type(key, __u32);
	__type(value, struct move);
} moves __weak SEC(".maps");

/* The ends as the verifier must know them, while their names are found. */
struct move_walk {
	struct dentry *from;
	struct dentry *to;
	struct vfsmount *mnt;
	struct move *move;
};

static long move_try(__u32 i, struct move_walk *walk)
{
	__u32 index = (bpf_get_smp_processor_id() * 5 + i) & (MOVES - 1);
	struct move *move = bpf_map_lookup_elem(&moves, &index);

	if (!move || __sync_val_compare_and_swap(&move->busy, 0, 1))
		return 0;
	walk->move = move;
	return 1;
}

/* The rights that a name's verdict rows give, as decide_right counts them. */
static __always_inline __u32 end_rights(const struct image_header *header, const __u64 *cell, __u32 mask,
					const struct end *end)
{
	__u32 rights = 0;

	for (__u32 op = 0; op < ROW_WORDS; op++) {
		__u32 best = WORD_NONE;

		if (!(OPS_PATH & header->enforced & OP_BIT(op)))
			continue;
		for (__u32 lane = 0; lane < LANES_MAX; lane++) {
			if (lane >= header->lanes)
				break;
			best = lower_word(best, match_row_word(cell, mask, end->row[lane], op));
		}
		rights |= decide_right(op, quick_word(header, best, op));
	}
	return rights;
}

struct containment {
	struct move *move;
	__u32 to; /* the side that gets what the other one has */
	bool is_directory;
};

IMAGE_FUNCTION contained_read(const struct image_header *header, const __u64 *cell, __u32 mask,
			      struct containment *query)
{
	struct end *to = &query->move->pair.end[query->to], *from = &query->move->pair.end[!query->to];

	if (header->generation != query->move->head.generation)
		return -ESTALE;
	if (!decide_is_contained(end_rights(header, cell, mask, to), end_rights(header, cell, mask, from)))
		return 0;
	if (!query->is_directory)
		return 1;
	for (__u32 lane = 1; lane < LANES_MAX; lane++) {
		if (lane >= header->lanes)
			break;
		if (to->below[lane] != from->below[lane])
			return 0;
	}
	return decide_is_subtree(header, cell, mask, to->below[0], from->below[0]);
}

static __always_inline int contained_find(__u32 policy, struct containment *query)
{
	IMAGE_CALL(policy, contained_read, query);
	return -ESTALE;
}

/*
 * 1 if what is called by the new name's place may come there, 0 if that would
 * widen what it permits, -ESTALE if the image is gone, which denies; BACK asks for
 * what an exchange brings to the old name.
 */
__weak __noinline int move_contained(struct move *move, __u32 back)
{
	struct containment query = { .move = move, .to = MOVE_TO };

	if (!move)
		return -EINVAL;
	query.is_directory = move->what & MOVE_OF_DIRECTORY;
	if (back) {
		query.to = MOVE_FROM;
		query.is_directory = move->what & MOVE_BACK_OF_DIRECTORY;
	}
	return contained_find(move->head.policy, &query);
}

/* Equal verdicts on both names, below them too: nothing to look up. Most moves are such. */
static __always_inline bool move_is_level(const struct move *move)
{
	__u32 lanes = GENERATION_LANES(move->head.generation), unlike = 0;

	for (__u32 lane = 0; lane < LANES_MAX; lane++) {
		if (lane >= lanes)
			break;
		unlike |= move->pair.end[MOVE_FROM].row[lane] ^ move->pair.end[MOVE_TO].row[lane];
		if (move->what & (MOVE_OF_DIRECTORY | MOVE_BACK_OF_DIRECTORY))
			unlike |= move->pair.end[MOVE_FROM].below[lane] ^ move->pair.end[MOVE_TO].below[lane];
	}
	return !unlike;
}

/* 1 or 0, or -ESTALE: the image is not the one that the names were found with any more. */
static __always_inline int move_widens(struct move *move)
{
	int contained;

	if (move_is_level(move))
		return 0;
	contained = move_contained(move, 0);
	if (contained == 1 && move->what & MOVE_EXCHANGE)
		contained = move_contained(move, 1);
	return contained < 0 ? -ESTALE : !contained;
}

static __always_inline void pick_word(struct move *move, __u32 side, __u32 i)
{
	const struct end *end = &move->pair.end[side];
	struct move_pick *pick = &move->pick;
	__u32 strictness = decide_strictness(WORD_VERB(end->word[i]));

	if (end->op[i] >= OP_COUNT || (pick->op != OP_COUNT && strictness <= pick->strictness))
		return;
	pick->side = side;
	pick->op = end->op[i];
	pick->word = end->word[i];
	pick->strictness = strictness;
}

/* What is told of an allowed move: itself if that is observed, else the first of its parts that is. */
static __always_inline void pick_observed(struct move *move, __u32 side, __u32 op)
{
	struct move_pick *pick = &move->pick;

	if (op >= OP_COUNT || move->head.observed & OP_BIT(pick->op & 31) ||
	    !(move->head.observed & OP_BIT(op & 31)))
		return;
	pick->side = side;
	pick->op = op;
}

/*
 * Picks the strictest word of both ends, of equals the old name's and the first:
 * it alone is told. 1 if it refuses.
 */
__weak __noinline int move_choose(struct move *move)
{
	if (!move)
		return 1;
	move->pick.op = OP_COUNT;
	move->pick.strictness = 0;
	for (__u32 n = 0; n < 4; n++)
		pick_word(move, n / 2, n & 1);
	if (move->pick.strictness)
		return move->pick.strictness >= decide_strictness(VERB_ASK);
	move->pick.op = move->what & MOVE_RENAME ? OP_FILE_RENAME : OP_FILE_LINK;
	move->pick.side = MOVE_FROM;
	for (__u32 n = 0; move->head.observed && n < 4; n++)
		pick_observed(move, n / 2, move->pair.end[n / 2].op[n & 1]);
	return 0;
}

/* An end without an honest name denies the move, whatever the other one is. */
__weak __noinline int move_nameless(struct move *move)
{
	__u32 side;

	if (!move)
		return REASON_ERROR;
	side = move->pair.end[MOVE_FROM].kind == NAME_FOUND ? MOVE_TO : MOVE_FROM;
	move->pick.side = side;
	move->pick.op = move->pair.end[side & 1].op[0];
	move->pick.word = nameless_word(&move->head, OPS_FILE | OPS_EXEC);
	if (WORD_VERB(move->pick.word) == VERB_ALLOW)
		move->pick.op = move->what & MOVE_RENAME ? OP_FILE_RENAME : OP_FILE_LINK;
	return move->pair.end[side & 1].kind == NAME_NONE ? move->pair.end[side & 1].reason : REASON_DETACHED;
}

/* Begins a round: even ones find the old name, odd ones the new one. */
static __noinline int move_turn(struct move *move, __u32 i)
{
	move->side = i & 1;
	if (!(i & 1))
		head_copy(move->head.policy, &move->head);
	return 0;
}

/* Is each right there without a word, so that there is nothing to choose? Unneeded ones allow. */
static __always_inline bool move_is_quiet(const struct move *move)
{
	const struct end *from = &move->pair.end[MOVE_FROM], *to = &move->pair.end[MOVE_TO];
	__u32 unlike = (from->word[0] ^ VERB_ALLOW) | (from->word[1] ^ VERB_ALLOW) |
		       (to->word[0] ^ VERB_ALLOW) | (to->word[1] ^ VERB_ALLOW);

	return !WORD_VERB(unlike) && !move->head.observed;
}

/* What both names come to: 0, or -ESTALE. */
__weak __noinline int move_decide(struct move *move)
{
	int widens = 0;

	if (!move)
		return -ESTALE;
	move->is_nameless = move->pair.end[MOVE_FROM].kind != NAME_FOUND ||
			    move->pair.end[MOVE_TO].kind != NAME_FOUND;
	move->pick.strictness = 0;
	if (!move->is_nameless && (move_is_quiet(move) || !move_choose(move)))
		widens = move_widens(move);
	move->widens = widens == 1;
	return widens < 0 ? widens : 0;
}

/*
 * Ends a round; 1 when one image knew both names and decided. An image replaced in
 * between asks for another round: what was found with the old one says nothing.
 */
__weak __noinline int move_keep(struct move *move)
{
	if (!move)
		return 1;
	if (!(move->side & 1) || move->pair.end[MOVE_FROM].generation != move->head.generation ||
	    move->pair.end[MOVE_TO].generation != move->head.generation)
		return 0;
	if (move_decide(move))
		return 0;
	move->is_known = 1;
	return 1;
}

static long move_find(__u32 i, struct move_walk *walk)
{
	struct move *move = walk->move;
	struct dentry *object = walk->from;
	struct found found = {};
	struct end *end;

	if (!move)
		return 1;
	move_turn(move, i);
	end = &move->pair.end[*(volatile __u32 *)&move->side & 1];
	if (*(volatile __u32 *)&move->side) {
		object = walk->to;
		asm volatile("" : "+r"(object));
	}
	found.op[0] = end->op[0];
	found.op[1] = end->op[1];
	name_find_end(object, walk->mnt, &move->head, &found, end);
	end->kind = found.kind;
	end->reason = found.reason;
	return move_keep(move) ? 1 : 0;
}

static __always_inline int warm_side(struct dentry *object, __u64 key, struct pair *pair, __u32 side)
{
	int len = warm_begin(object, key, GENERATION_LANES(pair->generation), &pair->look[side]);

	pair->len[side] = len;
	pair->end[side].kind = NAME_FOUND;
	return len < 0 ? len : 0;
}

/*
 * The warm path of both names of a move, through one mount and by one image: 0 when
 * PAIR's ends are filled. Neither name changes meanwhile, the kernel holds their
 * parents; the sequences are compared nevertheless, as name_fast
 * does.
 */
static __noinline int name_fast_pair(struct dentry *from, struct dentry *to, struct vfsmount *mnt,
				     __u32 policy, struct pair *pair)
{
	__u32 sequence = dentry_begin(from), other = dentry_begin(to);
	__u64 key = warm_key(POINTER_DIFF(mnt), bpf_get_current_task_btf(), pair->generation);
	int err;

	if (from == mnt->mnt_root || to == mnt->mnt_root)
		return -ENOENT;
	err = warm_side(from, key, pair, 0);

	if (!err)
		err = warm_side(to, key, pair, 1);
	if (!err)
		err = image_quick_pair(policy, pair);
	if (err)
		return err;
	return dentry_moved(from, sequence) || dentry_moved(to, other) ? -ESTALE : 0;
}

/* Both names by the warm path: 0 when one image knew and decided them. */
static __always_inline int move_find_warm(struct move_walk *walk, struct move *move)
{
	move->pair.generation = move->head.generation;
	if (name_fast_pair(walk->from, walk->to, walk->mnt, move->head.policy, &move->pair) ||
	    move_decide(move))
		return -ESTALE;
	move->is_known = 1;
	return 0;
}

static __noinline int move_settle(struct move_walk *walk, __u32 reason)
{
	struct move *move = walk->move;
	struct act act = { .target = POINTER_NUMBER(walk->to), .mnt = POINTER_NUMBER(walk->mnt) };

	if (!move)
		return -EACCES;
	act.dentry = move->pick.side == MOVE_TO ? act.target : POINTER_NUMBER(walk->from);
	act.op = move->pick.op;
	act.word = move->pick.word;
	act.reason = reason;
	act.generation = move->head.generation;
	act.policy = move->head.policy;
	act.observed = move->head.observed;
	if (!act_settle(&act))
		return 0;
	return reason == REASON_WIDENS ? -EXDEV : -EACCES;
}

static __always_inline int move_judge(struct move_walk *walk, struct move *move)
{
	__u32 whole = move->what & MOVE_RENAME ? OP_FILE_RENAME : OP_FILE_LINK;
	__u32 reason = WORD_RULE(move->pick.word) == RULE_DEFAULT ? REASON_DEFAULT : REASON_RULE;

	if (!move->is_known || move->widens) {
		reason = move->is_known ? REASON_WIDENS : REASON_ERROR;
		move->pick.side = MOVE_FROM;
		move->pick.op = whole;
		move->pick.word = move->is_known ? WORD(RULE_DEFAULT, VERB_DENY)
						 : nameless_word(&move->head, OPS_FILE | OPS_EXEC);
	} else if (move->is_nameless) {
		reason = move_nameless(move);
	} else if (!move->pick.strictness && !(move->head.observed & OP_BIT(move->pick.op & 31))) {
		return 0;
	}
	return move_settle(walk, reason);
}

#endif
