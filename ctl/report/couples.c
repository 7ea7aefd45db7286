// SPDX-License-Identifier: GPL-2.0
/* Counting pairs of numbers in a table that grows to a limit. */
#include "ctl/report/couples.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_FIRST (1u << 10)
#define SIZE_LARGEST (1u << 20)

void couples_init(struct couples *couples)
{
	memset(couples, 0, sizeof(*couples));
}

void couples_done(struct couples *couples)
{
	free(couples->list);
	couples_init(couples);
}

/* Numbers are given in order of appearance, so nobody chooses how they fall. */
static struct couple *find_place(struct couple *list, size_t size, uint32_t left, uint32_t right)
{
	uint64_t hash = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15u;
	size_t at = (hash >> 32) & (size - 1);

	while (list[at].count && (list[at].left != left || list[at].right != right))
		at = (at + 1) & (size - 1);
	return &list[at];
}

static bool grow(struct couples *couples)
{
	size_t size = couples->size ? couples->size * 2 : SIZE_FIRST;
	struct couple *list;

	if (size > SIZE_LARGEST)
		return false;
	list = calloc(size, sizeof(*list));
	if (!list)
		return false;
	for (size_t i = 0; i < couples->size; i++)
		if (couples->list[i].count)
			*find_place(list, size, couples->list[i].left,
				    couples->list[i].right) = couples->list[i];
	free(couples->list);
	couples->list = list;
	couples->size = size;
	return true;
}

void couples_add(struct couples *couples, uint32_t left, uint32_t right, uint64_t count)
{
	struct couple *place;

	if (!couples->size && !grow(couples)) {
		couples->is_full = true;
		return;
	}
	place = find_place(couples->list, couples->size, left, right);
	if (place->count) {
		if (__builtin_add_overflow(place->count, count, &place->count))
			place->count = UINT64_MAX;
		return;
	}
	if (couples->used * 4 >= couples->size * 3) {
		if (!grow(couples)) {
			couples->is_full = true;
			return;
		}
		place = find_place(couples->list, couples->size, left, right);
	}
	*place = (struct couple){ left, right, count };
	couples->used++;
}

static int compare(const void *a, const void *b)
{
	const struct couple *x = a, *y = b;

	if (x->left != y->left)
		return x->left < y->left ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->right < y->right ? -1 : x->right > y->right;
}

void couples_sort(struct couples *couples)
{
	size_t count = 0;

	for (size_t i = 0; i < couples->size; i++)
		if (couples->list[i].count)
			couples->list[count++] = couples->list[i];
	if (count)
		qsort(couples->list, count, sizeof(*couples->list), compare);
	couples->size = couples->used = count;
}

const struct couple *couples_of(const struct couples *couples, uint32_t left, size_t *ret_count)
{
	size_t low = 0, high = couples->used, end;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (couples->list[middle].left < left)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < couples->used && couples->list[end].left == left; end++)
		;
	*ret_count = end - low;
	return couples->list ? couples->list + low : NULL;
}
