// SPDX-License-Identifier: GPL-2.0
// A breadth-first search over pairs of states of a packed image.
#include "example.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX 32768u
#define PLACES (2 * NODES_MAX)

struct node {
	struct image_state to;
	struct image_state from;
	uint32_t parent;
	uint16_t len;	 /* bytes of the name so far */
	uint8_t byte;	 /* its last one */
	bool is_in_name; /* else behind a slash */
};

struct search {
	const struct image_header *image;
	uint8_t byte[256]; /* one of each class, the most readable; the slash first */
	uint32_t bytes;
	struct node *node;
	uint32_t nodes;
	uint32_t *slot; /* open addressing: index + 1 */
};

static void choose_byte(struct search *search, bool *has, uint8_t byte)
{
	uint8_t class = search->image->class[byte];

	if (has[class])
		return;
	has[class] = true;
	search->byte[search->bytes++] = byte;
}

/* Bytes that no rule names are all one class: "x" speaks for them if it can. */
static void choose_bytes(struct search *search)
{
	bool has[256] = { false };

	for (const char *byte = "/xyzabcdefghijklmnopqrstuvw0123456789"; *byte; byte++)
		choose_byte(search, has, *byte);
	for (int byte = '!'; byte < 127; byte++)
		choose_byte(search, has, byte);
	for (int byte = 1; byte < 256; byte++)
		choose_byte(search, has, byte);
}

static uint32_t *node_slot(const struct search *search, const struct node *node)
{
	uint64_t hash = node->is_in_name;
	uint32_t i;

	for (uint32_t lane = 0; lane < search->image->lanes; lane++) {
		hash = (hash ^ node->to.lane[lane]) * 0x9e3779b97f4a7c15ull;
		hash = (hash ^ node->from.lane[lane] ^ hash >> 29) * 0x9e3779b97f4a7c15ull;
	}
	for (i = hash >> 32 & (PLACES - 1); search->slot[i]; i = (i + 1) & (PLACES - 1)) {
		const struct node *other = &search->node[search->slot[i] - 1];

		if (!memcmp(&other->to, &node->to, sizeof(node->to)) &&
		    !memcmp(&other->from, &node->from, sizeof(node->from)) &&
		    other->is_in_name == node->is_in_name)
			break;
	}
	return &search->slot[i];
}

static void name_of(const struct search *search, uint32_t index, char *ret)
{
	ret[search->node[index].len] = '\0';
	for (; search->node[index].len; index = search->node[index].parent)
		ret[search->node[index].len - 1] = search->node[index].byte;
}

/* Is NAME one that a file can have, as far as "." and ".." go? */
static bool is_real(const char *name)
{
	for (size_t len; *name; name += len + (name[len] == '/')) {
		len = strcspn(name, "/");
		if (len <= 2 && !strncmp(name, "..", len))
			return false;
	}
	return true;
}

static bool is_contained(const struct image_header *image, const struct node *node)
{
	return decide_is_contained_below(image_rights(image, &node->to), image_rights(image, &node->from));
}

/* Goes on from node INDEX by BYTE. True if that completes an example. */
static bool node_step(struct search *search, uint32_t index, uint8_t byte, char *ret)
{
	struct node next = search->node[index];
	uint32_t *slot;

	if (byte == '/' && !next.is_in_name)
		return false;
	image_step(search->image, &next.to, byte);
	image_step(search->image, &next.from, byte);
	next.parent = index;
	next.byte = byte;
	next.is_in_name = byte != '/';
	slot = node_slot(search, &next);
	if (++next.len >= EXAMPLE_MAX || *slot || search->nodes == NODES_MAX ||
	    !memcmp(&next.to, &next.from, sizeof(next.to)))
		return false;
	search->node[search->nodes++] = next;
	*slot = search->nodes;
	if (!next.is_in_name || is_contained(search->image, &next))
		return false;
	name_of(search, search->nodes - 1, ret);
	return is_real(ret);
}

int example_find(const struct image_header *image, const struct image_state *to,
		 const struct image_state *from, char ret[EXAMPLE_MAX])
{
	struct search search = { .image = image };
	int result = -ENOMEM;

	search.node = calloc(NODES_MAX, sizeof(*search.node));
	search.slot = calloc(PLACES, sizeof(*search.slot));
	if (!search.node || !search.slot)
		goto out;
	choose_bytes(&search);
	search.node[search.nodes++] = (struct node){ .to = *to, .from = *from };
	*node_slot(&search, &search.node[0]) = 1;
	result = 0;
	for (uint32_t index = 0; !result && index < search.nodes; index++)
		for (uint32_t i = 0; !result && i < search.bytes; i++)
			result = node_step(&search, index, search.byte[i], ret);
out:
	free(search.node);
	free(search.slot);
	return result;
}
