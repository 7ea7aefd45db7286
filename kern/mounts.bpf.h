/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects that come without a mount: judged by every name that they have in the
 * caller's mount namespace.
 *
 * Without the mount that was used nobody can say by which name an object was
 * reached. So all mounts of its file system are gone through, those that the
 * caller's namespace holds and that have the object below their root are walked as
 * name.bpf.h does, and the strictest verdict holds: a name that forbids an act
 * forbids it whichever way was taken. An object without a name there is denied.
 *
 * Most file systems have one mount in a namespace. Which one it is, is remembered
 * for as long as the namespace's event count stands, and the warm path serves
 * through it: that it knows the directory proves that the object lies below the
 * mount's root.
 */
#ifndef AGENTCTL_MOUNTS_BPF_H
#define AGENTCTL_MOUNTS_BPF_H

#include "verdict.bpf.h"

#define SURVEY_SLOTS 64
#define SURVEY_STEPS 1024	/* over lists and mounts, anew when the tree moved meanwhile */
#define MOUNTS_WALKED_MAX 16384 /* of the object's file system, in all namespaces */
#define MOUNTS_JUDGED_MAX 64	/* of these, in the caller's and above the object */

/* The work on one object. What callbacks count stands here, for the reason that struct work gives. */
struct survey {
	__u64 busy;
	__u64 sequence; /* of the tree when the try began */
	__u64 dentry;	/* where the climb is */
	__u64 sb;
	__u64 ns;
	__u64 event;	  /* the namespace's */
	__u64 cursor;	  /* a mount of the file system, 0 behind the last */
	__u64 root;	  /* of that mount */
	__u64 mnt;	  /* through which the strictest verdict was found */
	__u64 generation; /* of the image that judged */
	__u32 observed;
	__u32 links;
	__u32 is_above; /* the object is that root or lies below it */
	__u32 count;
	__u32 in_namespace; /* mounts of the file system in the caller's, above the object or not */
	__u32 judged;
	__u32 is_gathered;
	__u32 is_done;
	__u32 kind;
	__u32 reason;
	__u32 word;
	__u64 chain[DEPTH_MAX + 1]; /* the object and what is above it, by address */
	__u64 mount[MOUNTS_JUDGED_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SURVEY_SLOTS);
	__type(key, __u32);
	__type(value, struct survey);
} surveys __weak SEC(".maps");

/*
 * The only mount of a file system in a mount namespace. Several may write at once:
 * the seal tells words of one from words of another.
 *
 * Every mount that comes to a namespace or goes counts its event on, and with it in
 * the namespace the file system stays. A mount that comes after the count was read
 * is none by which the caller reached the object.
 */
struct sole {
	__u64 sb;
	__u64 ns; /* the namespace's id */
	__u64 event;
	__u64 mount;
	__u64 root; /* of the mount */
	__u64 seal;
};

#define SOLES 256

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SOLES);
	__type(key, __u32);
	__type(value, struct sole);
} soles __weak SEC(".maps");

static __always_inline __u64 sole_seal(const struct sole *sole)
{
	return sole->sb * cache_key[0] + sole->ns * cache_key[1] + sole->event * cache_key[2] +
	       sole->mount * cache_key[3] + sole->root * cache_key[4];
}

static __always_inline struct sole *sole_at(__u64 sb, __u64 ns)
{
	__u32 index = (sb * cache_key[0] + ns * cache_key[1]) >> 56 & (SOLES - 1);

	return bpf_map_lookup_elem(&soles, &index);
}

struct survey_context {
	struct survey *survey;
	struct dentry *object;
	__u32 policy;
	__u32 op;
};

static long survey_try(__u32 i, struct survey_context *context)
{
	__u32 index = (bpf_get_smp_processor_id() * 5 + i) & (SURVEY_SLOTS - 1);
	struct survey *survey = bpf_map_lookup_elem(&surveys, &index);

	if (!survey || __sync_val_compare_and_swap(&survey->busy, 0, 1))
		return 0;
	context->survey = survey;
	return 1;
}

