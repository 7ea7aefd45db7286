/* SPDX-License-Identifier: GPL-2.0 */
/* What a compiled policy decides about one operation: the kernel's own walk, with its reasons. */
#ifndef AGENTCTL_DECISION_H
#define AGENTCTL_DECISION_H

#include "ctl/policy/object.h"
#include "ctl/policy/policy.h"

/* What a verdict word comes from. */
struct origin {
	enum verb verb;
	bool is_enforced;		/* else the policy has no section for it, and anything goes */
	const struct policy_rule *rule; /* the deciding one, or NULL for a default */
	struct place place;		/* of the rule or default; no file if nothing is enforced */
};

/*
 * Why a name may not be given to what has another: OPERATION would be permitted
 * that is not, or, below a directory, something that could be created would have a name at
 * which it could not.
 */
struct widening {
	enum operation operation;
	bool is_loss;	     /* of the right to create; else a right is gained */
	bool is_unproven;    /* no name was found: the policy as a whole cannot be shown to be safe */
	struct origin old;   /* what decides OPERATION at the old name, */
	struct origin fresh; /* and at the new one */
	char *old_name;	     /* the names: those of the rename, or an example below them */
	char *fresh_name;
};

/* What is told of a rename or link beyond what is told of all operations. */
struct move {
	enum operation lacking; /* the right that is lacking, or the operation itself */
	char *judged;	    /* the new name that was judged, where it is not the one asked about; else NULL */
	bool is_directory;  /* the old name ends in a slash: the verdict counts what may lie below */
	bool has_below;	    /* a rename of a directory was judged, too */
	bool is_contained;  /* everything that may lie below it would be */
	bool has_replacing; /* a rename that replaces what has the new name was judged, too */
	struct origin replacing; /* whether that may be deleted */
	struct widening *widens; /* the reason of the verdict, or NULL */
	struct widening *below;	 /* why a directory of these names would be refused, or NULL */
};

struct decision {
	enum verb verb;
	enum reason reason;
	bool is_enforced;		/* as in its origin */
	const struct policy_rule *rule; /* likewise */
	struct place place;
	int error;	   /* the errno of a denial, else 0 */
	char *judged;	   /* the path that was judged, where it is not the one asked about; else NULL */
	char *change;	   /* what would change it */
	struct move *move; /* of a rename or link, else NULL */
};

/* Does OP have an old and a new name? */
static inline bool decision_is_move(enum operation op)
{
	return op == OP_FILE_RENAME || op == OP_FILE_LINK;
}

/* The verdict word of OP on OBJECT, fallback included. */
uint32_t decision_word(const struct image_header *image, enum operation op, const struct object *object);

/* Where WORD, the verdict on OP, comes from. */
void decision_origin(const struct compiled *compiled, enum operation op, uint32_t word, struct origin *ret);

/* What somebody could write to get the other verdict; NULL without memory. */
char *decision_change(const struct decision *decision, enum operation op, uint32_t detail);

/*
 * Decides OP, with the signal DETAIL, on the object TEXT; TARGET is the new name of a rename or link, else
 * NULL. 0; -EINVAL with what is wrong with an object in *ret_error, the caller's;
 * -ENOTSUP if this version does not decide OP; or -ENOMEM. decision_done ends it.
 */
int decision_make(const struct compiled *compiled, enum operation op, uint32_t detail, const char *text,
		  const char *target, struct decision *ret, char **ret_error);
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
