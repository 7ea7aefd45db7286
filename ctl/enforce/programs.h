/* SPDX-License-Identifier: GPL-2.0 */
/* Putting the kernel programs in force: load, attach, pin, adopt. */
#ifndef AGENTCTL_PROGRAMS_H
#define AGENTCTL_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "kern/abi.h"

/* Which hooks have their program, in the order of the table, and the operations of those that were waived. */
struct programs_state {
	bool is_linked[HOOKS_MAX];
	struct hook_mask waived;
};

/* What went wrong, for the user: which hook, and the kernel's last words about it. */
struct programs_error {
	char hook[64];	   /* empty: it was not about one hook */
	char detail[2048]; /* the verifier's last lines */
};

/*
 * Makes sure that every hook but the WAIVED ones has its program attached and
 * pinned; does nothing where all of it is so. A broken or partial set of pins is
 * completed: new programs are attached before what is left of old ones goes.
 * Returns 0; -EBUSY if programs of another version are in force with attachments;
 * or -errno with *ret_error filled.
 */
int programs_start(const char *const *waived, size_t waived_count, struct programs_error *ret_error);

/*
 * The hooks whose target this kernel's type information should have and does not, as names
 * in a list that NULL ends, at most MAX of them. Returns how many, or -errno.
 */
int programs_missing_targets(const char **ret_names, size_t max);

/* Unpins all links: no program runs any more. The maps stay, with events that nobody has read. */
int programs_stop(void);

/*
 * Notes which hooks are in force, so that a load that fails later leaves no more
 * behind: restoring takes out the programs of all others. A hook that was in force
 * before stays so, with its program or a new one that does the same. 0 or -errno.
 */
void programs_save(struct programs_state *ret_state);
int programs_restore(const struct programs_state *state);

#endif
