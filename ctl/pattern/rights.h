/* SPDX-License-Identifier: GPL-2.0 */
/* What verdict rows permit, and which of them permit no more than which others. */
#ifndef AGENTCTL_RIGHTS_H
#define AGENTCTL_RIGHTS_H

#include "lane.h"

#define RIGHTS_MAX 2048u /* classes of rows; beyond there is no table of them */

/*
 * Rows of lane 0 that are the same in their rights, whichever rules of the
 * other lanes stand beside them, are one class. Of a set of classes, bit
 * number CLASS says that it is in it.
 */
struct rights {
	uint32_t *class_of; /* for each row of the automaton */
	uint32_t count;
	uint32_t words; /* 64 bits each, of a set of classes */
	uint64_t *good; /* of each class TO the set of those FROM that contain it */
};

/*
 * Compares the rows of AUTOMATON's first lane under the defaults and the
 * enforced operations of HEADER. 0, -E2BIG or -ENOMEM; rights_done in any case.
 */
int rights_build(const struct automaton *automaton, const struct image_header *header, struct rights *ret);

void rights_done(struct rights *rights);

static inline bool rights_set_has(const uint64_t *set, uint32_t class)
{
	return set[class / 64] >> (class % 64) & 1;
}

static inline void rights_set_add(uint64_t *set, uint32_t class)
{
	set[class / 64] |= 1ull << class % 64;
}

/* Is whatever has a name with rights of class TO contained in one with rights of class FROM? */
static inline bool rights_is_contained(const struct rights *rights, uint32_t to, uint32_t from)
{
	return rights_set_has(rights->good + (size_t)to * rights->words, from);
}

#endif
