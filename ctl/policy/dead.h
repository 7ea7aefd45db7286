/* SPDX-License-Identifier: GPL-2.0 */
/* Rules as automata take them, and those among them that can never win. */
#ifndef AGENTCTL_DEAD_H
#define AGENTCTL_DEAD_H

#include "ctl/pattern/automaton.h"
#include "ctl/policy/policy.h"

/* Rules of one automaton, and where in the policy each comes from. */
struct rule_set {
	enum automaton_kind kind;
	struct automaton_rule *rules;
	uint32_t *source;
	size_t count;
};

enum rule_form {
	RULES_REAL,	/* as they hold on this machine */
	RULES_WRITTEN,	/* without its links and addresses, and without -D */
	RULES_INCLUDED, /* the real ones of files included so deep or deeper */
};

/* The rules of KIND's sections; DEPTH is for RULES_INCLUDED. Freed with rule_set_done. -ENOMEM. */
int rule_set_init(struct rule_set *set, const struct policy *policy, enum automaton_kind kind,
		  enum rule_form form, uint32_t depth);
void rule_set_done(struct rule_set *set);

/* Builds the automaton of SET; -E2BIG is told in DIAGNOSTICS with the rules responsible. */
int rule_set_build(const struct rule_set *set, const struct policy *policy, struct diagnostics *diagnostics,
		   struct automaton **ret);

/*
 * Adds an error for each rule of SET (RULES_REAL) that can never win, or a
 * warning where only this machine or a -D makes it so. 0, -EINVAL or -ENOMEM.
 */
int dead_rules_report(const struct policy *policy, const struct rule_set *set,
		      const struct automaton *automaton, struct diagnostics *diagnostics);

/* The same for rules that name only memory without a file. */
int dead_anonymous_report(const struct policy *policy, struct diagnostics *diagnostics);

/* Reports that RULE can never win, for BY decides first; if that IS_HERE only, by this machine or a -D, as a warning. */
void dead_report(const struct policy_rule *rule, const struct policy_rule *by, bool is_here,
		 struct diagnostics *diagnostics);

#endif
