/* SPDX-License-Identifier: GPL-2.0 */
/* Is everything below one state contained in what is below another? */
#ifndef AGENTCTL_PAIRS_H
#define AGENTCTL_PAIRS_H

#include "below.h"

/* The pairs of states that were decided or are being decided. */
struct pairs {
	const struct dfa *dfa;
	const struct classes *classes;
	const struct rights *rights;
	struct below *below;
	struct pair *pair; /* in the order in which they were met */
	uint32_t count;
	uint32_t capacity;
	uint32_t *slot; /* open addressing: index + 1 */
	struct frame *path;
	uint32_t path_capacity;
	uint32_t *open; /* pairs of which it is not known yet */
	uint32_t opens;
	uint32_t open_capacity;
	uint64_t work; /* left */
};

/* Everything is borrowed. WORK is how many pairs may be looked at. */
void pairs_init(struct pairs *pairs, const struct dfa *dfa, const struct classes *classes,
		struct below *below, uint64_t work);

/*
 * Are the names that go on from TO, a state after a slash, contained in those that go on
 * from FROM in the same way? 1 or 0; -E2BIG if that takes too long; or -ENOMEM.
 */
int pairs_decide(struct pairs *pairs, uint32_t to, uint32_t from);

void pairs_done(struct pairs *pairs);

#endif
