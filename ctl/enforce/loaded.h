/* SPDX-License-Identifier: GPL-2.0 */
/* What `load` keeps of the policies in force: their sources, for `explain`. */
#ifndef AGENTCTL_LOADED_H
#define AGENTCTL_LOADED_H

#include "ctl/policy/policy.h"

/*
 * The path of the bundle (policy_write_bundle) that `load` kept of the policy
 * NAME, for the caller to free. -ENOENT: no policy of that name is loaded.
 */
int loaded_policy_path(const char *name, char **ret_path);

/*
 * A load that replaces several policies keeps their bundles in two steps, under
 * the lock of pins_lock. STAGE writes one beside the one that is kept; it is
 * what fails where there is no room. COMMIT puts it in its place, UNDO takes that
 * back, also where it was not done. 0 or -errno.
 */
int loaded_policy_stage(const struct policy *policy, const struct policy_options *options);
int loaded_policy_commit(const char *name);
int loaded_policy_undo(const char *name);

/* Removes what was staged, and what a load that was killed left of it. 0 or -errno. */
int loaded_policies_tidy(void);

/* Removes the bundle of the policy NAME. */
void loaded_policy_forget(const char *name);

#endif
