/* SPDX-License-Identifier: GPL-2.0 */
/* Byte classes: bytes that no pattern of a policy tells apart are one symbol to all of its automata. */
#ifndef AGENTCTL_CLASSES_H
#define AGENTCTL_CLASSES_H

#include "nfa.h"

#define CLASS_NONE 0xffffu

/* Classes are numbered from 0 here; packed images add one. */
struct classes {
	uint8_t of[256];
	uint16_t count;
	uint16_t slash;	      /* '/', a class of its own */
	uint16_t dot;	      /* '.' if it is a class of its own, else CLASS_NONE */
	uint16_t other;	      /* the class that most bytes are in, neither of those two */
	uint8_t byte[256];    /* the lowest of each class */
	struct byte_set *set; /* distinct sets of the patterns, as bytes */
	struct byte_set *map; /* the same as classes */
	uint32_t set_count;
	uint32_t set_capacity;
	uint32_t *slot; /* open addressing over set, twice its capacity: index + 1 */
};

/* Counts in what NFA tells apart. 0 or -ENOMEM. */
int classes_add(struct classes *classes, const struct nfa *nfa);

/*
 * Once all are counted in: numbers the classes. Without HAS_NUL no string holds
 * a NUL byte, and it goes with byte 1: there are at most 255 then. 0 or -ENOMEM.
 */
int classes_finish(struct classes *classes, bool has_nul);

/* The index of SET in set and map; it must have been counted in. */
uint32_t classes_find(const struct classes *classes, const struct byte_set *set);

void classes_done(struct classes *classes);

#endif
