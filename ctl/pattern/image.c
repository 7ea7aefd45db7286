// SPDX-License-Identifier: GPL-2.0
// Walking an image in user space with the kernel's own header.
#include "image.h"

#include <string.h>

static const __u64 *image_cells(const struct image_header *image)
{
	return (const __u64 *)(image + 1);
}

void image_step(const struct image_header *image, struct image_state *state, uint8_t byte)
{
	for (uint32_t lane = 0; lane < image->lanes && lane < LANES_MAX; lane++)
		state->lane[lane] = match_step(image_cells(image), image->cells - 1, state->lane[lane],
					       image->class[byte]);
}

void image_walk(const struct image_header *image, const char *path, size_t len, struct image_state *ret)
{
	memset(ret, 0, sizeof(*ret));
	memcpy(ret->lane, image->lane_start, sizeof(ret->lane));
	for (size_t i = 1; i < len; i++)
		image_step(image, ret, path[i]);
}

uint32_t image_word(const struct image_header *image, const struct image_state *state, enum operation op)
{
	uint32_t word = WORD_NONE;

	for (uint32_t lane = 0; lane < image->lanes && lane < LANES_MAX; lane++) {
		uint32_t found = match_word(image_cells(image), image->cells - 1, state->lane[lane], op);

		if (found < word)
			word = found;
	}
	return word == WORD_NONE ? image->fallback[op] : word;
}

uint32_t image_rights(const struct image_header *image, const struct image_state *state)
{
	uint32_t rights = 0;

	for (int op = 0; op < OP_COUNT; op++)
		if (image->enforced & OPS_PATH & OP_BIT(op))
			rights |= decide_right(op, image_word(image, state, op));
	return rights;
}

bool image_is_subtree(const struct image_header *image, const struct image_state *to,
		      const struct image_state *from)
{
	for (uint32_t lane = 1; lane < image->lanes && lane < LANES_MAX; lane++)
		if (to->lane[lane] != from->lane[lane])
			return false;
	return decide_is_subtree(image, image_cells(image), image->cells - 1, to->lane[0], from->lane[0]);
}

uint32_t image_match_path(const struct image_header *image, const char *path, size_t len, enum operation op)
{
	struct image_state state;

	image_walk(image, path, len, &state);
	return image_word(image, &state, op);
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

uint32_t image_match_name(const struct image_header *image, const char *name, size_t len, unsigned int op)
{
	const __u64 *cell = image_cells(image);
	uint32_t mask = image->cells - 1, state = image->abstract_start, word;

	if (!state)
		return image->fallback[op];
	for (size_t i = 1; i < len; i++)
		state = match_step(cell, mask, state, (uint8_t)name[i] + 1u);
	word = match_word(cell, mask, state, op);
	return word == WORD_NONE ? image->fallback[op] : word;
}

uint32_t image_match_program(const struct image_header *image, const char *path, size_t len,
			     enum operation op)
{
	const __u64 *cell = image_cells(image);
	uint32_t mask = image->cells - 1, state = image->program_start, word;

	if (!(image->by_program & OP_BIT(op)))
		return image->fallback[op];
	for (size_t i = 1; i < len; i++)
		state = match_step(cell, mask, state, (uint8_t)path[i] + 1u);
	word = match_word(cell, mask, state, op - OP_KERNEL_FIRST);
	return word == WORD_NONE ? image->fallback[op] : WORD(RULE_DEFAULT, WORD_VERB(word));
}

uint32_t image_match_signal(const struct image_header *image, uint32_t kind, uint32_t number)
{
	return decide_signal(image, image_cells(image), image->cells - 1, kind, number);
}
