// SPDX-License-Identifier: GPL-2.0
/* The first few of many: a heap with the least of those kept on top. */
#include "ctl/report/top.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int top_init(struct top *top, size_t limit)
{
	memset(top, 0, sizeof(*top));
	top->limit = limit;
	top->list = calloc(limit, sizeof(*top->list));
	return top->list ? 0 : -ENOMEM;
}

void top_done(struct top *top)
{
	free(top->list);
	memset(top, 0, sizeof(*top));
}

static bool is_before(const struct top_entry *a, const struct top_entry *b)
{
	return a->score != b->score ? a->score > b->score : a->number < b->number;
}

static void swap(struct top *top, size_t a, size_t b)
{
	struct top_entry entry = top->list[a];

	top->list[a] = top->list[b];
	top->list[b] = entry;
}

static void sink(struct top *top, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= top->count)
			return;
		if (child + 1 < top->count && is_before(&top->list[child], &top->list[child + 1]))
			child++;
		if (is_before(&top->list[child], &top->list[at]))
			return;
		swap(top, at, child);
		at = child;
	}
}

static void rise(struct top *top, size_t at)
{
	while (at && is_before(&top->list[(at - 1) / 2], &top->list[at])) {
		swap(top, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

static void leave_out(struct top *top, uint64_t score)
{
	top->more++;
	if (__builtin_add_overflow(top->more_score, score, &top->more_score))
		top->more_score = UINT64_MAX;
}

void top_add(struct top *top, uint64_t score, uint32_t number)
{
	struct top_entry entry = { score, number };

	if (top->count < top->limit) {
		top->list[top->count++] = entry;
		rise(top, top->count - 1);
		return;
	}
	if (!is_before(&entry, &top->list[0])) {
		leave_out(top, score);
		return;
	}
	leave_out(top, top->list[0].score);
	top->list[0] = entry;
	sink(top, 0);
}

static int compare(const void *a, const void *b)
{
	return is_before(a, b) ? -1 : 1;
}

void top_sort(struct top *top)
{
	if (top->count)
		qsort(top->list, top->count, sizeof(*top->list), compare);
}
