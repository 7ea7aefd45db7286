/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The further names that a move gives.
 *
 * A move is judged by the names of the mount that it uses. Where another mount in
 * the caller's namespace has the new place below its root, what is moved gets a
 * name there, too. That must permit nothing which neither the old name of the
 * mount in use permitted nor the old one there: else a file that may not be read
 * would be renamed where no name can be read, to be read where its new one can.
 *
 * A mount that root makes afterwards gives names that nobody here has asked for.
 */
#ifndef AGENTCTL_ALIAS_BPF_H
#define AGENTCTL_ALIAS_BPF_H

#include "mounts.bpf.h"
#include "move.bpf.h"

struct alias {
	struct survey_context context;
	struct move_walk *walk;
	__u32 back; /* what an exchange brings to the old name is looked at */
};

/* Finds the name of one end by the mount MNT: of the side that the survey is at, kept where it can be counted. */
static __always_inline void alias_find(struct alias *alias, struct move *move, __u64 mnt)
{
	struct found found = { .op = { OP_COUNT, OP_COUNT } };
	struct dentry *object = alias->walk->from;
	struct end *end = &move->pair.end[*(volatile __u32 *)&move->side & 1];

	if (*(volatile __u32 *)&move->side) {
		object = alias->walk->to;
		asm volatile("" : "+r"(object));
	}
	name_slow(object, mnt, &move->head, &found, end);
	end->generation = move->head.generation;
	end->kind = found.kind;
	if (found.kind == NAME_FOUND && image_end(move->head.policy, end))
		end->kind = NAME_NONE;
}

/* May what is moved get the name that was found? BACK: what an exchange brings to the old one. */
__weak __noinline int alias_judge(struct move *move, __u32 back)
{
	if (!move)
		return 0;
	back &= 1;
	if (move->pair.end[!back].kind != NAME_FOUND)
		return 0;
	if (move->pair.end[back].kind == NAME_FOUND && move_contained(move, back) == 1)
		return 1;
	move->pair.end[back] = move->old[back];
	return move_contained(move, back) == 1;
}

/* Ends the survey of names when all that it gathered were judged in an unmoving tree. */
static __always_inline long alias_end(struct survey *survey)
{
	if (survey->judged / 2 < survey->count)
		return 0;
	survey->is_gathered = 0;
	if (tree_sequence() != survey->sequence)
		return 0;
	sole_keep(survey);
	survey->kind = NAME_FOUND;
	survey->is_done = 1;
	return 1;
}

/* One step: the list of mounts, or one end's name by one of them, the old one's first. */
static long alias_step(__u32 i, struct alias *alias)
{
	struct survey *survey = alias->context.survey;
	struct move *move = alias->walk->move;
	__u32 n;
	__u64 mnt;

	if (!survey || !move)
		return 1;
	if (!survey->is_gathered) {
		survey->sequence = tree_sequence();
		if (!(survey->sequence & 0x100000001ull))
			survey_gather(&alias->context, survey);
		return *(volatile __u32 *)&survey->is_done != 0;
	}
	n = survey->judged;
	mnt = survey->mount[n / 2 & (MOUNTS_JUDGED_MAX - 1)] + bpf_core_field_offset(struct mount, mnt);
	if (mnt == POINTER_NUMBER(alias->walk->mnt)) {
		survey->judged = n + 2;
		return alias_end(survey);
	}
	move->side = n & 1;
	survey->judged = n + 1;
	alias_find(alias, move, mnt);
	if (!*(volatile __u32 *)&move->side)
		return 0;
	if (!alias_judge(move, alias->back)) {
		survey_end(survey, REASON_WIDENS);
		return 1;
	}
	return alias_end(survey);
}

/* Do the other names of the new place widen what is moved there? Whatever fails says so. */
static __always_inline bool alias_widens(struct alias *alias)
{
	struct dentry *object = alias->back ? alias->walk->from : alias->walk->to;
	struct survey *survey;
	bool widens;

	alias->context.object = object;
	bpf_loop(SURVEY_SLOTS, survey_try, &alias->context, 0);
	survey = alias->context.survey;
	if (!survey)
		return true;
	survey->sb = POINTER_NUMBER(object->d_sb);
	survey->ns = (__u64)BPF_CORE_READ(bpf_get_current_task_btf(), nsproxy, mnt_ns);
	survey->is_gathered = survey->is_done = 0;
	bpf_loop(SURVEY_STEPS, alias_step, alias, 0);
	widens = !*(volatile __u32 *)&survey->is_done;
	/* Without any name in the caller's namespace there is none but that of the mount in use. */
	if (survey->kind != NAME_FOUND && survey->reason != REASON_DETACHED)
		widens = true;
	slot_release(&survey->busy);
	return widens;
}

/* Is the mount that the move uses the only one of its file system in the caller's namespace? */
static __noinline bool alias_is_none(struct move_walk *walk)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sole sole;

	return sole_find(POINTER_NUMBER(walk->to->d_sb), task->nsproxy->mnt_ns, &sole) &&
	       sole.mount + bpf_core_field_offset(struct mount, mnt) == POINTER_NUMBER(walk->mnt);
}

/* Looks at the names by other mounts, if the file system has any: an allowed MOVE widens if one of them does. */
static __always_inline void alias_check(struct move_walk *walk, struct move *move)
{
	struct alias alias = { .walk = walk };

	if (alias_is_none(walk))
		return;
	move->old[MOVE_FROM] = move->pair.end[MOVE_FROM];
	move->old[MOVE_TO] = move->pair.end[MOVE_TO];
	move->widens = alias_widens(&alias);
	if (!move->widens && move->what & MOVE_EXCHANGE) {
		alias.back = 1;
		alias.context.survey = 0;
		move->widens = alias_widens(&alias);
	}
}

#endif
