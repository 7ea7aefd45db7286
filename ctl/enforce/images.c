// SPDX-License-Identifier: GPL-2.0
/* Policies in force: their images in the kernel, replaced by one pointer swap. */
#include "ctl/enforce/images.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
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

int images_find(const struct pins *pins, const char *name, uint32_t *ret_index)
{
	for (uint32_t index = POLICY_FIRST; name[0] && index <= POLICY_LAST; index++) {
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

static int make_map(const struct image_header *image, size_t bytes)
{
	uint32_t zero = 0;
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, IMAGE_MAP_NAME, sizeof(zero), bytes, 1, NULL);

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
static void set_head(const struct pins *pins, uint32_t index, const struct image_map *map)
{
	set_masks(pins, index, map->masks);
	__atomic_store_n(&pins->heads_memory[index].generation, map->generation, __ATOMIC_SEQ_CST);
}

int images_make(const struct pins *pins, struct image_header *image, size_t bytes, struct image_map *ret_map)
{
	int class = class_of(image->cells), fd;

	image->generation =
		GENERATION(__atomic_add_fetch(&pins->control_memory->generation, 1, __ATOMIC_SEQ_CST),
			   image->flags & IMAGE_AUDIT, image->lanes, class);
	fd = make_map(image, bytes);
	if (fd < 0)
		return fd;
	*ret_map = (struct image_map){
		.fd = fd,
		.class = class,
		.generation = image->generation,
		.masks = HEAD_MASKS(image->enforced, image->observed),
	};
	return 0;
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
int images_switch(const struct pins *pins, uint32_t index, const struct image_map *map)
{
	uint64_t before = get_masks(pins, index);
	int error = 0;

	set_masks(pins, index, before | map->masks);
	if (bpf_map_update_elem(outer_map(pins, map->class), &index, &map->fd, BPF_ANY)) {
		error = -errno;
		set_masks(pins, index, before);
	}
	for (int other = 0; other < CLASS_COUNT && !error; other++)
		if (other != (int)map->class && bpf_map_delete_elem(outer_map(pins, other), &index) &&
		    errno != ENOENT)
			error = -errno;
	if (!error)
		set_head(pins, index, map);
	return error;
}

/* The classes in the order in which a program looks at them. */
int images_current(const struct pins *pins, uint32_t index, struct image_map *ret_map)
{
	for (int class = 0; class < CLASS_COUNT; class ++) {
		uint32_t id;
		int fd;

		if (bpf_map_lookup_elem(outer_map(pins, class), &index, &id)) {
			if (errno != ENOENT)
				return -errno;
			continue;
		}
		fd = bpf_map_get_fd_by_id(id);
		if (fd < 0)
			return -errno;
		*ret_map = (struct image_map){
			.fd = fd,
			.class = class,
			.generation = __atomic_load_n(&pins->heads_memory[index].generation,
						      __ATOMIC_SEQ_CST),
			.masks = get_masks(pins, index),
		};
		return 0;
	}
	return -ENOENT;
}

int images_put_at(const struct pins *pins, uint32_t index, struct image_header *image, size_t bytes)
{
	struct image_map map;
	int error = images_make(pins, image, bytes, &map);

	if (error)
		return error;
	error = images_switch(pins, index, &map);
	close(map.fd);
	return error;
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
