/* SPDX-License-Identifier: GPL-2.0 */
/* Renames and hard links: names move, rights do not. */
#ifndef AGENTCTL_MOVE_H
#define AGENTCTL_MOVE_H

#include "ctl/policy/decision.h"

/*
 * Decides the rename or link OP of OLD to FRESH, in the kernel's order: the
 * rights to take the old name away and to make the new one, then whether anything is
 * gained. Offline nobody knows what OLD is: with IS_DIRECTORY the verdict counts what
 * may lie below, else that is judged beside it. RET begins empty. 0 or -ENOMEM.
 */
int move_decide(const struct compiled *compiled, enum operation op, const struct object *old,
		const struct object *fresh, bool is_directory, struct decision *ret);

void move_free(struct move *move);

#endif
