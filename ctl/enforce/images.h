/* SPDX-License-Identifier: GPL-2.0 */
/* Policies in force: their images in the kernel, replaced by one pointer swap. */
#ifndef AGENTCTL_IMAGES_H
#define AGENTCTL_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "ctl/enforce/pins.h"

/* The index of the policy NAME. -ENOENT if none is loaded, or -errno. */
int images_find(const struct pins *pins, const char *name, uint32_t *ret_index);

/* What stands in INDEX; the name is empty where nothing does. */
int images_slot(const struct pins *pins, uint32_t index, struct policy_slot *ret_slot);

/*
 * Puts IMAGE (of BYTES bytes; its generation is set here) in force under its own
 * name, in place of one of that name if there is one: when it returns, every
 * check sees the new one. *ret_index is the policy's index. -ENOSPC without a
 * free index; on any error what was in force still is.
 */
int images_put(const struct pins *pins, struct image_header *image, size_t bytes, uint32_t *ret_index);

/* The same at a given index that no name stands for: the self-check's. */
int images_put_at(const struct pins *pins, uint32_t index, struct image_header *image, size_t bytes);

/* Lets INDEX, which has no image, deny: whoever is governed by it is judged, and finds none. */
void images_close(const struct pins *pins, uint32_t index);

/* Takes the image at INDEX out of force. */
int images_remove(const struct pins *pins, uint32_t index);

/* Returns when every program that was running when it was called has ended. 0 or -errno. */
int images_wait_programs(const struct pins *pins);

#endif
