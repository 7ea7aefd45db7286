// SPDX-License-Identifier: GPL-2.0
// First fit for rows of a comb table, 64 places at a time.
#include <errno.h>
#include <string.h>

#include "comb.h"

void comb_init(struct comb *comb, uint32_t origin)
{
	memset(comb, 0, sizeof(*comb));
	memset(comb->free, 0xff, sizeof(comb->free));
	for (uint32_t word = 0; word < origin / 64; word++)
		comb->free[word] = 0;
	comb->free[origin / 64] &= ~0ull << origin % 64;
	comb->low = origin / 64;
	comb->end = origin;
}

/* The 64 bits that begin at bit FROM. */
static uint64_t comb_window(const struct comb *comb, uint32_t from)
{
	uint64_t low = comb->free[from / 64];

	if (!(from % 64))
		return low;
	return low >> from % 64 | comb->free[from / 64 + 1] << (64 - from % 64);
}

static void comb_take(struct comb *comb, uint32_t cell)
{
	comb->free[cell / 64] &= ~(1ull << cell % 64);
	if (cell >= comb->end)
		comb->end = cell + 1;
}

static uint64_t shape_hash(const uint16_t *symbols, uint32_t count)
{
	uint64_t hash = count + 1;

	for (uint32_t i = 0; i < count; i++) {
		hash = (hash ^ symbols[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	return hash;
}

int comb_place(struct comb *comb, const uint16_t *symbols, uint32_t count, uint32_t *ret_base)
{
	uint64_t shape = shape_hash(symbols, count), fits = 0;
	uint32_t slot = shape & (COMB_HINTS - 1), word, base;

	while (!comb->free[comb->low])
		comb->low++;
	word = comb->low;
	/* Where a row of this shape found no place none has become free since. */
	if (comb->hint[slot].shape == shape && comb->hint[slot].word > word)
		word = comb->hint[slot].word;
	for (; word < CELLS_LARGE / 64; word++) {
		fits = comb->free[word];
		for (uint32_t i = 0; fits && i < count; i++)
			fits &= comb_window(comb, word * 64 + symbols[i]);
		if (fits)
			break;
	}
	/* Nothing may begin so late that a look behind its base leaves the image. */
	base = word * 64 + (fits ? __builtin_ctzll(fits) : 0);
	if (!fits || base >= CELLS_LARGE - 2 * COMB_SYMBOLS)
		return -E2BIG;
	comb->hint[slot].shape = shape;
	comb->hint[slot].word = word;
	comb_take(comb, base);
	for (uint32_t i = 0; i < count; i++)
		comb_take(comb, base + symbols[i]);
	*ret_base = base;
	return 0;
}
