// SPDX-License-Identifier: GPL-2.0
// Comparing verdict rows by what they permit, with any rule of another lane between.
#include "rights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../kern/decide.h"

#define VERBS 4 /* of enum verb */

/*
 * The word of a name is the least of all lanes' words. Containment is asked only
 * of names for which the other lanes are in equal states, so both ends
 * meet the same word F of them, of which only its place among the words is
 * known: with F below both ends they are equal, with F above both the two rows
 * alone count, and with F in between one end has F's rights. So of a word only
 * its verb and the number of other lanes' words below it matter.
 */
struct others {
	uint32_t *word; /* ascending: those that other lanes' rules have for one operation */
	uint32_t (*verbs)
		[VERBS]; /* how many of each verb stand before each of them; one more than there are words */
	uint32_t count;
};

struct comparison {
	const struct automaton *automaton;
	const struct image_header *header;
	struct others others[ROW_WORDS];
	struct rows canonical; /* the classes' rows: RANK << 4 | verb */
};

static int others_fill(struct others *others, const struct automaton *automaton, enum operation op)
{
	others->word = malloc((automaton->units + 1) * sizeof(*others->word));
	others->verbs = calloc(automaton->units + 1, sizeof(*others->verbs));
	if (!others->word || !others->verbs)
		return -ENOMEM;
	for (uint32_t i = 0; i < automaton->units; i++) {
		const struct unit *unit = &automaton->unit[i];
		uint32_t count = others->count;

		if (!automaton->lane_of[i] || !(unit->operations & OP_BIT(op)) ||
		    (count && others->word[count - 1] == unit->word))
			continue;
		memcpy(others->verbs[count + 1], others->verbs[count], sizeof(others->verbs[0]));
		others->verbs[count + 1][WORD_VERB(unit->word) % VERBS]++;
		others->word[others->count++] = unit->word;
	}
	return 0;
}

/* How many of OTHERS win over WORD. */
static uint32_t others_below(const struct others *others, uint32_t word)
{
	uint32_t low = 0, high = others->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (others->word[middle] < word)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void canonical_row(const struct comparison *comparison, const struct row *row, struct row *ret)
{
	const struct image_header *header = comparison->header;

	memset(ret, 0, sizeof(*ret));
	for (int op = 0; op < ROW_WORDS; op++) {
		uint32_t word = row->word[op];
		uint32_t verb = WORD_VERB(word == WORD_NONE ? header->fallback[op] : word);

		/* An operation that is not enforced is permitted at both ends. */
		if (!(header->enforced & OPS_PATH & OP_BIT(op)))
			continue;
		/* Logging is no right: audit permits what allow does. */
		verb = verb == VERB_AUDIT ? VERB_ALLOW : verb;
		ret->word[op] = WORD(others_below(&comparison->others[op], word), verb);
	}
}

static bool verbs_are_contained(enum operation op, uint32_t to, uint32_t from)
{
	return decide_is_contained_below(decide_right(op, to), decide_right(op, from));
}

/* Is VERB, on the side that IS_TO says, fine beside every word of OTHERS from FIRST to before LAST? */
static bool others_fit(const struct others *others, enum operation op, uint32_t first, uint32_t last,
		       uint32_t verb, bool is_to)
{
	for (uint32_t other = 0; other < VERBS; other++) {
		if (others->verbs[last][other] == others->verbs[first][other])
			continue;
		if (!(is_to ? verbs_are_contained(op, verb, other) : verbs_are_contained(op, other, verb)))
			return false;
	}
	return true;
}

static bool rows_are_contained(const struct comparison *comparison, const struct row *to,
			       const struct row *from)
{
	for (int op = 0; op < ROW_WORDS; op++) {
		const struct others *others = &comparison->others[op];
		uint32_t to_rank = WORD_RULE(to->word[op]), from_rank = WORD_RULE(from->word[op]);
		uint32_t to_verb = WORD_VERB(to->word[op]), from_verb = WORD_VERB(from->word[op]);

		if (to->word[op] == from->word[op])
			continue;
		if (!verbs_are_contained(op, to_verb, from_verb))
			return false;
		if (to_rank < from_rank && !others_fit(others, op, to_rank, from_rank, to_verb, true))
			return false;
		if (from_rank < to_rank && !others_fit(others, op, from_rank, to_rank, from_verb, false))
			return false;
	}
	return true;
}

/* Only rows that lane 0 has: others would be classes that no state is in. */
static int classes_fill(struct comparison *comparison, struct rights *rights)
{
	const struct automaton *automaton = comparison->automaton;
	const struct dfa *dfa = &automaton->lane[0];
	int err = 0;

	rights->class_of = malloc((automaton->rows.count + 1) * sizeof(*rights->class_of));
	if (!rights->class_of)
		return -ENOMEM;
	memset(rights->class_of, 0xff, (automaton->rows.count + 1) * sizeof(*rights->class_of));
	for (uint32_t state = 0; !err && state < dfa->count; state++) {
		uint32_t *class = &rights->class_of[dfa->row[state]];
		struct row row;

		if (*class != UINT32_MAX)
			continue;
		canonical_row(comparison, &automaton->rows.row[dfa->row[state]], &row);
		err = rows_intern(&comparison->canonical, &row, class);
		if (comparison->canonical.count > RIGHTS_MAX)
			err = -E2BIG;
	}
	rights->count = comparison->canonical.count;
	rights->words = (rights->count + 63) / 64;
	return err;
}

static int table_fill(const struct comparison *comparison, struct rights *rights)
{
	const struct row *row = comparison->canonical.row;

	rights->good = calloc((size_t)rights->count * rights->words + 1, sizeof(*rights->good));
	if (!rights->good)
		return -ENOMEM;
	for (uint32_t to = 0; to < rights->count; to++)
		for (uint32_t from = 0; from < rights->count; from++)
			if (rows_are_contained(comparison, &row[to], &row[from]))
				rights_set_add(rights->good + (size_t)to * rights->words, from);
	return 0;
}

int rights_build(const struct automaton *automaton, const struct image_header *header, struct rights *ret)
{
	struct comparison comparison = { automaton, header };
	int err = 0;

	memset(ret, 0, sizeof(*ret));
	for (int op = 0; !err && op < ROW_WORDS; op++)
		err = others_fill(&comparison.others[op], automaton, op);
	if (!err)
		err = classes_fill(&comparison, ret);
	if (!err)
		err = table_fill(&comparison, ret);
	for (int op = 0; op < ROW_WORDS; op++) {
		free(comparison.others[op].word);
		free(comparison.others[op].verbs);
	}
	rows_done(&comparison.canonical);
	return err;
}

void rights_done(struct rights *rights)
{
	free(rights->class_of);
	free(rights->good);
	memset(rights, 0, sizeof(*rights));
}
