/* SPDX-License-Identifier: GPL-2.0 */
/* The first few of many, by score, and how many more there are. */
#ifndef AGENTCTL_REPORT_TOP_H
#define AGENTCTL_REPORT_TOP_H

#include <stddef.h>
#include <stdint.h>

struct top_entry {
	uint64_t score;
	uint32_t number;
};

struct top {
	struct top_entry *list; /* sorted by top_sort: highest score first, of equals the lower number */
	size_t count, limit;
	uint64_t more;	     /* entries that did not fit, */
	uint64_t more_score; /* and their scores' sum */
};

/* -ENOMEM. LIMIT is at least 1. */
int top_init(struct top *top, size_t limit);
void top_done(struct top *top);
void top_add(struct top *top, uint64_t score, uint32_t number);
void top_sort(struct top *top);

#endif
