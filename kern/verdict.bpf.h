/* SPDX-License-Identifier: GPL-2.0 */
/* The one decision about an object with a path: from a dentry and a mount to 0 or -EACCES. */
#ifndef AGENTCTL_VERDICT_BPF_H
#define AGENTCTL_VERDICT_BPF_H

#include "find.bpf.h"
#include "settle.bpf.h"

#define EACCES_IF(x) ((x) ? -EACCES : 0)

struct anonymous {
	struct head *head;
	__u32 op;
	__u32 word;
};

IMAGE_FUNCTION anonymous_read(const struct image_header *header, const __u64 *cell, __u32 mask,
			      struct anonymous *anonymous)
{
	__u32 op = anonymous->op;

	head_read(header, cell, mask, anonymous->head);
	if (header->enforced & OP_BIT(op & 31))
		anonymous->word = header->anonymous[op & (ROW_WORDS - 1)];
	else
		anonymous->word = WORD(RULE_DEFAULT, VERB_ALLOW);
	return 0;
}

static __always_inline int anonymous_find(__u32 policy, struct anonymous *anonymous)
{
	IMAGE_CALL(policy, anonymous_read, anonymous);
	return -ESTALE;
}

/*
 * The words for an object without a place: running and mapping it has rules, and
 * such an act needs no second operation; opening it needs none.
 */
static __noinline void verdict_anonymous(struct head *head, struct found *found)
{
	struct anonymous anonymous = { .head = head,
				       .op = found->op[0],
				       .word = WORD(RULE_DEFAULT, VERB_DENY) };

	found->word[0] = found->word[1] = WORD(RULE_DEFAULT, VERB_ALLOW);
	if (!(OP_BIT(found->op[0] & 31) & OPS_EXEC))
		return;
	anonymous_find(head->policy, &anonymous);
	found->word[0] = anonymous.word;
}

/* Of two operations that one act needs, the one whose word decides: the stricter, the first of equals. */
static __always_inline __u32 verdict_pick(const struct found *found)
{
	__u32 first = decide_strictness(WORD_VERB(found->word[0]));

	return found->op[1] < OP_COUNT && decide_strictness(WORD_VERB(found->word[1])) > first;
}

/* What has no honest name is denied, but where the policy decides none of OPERATIONS and only watches. */
static __always_inline __u32 nameless_word(const struct head *head, __u32 operations)
{
	return WORD(RULE_DEFAULT, head->enforced & operations ? VERB_DENY : VERB_ALLOW);
}

static __noinline int verdict_settle(struct dentry *object, __u64 mnt, struct head *head, struct found *found)
{
	struct act act = {
		.generation = head->generation,
		.dentry = POINTER_NUMBER(object),
		.mnt = mnt,
		.policy = head->policy,
		.observed = head->observed,
	};
	__u32 pick = 0;

	if (found->kind == NAME_NONE) {
		act.op = found->op[0];
		act.word = nameless_word(head, OP_BIT(act.op & 31));
		act.reason = found->reason;
	} else {
		pick = verdict_pick(found);
		act.op = pick ? found->op[1] : found->op[0];
		act.word = pick ? found->word[1] : found->word[0];
		act.reason = WORD_RULE(act.word) == RULE_DEFAULT ? REASON_DEFAULT : REASON_RULE;
		act.is_anonymous = found->kind == NAME_ANONYMOUS;
	}
	act.is_tentative = act.op == OP_FILE_CREATE && object->d_flags & dentry_lookup_flag();
	return EACCES_IF(act_settle(&act));
}

static __always_inline bool verdict_is_quiet(const struct head *head, const struct found *found, int i)
{
	return found->op[i] >= OP_COUNT ||
	       (WORD_VERB(found->word[i]) == VERB_ALLOW && !(head->observed & OP_BIT(found->op[i] & 31)));
}

/* One act to be judged. */
struct request {
	struct task_struct *task; /* the current one */
	__u32 policy;
	__u32 first; /* the operations that it needs; OP_COUNT for no second */
	__u32 second;
	bool is_anonymous;   /* the object is memory without a file */
	bool needs_name;     /* nobody has judged the file that this one may back */
	struct inode *inode; /* of a file being opened that may be what backs another; NULL if it cannot be */
};

#define FMODE_READ 1
#define FMODE_WRITE 2
#define FILE_O_TRUNC 01000

/*
 * What a descriptor needs that is opened or received so. Mode 3 (neither read nor
 * write, for ioctl only) needs both, as the kernel's own check does. Without a
 * branch: the verifier would follow all that comes after for each outcome.
 */
static __always_inline void request_open(struct request *request, fmode_t mode, unsigned int flags)
{
	__u32 read = mode & FMODE_READ;
	__u32 write = (mode / FMODE_WRITE | flags / FILE_O_TRUNC) & 1;

	request->first = OP_FILE_READ + (write & ~read) * (OP_FILE_WRITE - OP_FILE_READ);
	request->second = OP_FILE_WRITE + (read ^ write) * (OP_COUNT - OP_FILE_WRITE);
}

/*
 * To 6.7 overlayfs opens the file behind its own under the overlay's path with
 * the lower inode. The overlay's own file was judged already: this one is not ours.
 */
static __always_inline bool object_is_backing(struct dentry *object, struct inode *inode)
{
	return !backing_has_own_path && inode && inode != object->d_inode && object != object->d_parent;
}

/*
 * Judges what REQUEST asks for on OBJECT. Ungoverned tasks never come here; of
 * governed ones every failure denies.
 */
static __always_inline int verdict_path(struct dentry *object, struct vfsmount *mnt,
					const struct request *request)
{
	__u32 first = request->first, second = request->second;
	struct found found = { .op = { first, second } };
	struct head head;
	__u32 wanted = OP_BIT(first & 31) | (second < OP_COUNT ? OP_BIT(second & 31) : 0);

	/* None comes without them; verifiers ask. */
	if (!object || !mnt)
		return -EACCES;
	head_copy(request->policy, &head);
	if (!((head.enforced | head.observed) & wanted))
		return 0;
	if (request->is_anonymous)
		found.kind = NAME_ANONYMOUS;
	else
		name_find(object, mnt, request->task, &head, &found);
	if (found.kind == NAME_SKIP) {
		if (!request->needs_name)
			return 0;
		found.kind = NAME_NONE;
		found.reason = REASON_DETACHED;
	}
	if (found.kind == NAME_ANONYMOUS)
		verdict_anonymous(&head, &found);
	if (found.kind != NAME_NONE && verdict_is_quiet(&head, &found, 0) &&
	    verdict_is_quiet(&head, &found, 1))
		return 0;
	if (object_is_backing(object, request->inode))
		return 0;
	return verdict_settle(object, POINTER_NUMBER(mnt), &head, &found);
}

#endif
