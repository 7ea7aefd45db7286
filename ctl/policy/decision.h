/* SPDX-License-Identifier: GPL-2.0 */
/* What a compiled policy decides about one operation: the kernel's own walk, with its reasons. */
#ifndef AGENTCTL_DECISION_H
#define AGENTCTL_DECISION_H

#include "ctl/policy/object.h"
#include "ctl/policy/policy.h"

struct decision {
	enum verb verb;
	enum reason reason;
	bool is_enforced;		/* else the policy has no section for it, and anything goes */
	const struct policy_rule *rule; /* the deciding one, or NULL for a default */
	struct place place;		/* of the rule or default; no file if nothing is enforced */
	char *judged; /* the path that was judged, where it is not the one asked about; else NULL */
	char *change; /* what would change it */
};

/* The verdict word of OP on OBJECT, fallback included. */
uint32_t decision_word(const struct image_header *image, enum operation op, const struct object *object);

/*
 * Decides OP on the object TEXT. 0; -EINVAL with what is wrong with the object
 * in *ret_error, the caller's; -ENOTSUP if this version does not decide OP; or
 * -ENOMEM. decision_done ends it.
 */
int decision_make(const struct compiled *compiled, enum operation op, const char *text, struct decision *ret,
		  char **ret_error);
void decision_done(struct decision *decision);

/* The outcome of one test of a policy. */
struct test_outcome {
	const struct policy_test *test;
	struct decision decision;
	char *failure; /* what went wrong, or NULL */
};

/* Runs TEST. 0, or -ENOMEM. */
int decision_test(const struct compiled *compiled, const struct policy_test *test, struct test_outcome *ret);
void test_outcome_done(struct test_outcome *outcome);

#endif
