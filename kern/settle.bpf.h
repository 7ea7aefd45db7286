/* SPDX-License-Identifier: GPL-2.0 */
/* What a verdict comes to: the account of its event, an event that has to wait, and what the hook returns. */
#ifndef AGENTCTL_SETTLE_BPF_H
#define AGENTCTL_SETTLE_BPF_H

#include "event.bpf.h"

/*
 * Does this event still fit in its second? One that does not is counted in its
 * bucket and told by the reader. Races between tasks can let a few more or fewer
 * through, but each act is either sent or counted here, never both.
 */
static __noinline bool bucket_admits(struct act *act, __u64 attachment)
{
	struct bucket_key key = {
		.attachment = attachment,
		.generation = act->generation,
		.word = act->word,
		.op = BUCKET_OP(act->op, act->detail),
	};
	__u64 now = bpf_ktime_get_boot_ns();
	struct bucket *bucket = bpf_map_lookup_elem(&buckets, &key);

	if (!bucket) {
		struct bucket fresh = { .window_ns = now, .used = 1 };

		/* A full map means that nothing is merged: the ring decides what is lost. */
		bpf_map_update_elem(&buckets, &key, &fresh, BPF_NOEXIST);
		return true;
	}
	if (now - bucket->window_ns >= SECOND_NS) {
		bucket->window_ns = now;
		bucket->used = 0;
	}
	if (__sync_fetch_and_add(&bucket->used, 1) < BUCKET_BURST)
		return true;
	__sync_fetch_and_add(&bucket->merged, 1);
	return false;
}

static __always_inline __u32 act_ring(const struct act *act)
{
	return act->verdict == VERDICT_ALLOWED ? RING_OBSERVATIONS : RING_DENIALS;
}

/* Counts an act that took place; false if its bucket swallowed it. */
static __noinline bool account_admits(struct act *act, __u64 attachment)
{
	__u32 ring = act_ring(act);
	struct ring_account *sum = &account.ring[ring & 1];

	if (act->verdict == VERDICT_BLOCKED)
		__sync_fetch_and_add(&control.denied, 1);
	__sync_fetch_and_add(&sum->made, 1);
	if (ring != RING_DENIALS || bucket_admits(act, attachment))
		return true;
	__sync_fetch_and_add(&sum->merged, 1);
	return false;
}

static __always_inline void account_lost(const struct act *act)
{
	__sync_fetch_and_add(&account.ring[act_ring(act) & 1].lost, 1);
}

static __noinline int event_tell(struct act *act, __u64 attachment)
{
	struct event_search search = {};

	if (!account_admits(act, attachment))
		return 0;
	bpf_loop(EVENT_SLOTS, event_try, &search, 0);
	if (!search.slot) {
		account_lost(act);
		return 0;
	}
	event_fill(search.slot, act, attachment);
	if (event_output(search.slot, act_ring(act)))
		account_lost(act);
	return 0;
}

/* Tells or drops what was put aside: TOOK_PLACE says whether it was what it had been taken for. */
static __noinline int pending_resolve(struct pending *pending, bool took_place)
{
	__u32 index = pending->slot & (EVENT_SLOTS - 1);
	struct event_slot *slot = bpf_map_lookup_elem(&event_slots, &index);

	__sync_fetch_and_sub(&control.pending, 1);
	if (!slot)
		return 0;
	if (!took_place || !account_admits(&pending->act, pending->attachment))
		slot_release(&slot->busy);
	else if (event_output(slot, act_ring(&pending->act)))
		account_lost(&pending->act);
	return 0;
}

static __always_inline bool pending_is_same(const struct pending *pending, struct dentry *dentry)
{
	return (__u64)BPF_CORE_READ(dentry, d_parent) == pending->parent &&
	       BPF_CORE_READ(dentry, d_name.hash_len) == pending->hash_len;
}

/*
 * No open of the name has come so far. A lookup that goes on is waited for, and
 * so is an open that was allowed to create, whether its file is there already or
 * the file system is still about it: only file_open will know who made it. A
 * refusal is real unless the file is there.
 */
