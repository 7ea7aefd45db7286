/* SPDX-License-Identifier: GPL-2.0 */
/* Putting several policies in force: all of them, or none. */
#ifndef AGENTCTL_REPLACE_H
#define AGENTCTL_REPLACE_H

#include "ctl/enforce/images.h"

/* One policy on its way into force. The caller sets the first two members, everything else is zero. */
struct replacement {
	struct image_header *image; /* the caller's; its generation is set by the preparation */
	size_t image_bytes;
	uint32_t index;
	struct image_map fresh, old;
	struct policy_slot slot, old_slot;
	bool has_fresh, has_old, is_begun;
};

/*
 * Chooses an index for each policy, which is that of its name if one of that
 * name is in force, and makes everything ready for the switch; no two may have one
 * name. On an error nothing has changed and *ret_failed is the number of the
 * policy it was about: -ENOSPC if there is no free index for it.
 */
int replacements_prepare(const struct pins *pins, struct replacement *list, size_t count, size_t *ret_failed);

/* Puts all in force. On an error some may be: the caller undoes them. *ret_failed is as above. */
int replacements_commit(const struct pins *pins, struct replacement *list, size_t count, size_t *ret_failed);

/* Puts back what was in force before, where a commit was begun. 0, or the first error; it goes on after one. */
int replacements_undo(const struct pins *pins, struct replacement *list, size_t count);

/* Frees what was prepared, also half of it. */
void replacements_done(struct replacement *list, size_t count);

#endif
