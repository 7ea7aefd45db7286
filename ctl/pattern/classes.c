// SPDX-License-Identifier: GPL-2.0
// Finding the byte classes of a set of patterns by splitting all bytes on every set that an edge carries.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"

static uint64_t set_hash(const struct byte_set *set)
{
	uint64_t hash = 0;

	for (int i = 0; i < 4; i++) {
		hash = (hash ^ set->bit[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 31;
	}
	return hash;
}

/* The slot that holds SET, or the free one where it belongs. */
static uint32_t *set_slot(const struct classes *classes, const struct byte_set *set)
{
	uint32_t mask = classes->set_capacity * 2 - 1, i = set_hash(set) & mask;

	while (classes->slot[i] && memcmp(&classes->set[classes->slot[i] - 1], set, sizeof(*set)))
		i = (i + 1) & mask;
	return &classes->slot[i];
}

static int sets_grow(struct classes *classes)
{
	uint32_t capacity = classes->set_capacity ? classes->set_capacity * 2 : 16;
	struct byte_set *bigger = realloc(classes->set, capacity * sizeof(*bigger));
	uint32_t *slot;

	if (!bigger)
		return -ENOMEM;
	classes->set = bigger;
	slot = calloc(capacity * 2, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(classes->slot);
	classes->slot = slot;
	classes->set_capacity = capacity;
	for (uint32_t i = 0; i < classes->set_count; i++)
		*set_slot(classes, &classes->set[i]) = i + 1;
	return 0;
}

static int set_keep(struct classes *classes, const struct byte_set *set)
{
	int err = classes->set_count == classes->set_capacity ? sets_grow(classes) : 0;
	uint32_t *slot;

	if (err)
		return err;
	slot = set_slot(classes, set);
	if (!*slot) {
		classes->set[classes->set_count++] = *set;
		*slot = classes->set_count;
	}
	return 0;
}

int classes_add(struct classes *classes, const struct nfa *nfa)
{
	int err = 0;

	/* Until classes_finish, byte[] says which bytes stand alone on an edge. */
	for (uint32_t i = 0; i < nfa->edge_count; i++)
		if (nfa->edge[i].set < NFA_ANY)
			classes->byte[nfa->edge[i].set] = 1;
	for (uint32_t i = 0; !err && i < nfa->set_count; i++)
		err = set_keep(classes, &nfa->set[i]);
	return err;
}

/* Parts every class into its bytes within SET and those without. */
static void split(struct classes *classes, const struct byte_set *set, unsigned int lowest)
{
	int16_t twin[256];

	memset(twin, 0xff, sizeof(twin));
	/* The bytes without keep the number, unless the whole class is within. */
	for (unsigned int byte = lowest; byte < 256; byte++)
		if (!byte_set_has(set, byte))
			twin[classes->of[byte]] = -2;
	for (unsigned int byte = lowest; byte < 256; byte++) {
		uint8_t old = classes->of[byte];

		if (!byte_set_has(set, byte) || twin[old] == -1)
			continue;
		if (twin[old] == -2)
			twin[old] = classes->count++;
		classes->of[byte] = twin[old];
	}
}

static void number(struct classes *classes, unsigned int lowest)
{
	unsigned int size[256] = { 0 };

	for (unsigned int byte = 256; byte-- > lowest;) {
		classes->byte[classes->of[byte]] = byte;
		size[classes->of[byte]]++;
	}
	classes->slash = classes->of['/'];
	classes->dot = size[classes->of['.']] == 1 ? classes->of['.'] : CLASS_NONE;
	classes->other = CLASS_NONE;
	for (unsigned int class = 0; class < classes->count; class ++) {
		if (class == classes->slash || class == classes->dot)
			continue;
		if (classes->other == CLASS_NONE || size[class] > size[classes->other])
			classes->other = class;
	}
}

int classes_finish(struct classes *classes, bool has_nul)
{
	unsigned int lowest = has_nul ? 0 : 1;
	bool alone[256];

	for (unsigned int byte = 0; byte < 256; byte++)
		alone[byte] = classes->byte[byte] || byte == '/';
	classes->count = 1;
	memset(classes->of, 0, sizeof(classes->of));
	for (unsigned int byte = lowest; byte < 256; byte++) {
		struct byte_set single = { 0 };

		byte_set_add(&single, byte);
		if (alone[byte])
			split(classes, &single, lowest);
	}
	for (uint32_t i = 0; i < classes->set_count; i++)
		split(classes, &classes->set[i], lowest);
	number(classes, lowest);
	classes->of[0] = classes->of[lowest];
	classes->map = calloc(classes->set_count + 1, sizeof(*classes->map));
	if (!classes->map)
		return -ENOMEM;
	for (uint32_t i = 0; i < classes->set_count; i++)
		for (unsigned int byte = lowest; byte < 256; byte++)
			if (byte_set_has(&classes->set[i], byte))
				byte_set_add(&classes->map[i], classes->of[byte]);
	return 0;
}

uint32_t classes_find(const struct classes *classes, const struct byte_set *set)
{
	return *set_slot(classes, set) - 1;
}

void classes_done(struct classes *classes)
{
	free(classes->set);
	free(classes->map);
	free(classes->slot);
	memset(classes, 0, sizeof(*classes));
}
