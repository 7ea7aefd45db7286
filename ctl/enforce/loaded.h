/* SPDX-License-Identifier: GPL-2.0 */
/* Finding what `load` kept of a policy in force. */
#ifndef AGENTCTL_LOADED_H
#define AGENTCTL_LOADED_H

#include "ctl/policy/policy.h"

/*
 * The path of the bundle (policy_write_bundle) that `load` kept of the policy
 * NAME, for the caller to free. -ENOENT: no policy of that name is loaded.
 */
int loaded_policy_path(const char *name, char **ret_path);

/* Keeps the bundle of POLICY for it, in place of an older one. 0 or -errno. */
int loaded_policy_keep(const struct policy *policy, const struct policy_options *options);

/* Removes it. */
void loaded_policy_forget(const char *name);

#endif
