/* SPDX-License-Identifier: GPL-2.0 */
/* How often two numbers came together: which files a refusal was about, which addresses a host had. */
#ifndef AGENTCTL_REPORT_COUPLES_H
#define AGENTCTL_REPORT_COUPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct couple {
	uint32_t left, right;
	uint64_t count; /* never 0 */
};

struct couples {
	struct couple *list; /* a table by hash until it is sorted */
	size_t size, used;
	bool is_full; /* some were not counted, for want of room */
};

void couples_init(struct couples *couples);
void couples_done(struct couples *couples);
void couples_add(struct couples *couples, uint32_t left, uint32_t right, uint64_t count);

/* Orders them by left, then the most frequent first; nothing can be added afterwards. */
void couples_sort(struct couples *couples);

/* Those of LEFT, once sorted. */
const struct couple *couples_of(const struct couples *couples, uint32_t left, size_t *ret_count);

#endif
