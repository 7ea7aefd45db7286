/* SPDX-License-Identifier: GPL-2.0 */
/* The self-check: a process under a policy that denies everything must be refused once by each hook. */
#ifndef AGENTCTL_CANARY_H
#define AGENTCTL_CANARY_H

#include "ctl/enforce/pins.h"

#define CANARY_HOOKS_MAX 128

/*
 * Runs the check in a cgroup of its own. Returns 0 if every hook that decides
 * refused with its error and counted it; -EBADE with the names of those that did
 * not in RET_FAILED, which has CANARY_HOOKS_MAX places and ends with NULL; or
 * -errno if it could not be run. Its refusals are neither logged nor counted.
 */
int canary_check(const struct pins *pins, const char **ret_failed);

#endif
