/* SPDX-License-Identifier: GPL-2.0 */
/* What the pinned maps hold, and what the kernel counted of the programs: for `metrics`. */
#ifndef AGENTCTL_USAGE_H
#define AGENTCTL_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/enforce/pins.h"

#define USAGE_MAPS_MAX 16

/* How full a map is: a table's entries, or a ring's bytes that no reader has taken yet. */
struct map_usage {
	const char *name;
	bool is_ring;
	uint64_t used;
	uint64_t room;
};

/* The maps that can be full, at most USAGE_MAPS_MAX. 0 or -errno. */
int usage_maps(const struct pins *pins, struct map_usage *ret_list, size_t *ret_count);

struct hook_usage {
	uint64_t
		skipped; /* runs that did not happen, because the program was running on that processor already */
	uint64_t runs; /* these two count only while usage_is_timed() */
	uint64_t run_ns;
};

/* What the kernel counted of the program of a hook. -ENOENT if it has no link. */
int usage_hook(const char *hook, struct hook_usage *ret_usage);

/* Does the kernel count runs of programs and their time? kernel.bpf_stats_enabled says so. */
bool usage_is_timed(void);

#endif
