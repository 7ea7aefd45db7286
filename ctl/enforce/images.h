/* SPDX-License-Identifier: GPL-2.0 */
/* Policies in force: their images in the kernel, replaced by one pointer swap. */
#ifndef AGENTCTL_IMAGES_H
#define AGENTCTL_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "ctl/enforce/pins.h"

#define IMAGE_MAP_NAME "image" /* what the kernel calls the map of an image */

/* The index of the policy NAME. -ENOENT if none is loaded, or -errno. */
int images_find(const struct pins *pins, const char *name, uint32_t *ret_index);

/* What stands in INDEX; the name is empty where nothing does. */
int images_slot(const struct pins *pins, uint32_t index, struct policy_slot *ret_slot);

/* An image as the kernel holds it, and what the head of its index says while it is in force. */
struct image_map {
	int fd; /* of the inner map, the owner's to close */
	enum image_class class;
	uint64_t generation;
	uint64_t masks;
};

/*
 * Gives IMAGE, of BYTES bytes, a generation of its own and the kernel a copy,
 * which nobody sees yet. All that takes memory happens here. 0 or -errno.
 */
int images_make(const struct pins *pins, struct image_header *image, size_t bytes, struct image_map *ret_map);

/* What is in force at INDEX, so that it can be put back. -ENOENT if nothing is, or -errno. */
int images_current(const struct pins *pins, uint32_t index, struct image_map *ret_map);

/* Puts MAP in force at INDEX in place of what is there: when it returns, every check sees it. 0 or -errno. */
int images_switch(const struct pins *pins, uint32_t index, const struct image_map *map);

/* Makes an image and puts it in force at an index that no name stands for: the self-check's. */
int images_put_at(const struct pins *pins, uint32_t index, struct image_header *image, size_t bytes);

/* Lets INDEX, which has no image, deny: whoever is governed by it is judged, and finds none. */
void images_close(const struct pins *pins, uint32_t index);

/* Takes the image at INDEX out of force. */
int images_remove(const struct pins *pins, uint32_t index);

/* Returns when every program that was running when it was called has ended. 0 or -errno. */
int images_wait_programs(const struct pins *pins);

#endif
