/* SPDX-License-Identifier: GPL-2.0 */
/* Which rights may be met below each state: the short cut of containment. */
#ifndef AGENTCTL_BELOW_H
#define AGENTCTL_BELOW_H

#include "rights.h"

#define BELOW_SETS_MAX 4096u

enum below_verdict { BELOW_UNKNOWN, BELOW_GOOD, BELOW_BAD, BELOW_UNDECIDED };

/* For each state the set of classes of rights of all names that go on from it; equal sets are one. */
struct below {
	const struct rights *rights;
	uint32_t *inside;      /* set of each state as one within a component: its own name counts */
	uint32_t *after_slash; /* set of each state as one after a slash */
	uint64_t *set;	       /* rights->words of each */
	uint32_t sets;
	uint8_t *verdict; /* enum below_verdict of TO * sets + FROM, once it was asked for */
};

/* DFA's row indexes are classes of RIGHTS. 0, -E2BIG or -ENOMEM; below_done in any case. */
int below_build(const struct dfa *dfa, const struct classes *classes, const struct rights *rights,
		struct below *ret);

void below_done(struct below *below);

/* Do the sets TO and FROM alone tell whether the one's names are contained in the other's? */
enum below_verdict below_compare(struct below *below, uint32_t to, uint32_t from);

#endif
