/* SPDX-License-Identifier: GPL-2.0 */
/* The signal section: its rules, and the table of words that the kernel reads. */
#ifndef AGENTCTL_SIGNAL_H
#define AGENTCTL_SIGNAL_H

#include "ctl/pattern/pack.h"
#include "ctl/policy/rule.h"

#define SIGNALS_ALL (~UINT64_C(0))

static inline uint64_t signal_bit(unsigned int number)
{
	return UINT64_C(1) << (number - 1);
}

extern const char *const target_words[]; /* NULL-ended, indexed by enum target */

/* The kind of target that WORD means to `explain` and tests, by decide_signal_kind(); -1 if it is none. */
int signal_kind_parse(const char *word);

/* The signal that NODE names; -1 after "unknown signal". */
int signal_read(struct reader *reader, struct place place, const char *word);

/* The signals and targets of the rule NODE, whose verb is the member VERB (or NULL). */
void signal_rule_read(struct reader *reader, const struct json_node *node, const struct json_node *verb,
		      struct policy_rule *rule);

/* Puts the table into the image. As pack_reserve. */
int signal_pack(struct pack *pack, const struct policy *policy, struct image_header *header);

/* Reports rules that can never win. 0, or -EINVAL if there is an error in DIAGNOSTICS. */
int signal_dead_report(const struct policy *policy, struct diagnostics *diagnostics);

#endif
