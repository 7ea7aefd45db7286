/* SPDX-License-Identifier: GPL-2.0 */
/* What is pinned in the BPF file system: the maps and links that outlive every process. */
#ifndef AGENTCTL_PINS_H
#define AGENTCTL_PINS_H

#include <stdbool.h>
#include <stddef.h>

#include "kern/abi.h"

#define PIN_DIR "/sys/fs/bpf/agentctl"
#define RUN_DIR "/run/agentctl"

/* X(member, map): every map that is pinned, by its name in the object and below PIN_DIR. */
#define PINNED_MAPS(X)   \
	X(images_small)  \
	X(images_medium) \
	X(images_large)  \
	X(attachments)   \
	X(denials)       \
	X(observations)  \
	X(buckets)       \
	X(pendings)      \
	X(told)          \
	X(policies)      \
	X(governed)      \
	X(heads)         \
	X(control)       \
	X(account)       \
	X(reader)

/* The pinned maps, open: descriptors, and the variables mapped into memory. */
struct pins {
#define X(name) int name;
	PINNED_MAPS(X)
#undef X
	struct governed *governed_memory;
	struct policy_head *heads_memory;
	struct control *control_memory;
	struct accounts *account_memory;
};

/* Opens every pinned map. -ENOENT if nothing is loaded, -EPERM or -EACCES without privileges. */
int pins_open(struct pins *pins);
void pins_close(struct pins *pins);

/* The path of the pin of the link of a hook, and of a map; static storage for SIZE bytes of the caller's. */
void pin_link_path(char *path, size_t size, const char *hook);
void pin_map_path(char *path, size_t size, const char *map);

/* Does this hook have its link pinned? */
bool pin_has_link(const char *hook);

/*
 * Serialises everything that changes what is in force: a lock on a file in
 * RUN_DIR, held until the descriptor is closed. Returns it or -errno.
 */
int pins_lock(void);

#endif
