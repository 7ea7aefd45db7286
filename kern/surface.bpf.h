/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel offers beyond files, programs and addresses: allowed or not as a
 * whole, or by which program asks.
 *
 * A program is known by the name of the file that it runs, never by comm, which it
 * may choose. The name is found as for an event, by reads alone, and believed only
 * if it is honest: reached from its namespace's root in a tree that did not move,
 * whole, and not deleted. Whatever of this fails denies.
 */
#ifndef AGENTCTL_SURFACE_BPF_H
#define AGENTCTL_SURFACE_BPF_H

#include "settle.bpf.h"

#define PROGRAM_TRIES 64
#define PROGRAM_NAME_MAX EVENT_OBJECT_MAX

/* A program's name on its way through its automaton. */
struct program {
	struct event_slot *slot;
	struct work *work;
	__u64 dentry;
	__u64 mnt;
	__u32 len;
	__u32 is_named;
	__u32 word;
	__u32 op;
};

/* One try to write the name down; 1 when there is one, or will be none. */
static long program_try(__u32 i, struct program *program)
{
	struct event_slot *slot = program->slot;
	__u64 sequence = tree_sequence();
	struct mnt_namespace *ns;
	struct dentry *dentry;
	struct mount *mount;
	bool is_honest;

	if (!slot)
		return 1;
	if (sequence & 0x100000001ull)
		return 0;
	slot->used = 0;
	program->len = event_path(slot, program->dentry, program->mnt, PROGRAM_NAME_MAX);
	mount = (void *)(program->mnt - bpf_core_field_offset(struct mount, mnt));
	ns = BPF_CORE_READ(mount, mnt_ns);
	dentry = (void *)program->dentry;
	is_honest = !slot->cut && slot->dentry == slot->root &&
		    slot->mount == (__u64)BPF_CORE_READ(ns, root) && BPF_CORE_READ(dentry, d_hash.pprev) &&
		    !magic_is_caseless(BPF_CORE_READ(dentry, d_sb, s_magic));
	if (tree_sequence() != sequence)
		return 0;
	program->is_named = is_honest;
	return 1;
}

IMAGE_FUNCTION program_start(const struct image_header *header, const __u64 *cell, __u32 mask,
			     struct look *look)
{
	if (header->generation != look->generation)
		return -ESTALE;
	look->lanes = 1;
	look->state[0] = header->program_start;
	return 0;
}

static __always_inline int program_begin(struct look *look)
{
	IMAGE_CALL(look->policy, program_start, look);
	return -ESTALE;
}

/* This automaton knows no classes but the bytes themselves: those of paths are another's. */
#define STEP_PROGRAM(i)   \
	if (n <= (i))     \
		goto end; \
	state = match_step(cell, mask, state, look->byte[i] + 1ul);

IMAGE_FUNCTION program_walk_chunk(const struct image_header *header, const __u64 *cell, __u32 mask,
				  struct look *look)
{
	__u64 state;
	__u32 n;

	if (header->generation != look->generation)
		return -ESTALE;
	if (look_fetch(look))
		return -EFAULT;
	n = CHUNK_OF(look);
	state = look->state[0];
	CHUNK_TIMES(STEP_PROGRAM)
end:
	look->state[0] = state;
	n = CHUNK_OF(look);
	look->name += n;
	look->len -= n;
	return 0;
}

#define PROGRAM_STEP(class)                                                                          \
	__weak __noinline int program_step_##class(struct image_##class * image, struct look * look) \
	{                                                                                            \
		if (!image || !look)                                                                 \
			return -EINVAL;                                                              \
		return program_walk_chunk(&image->header, image->cell, CELLS_OF(image) - 1, look);   \
	}

PROGRAM_STEP(small)
PROGRAM_STEP(medium)
PROGRAM_STEP(large)

static __always_inline int program_step_image(struct look *look)
{
	struct image_small *small = IMAGE_GET(small, look->policy);
	struct image_medium *medium;
	struct image_large *large;

	if (small)
		return program_step_small(small, look);
	medium = IMAGE_GET(medium, look->policy);
	if (medium)
		return program_step_medium(medium, look);
	large = IMAGE_GET(large, look->policy);
	if (large)
		return program_step_large(large, look);
	return -ESTALE;
}

static long program_step(__u32 i, struct program *program)
{
	struct work *work = program->work;

	if (!work)
		return 1;
	work->err = program_step_image(&work->look);
	return work->err || !work->look.len;
}

IMAGE_FUNCTION program_end(const struct image_header *header, const __u64 *cell, __u32 mask,
			   struct program *program)
{
	if (header->generation != program->work->look.generation)
		return -ESTALE;
	program->word = match_word(cell, mask, program->work->look.state[0], program->op - OP_KERNEL_FIRST);
	return 0;
}

static __always_inline int program_find(__u32 policy, struct program *program)
{
	IMAGE_CALL(policy, program_end, program);
	return -ESTALE;
}

/* Walks the name that the slot holds: 0 with the word of the operation, WORD_NONE for no pattern, or -errno. */
static __always_inline int program_walk(struct program *program, const struct act *act)
{
	struct work *work = program->work;
	struct look *look = &work->look;

	look->policy = act->policy;
	look->generation = act->generation;
	look->op[0] = look->op[1] = OP_COUNT;
	look->slash = 0;
	look->name = POINTER_NUMBER(program->slot->event.data) + 1;
	look->len = program->len - 1;
	if (program_begin(look))
		return -ESTALE;
	work->err = 0;
	bpf_loop(PROGRAM_NAME_MAX / LOOK_CHUNK + 1, program_step, program, 0);
	if (work->err || look->len)
		return -ESTALE;
	return program_find(act->policy, program);
}

