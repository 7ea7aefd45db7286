/* SPDX-License-Identifier: GPL-2.0 */
/* What a struct pattern is made of: for the parsers that fill one and the compiler that reads it. */
#ifndef AGENTCTL_PART_H
#define AGENTCTL_PART_H

#include "nfa.h"
#include "pattern.h"

/* Traits of a part's shape: what decides which others it can share an automaton with cheaply. */
enum {
	SHAPE_FLOATS = 1, /* looks for its tail at any depth below its head */
	SHAPE_SCOPED = 2, /* and that head is not the root */
	SHAPE_DEEP = 4,	  /* ends in a component "**" */
	SHAPE_SUFFIX = 8, /* has a component that begins with a star and goes on after it */
	SHAPE_INFIX = 16, /* has a component that goes on after a star elsewhere */
};

/* A pattern is a list of parts: it matches what any of them does. */
struct pattern {
	struct nfa nfa;
	struct pattern *next;
	uint8_t shape;
	uint8_t family; /* of an address: the index of its start state */
	bool floating;	/* begins with a component "**" */
};

/* Ends BUILDER and makes a part of it. 0 or -ENOMEM. */
int part_new(struct nfa_builder *builder, uint32_t start, struct pattern **ret);

#endif
