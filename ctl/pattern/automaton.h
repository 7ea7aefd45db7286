/* SPDX-License-Identifier: GPL-2.0 */
/* Compiling ordered rules into minimised deterministic automata, first match wins per operation, in one or more lanes. */
#ifndef AGENTCTL_AUTOMATON_H
#define AGENTCTL_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../kern/abi.h"
#include "pattern.h"

#define AUTOMATON_STATES_MAX 800000u /* of one lane while it is being made */

struct automaton_rule {
	const struct pattern *pattern; /* borrowed until automaton_free */
	uint32_t word;		       /* kern/abi.h's verdict word; rules come in ascending order of words */
	uint32_t operations;	       /* mask: the operations it decides */
};

enum automaton_kind {
	AUTOMATON_PATHS,     /* classes computed, several lanes, starts after the leading '/' */
	AUTOMATON_ADDRESSES, /* class b + 1 for every byte, one lane, two starts (IPv4 and IPv6) */
	AUTOMATON_PROGRAMS, /* names of programs: paths in one lane, class b + 1 for every byte in the image */
};

/* One or more lanes over the same rules; opaque, freed with automaton_free (which takes NULL). */
struct automaton;

struct automaton_dead {
	uint32_t rule; /* index into the rules given: it can never win */
	uint32_t by;   /* index of a rule that decides first what it matches */
};

/*
 * Compiles RULES. Returns 0; -E2BIG when the states multiply beyond the limits,
 * with the indexes of the rules responsible in *ret_blame (owned by the caller,
 * *ret_blame_count of them); or -ENOMEM. Peak memory stays below 256 MiB.
 */
int automaton_build(enum automaton_kind kind, const struct automaton_rule *rules, size_t count,
		    struct automaton **ret, uint32_t **ret_blame, size_t *ret_blame_count);

/*
 * The rules that can never win for any of their operations: one earlier rule, or
 * the earlier ones of the same lane together, decide all that they match.
 * *ret_dead is the caller's to free; in ascending order.
 */
int automaton_dead(const struct automaton *automaton, struct automaton_dead **ret_dead, size_t *ret_count);

/* Sizes, for `load` and tests. */
size_t automaton_lanes(const struct automaton *automaton);
size_t automaton_states(const struct automaton *automaton);

void automaton_free(struct automaton *automaton);

#endif