static long survey_climb(__u32 i, struct survey_context *context)
{
	struct survey *survey = context->survey;
	struct dentry *dentry;
	__u64 parent;
	__u32 n;

	if (!survey)
		return 1;
	n = survey->links;
	if (n > DEPTH_MAX)
		return 1;
	dentry = (void *)survey->dentry;
	parent = (__u64)BPF_CORE_READ(dentry, d_parent);
	survey->chain[n] = survey->dentry;
	survey->links = n + 1;
	if (parent == survey->dentry)
		return 1;
	survey->dentry = parent;
	return 0;
}

static long survey_compare(__u32 i, struct survey_context *context)
{
	struct survey *survey = context->survey;

	if (!survey || i > DEPTH_MAX)
		return 1;
	if (survey->chain[i] != survey->root)
		return 0;
	survey->is_above = 1;
	return 1;
}

/* From 6.18 a superblock's mounts are a chain, before they are a ring. */
static __always_inline __u64 mount_of_node(__u64 node, __u64 sb)
{
	if (node == sb + bpf_core_field_offset(struct super_block___ring, s_mounts))
		return 0;
	return node - bpf_core_field_offset(struct mount___ring, mnt_instance);
}

static __always_inline __u64 mount_first(__u64 sb)
{
	struct super_block___chain *chain = (void *)sb;
	struct super_block___ring *ring = (void *)sb;

	if (bpf_core_field_exists(struct mount___chain, mnt_next_for_sb))
		return (__u64)BPF_CORE_READ(chain, s_mounts);
	return mount_of_node((__u64)BPF_CORE_READ(ring, s_mounts.next), sb);
}

static __always_inline __u64 mount_next(__u64 mount, __u64 sb)
{
	struct mount___chain *chain = (void *)mount;
	struct mount___ring *ring = (void *)mount;

	if (bpf_core_field_exists(struct mount___chain, mnt_next_for_sb))
		return (__u64)BPF_CORE_READ(chain, mnt_next_for_sb);
	return mount_of_node((__u64)BPF_CORE_READ(ring, mnt_instance.next), sb);
}

static long survey_mount(__u32 i, struct survey_context *context)
{
	struct survey *survey = context->survey;
	struct mount *mount;
	__u32 n;

	if (!survey || !survey->cursor)
		return 1;
	mount = (void *)survey->cursor;
	if ((__u64)BPF_CORE_READ(mount, mnt_ns) == survey->ns) {
		survey->in_namespace++;
		survey->root = (__u64)BPF_CORE_READ(mount, mnt.mnt_root);
		survey->is_above = 0;
		bpf_loop(survey->links, survey_compare, context, 0);
		n = survey->count;
		if (*(volatile __u32 *)&survey->is_above) {
			if (n >= MOUNTS_JUDGED_MAX)
				return 1;
			survey->mount[n] = survey->cursor;
			survey->count = n + 1;
		}
	}
	survey->cursor = mount_next(survey->cursor, survey->sb);
	return 0;
}

static __always_inline void survey_end(struct survey *survey, __u32 reason)
{
	survey->kind = NAME_NONE;
	survey->reason = reason;
	survey->word = WORD(RULE_DEFAULT, VERB_DENY);
	survey->is_done = 1;
}

/* Lists the mounts that count. A list that did not come to its end is worth nothing: denied. */
static __always_inline void survey_gather(struct survey_context *context, struct survey *survey)
{
	struct dentry *object = context->object;
	struct mnt_namespace *ns = (void *)survey->ns;

	survey->event = BPF_CORE_READ(ns, event);
	survey->dentry = POINTER_NUMBER(object);
	survey->links = survey->count = survey->in_namespace = survey->judged = 0;
	bpf_loop(DEPTH_MAX + 2, survey_climb, context, 0);
	survey->cursor = mount_first(survey->sb);
	bpf_loop(MOUNTS_WALKED_MAX, survey_mount, context, 0);
	survey->is_gathered = 1;
	if (*(volatile __u64 *)&survey->cursor)
		survey_end(survey, REASON_ERROR);
	else if (*(volatile __u32 *)&survey->links > DEPTH_MAX)
		survey_end(survey, REASON_TOO_DEEP);
	else if (!*(volatile __u32 *)&survey->count)
		survey_end(survey, REASON_DETACHED);
}