static int pending_expire(void *map, __u64 *thread, struct pending *pending)
{
	struct dentry *dentry = (void *)pending->act.dentry;
	bool is_same = pending_is_same(pending, dentry);
	bool is_refusal = pending->act.verdict == VERDICT_BLOCKED;
	bool is_looking = is_same && BPF_CORE_READ(dentry, d_flags) & dentry_lookup_flag();
	bool exists = is_same && BPF_CORE_READ(dentry, d_inode);
	__u64 key = *thread;

	if (is_looking || (is_same && !is_refusal && pending->tries++ < PENDING_TRIES)) {
		bpf_timer_start(&pending->timer, PENDING_NS, 0);
		return 0;
	}
	if (__sync_val_compare_and_swap(&pending->is_taken, 0, 1))
		return 0;
	pending_resolve(pending, is_refusal && !exists);
	bpf_map_delete_elem(&pendings, &key);
	return 0;
}

/* Puts a tentative act aside until its open ends. Without room for it, it is told at once. */
static __noinline int event_defer(struct act *act, __u64 attachment)
{
	struct event_search search = {};
	struct pending *fresh, *pending;
	struct dentry *dentry = (void *)act->dentry;
	__u64 thread = bpf_get_current_pid_tgid();

	bpf_loop(EVENT_SLOTS, event_try, &search, 0);
	if (!search.slot)
		return -ENOMEM;
	fresh = (void *)search.slot->staged;
	__builtin_memcpy(&fresh->act, act, sizeof(fresh->act));
	fresh->attachment = attachment;
	fresh->slot = search.index;
	fresh->is_taken = fresh->tries = 0;
	fresh->parent = (__u64)BPF_CORE_READ(dentry, d_parent);
	fresh->hash_len = BPF_CORE_READ(dentry, d_name.hash_len);
	event_fill(search.slot, act, attachment);
	if (bpf_map_update_elem(&pendings, &thread, fresh, BPF_NOEXIST))
		goto full;
	pending = bpf_map_lookup_elem(&pendings, &thread);
	if (!pending || bpf_timer_init(&pending->timer, &pendings, PENDING_CLOCK) ||
	    bpf_timer_set_callback(&pending->timer, pending_expire)) {
		bpf_map_delete_elem(&pendings, &thread);
		goto full;
	}
	__sync_fetch_and_add(&control.pending, 1);
	bpf_timer_start(&pending->timer, PENDING_NS, 0);
	return 0;
full:
	slot_release(&search.slot->busy);
	return -ENOMEM;
}

static __always_inline void event_account(struct act *act)
{
	struct kernfs_node *node = (void *)act_node(act);
	__u64 cgroup = BPF_CORE_READ(node, id);
	struct attachment *entry = bpf_map_lookup_elem(&attachments, &cgroup);
	__u64 root = entry ? entry->root : cgroup;

	if (!act->is_tentative || event_defer(act, root))
		event_tell(act, root);
}

/* What a blocked act fails with. */
static __always_inline __s32 act_errno(const struct act *act)
{
	if (OP_BIT(act->op & 31) & (OPS_KERNEL | OP_BIT(OP_SIGNAL_SEND)))
		return EPERM;
	return act->reason == REASON_WIDENS ? EXDEV : EACCES;
}

/*
 * What a word means for the task, with the event that goes with it: 0, or
 * -EACCES. Holding is not built: `ask` denies. Everything that decides comes with
 * the act from the image that gave the word: another one may be in force by now.
 */
__weak __noinline int act_settle(struct act *act)
{
	__u32 verb;

	if (!act)
		return -EACCES;
	verb = WORD_VERB(act->word);
	if (verb == VERB_ALLOW) {
		if (!(act->observed & OP_BIT(act->op & 31)) || act->policy == POLICY_CANARY)
			return 0;
		act->verdict = VERDICT_ALLOWED;
	} else if (verb == VERB_AUDIT || act->generation & GENERATION_AUDIT) {
		act->verdict = VERDICT_AUDITED;
	} else {
		act->verdict = VERDICT_BLOCKED;
		act->error = act_errno(act);
		if (act->policy == POLICY_CANARY) {
			__sync_fetch_and_or(&control.canary_hits, 1ull << (act->op & 63));
			return -EACCES;
		}
	}
	if (!act->is_quiet)
		event_account(act);
	return act->verdict == VERDICT_BLOCKED ? -EACCES : 0;
}

#endif
