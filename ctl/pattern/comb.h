/* SPDX-License-Identifier: GPL-2.0 */
/* Row displacement: finding places where the sparse rows of states interleave. */
#ifndef AGENTCTL_COMB_H
#define AGENTCTL_COMB_H

#include <stdint.h>

#include "../../kern/abi.h"

#define COMB_SYMBOLS 256u /* classes of a row, at most; they are numbered from 1 */
#define COMB_HINTS 4096u

/* Which cells of an image are free, and where the search for a shape of row got to. */
struct comb {
	uint64_t free[CELLS_LARGE / 64 + COMB_SYMBOLS / 64 + 2];
	uint32_t low; /* no word before it has a free cell */
	uint32_t end; /* beyond the last cell taken */
	struct {
		uint64_t shape;
		uint32_t word;
	} hint[COMB_HINTS];
};

/* Everything from ORIGIN on is free. */
void comb_init(struct comb *comb, uint32_t origin);

/*
 * Takes a base and the cells at SYMBOLS (COUNT of them, ascending) behind it.
 * Returns 0, or -E2BIG if a largest image has no room.
 */
int comb_place(struct comb *comb, const uint16_t *symbols, uint32_t count, uint32_t *ret_base);

#endif
