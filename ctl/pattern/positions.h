/* SPDX-License-Identifier: GPL-2.0 */
/* The patterns of a lane side by side, as the subset construction walks them. */
#ifndef AGENTCTL_POSITIONS_H
#define AGENTCTL_POSITIONS_H

#include "lane.h"

#define POSITION_SHARED UINT32_MAX /* the member of positions that stand for all */

/* Positions ascend with the units, so a sorted set of them is in the rules' order. */
struct positions {
	uint32_t count;
	uint32_t *edge; /* count + 1: each position's first */
	uint32_t *target;
	uint16_t *set;	  /* a class, NFA_ANY, NFA_COMPONENT, or NFA_SETS + index into the classes' sets */
	uint32_t *member; /* index into the lane's members, or POSITION_SHARED */
	uint32_t *operations; /* of its rule; all for shared ones: nothing decides them */
	uint8_t *flags;
	uint32_t *start; /* each member's */
	bool *is_plain;	 /* has the member no position of its own that is in every set? */
};

/* 0 or -ENOMEM; positions_done whatever it returns. */
int positions_fill(struct positions *positions, const struct lane_input *input);

void positions_done(struct positions *positions);

#endif
