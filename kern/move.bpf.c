// SPDX-License-Identifier: GPL-2.0
/* Giving files and directories other names: renames, exchanges and hard links. */
#include "alias.bpf.h"
#include "special.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define MOVE_RENAME_EXCHANGE 2 /* RENAME_EXCHANGE */

/* What each end needs: the old name is deleted, the new one is made, and what stood there is deleted. */
static __always_inline void move_needs(struct move *move, bool replaces)
{
	bool is_exchange = move->what & MOVE_EXCHANGE;
	struct end *from = &move->pair.end[MOVE_FROM], *to = &move->pair.end[MOVE_TO];

	from->op[0] = move->what & MOVE_RENAME ? OP_FILE_DELETE : OP_FILE_LINK;
	from->op[1] = is_exchange ? OP_FILE_CREATE : OP_COUNT;
	to->op[0] = OP_FILE_CREATE;
	to->op[1] = is_exchange || replaces ? OP_FILE_DELETE : OP_COUNT;
}

/* All slots are taken, by tasks that were interrupted at their renames: told, and denied unless nothing is. */
static __noinline int move_crowded(struct move_walk *walk, struct head *head, __u32 what)
{
	struct act act = {
		.generation = head->generation,
		.dentry = POINTER_NUMBER(walk->from),
		.target = POINTER_NUMBER(walk->to),
		.mnt = POINTER_NUMBER(walk->mnt),
		.policy = head->policy,
		.op = what & MOVE_RENAME ? OP_FILE_RENAME : OP_FILE_LINK,
		.observed = head->observed,
		.word = nameless_word(head, OPS_FILE | OPS_EXEC),
		.reason = REASON_ERROR,
	};

	return EACCES_IF(act_settle(&act));
}

static __always_inline int move_begin(struct move_walk *walk, __u32 policy, __u32 what)
{
	struct dentry *from = walk->from, *to = walk->to;
	struct move *move;
	struct head head;
	int err;

	head_copy(policy, &head);
	if (!((head.enforced | head.observed) & (OPS_PATH | OP_BIT(OP_FILE_RENAME) | OP_BIT(OP_FILE_LINK))))
		return 0;
	if (!move_try(0, walk))
		bpf_loop(MOVES, move_try, walk, 0);
	move = walk->move;
	if (!move)
		return move_crowded(walk, &head, what);
	if (inode_is_directory(from->d_inode))
		what |= MOVE_OF_DIRECTORY;
	if (what & MOVE_EXCHANGE && inode_is_directory(to->d_inode))
		what |= MOVE_BACK_OF_DIRECTORY;
	move->what = what;
	move->head = head;
	move->is_known = 0;
	/* As a number: a verifier that takes the field of a trusted dentry for never NULL would drop the test. */
	move_needs(move, POINTER_NUMBER(to->d_inode));
	if (move_find_warm(walk, move))
		bpf_loop(MOVE_TRIES * 2, move_find, walk, 0);
	if (move->is_known && !move->is_nameless && !move->widens &&
	    move->pick.strictness < decide_strictness(VERB_ASK))
		alias_check(walk, move);
	err = move_judge(walk, move);
	slot_release(&move->busy);
	return err;
}

/* Both ends: what is replaced goes, too. */
static __always_inline int move_judge_special(struct move_walk *walk, __u32 policy)
{
	__u64 mnt = POINTER_NUMBER(walk->mnt);
	int special = special_object(walk->from, mnt, policy, SPECIAL_NAME);

	return special ? special : special_object(walk->to, mnt, policy, SPECIAL_NAME);
}

static __always_inline int move_hook(struct dentry *from, const struct path *to_dir, struct dentry *to,
				     __u32 what)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	struct move_walk walk = { .from = from, .to = to };
	int special;

	if (!policy)
		return 0;
	walk.mnt = to_dir->mnt;
	/* None comes without them; verifiers ask. */
	if (!from || !to || !walk.mnt)
		return -EACCES;
	special = move_judge_special(&walk, policy);
	if (special)
		return SPECIAL_RESULT(special);
	return move_begin(&walk, policy, what);
}

SEC("lsm/path_rename")
int BPF_PROG(hook_path_rename, const struct path *from_dir, struct dentry *from, const struct path *to_dir,
	     struct dentry *to, unsigned int flags)
{
	return move_hook(from, to_dir, to, MOVE_RENAME | (flags & MOVE_RENAME_EXCHANGE ? MOVE_EXCHANGE : 0));
}

/* The kernel links within one mount only, so the new name's is the old one's, too. */
SEC("lsm/path_link")
int BPF_PROG(hook_path_link, struct dentry *from, const struct path *to_dir, struct dentry *to)
{
	return move_hook(from, to_dir, to, 0);
}
