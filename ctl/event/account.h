/* SPDX-License-Identifier: GPL-2.0 */
/* The reader's account: numbers events, and turns what was merged or lost into events of its own. */
#ifndef AGENTCTL_EVENT_ACCOUNT_H
#define AGENTCTL_EVENT_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/event/sink.h"
#include "kern/abi.h"

/* How many keys the account remembers the last event of; older ones are forgotten and repeat without details. */
#define ACCOUNT_KEYS_MAX 4096

/*
 * Pure arithmetic over memory that the caller provides, so it needs no kernel.
 * The state is changed only after the sink took an event: whatever fails, what
 * was not given out is still owed.
 */
struct account;

/* STATE is borrowed: the pinned map's memory, or any. -ENOMEM. */
int account_new(struct reader_state *state, struct account **ret_account);
void account_free(struct account *account);

/*
 * A record of RING: give it out with the next number, and remember it for
 * repeats. What is no event is counted, and told as lost later. A canary is
 * dropped. Returns the sink's error.
 */
int account_record(struct account *account, enum event_ring ring, const void *record, size_t size,
		   int64_t clock_offset, const struct event_sink *sink);

/* RING's kernel counter says that LOST were lost so far: tell what of it (and of rejected records) is untold. */
int account_lost(struct account *account, enum event_ring ring, uint64_t lost, uint64_t now_ns,
		 int64_t clock_offset, const struct event_sink *sink);

/*
 * A bucket has swallowed MERGED so far, of which TOLD->count are told: tell the
 * rest as one repeated event and advance TOLD. A bucket that was deleted and made
 * anew begins at 0, so less merged than told means that nothing of it is told.
 */
int account_bucket(struct account *account, const struct bucket_key *key, uint64_t merged, uint64_t now_ns,
		   int64_t clock_offset, const struct event_sink *sink, struct told *told);

/* Write what is known of KEY's last event to TOLD, but for its count; false if nothing is. */
bool account_describe(struct account *account, const struct bucket_key *key, struct told *told);

/* The keys that are remembered, at most ACCOUNT_KEYS_MAX; returns how many. */
size_t account_keys(const struct account *account, struct bucket_key *ret_keys);

#endif
