/* SPDX-License-Identifier: GPL-2.0 */
/* Readers of the parts of a policy that hold no rules. */
#ifndef AGENTCTL_SECTIONS_H
#define AGENTCTL_SECTIONS_H

#include "ctl/policy/reader.h"

/* Reads "observe" and "tests" into the policy. */
void observe_read(struct reader *reader, const struct json_node *node);
void tests_read(struct reader *reader, const struct json_node *node);

/* Reads what of the kernel section is enforced, and refuses the rest. */
void kernel_read(struct reader *reader, const struct json_node *node);

/* Checks the sections that are described, but not enforced yet, and refuses them. */
void env_check(struct reader *reader, const struct json_node *node);
void limits_check(struct reader *reader, const struct json_node *node);

/* Reads a section's default: its verb, or `deny` after an error. */
enum verb default_read(struct reader *reader, const struct json_node *node);

#endif
