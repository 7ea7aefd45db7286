/* SPDX-License-Identifier: GPL-2.0 */
/* Finding what `load` kept of a policy in force. */
#ifndef AGENTCTL_LOADED_H
#define AGENTCTL_LOADED_H

/*
 * The path of the bundle (policy_write_bundle) that `load` kept of the policy
 * NAME, for the caller to free. -ENOENT: no policy of that name is loaded.
 */
int loaded_policy_path(const char *name, char **ret_path);

#endif
