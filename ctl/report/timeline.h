/* SPDX-License-Identifier: GPL-2.0 */
/* Acts over time, in so few buckets that they make a picture, whatever the time that passed. */
#ifndef AGENTCTL_REPORT_TIMELINE_H
#define AGENTCTL_REPORT_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "ctl/event/decode.h"

#define TIMELINE_BUCKETS 96

/* What became of acts, by how they ended. */
struct acts {
	uint64_t done;	/* allowed */
	uint64_t noted; /* audited or held */
	uint64_t blocked;
};

/* COUNT more of which VERDICT became; sums stop at the largest number. */
void acts_add(struct acts *acts, enum verdict verdict, uint64_t count);
uint64_t acts_sum(const struct acts *acts);

/* a + b, or the largest number. */
uint64_t count_plus(uint64_t a, uint64_t b);

/* A zeroed timeline is empty. */
struct timeline {
	int64_t width; /* seconds of a bucket */
	int64_t first; /* which bucket since the epoch */
	size_t count;
	struct acts bucket[TIMELINE_BUCKETS];
};

void timeline_add(struct timeline *timeline, int64_t seconds, enum verdict verdict, uint64_t count);

#endif