static __always_inline int program_judge(struct program *program, const struct act *act)
{
	bpf_loop(PROGRAM_TRIES, program_try, program, 0);
	if (!*(volatile __u32 *)&program->is_named || !program->len)
		return -ENOENT;
	return program_walk(program, act);
}

/*
 * The word of ACT's operation for the program that the current task runs, or, with
 * kernel.setuid, is about to run: WORD_NONE if no pattern names it.
 */
static __noinline __u32 program_word(const struct act *act)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct file *exe = BPF_CORE_READ(task, mm, exe_file);
	struct event_search search = {};
	struct program program = { .op = act->op, .word = WORD_NONE, .dentry = act->dentry, .mnt = act->mnt };

	if (act->op != OP_KERNEL_SETUID) {
		if (!exe)
			return WORD_NONE;
		program.dentry = (__u64)BPF_CORE_READ(exe, f_path.dentry);
		program.mnt = (__u64)BPF_CORE_READ(exe, f_path.mnt);
	}
	bpf_loop(EVENT_SLOTS, event_try, &search, 0);
	program.slot = search.slot;
	if (!program.slot)
		return WORD_NONE;
	program.work = work_take();
	if (program.work) {
		if (program_judge(&program, act))
			program.word = WORD_NONE;
		slot_release(&program.work->busy);
	}
	slot_release(&program.slot->busy);
	return program.word;
}

struct surface {
	struct act *act;
	__u32 by_program;
	__u32 in_session;
};

IMAGE_FUNCTION surface_read(const struct image_header *header, const __u64 *cell, __u32 mask,
			    struct surface *surface)
{
	struct act *act = surface->act;

	act->generation = header->generation;
	act->observed = header->observed;
	act->word = header->fallback[act->op & (OPS_MAX - 1)];
	surface->by_program = header->by_program & OP_BIT(act->op & 31);
	surface->in_session = header->in_session & OP_BIT(act->op & 31);
	return 0;
}

static __always_inline int surface_find(__u32 policy, struct surface *surface)
{
	IMAGE_CALL(policy, surface_read, surface);
	return -ESTALE;
}

/*
 * Settles ACT, whose policy, operation and object are set; IS_INSIDE says that what
 * it is about is under the caller's own attachment. 0 or -EPERM, also when the
 * policy is gone. Inline, for functions that stand between a hook and this: telling
 * of an act takes all the frames that a verifier allows.
 */
static __always_inline int surface_settle(struct act *act, bool is_inside)
{
	struct surface surface = { .act = act };
	__u32 word;

	act->reason = REASON_DEFAULT;
	if (surface_find(act->policy, &surface))
		return -EPERM;
	if (surface.in_session && is_inside) {
		act->word = WORD(RULE_DEFAULT, VERB_ALLOW);
	} else if (surface.by_program) {
		word = program_word(act);
		if (word != WORD_NONE)
			act->word = WORD(RULE_DEFAULT, WORD_VERB(word));
	}
	return act_settle(act) ? -EPERM : 0;
}

/* The same as a function, for hooks alone. */
__attribute__((unused)) static __noinline int surface_judge(struct act *act, bool is_inside)
{
	return surface_settle(act, is_inside);
}

/* Does the policy allow the operation to the current program? Nothing is told of it. */
__attribute__((unused)) static __noinline bool surface_allows(__u32 policy, __u32 op)
{
	struct act act = { .policy = policy, .op = op };
	struct surface surface = { .act = &act };
	__u32 word;

	if (surface_find(policy, &surface))
		return false;
	word = surface.by_program ? program_word(&act) : WORD_NONE;
	if (word == WORD_NONE)
		word = act.word;
	return WORD_VERB(word) != VERB_DENY || act.generation & GENERATION_AUDIT;
}

/*
 * Refuses ACT, whose policy, operation and object are set, whatever the policy
 * says and also if it only watches: what would end enforcement, for others, too.
 */
static __always_inline int surface_refuse(struct act *act)
{
	struct surface surface = { .act = act };

	surface_find(act->policy, &surface);
	act->generation &= ~(__u64)GENERATION_AUDIT;
	act->word = WORD(RULE_DEFAULT, VERB_DENY);
	act->reason = REASON_DEFAULT;
	act_settle(act);
	return -EPERM;
}

/* The same where FILE is what the act is about and what its event names. */
static __always_inline int surface_judge_file(struct file *file, __u32 policy, __u32 op)
{
	struct act act = {
		.policy = policy,
		.op = op,
		.dentry = (__u64)BPF_CORE_READ(file, f_path.dentry),
		.mnt = (__u64)BPF_CORE_READ(file, f_path.mnt),
	};

	return surface_judge(&act, false);
}

/* Is TASK, which need not be the current one, under the attachment ROOT? An entry that is missing says no. */
static __always_inline bool task_is_inside(struct task_struct *task, __u64 root)
{
	__u64 cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	struct attachment *entry = bpf_map_lookup_elem(&attachments, &cgroup);

	return entry && entry->root == root;
}

/* The attachment of the current task, which is governed; 0 if its entry is missing. */
static __always_inline __u64 task_root(void)
{
	__u64 cgroup = subject_cgroup();
	struct attachment *entry = bpf_map_lookup_elem(&attachments, &cgroup);

	return entry ? entry->root : 0;
}

#endif
