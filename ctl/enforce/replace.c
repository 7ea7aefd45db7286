// SPDX-License-Identifier: GPL-2.0
/* Putting several policies in force: all of them, or none. */
#include "ctl/enforce/replace.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

static int find_free(const struct pins *pins, bool *taken, uint32_t *ret_index)
{
	for (uint32_t index = POLICY_FIRST; index <= POLICY_LAST; index++) {
		struct policy_slot slot;
		int error = images_slot(pins, index, &slot);

		if (error)
			return error;
		if (slot.name[0] || taken[index])
			continue;
		taken[index] = true;
		*ret_index = index;
		return 0;
	}
	return -ENOSPC;
}

/* Those who replace nothing must not get the index of one another. */
static int choose_index(const struct pins *pins, bool *taken, struct replacement *replacement)
{
	int error = images_find(pins, replacement->image->name, &replacement->index);

	return error == -ENOENT ? find_free(pins, taken, &replacement->index) : error;
}

/*
 * What is in force is kept open, so that putting it back takes no memory. An
 * index without a name may yet hold an image, of a load that was killed between
 * the two: nobody is attached to it, and it goes.
 */
static int make_ready(const struct pins *pins, struct replacement *replacement)
{
	int error = images_slot(pins, replacement->index, &replacement->old_slot);

	if (!error && replacement->old_slot.name[0]) {
		error = images_current(pins, replacement->index, &replacement->old);
		replacement->has_old = !error;
		if (error == -ENOENT)
			error = 0;
	}
	if (!error)
		error = images_make(pins, replacement->image, replacement->image_bytes, &replacement->fresh);
	replacement->has_fresh = !error;
	if (!error)
		fill_slot(replacement->image, &replacement->slot);
	return error;
}

int replacements_prepare(const struct pins *pins, struct replacement *list, size_t count, size_t *ret_failed)
{
	bool taken[POLICIES_MAX] = {};
	int error = 0;

	/* Places first: they are counted before any memory is taken. */
	for (size_t i = 0; i < count && !error; i++) {
		*ret_failed = i;
		error = choose_index(pins, taken, &list[i]);
	}
	for (size_t i = 0; i < count && !error; i++) {
		*ret_failed = i;
		error = make_ready(pins, &list[i]);
	}
	return error;
}

static int note(const struct pins *pins, uint32_t index, const struct policy_slot *slot)
{
	return bpf_map_update_elem(pins->policies, &index, slot, BPF_ANY) ? -errno : 0;
}

static int undo(const struct pins *pins, struct replacement *replacement)
{
	int error, noted;

	if (!replacement->is_begun)
		return 0;
	replacement->is_begun = false;
	error = replacement->has_old ? images_switch(pins, replacement->index, &replacement->old)
				     : images_remove(pins, replacement->index);
	noted = note(pins, replacement->index, &replacement->old_slot);
	return error ? error : noted;
}

int replacements_undo(const struct pins *pins, struct replacement *list, size_t count)
{
	int error = 0;

	for (size_t i = count; i-- > 0;) {
		int failed = undo(pins, &list[i]);

		error = error ? error : failed;
	}
	return error;
}

/*
 * Each switch is whole for every check; all together they are not one step. A
 * check between two of them sees one policy's new image and another's old one,
 * which is what it would see of two loads one after the other. Who kills this
 * process in between leaves it so, and between an image and its note leaves a
 * note that is older than the image: what is enforced is whole in any case, and
 * the next load of the same files puts the rest in force.
 *
 * Nothing here takes memory but what the kernel needs for a moment to copy a
 * key and a value of a few bytes.
 */
int replacements_commit(const struct pins *pins, struct replacement *list, size_t count, size_t *ret_failed)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		*ret_failed = i;
		list[i].is_begun = true;
		error = images_switch(pins, list[i].index, &list[i].fresh);
		if (!error)
			error = note(pins, list[i].index, &list[i].slot);
	}
	return error;
}

void replacements_done(struct replacement *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].has_fresh)
			close(list[i].fresh.fd);
		if (list[i].has_old)
			close(list[i].old.fd);
		list[i].has_fresh = list[i].has_old = false;
	}
}
