// SPDX-License-Identifier: GPL-2.0
/* Policies in force: their images in the kernel, replaced by one pointer swap. */
#include "ctl/enforce/images.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static enum image_class class_of(uint32_t cells)
{
	return cells == CELLS_SMALL ? CLASS_SMALL : cells == CELLS_MEDIUM ? CLASS_MEDIUM : CLASS_LARGE;
}

static int outer_map(const struct pins *pins, enum image_class class)
{
	return class == CLASS_SMALL    ? pins->images_small
	       : class == CLASS_MEDIUM ? pins->images_medium
				       : pins->images_large;
}

int images_slot(const struct pins *pins, uint32_t index, struct policy_slot *ret_slot)
{
	return bpf_map_lookup_elem(pins->policies, &index, ret_slot) ? -errno : 0;
}

static int find_name(const struct pins *pins, const char *name, uint32_t *ret_index)
{
	for (uint32_t index = POLICY_FIRST; index <= POLICY_LAST; index++) {
		struct policy_slot slot;
		int error = images_slot(pins, index, &slot);

		if (error)
			return error;
		if (!strcmp(slot.name, name)) {
			*ret_index = index;
			return 0;
		}
	}
	return -ENOENT;
}

int images_find(const struct pins *pins, const char *name, uint32_t *ret_index)
{
	return name[0] ? find_name(pins, name, ret_index) : -ENOENT;
}

static int make_map(const struct image_header *image, size_t bytes)
{
	uint32_t zero = 0;
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "image", sizeof(zero), bytes, 1, NULL);

	if (fd < 0)
		return -errno;
	if (bpf_map_update_elem(fd, &zero, image, BPF_ANY)) {
		int error = -errno;

		close(fd);
		return error;
	}
	return fd;
}

static void set_masks(const struct pins *pins, uint32_t index, uint64_t masks)
{
	__atomic_store_n((uint64_t *)&pins->heads_memory[index].enforced, masks, __ATOMIC_SEQ_CST);
}

static uint64_t get_masks(const struct pins *pins, uint32_t index)
{
	return __atomic_load_n((uint64_t *)&pins->heads_memory[index].enforced, __ATOMIC_SEQ_CST);
}

/* After the image: the warm path takes an older head for what it is, a newer one it could not. */
static void set_head(const struct pins *pins, uint32_t index, const struct image_header *image)
{
	set_masks(pins, index, HEAD_MASKS(image->enforced, image->observed));
	__atomic_store_n(&pins->heads_memory[index].generation, image->generation, __ATOMIC_SEQ_CST);
}

/*
 * The kernel waits for all running programs after each change of an outer map.
 * First the new image comes into its class, then what other classes hold goes:
 * a program looks at the smaller classes first, so it is switched over by the
 * first step or by the second, but sees an image at any time.
 *
 * Meanwhile the head names the operations of both: one that an image does not
 * enforce it allows, so too many cost time and too few would be open, also if
 * this process dies between the two steps.
 */
int images_put_at(const struct pins *pins, uint32_t index, struct image_header *image, size_t bytes)
{
	int class = class_of(image->cells), fd, error = 0;

	image->generation =
		GENERATION(__atomic_add_fetch(&pins->control_memory->generation, 1, __ATOMIC_SEQ_CST),
			   image->flags & IMAGE_AUDIT, image->lanes, class);
	fd = make_map(image, bytes);
	if (fd < 0)
		return fd;
	set_masks(pins, index, get_masks(pins, index) | HEAD_MASKS(image->enforced, image->observed));
	if (bpf_map_update_elem(outer_map(pins, class), &index, &fd, BPF_ANY))
		error = -errno;
	close(fd);
	for (int other = 0; other < CLASS_COUNT && !error; other++)
		if (other != class && bpf_map_delete_elem(outer_map(pins, other), &index) && errno != ENOENT)
			error = -errno;
	if (!error)
		set_head(pins, index, image);
	return error;
}

static void fill_slot(const struct image_header *image, struct policy_slot *slot)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	memset(slot, 0, sizeof(*slot));
	memcpy(slot->name, image->name, sizeof(slot->name));
	slot->generation = image->generation;
	slot->loaded_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	slot->flags = image->flags;
	slot->enforced = image->enforced;
	slot->observed = image->observed;
	slot->rule_count = image->rule_count;
	slot->lanes = image->lanes;
	slot->cells = image->cells;
}

int images_put(const struct pins *pins, struct image_header *image, size_t bytes, uint32_t *ret_index)
{
	struct policy_slot slot;
	uint32_t index;
	int error = images_find(pins, image->name, &index);

	if (error == -ENOENT)
		error = find_name(pins, "", &index) ? -ENOSPC : 0;
	if (!error)
		error = images_put_at(pins, index, image, bytes);
	if (error)
		return error;
	fill_slot(image, &slot);
	if (bpf_map_update_elem(pins->policies, &index, &slot, BPF_ANY))
		return -errno;
	*ret_index = index;
	return 0;
}

void images_close(const struct pins *pins, uint32_t index)
{
	__atomic_store_n(&pins->heads_memory[index].generation, 0, __ATOMIC_SEQ_CST);
	set_masks(pins, index, HEAD_MASKS(OPS_HOOKED, 0));
}

int images_remove(const struct pins *pins, uint32_t index)
{
	struct policy_slot empty = {};
	int error = 0;

	for (int class = 0; class < CLASS_COUNT; ++class)
		if (bpf_map_delete_elem(outer_map(pins, class), &index) && errno != ENOENT)
			error = -errno;
	if (bpf_map_update_elem(pins->policies, &index, &empty, BPF_ANY))
		error = -errno;
	images_close(pins, index);
	return error;
}

int images_wait_programs(const struct pins *pins)
{
	uint32_t zero = 0, index = POLICY_SCRATCH;
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "scratch", sizeof(zero), sizeof(struct image_small), 1,
				NULL);
	int error = 0;

	if (fd < 0)
		return -errno;
	if (bpf_map_update_elem(pins->images_small, &index, &fd, BPF_ANY) ||
	    bpf_map_delete_elem(pins->images_small, &index))
		error = -errno;
	close(fd);
	return error;
}
