/* SPDX-License-Identifier: GPL-2.0 */
/* The self-check: a process under a policy that denies everything must be refused once per operation. */
#ifndef AGENTCTL_CANARY_H
#define AGENTCTL_CANARY_H

#include <stdint.h>

#include "ctl/enforce/pins.h"

/*
 * Runs the check in a cgroup of its own. Returns 0 if every hooked operation was
 * refused with EACCES and counted by its program; -EBADE with the operations
 * that were not in *ret_failed; or -errno if it could not be run. Its refusals
 * are neither logged nor counted.
 */
int canary_check(const struct pins *pins, uint32_t *ret_failed);

#endif
