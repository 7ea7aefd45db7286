/* SPDX-License-Identifier: GPL-2.0 */
/* Laying automata and rule texts out as the cells of a policy image (kern/abi.h). */
#ifndef AGENTCTL_PACK_H
#define AGENTCTL_PACK_H

#include "automaton.h"

/* The cells of an image while it grows. Zeroed by pack_init, freed by pack_done. */
struct pack {
	uint64_t *cell;
	uint32_t used; /* first cell that nothing has taken */
	uint32_t capacity;
	void *private; /* row table and free-cell search, pack.c's own */
};

int pack_init(struct pack *pack);
void pack_done(struct pack *pack);

/*
 * Adds the lanes of AUTOMATON by row displacement: the class map and lane starts (paths),
 * the two address starts, or the start of programs go into HEADER. Equal verdict rows are
 * shared. For paths of which HEADER enforces operations the containment
 * matrix is made, if it is not too large or too dear. Returns 0, -E2BIG beyond CELLS_LARGE, or -ENOMEM.
 */
int pack_automaton(struct pack *pack, const struct automaton *automaton, struct image_header *header);

/* Reserves LEN consecutive cells; *ret_cell is the index of the first. */
int pack_reserve(struct pack *pack, uint32_t len, uint32_t *ret_cell);

/*
 * The finished image in the smallest size class that holds it: header and cells
 * in one block of *ret_bytes bytes, for the caller to free. Its cells and its
 * containment are set; no matrix makes it one of the largest class.
 */
int pack_image(struct pack *pack, const struct image_header *header, struct image_header **ret,
	       size_t *ret_bytes);

#endif
