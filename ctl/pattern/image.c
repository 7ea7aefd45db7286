// SPDX-License-Identifier: GPL-2.0
// Walking an image in user space with the kernel's own header.
#include "../../kern/match.h"
#include "image.h"

static const __u64 *image_cells(const struct image_header *image)
{
	return (const __u64 *)(image + 1);
}

static uint32_t match_lane(const struct image_header *image, uint32_t state, const char *path, size_t len,
			   enum operation op)
{
	const __u64 *cell = image_cells(image);
	uint32_t mask = image->cells - 1;

	for (size_t i = 1; i < len; i++)
		state = match_step(cell, mask, state, image->class[(uint8_t)path[i]]);
	return match_word(cell, mask, state, op);
}

uint32_t image_match_path(const struct image_header *image, const char *path, size_t len, enum operation op)
{
	uint32_t word = WORD_NONE;

	for (uint32_t lane = 0; lane < image->lanes && lane < LANES_MAX; lane++) {
		uint32_t found = match_lane(image, image->lane_start[lane], path, len, op);

		if (found < word)
			word = found;
	}
	return word == WORD_NONE ? image->fallback[op] : word;
}

uint32_t image_match_address(const struct image_header *image, const struct address_key *key,
			     enum operation op)
{
	const __u64 *cell = image_cells(image);
	uint32_t mask = image->cells - 1, state = image->address_start[key->start & 1], word;

	if (!state)
		return image->fallback[op];
	for (uint32_t i = 0; i < key->len && i < ADDRESS_KEY_MAX; i++)
		state = match_step(cell, mask, state, key->byte[i] + 1u);
	word = match_word(cell, mask, state, op);
	return word == WORD_NONE ? image->fallback[op] : word;
}
