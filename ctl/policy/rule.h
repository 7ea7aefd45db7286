/* SPDX-License-Identifier: GPL-2.0 */
/* Reading one rule, and what it matches. */
#ifndef AGENTCTL_RULE_H
#define AGENTCTL_RULE_H

#include "ctl/policy/reader.h"

/* A rule while it is read. */
struct rule_draft {
	struct policy_rule rule;
	struct pattern_list real;    /* what it matches on this machine */
	struct pattern_list names;   /* of abstract sockets */
	struct pattern_list written; /* what it would without this machine's links, addresses and -D */
};

/* Reads the rule NODE of SECTION and appends it to the policy. */
void rule_read(struct reader *reader, enum section section, const struct json_node *node);

/* Reads the verb and operations of a rule; returns the verb's member, or NULL after an error. */
const struct json_node *rule_verb(struct reader *reader, const struct json_node *node, enum verb *ret_verb);

/* Reads tag, severity, message and timeout of a rule into RULE. */
void rule_words(struct reader *reader, const struct json_node *node, enum verb verb,
		struct policy_rule *rule);

/* The paths of a file or exec rule. */
void path_rule_read(struct reader *reader, const struct json_node *node, struct rule_draft *draft);

/* The paths and names in LIST, the value of a net rule's "unix". */
void unix_rule_read(struct reader *reader, const struct json_node *list, struct rule_draft *draft);

/* Checks a list of path patterns that no rule decides yet, as of net's unix. */
void path_list_check(struct reader *reader, const struct json_node *node);

/*
 * The programs in the list NODE, as kernel.userns has them: paths as of an allow
 * rule. *ret_programs is NULL after an error.
 */
void program_list_read(struct reader *reader, const struct json_node *node, struct pattern **ret_programs);

/* The addresses, protocol and ports of a net rule. */
void net_rule_read(struct reader *reader, const struct json_node *node, struct rule_draft *draft);

#endif
