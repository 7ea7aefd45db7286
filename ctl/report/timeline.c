// SPDX-License-Identifier: GPL-2.0
/* Buckets that get wider as time goes on: each width divides the next, so what is counted stays exact. */
#include "ctl/report/timeline.h"

#include <string.h>

uint64_t count_plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void add(uint64_t *sum, uint64_t count)
{
	*sum = count_plus(*sum, count);
}

void acts_add(struct acts *acts, enum verdict verdict, uint64_t count)
{
	if (verdict == VERDICT_ALLOWED)
		add(&acts->done, count);
	else if (verdict == VERDICT_BLOCKED)
		add(&acts->blocked, count);
	else
		add(&acts->noted, count);
}

uint64_t acts_sum(const struct acts *acts)
{
	return count_plus(count_plus(acts->done, acts->noted), acts->blocked);
}

static int64_t wider(int64_t width)
{
	static const int64_t widths[] = { 1, 5, 15, 60, 300, 900, 3600, 10800, 43200, 86400 };

	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
		if (widths[i] > width)
			return widths[i];
	return 2 * width;
}

static int64_t divide_down(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static void merge(struct acts *into, const struct acts *from)
{
	add(&into->done, from->done);
	add(&into->noted, from->noted);
	add(&into->blocked, from->blocked);
}

static void widen(struct timeline *timeline)
{
	struct timeline next = { .width = wider(timeline->width) };
	int64_t factor = next.width / timeline->width;

	next.first = divide_down(timeline->first, factor);
	for (size_t i = 0; i < timeline->count; i++) {
		size_t at = divide_down(timeline->first + (int64_t)i, factor) - next.first;

		merge(&next.bucket[at], &timeline->bucket[i]);
		next.count = at + 1;
	}
	*timeline = next;
}

void timeline_add(struct timeline *timeline, int64_t seconds, enum verdict verdict, uint64_t count)
{
	int64_t at, low, high;

	if (!timeline->count) {
		timeline->width = 1;
		timeline->first = seconds;
		timeline->count = 1;
	}
	for (;;) {
		at = divide_down(seconds, timeline->width);
		low = at < timeline->first ? at : timeline->first;
		high = timeline->first + (int64_t)timeline->count - 1;
		high = at > high ? at : high;
		if (high - low < TIMELINE_BUCKETS)
			break;
		widen(timeline);
	}
	if (low < timeline->first)
		memmove(&timeline->bucket[timeline->first - low], timeline->bucket,
			timeline->count * sizeof(*timeline->bucket));
	if (low < timeline->first)
		memset(timeline->bucket, 0, (timeline->first - low) * sizeof(*timeline->bucket));
	timeline->first = low;
	timeline->count = high - low + 1;
	acts_add(&timeline->bucket[at - low], verdict, count);
}
