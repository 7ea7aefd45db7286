// SPDX-License-Identifier: GPL-2.0
// Choosing where the unlisted classes of each state lead, so that few rows of all classes are needed.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lane.h"

/*
 * The subset construction takes the target of one class for every state. Where
 * all bytes are told apart, as in addresses, that may be the very byte which a rule
 * asks for, and its target then needs a full row of its own in the image. Here
 * each state gets the target of most bytes; and where no other state has that one,
 * the target of most bytes among those whose row is there anyway.
 */
struct chooser {
	struct dfa *dfa;
	const struct classes *classes;
	unsigned int weight[256]; /* bytes in each class */
	uint32_t *bytes;    /* by target: how many bytes of the state at hand lead there, 0 between states */
	uint32_t *liked;    /* by target: how many states lead there on most bytes */
	uint32_t *fallback; /* what is chosen, by state */
	uint32_t seen[256]; /* the targets of the state at hand */
	uint32_t seen_count;
};

static void count_target(struct chooser *chooser, uint32_t target, uint32_t bytes)
{
	if (!bytes)
		return;
	if (!chooser->bytes[target])
		chooser->seen[chooser->seen_count++] = target;
	chooser->bytes[target] += bytes;
}

static void state_count(struct chooser *chooser, uint32_t state)
{
	const struct dfa *dfa = chooser->dfa;
	uint32_t left = 256;

	for (uint32_t i = 0; i < chooser->seen_count; i++)
		chooser->bytes[chooser->seen[i]] = 0;
	chooser->seen_count = 0;
	for (uint32_t i = dfa->first[state]; i < dfa->first[state + 1]; i++) {
		count_target(chooser, dfa->target[i], chooser->weight[dfa->class[i]]);
		left -= chooser->weight[dfa->class[i]];
	}
	count_target(chooser, dfa->fallback[state], left);
}

/* The target of most bytes among those that at least LEAST states like; NONE_LIKED if there is none. */
#define NONE_LIKED UINT32_MAX
static uint32_t state_choose(const struct chooser *chooser, uint32_t least)
{
	uint32_t best = NONE_LIKED;

	for (uint32_t i = 0; i < chooser->seen_count; i++) {
		uint32_t target = chooser->seen[i];

		if (chooser->liked[target] >= least &&
		    (best == NONE_LIKED || chooser->bytes[target] > chooser->bytes[best]))
			best = target;
	}
	return best;
}

/* Lists what does not lead to the fallback that was chosen. Returns how many; TARGET NULL only counts. */
static uint32_t state_list(const struct chooser *chooser, uint32_t state, uint16_t *class, uint32_t *target)
{
	const struct dfa *dfa = chooser->dfa;
	uint32_t at = dfa->first[state], len = 0;

	for (unsigned int i = 0; i < chooser->classes->count; i++) {
		bool is_listed = at < dfa->first[state + 1] && dfa->class[at] == i;
		uint32_t leads = is_listed ? dfa->target[at] : dfa->fallback[state];

		at += is_listed;
		if (leads == chooser->fallback[state])
			continue;
		if (target) {
			class[len] = i;
			target[len] = leads;
		}
		len++;
	}
	return len;
}

static int lists_replace(struct chooser *chooser)
{
	struct dfa *dfa = chooser->dfa;
	uint32_t *first = malloc((dfa->count + 1) * sizeof(*first)), *target = NULL;
	uint16_t *class = NULL;
	uint64_t listed = 0;
	int err = first ? 0 : -ENOMEM;

	for (uint32_t state = 0; !err && state < dfa->count; state++)
		listed += state_list(chooser, state, NULL, NULL);
	/* What takes more than an image has need not be written down. */
	if (!err && listed > CELLS_LARGE)
		err = -E2BIG;
	if (!err) {
		class = malloc((listed + 1) * sizeof(*class));
		target = malloc((listed + 1) * sizeof(*target));
		err = class && target ? 0 : -ENOMEM;
	}
	if (err) {
		free(first);
		free(class);
		free(target);
		return err;
	}
	listed = 0;
	for (uint32_t state = 0; state < dfa->count; state++) {
		first[state] = listed;
		listed += state_list(chooser, state, class + listed, target + listed);
	}
	first[dfa->count] = listed;
	free(dfa->first);
	free(dfa->class);
	free(dfa->target);
	memcpy(dfa->fallback, chooser->fallback, dfa->count * sizeof(*dfa->fallback));
	dfa->first = first;
	dfa->class = class;
	dfa->target = target;
	return 0;
}

static void choose_all(struct chooser *chooser)
{
	uint32_t count = chooser->dfa->count;

	for (uint32_t state = 0; state < count; state++) {
		state_count(chooser, state);
		chooser->fallback[state] = state_choose(chooser, 0);
	}
	for (uint32_t state = 0; state < count; state++)
		chooser->liked[chooser->fallback[state]]++;
	for (uint32_t state = 0; state < count; state++) {
		uint32_t other;

		if (chooser->liked[chooser->fallback[state]] > 1)
			continue;
		state_count(chooser, state);
		other = state_choose(chooser, 2);
		if (other != NONE_LIKED)
			chooser->fallback[state] = other;
	}
}

int dfa_choose_fallback(struct dfa *dfa, const struct classes *classes)
{
	struct chooser chooser = { .dfa = dfa, .classes = classes };
	int err = -ENOMEM;

	for (unsigned int byte = 0; byte < 256; byte++)
		chooser.weight[classes->of[byte]]++;
	chooser.bytes = calloc(dfa->count + 1, sizeof(*chooser.bytes));
	chooser.liked = calloc(dfa->count + 1, sizeof(*chooser.liked));
	chooser.fallback = calloc(dfa->count + 1, sizeof(*chooser.fallback));
	if (chooser.bytes && chooser.liked && chooser.fallback) {
		choose_all(&chooser);
		err = lists_replace(&chooser);
	}
	free(chooser.bytes);
	free(chooser.liked);
	free(chooser.fallback);
	return err;
}

/* Rows of all symbols, and what states list of themselves beside one that leads to itself. */
int dfa_count_cells(const struct dfa *dfa, const struct classes *classes, uint64_t *ret_cells)
{
	unsigned int weight[256] = { 0 };
	uint64_t cells = dfa->count;
	uint8_t *has_row = calloc(dfa->count + 1, 1);

	if (!has_row)
		return -ENOMEM;
	for (unsigned int byte = 0; byte < 256; byte++)
		weight[classes->of[byte]]++;
	for (uint32_t state = 0; state < dfa->count; state++) {
		uint32_t target = dfa->fallback[state];

		cells += has_row[target] ? 0 : 256;
		has_row[target] = 1;
		if (state == target || dfa->fallback[target] != target)
			continue;
		for (uint32_t i = dfa->first[state]; i < dfa->first[state + 1]; i++)
			cells += weight[dfa->class[i]];
	}
	free(has_row);
	*ret_cells = cells;
	return 0;
}
