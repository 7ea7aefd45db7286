/* SPDX-License-Identifier: GPL-2.0 */
/* How explain shows a decision, as text and as JSON. */
#ifndef AGENTCTL_EXPLAIN_SHOW_H
#define AGENTCTL_EXPLAIN_SHOW_H

#include "ctl/policy/decision.h"

/* What was asked, in the words of who asked. */
struct explained {
	enum operation op;
	uint32_t detail; /* the signal */
	const char *object;
	const char *target; /* the new name of a rename or link, else NULL */
};

void explain_show(const struct explained *asked, const struct policy *policy, const struct decision *decision,
		  bool is_json);

#endif
