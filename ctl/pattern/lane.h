/* SPDX-License-Identifier: GPL-2.0 */
/* One lane: the deterministic automaton of some of the rules, and the steps that make it. */
#ifndef AGENTCTL_LANE_H
#define AGENTCTL_LANE_H

#include "automaton.h"
#include "classes.h"
#include "part.h"
#include "rows.h"

/* A part of a rule's pattern: lanes are made of these. They stand in the order of their rules. */
struct unit {
	const struct pattern *part;
	uint32_t rule; /* index into the rules given */
	uint32_t word;
	uint32_t operations;
	bool is_live; /* wins somewhere in its own lane */
};

/*
 * A deterministic automaton. Most of a state's transitions lead where the class
 * "other" leads; only those that do not are listed, by ascending class.
 */
struct dfa {
	uint32_t count;
	uint32_t start[2];
	uint32_t *row;	    /* of each state */
	uint32_t *fallback; /* where the unlisted classes of a state lead */
	uint32_t *first;    /* count + 1: its listed ones */
	uint16_t *class;
	uint32_t *target;
};

static inline uint32_t dfa_step(const struct dfa *dfa, uint32_t state, unsigned int class)
{
	for (uint32_t i = dfa->first[state]; i < dfa->first[state + 1]; i++)
		if (dfa->class[i] == class)
			return dfa->target[i];
	return dfa->fallback[state];
}

void dfa_done(struct dfa *dfa);

/* What an attempt may cost before it counts as multiplying. */
struct budget {
	uint32_t states;
	uint64_t work; /* positions visited; what was used is taken off */
};

struct lane_input {
	enum automaton_kind kind;
	const struct classes *classes;
	struct unit *unit;	/* all units */
	const uint32_t *member; /* indexes of those of this lane, ascending */
	uint32_t members;
};

/*
 * Subset construction, first match wins. Rows hold unit indexes. Returns 0;
 * -E2BIG beyond BUDGET, with how many states each member was seen in added to
 * BLAME (one number a member); or -ENOMEM.
 */
int subset_build(const struct lane_input *input, struct budget *budget, uint32_t *blame, struct rows *rows,
		 struct dfa *ret);

/* Marks the units that win in a state which a name or address that can exist leads to. 0 or -ENOMEM. */
int live_mark(const struct lane_input *input, const struct dfa *dfa, const struct rows *rows);

/*
 * Replaces DFA by the smallest one for the same verdicts. ROW_CLASS tells, for
 * each of its row indexes, the row of the result. 0 or -ENOMEM.
 */
int dfa_minimise(struct dfa *dfa, const uint32_t *row_class);

/*
 * Chooses the fallbacks of an automaton of addresses anew, for an image as small
 * as may be. 0; -E2BIG if it fits no image; or -ENOMEM.
 */
int dfa_choose_fallback(struct dfa *dfa, const struct classes *classes);

/* At least how many cells of an image an automaton of addresses takes. 0 or -ENOMEM. */
int dfa_count_cells(const struct dfa *dfa, const struct classes *classes, uint64_t *ret_cells);

/* What automaton.h hides. */
struct automaton {
	enum automaton_kind kind;
	struct classes classes;
	struct rows rows; /* of verdict words */
	struct unit *unit;
	uint32_t units;
	const struct automaton_rule *rule; /* as given: patterns are borrowed for as long as this lives */
	uint32_t rules;
	uint32_t lanes;
	struct dfa lane[LANES_MAX];
	uint8_t *lane_of; /* each unit's */
};

#endif
