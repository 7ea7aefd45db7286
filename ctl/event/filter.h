/* SPDX-License-Identifier: GPL-2.0 */
/* Which events are shown: globs over operations and verdicts. */
#ifndef AGENTCTL_EVENT_FILTER_H
#define AGENTCTL_EVENT_FILTER_H

#include <stdbool.h>

#include "ctl/event/decode.h"

#define FILTER_GLOBS_MAX 64

/* A zeroed filter shows everything. Globs are borrowed from the texts that were added. */
struct filter {
	struct span op[FILTER_GLOBS_MAX];
	struct span verdict[FILTER_GLOBS_MAX];
	int op_count;
	int verdict_count;
};

/*
 * Add a comma-separated list of globs over "file.read" or "blocked". Returns
 * -ENOENT with the offending glob, if it can match nothing, -E2BIG if there are
 * too many.
 */
int filter_add_ops(struct filter *filter, const char *list, struct span *ret_glob);
int filter_add_verdicts(struct filter *filter, const char *list, struct span *ret_glob);

/*
 * Is this event to be shown? Lost events always are, for what is hidden there
 * might have matched. A repeated event matches as "repeated" and as what it
 * repeats.
 */
bool filter_matches(const struct filter *filter, enum verdict verdict, enum verdict repeated, const char *op);

#endif
