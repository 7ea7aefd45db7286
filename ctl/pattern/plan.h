/* SPDX-License-Identifier: GPL-2.0 */
/* Dividing the rules of an automaton among lanes. */
#ifndef AGENTCTL_PLAN_H
#define AGENTCTL_PLAN_H

#include "lane.h"

/*
 * Fills the lanes of AUTOMATON, whose units and classes are there. Returns 0;
 * -E2BIG with, for each unit, how much it had to do with it in BLAME; or -ENOMEM.
 */
int plan_lanes(struct automaton *automaton, uint32_t *blame);

#endif
