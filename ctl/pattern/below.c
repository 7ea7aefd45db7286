// SPDX-License-Identifier: GPL-2.0
// The sets of rights below each state, as a least fixpoint, and what they tell by themselves.
#include "below.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "directories.h"

#define WORK_MAX 40000000u /* words of sets joined */

/* Sets while they grow: of each state one within a component and one after a slash. */
struct growth {
	const struct dfa *dfa;
	const struct classes *classes;
	uint32_t words;
	uint64_t *inside;
	uint64_t *after_slash;
	uint64_t work;
};

static bool set_join(struct growth *growth, uint64_t *set, const uint64_t *other)
{
	uint64_t fresh = 0;

	for (uint32_t i = 0; i < growth->words; i++) {
		fresh |= other[i] & ~set[i];
		set[i] |= other[i];
	}
	growth->work += growth->words;
	return fresh;
}

static uint64_t *set_of(const struct growth *growth, uint64_t *sets, uint32_t state)
{
	return sets + (size_t)state * growth->words;
}

/* Adds to the sets of STATE what one more byte leads to; true if they grew. */
static bool state_grow(struct growth *growth, uint32_t state)
{
	const struct dfa *dfa = growth->dfa;
	uint64_t *after = set_of(growth, growth->after_slash, state);
	uint64_t *inside = set_of(growth, growth->inside, state);
	uint32_t below = dfa_step(dfa, state, growth->classes->slash);
	bool grew = false;

	for (uint32_t i = dfa->first[state]; i < dfa->first[state + 1]; i++)
		if (dfa->class[i] != growth->classes->slash)
			grew |= set_join(growth, after, set_of(growth, growth->inside, dfa->target[i]));
	if (directories_has_rest(dfa, growth->classes, state))
		grew |= set_join(growth, after, set_of(growth, growth->inside, dfa->fallback[state]));
	grew |= set_join(growth, inside, after);
	return set_join(growth, inside, set_of(growth, growth->after_slash, below)) || grew;
}

/* States come in the order in which names reach them, so most of it is done in one round backwards. */
static int sets_grow(struct growth *growth)
{
	bool grew = true;

	while (grew) {
		grew = false;
		for (uint32_t state = growth->dfa->count; state--;)
			grew |= state_grow(growth, state);
		if (growth->work > WORK_MAX)
			return -E2BIG;
	}
	return 0;
}

static uint64_t set_hash(const uint64_t *set, uint32_t words)
{
	uint64_t hash = words;

	for (uint32_t i = 0; i < words; i++) {
		hash = (hash ^ set[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	return hash;
}

/* The number of SET, which is kept if it is new. SLOT has twice the places that may be taken. */
static int set_intern(struct below *below, uint16_t *slot, const uint64_t *set, uint32_t *ret)
{
	uint32_t words = below->rights->words, mask = 2 * BELOW_SETS_MAX - 1;
	uint32_t i = set_hash(set, words) & mask;

	while (slot[i] && memcmp(below->set + (size_t)(slot[i] - 1) * words, set, words * sizeof(*set)))
		i = (i + 1) & mask;
	if (!slot[i]) {
		if (below->sets == BELOW_SETS_MAX)
			return -E2BIG;
		memcpy(below->set + (size_t)below->sets * words, set, words * sizeof(*set));
		slot[i] = ++below->sets;
	}
	*ret = slot[i] - 1;
	return 0;
}

static int sets_intern(struct below *below, const struct growth *growth)
{
	uint32_t count = growth->dfa->count;
	uint16_t *slot = calloc(2 * BELOW_SETS_MAX, sizeof(*slot));
	int err = slot ? 0 : -ENOMEM;

	for (uint32_t state = 0; !err && state < count; state++) {
		err = set_intern(below, slot, set_of(growth, growth->inside, state), &below->inside[state]);
		if (!err)
			err = set_intern(below, slot, set_of(growth, growth->after_slash, state),
					 &below->after_slash[state]);
	}
	free(slot);
	if (err)
		return err;
	below->verdict = calloc((size_t)below->sets * below->sets + 1, 1);
	return below->verdict ? 0 : -ENOMEM;
}

int below_build(const struct dfa *dfa, const struct classes *classes, const struct rights *rights,
		struct below *ret)
{
	uint32_t words = rights->words;
	struct growth growth = { .dfa = dfa, .classes = classes, .words = words };
	int err = -ENOMEM;

	memset(ret, 0, sizeof(*ret));
	ret->rights = rights;
	growth.inside = calloc((size_t)dfa->count * words + 1, sizeof(uint64_t));
	growth.after_slash = calloc((size_t)dfa->count * words + 1, sizeof(uint64_t));
	ret->inside = malloc(dfa->count * sizeof(*ret->inside));
	ret->after_slash = malloc(dfa->count * sizeof(*ret->after_slash));
	ret->set = malloc((size_t)BELOW_SETS_MAX * words * sizeof(*ret->set) + 1);
	if (!growth.inside || !growth.after_slash || !ret->inside || !ret->after_slash || !ret->set)
		goto out;
	for (uint32_t state = 0; state < dfa->count; state++)
		if (dfa->row[state] < rights->count)
			rights_set_add(set_of(&growth, growth.inside, state), dfa->row[state]);
	err = sets_grow(&growth);
	if (!err)
		err = sets_intern(ret, &growth);
out:
	free(growth.inside);
	free(growth.after_slash);
	return err;
}

void below_done(struct below *below)
{
	free(below->inside);
	free(below->after_slash);
	free(below->set);
	free(below->verdict);
	memset(below, 0, sizeof(*below));
}

static bool sets_meet(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		if (a[i] & b[i])
			return true;
	return false;
}

static bool set_is_within(const uint64_t *set, const uint64_t *other, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		if (set[i] & ~other[i])
			return false;
	return true;
}

/*
 * Every pair of rights that names below may have at both ends is one of these,
 * so if all pairs are good all names are. And each of the rights is met somewhere,
 * so one that is good with nothing at the other end is bad there.
 */
static enum below_verdict sets_compare(const struct below *below, const uint64_t *to, const uint64_t *from)
{
	const struct rights *rights = below->rights;
	uint32_t words = rights->words;
	uint64_t reached[RIGHTS_MAX / 64] = { 0 };
	bool is_good = true;

	for (uint32_t word = 0; word < words; word++) {
		for (uint64_t left = to[word]; left; left &= left - 1) {
			size_t class = word * 64ul + __builtin_ctzll(left);
			const uint64_t *good = rights->good + class * words;

			if (!sets_meet(good, from, words))
				return BELOW_BAD;
			is_good = is_good && set_is_within(from, good, words);
			for (uint32_t i = 0; i < words; i++)
				reached[i] |= good[i];
		}
	}
	if (!set_is_within(from, reached, words))
		return BELOW_BAD;
	return is_good ? BELOW_GOOD : BELOW_UNDECIDED;
}

enum below_verdict below_compare(struct below *below, uint32_t to, uint32_t from)
{
	uint8_t *verdict = &below->verdict[(size_t)to * below->sets + from];
	uint32_t words = below->rights->words;

	if (*verdict == BELOW_UNKNOWN)
		*verdict = sets_compare(below, below->set + (size_t)to * words,
					below->set + (size_t)from * words);
	return *verdict;
}
