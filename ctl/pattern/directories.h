/* SPDX-License-Identifier: GPL-2.0 */
/* Which states of a lane stand right after a slash: the states of directories. */
#ifndef AGENTCTL_DIRECTORIES_H
#define AGENTCTL_DIRECTORIES_H

#include "lane.h"

enum {
	REACH_AFTER_SLASH = 1, /* a directory's name and a slash lead there, or the root's */
	REACH_IN_NAME = 2,     /* the beginning of a component does */
};

/*
 * How names lead to each state of a lane over paths, a mask a state; empty
 * components are in no name. *ret is the caller's. 0 or -ENOMEM.
 */
int directories_reach(const struct dfa *dfa, const struct classes *classes, uint8_t **ret);

/* Puts the lane with most states of directories first: they are what the containment matrix is made for. */
int directories_first(struct automaton *automaton);

/* Does any class but the slash's lead where STATE's fallback does? */
bool directories_has_rest(const struct dfa *dfa, const struct classes *classes, uint32_t state);

#endif
