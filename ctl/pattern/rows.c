// SPDX-License-Identifier: GPL-2.0
// A hash table of verdict rows.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

static uint64_t row_hash(const struct row *row)
{
	uint64_t hash = 0x9e3779b97f4a7c15ull;

	for (int i = 0; i < ROW_WORDS; i++) {
		hash = (hash ^ row->word[i]) * 0xff51afd7ed558ccdull;
		hash ^= hash >> 32;
	}
	return hash;
}

/* The slot that holds ROW, or the free one where it belongs. */
static uint32_t *rows_slot(const struct rows *rows, const struct row *row)
{
	uint32_t i = row_hash(row) & (rows->slots - 1);

	while (rows->slot[i] && memcmp(&rows->row[rows->slot[i] - 1], row, sizeof(*row)))
		i = (i + 1) & (rows->slots - 1);
	return &rows->slot[i];
}

static int rows_grow(struct rows *rows)
{
	uint32_t capacity = rows->capacity ? rows->capacity * 2 : 64;
	struct row *bigger = realloc(rows->row, capacity * sizeof(*bigger));
	uint32_t *slot;

	if (!bigger)
		return -ENOMEM;
	rows->row = bigger;
	slot = calloc(capacity * 2, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(rows->slot);
	rows->slot = slot;
	rows->slots = capacity * 2;
	rows->capacity = capacity;
	for (uint32_t i = 0; i < rows->count; i++)
		*rows_slot(rows, &rows->row[i]) = i + 1;
	return 0;
}

int rows_intern(struct rows *rows, const struct row *row, uint32_t *ret)
{
	uint32_t *slot;

	if (rows->count == rows->capacity) {
		int err = rows_grow(rows);

		if (err)
			return err;
	}
	slot = rows_slot(rows, row);
	if (!*slot) {
		rows->row[rows->count++] = *row;
		*slot = rows->count;
	}
	*ret = *slot - 1;
	return 0;
}

void rows_done(struct rows *rows)
{
	free(rows->row);
	free(rows->slot);
	memset(rows, 0, sizeof(*rows));
}
