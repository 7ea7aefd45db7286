/* SPDX-License-Identifier: GPL-2.0 */
/* Verdict rows, each kept once: what wins for every operation. */
#ifndef AGENTCTL_ROWS_H
#define AGENTCTL_ROWS_H

#include <stdint.h>

#include "../../kern/abi.h"

struct row {
	uint32_t word[ROW_WORDS]; /* WORD_NONE where nothing does */
};

struct rows {
	struct row *row;
	uint32_t count;
	uint32_t capacity;
	uint32_t *slot; /* open addressing: index + 1 */
	uint32_t slots; /* a power of two */
};

/* The index of ROW, added if it is new. 0 or -ENOMEM. */
int rows_intern(struct rows *rows, const struct row *row, uint32_t *ret);

void rows_done(struct rows *rows);

#endif
