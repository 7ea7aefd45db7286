/* SPDX-License-Identifier: GPL-2.0 */
/* The files of a policy, and how one includes another. */
#ifndef AGENTCTL_INCLUDE_H
#define AGENTCTL_INCLUDE_H

#include "ctl/policy/reader.h"

/* Reads one parsed file of a policy into it, and then what it includes. */
void file_read(struct reader *reader, const struct json_node *root);

/* Reads the files that the value of "include" names. */
void include_read(struct reader *reader, const struct json_node *node);

/* Frees the tests of POLICY. */
void policy_tests_free(struct policy *policy);

#endif
