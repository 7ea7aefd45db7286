/* SPDX-License-Identifier: GPL-2.0 */
/* Which directories may be given which other names: the containment matrix of kern/abi.h. */
#ifndef AGENTCTL_CONTAIN_H
#define AGENTCTL_CONTAIN_H

#include "lane.h"

#define CONTAIN_DIRECTORIES_MAX 6144u /* distinct ones; the matrix has 4.5 MiB then */
#define CONTAIN_STATES_MAX 65536u

struct contain {
	uint32_t *number;     /* of each state of lane 0 as a directory, or 0 */
	uint32_t directories; /* numbers, 0 included */
	uint64_t *bit;	      /* directories * directories of them: TO * directories + FROM */
};

/*
 * The matrix for AUTOMATON, a path automaton, under the enforced operations and
 * the defaults of HEADER. 0; -E2BIG if it would be too large or take too long;
 * or -ENOMEM. Peak memory stays below 128 MiB. contain_done in any case.
 */
int contain_build(const struct automaton *automaton, const struct image_header *header, struct contain *ret);

void contain_done(struct contain *contain);

#endif
