/* SPDX-License-Identifier: GPL-2.0 */
/* Attachments: which cgroups are governed, and by which policy. */
#ifndef AGENTCTL_ATTACHMENTS_H
#define AGENTCTL_ATTACHMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "ctl/enforce/pins.h"

/* One attachment as a user made it: the root of a governed tree. */
struct attached {
	uint64_t root;
	uint32_t policy;
	size_t cgroups; /* of the tree that have an entry */
};

/*
 * Governs the cgroup in PATH (a path in the file system) and all below it by the
 * policy at INDEX. When it returns 0, tasks that were running are judged, too.
 * -EEXIST if the cgroup or one above or below it is governed; -errno leaves
 * nothing governed that was not.
 */
int attachments_add(const struct pins *pins, const char *path, uint32_t index);

/*
 * Lets the policy at INDEX govern the tree whose root has the number ROOT, in
 * place of the one that does: every check sees the old or the new one. -ENOENT if
 * it is no attachment's root; after another error some of it may be under each.
 */
int attachments_change(const struct pins *pins, uint64_t root, uint32_t index);

/* Frees the tree whose root has the number ROOT. -ENOENT if it is no attachment's root. */
int attachments_remove(const struct pins *pins, uint64_t root);

/* All attachments in order of their roots, for the caller to free. */
int attachments_list(const struct pins *pins, struct attached **ret_list, size_t *ret_count);

/* The attachment that governs the cgroup numbered ID. -ENOENT if none does. */
int attachments_find(const struct pins *pins, uint64_t id, struct attachment *ret_entry);

#endif
