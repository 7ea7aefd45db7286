// SPDX-License-Identifier: GPL-2.0
// Which rules win anywhere in their lane, over the names that can exist.
#include <errno.h>
#include <stdlib.h>

#include "lane.h"

/*
 * An automaton has states for strings that are no names: empty components, a
 * slash at the end, "." and "..". A rule that wins only there never wins. So
 * states are walked together with what the name so far looks like.
 */
enum look {
	LOOK_ROOT, /* nothing behind the first slash: the root itself */
	LOOK_SLASH,
	LOOK_DOT,
	LOOK_DOTS,
	LOOK_NAME,
	LOOKS,
	LOOK_INVALID,
};

struct walk {
	const struct lane_input *input;
	const struct dfa *dfa;
	uint8_t *seen;	 /* bits by look, of each state */
	uint32_t *stack; /* state * LOOKS + look */
	uint32_t depth;
};

static enum look look_after(const struct classes *classes, enum look look, unsigned int class)
{
	if (class == classes->slash)
		return look == LOOK_NAME ? LOOK_SLASH : LOOK_INVALID;
	if (class != classes->dot)
		return LOOK_NAME;
	if (look == LOOK_ROOT || look == LOOK_SLASH)
		return LOOK_DOT;
	return look == LOOK_DOT ? LOOK_DOTS : LOOK_NAME;
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
		walk_push(walk, dfa->target[i], look_after(classes, look, dfa->class[i]));
	walk_push(walk, dfa->fallback[state], look_after(classes, look, classes->other));
	walk_push(walk, dfa_step(dfa, state, classes->slash), look_after(classes, look, classes->slash));
	if (classes->dot != CLASS_NONE)
		walk_push(walk, dfa_step(dfa, state, classes->dot), look_after(classes, look, classes->dot));
}

static void mark_row(const struct lane_input *input, const struct row *row)
{
	for (int op = 0; op < ROW_WORDS; op++)
		if (row->word[op] != WORD_NONE)
			input->unit[row->word[op]].is_live = true;
}

/* Keys of addresses have a fixed length, and no pattern accepts another: every row counts. */
static int mark_all(const struct lane_input *input, const struct dfa *dfa, const struct rows *rows)
{
	for (uint32_t state = 0; state < dfa->count; state++)
		mark_row(input, &rows->row[dfa->row[state]]);
	return 0;
}

int live_mark(const struct lane_input *input, const struct dfa *dfa, const struct rows *rows)
{
	struct walk walk = { .input = input, .dfa = dfa };
	int err = -ENOMEM;

	if (input->kind == AUTOMATON_ADDRESSES)
		return mark_all(input, dfa, rows);
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
