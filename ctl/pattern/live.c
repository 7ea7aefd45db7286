// SPDX-License-Identifier: GPL-2.0
// Which rules win anywhere in their lane, over the names that can exist.
#include <errno.h>
#include <stdlib.h>

#include "lane.h"
#include "look.h"

/* A rule that wins only for strings that are no names never wins: states are walked together with looks. */
struct walk {
	const struct lane_input *input;
	const struct dfa *dfa;
	uint8_t *seen;	 /* bits by look, of each state */
	uint32_t *stack; /* state * LOOKS + look */
	uint32_t depth;
};

static enum look class_look(const struct classes *classes, enum look look, unsigned int class)
{
	return look_after(look, class == classes->slash, class == classes->dot);
}

static void walk_push(struct walk *walk, uint32_t state, enum look look)
{
	if (look == LOOK_INVALID || walk->seen[state] >> look & 1)
		return;
	walk->seen[state] |= 1u << look;
	walk->stack[walk->depth++] = state * LOOKS + look;
}

static void walk_state(struct walk *walk, uint32_t state, enum look look)
{
	const struct classes *classes = walk->input->classes;
	const struct dfa *dfa = walk->dfa;

	for (uint32_t i = dfa->first[state]; i < dfa->first[state + 1]; i++)
		walk_push(walk, dfa->target[i], class_look(classes, look, dfa->class[i]));
	walk_push(walk, dfa->fallback[state], class_look(classes, look, classes->other));
	walk_push(walk, dfa_step(dfa, state, classes->slash), class_look(classes, look, classes->slash));
	if (classes->dot != CLASS_NONE)
		walk_push(walk, dfa_step(dfa, state, classes->dot), class_look(classes, look, classes->dot));
}

static void mark_row(const struct lane_input *input, const struct row *row)
{
	for (int op = 0; op < ROW_WORDS; op++)
		if (row->word[op] != WORD_NONE)
			input->unit[row->word[op]].is_live = true;
}

/* The states that keys of one more byte lead to, once each. STAMP is new to SEEN. */
static uint32_t keys_step(const struct dfa *dfa, const uint32_t *from, uint32_t count, uint32_t *to,
			  uint32_t *seen, uint32_t stamp)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = dfa->first[from[i]], end = dfa->first[from[i] + 1];

		for (uint32_t j = first; j <= end; j++) {
			uint32_t target = j < end ? dfa->target[j] : dfa->fallback[from[i]];

			if (seen[target] == stamp)
				continue;
			seen[target] = stamp;
			to[found++] = target;
		}
	}
	return found;
}

/* Keys of addresses have a fixed length: only what wins there counts. */
static int mark_keys(const struct lane_input *input, const struct dfa *dfa, const struct rows *rows)
{
	uint32_t *seen = calloc(dfa->count, sizeof(*seen)), stamp = 0;
	uint32_t *now = malloc(dfa->count * sizeof(*now)), *next = malloc(dfa->count * sizeof(*next));
	int err = seen && now && next ? 0 : -ENOMEM;

	for (int family = 0; !err && family < 2; family++) {
		uint32_t count = 1, len = family ? ADDRESS_KEY_MAX : ADDRESS_KEY_MAX - 12;

		now[0] = dfa->start[family];
		for (uint32_t i = 0; i < len; i++) {
			uint32_t *from = now;

			count = keys_step(dfa, from, count, next, seen, ++stamp);
			now = next;
			next = from;
		}
		for (uint32_t i = 0; i < count; i++)
			mark_row(input, &rows->row[dfa->row[now[i]]]);
	}
	free(seen);
	free(now);
	free(next);
	return err;
}

int live_mark(const struct lane_input *input, const struct dfa *dfa, const struct rows *rows)
{
	struct walk walk = { .input = input, .dfa = dfa };
	int err = -ENOMEM;

	if (input->kind == AUTOMATON_ADDRESSES)
		return mark_keys(input, dfa, rows);
	walk.seen = calloc(dfa->count, 1);
	walk.stack = malloc((size_t)dfa->count * LOOKS * sizeof(*walk.stack));
	if (!walk.seen || !walk.stack)
		goto out;
	walk_push(&walk, dfa->start[0], LOOK_ROOT);
	while (walk.depth) {
		uint32_t item = walk.stack[--walk.depth];

		walk_state(&walk, item / LOOKS, item % LOOKS);
	}
	for (uint32_t state = 0; state < dfa->count; state++)
		if (walk.seen[state] & (1u << LOOK_ROOT | 1u << LOOK_NAME))
			mark_row(input, &rows->row[dfa->row[state]]);
	err = 0;
out:
	free(walk.seen);
	free(walk.stack);
	return err;
}