/* The verdict through one mount; kept if it is stricter than those before. False if another image gave it than theirs. */
static __always_inline bool survey_judge(struct survey_context *context, struct survey *survey, __u32 i)
{
	struct found found = { .op = { context->op, OP_COUNT } };
	struct head head = { .policy = context->policy };
	__u64 mnt = survey->mount[i & (MOUNTS_JUDGED_MAX - 1)] + bpf_core_field_offset(struct mount, mnt);
	__u32 word;

	name_slow(context->object, mnt, &head, &found, 0);
	if (i && head.generation != survey->generation)
		return false;
	survey->generation = head.generation;
	survey->observed = head.observed;
	word = found.kind == NAME_FOUND ? found.word[0] : WORD(RULE_DEFAULT, VERB_DENY);
	if (i && decide_stricter(word, survey->word) == survey->word)
		return true;
	survey->word = word;
	survey->kind = found.kind;
	survey->reason = found.reason;
	survey->mnt = mnt;
	return true;
}

/* Only what was found in a tree that stood still. */
static __always_inline void sole_keep(const struct survey *survey)
{
	struct mnt_namespace *ns = (void *)survey->ns;
	struct sole fresh = { survey->sb, namespace_id_of(survey->ns), survey->event, survey->mount[0] };
	struct mount *mount = (void *)fresh.mount;
	struct sole *sole = sole_at(fresh.sb, fresh.ns);

	if (!sole || survey->in_namespace != 1 || BPF_CORE_READ(ns, event) != fresh.event)
		return;
	fresh.root = (__u64)BPF_CORE_READ(mount, mnt.mnt_root);
	sole->sb = fresh.sb;
	sole->ns = fresh.ns;
	sole->event = fresh.event;
	sole->mount = fresh.mount;
	sole->root = fresh.root;
	sole->seal = sole_seal(&fresh);
}

/*
 * One step: a mount, or the list of them. What was found holds only if the tree
 * stood still from the first look at the list to the last name, and one image gave
 * all words.
 */
static long survey_step(__u32 i, struct survey_context *context)
{
	struct survey *survey = context->survey;
	__u32 n;

	if (!survey)
		return 1;
	if (!survey->is_gathered) {
		survey->sequence = tree_sequence();
		if (!(survey->sequence & 0x100000001ull))
			survey_gather(context, survey);
		return *(volatile __u32 *)&survey->is_done != 0;
	}
	n = survey->judged;
	survey->is_gathered = survey_judge(context, survey, n);
	survey->judged = n + 1;
	if (!survey->is_gathered || n + 1 < survey->count)
		return 0;
	if (tree_sequence() == survey->sequence) {
		sole_keep(survey);
		survey->is_done = 1;
		return 1;
	}
	survey->is_gathered = 0;
	return 0;
}

/* Memory that has no file to begin with: it lies on a mount of the kernel's, and is nobody's child there. */
static __always_inline bool object_is_memory(struct dentry *object)
{
	struct super_block *sb = object->d_sb;

	if (sb->s_magic == MQUEUE_MAGIC)
		return true;
	return object == object->d_parent && object != sb->s_root && sb->s_flags & SB_KERNMOUNT;
}

static __noinline int survey_settle(struct dentry *object, const struct survey *survey, __u32 policy,
				    __u32 op)
{
	struct act act = {
		.generation = survey->generation,
		.dentry = POINTER_NUMBER(object),
		.mnt = survey->mnt,
		.policy = policy,
		.observed = survey->observed,
		.op = op,
		.word = survey->word,
		.reason = survey->reason,
	};

	if (survey->kind == NAME_FOUND)
		act.reason = WORD_RULE(act.word) == RULE_DEFAULT ? REASON_DEFAULT : REASON_RULE;
	return act_settle(&act);
}

/* As survey_settle, where nothing was found out: denied, but where the policy only watches. */
static __noinline int survey_crowded(struct dentry *object, const struct head *head, __u32 op)
{
	struct act act = {
		.generation = head->generation,
		.dentry = POINTER_NUMBER(object),
		.policy = head->policy,
		.observed = head->observed,
		.op = op,
		.word = nameless_word(head, OP_BIT(op & 31)),
		.reason = REASON_ERROR,
	};

	return EACCES_IF(act_settle(&act));
}

/* Fills COPY with what is remembered of the file system SB in NS, if it still holds. */
static __always_inline bool sole_find(__u64 sb, struct mnt_namespace *ns, struct sole *copy)
{
	__u64 id = namespace_id(ns), event = *(volatile __u64 *)&ns->event;
	struct sole *sole = sole_at(sb, id);

	if (!sole)
		return false;
	copy->sb = *(volatile __u64 *)&sole->sb;
	copy->ns = *(volatile __u64 *)&sole->ns;
	copy->event = *(volatile __u64 *)&sole->event;
	copy->mount = *(volatile __u64 *)&sole->mount;
	copy->root = *(volatile __u64 *)&sole->root;
	return copy->sb == sb && copy->ns == id && copy->event == event &&
	       *(volatile __u64 *)&sole->seal == sole_seal(copy);
}

/* The warm path: 0 with FOUND's word if the object's file system has one mount in the caller's namespace. */
static __noinline int object_fast(struct dentry *object, struct head *head, struct found *found,
				  __u64 *ret_mnt)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sole sole;

	if (!sole_find(POINTER_NUMBER(object->d_sb), task->nsproxy->mnt_ns, &sole) ||
	    sole.root == POINTER_NUMBER(object))
		return -ENOENT;
	*ret_mnt = sole.mount + bpf_core_field_offset(struct mount, mnt);
	return name_warm(object, *ret_mnt - pointer_origin(), task, head, found);
}

static __always_inline int object_survey(struct dentry *object, struct head *head, __u32 op)
{
	struct survey_context context = { .object = object, .policy = head->policy, .op = op };
	struct survey *survey;
	int err;

	bpf_loop(SURVEY_SLOTS, survey_try, &context, 0);
	survey = context.survey;
	if (!survey)
		return survey_crowded(object, head, op);
	survey->sb = POINTER_NUMBER(object->d_sb);
	survey->ns = (__u64)BPF_CORE_READ(bpf_get_current_task_btf(), nsproxy, mnt_ns);
	survey->mnt = 0;
	survey->generation = head->generation;
	survey->observed = head->observed;
	survey->is_gathered = survey->is_done = 0;
	bpf_loop(SURVEY_STEPS, survey_step, &context, 0);
	if (!*(volatile __u32 *)&survey->is_done)
		survey_end(survey, REASON_ERROR);
	if (survey->kind != NAME_FOUND)
		survey->word = nameless_word(head, OP_BIT(op & 31));
	err = survey_settle(object, survey, head->policy, op);
	slot_release(&survey->busy);
	return EACCES_IF(err);
}

/* Judges OP on OBJECT by all its names, for a governed task. Every failure denies. */
static __always_inline int verdict_object(struct dentry *object, __u32 policy, __u32 op)
{
	struct found found = { .op = { op, OP_COUNT } };
	struct head head;
	__u64 mnt = 0;

	/* None comes without it; verifiers ask. */
	if (!object)
		return -EACCES;
	head_copy(policy, &head);
	if (!((head.enforced | head.observed) & OP_BIT(op)) || object_is_memory(object))
		return 0;
	if (object_fast(object, &head, &found, &mnt))
		return EACCES_IF(object_survey(object, &head, op));
	if (verdict_is_quiet(&head, &found, 0))
		return 0;
	return EACCES_IF(verdict_settle(object, mnt, &head, &found));
}

#endif
