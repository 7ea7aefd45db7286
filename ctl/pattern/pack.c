// SPDX-License-Identifier: GPL-2.0
// Laying out an image: verdict rows, each once; states by row displacement; reserved cells for the caller.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comb.h"
#include "contain.h"
#include "lane.h"
#include "pack.h"

#define ROW_CELLS (ROW_WORDS / 2)
#define ROW_UNPLACED 0u /* cell 0 holds no row */

/* What struct pack hides: the verdict rows of all automata with the cell of each, and the containment matrix. */
struct shared {
	struct rows rows;
	uint32_t *row_cell;
	uint32_t capacity;
	struct contain contain;
	uint32_t matrix; /* its cell once it has one */
};

void pack_done(struct pack *pack)
{
	struct shared *shared = pack->private;

	if (shared) {
		rows_done(&shared->rows);
		free(shared->row_cell);
		contain_done(&shared->contain);
	}
	free(shared);
	free(pack->cell);
	memset(pack, 0, sizeof(*pack));
}

/* Makes CELLS cells addressable. */
static int pack_grow(struct pack *pack, uint32_t cells)
{
	uint32_t capacity = pack->capacity ? pack->capacity : CELLS_SMALL;
	uint64_t *bigger;

	if (cells > CELLS_LARGE)
		return -E2BIG;
	while (capacity < cells)
		capacity *= 2;
	if (capacity == pack->capacity)
		return 0;
	bigger = realloc(pack->cell, capacity * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	memset(bigger + pack->capacity, 0, (capacity - pack->capacity) * sizeof(*bigger));
	pack->cell = bigger;
	pack->capacity = capacity;
	return 0;
}

int pack_reserve(struct pack *pack, uint32_t len, uint32_t *ret_cell)
{
	int err;

	if (len > CELLS_LARGE - pack->used)
		return -E2BIG;
	err = pack_grow(pack, pack->used + len);
	if (err)
		return err;
	*ret_cell = pack->used;
	pack->used += len;
	return 0;
}

/* The cell of ROW, laid out if it is new. */
static int pack_row(struct pack *pack, const struct row *row, uint32_t *ret_cell)
{
	struct shared *shared = pack->private;
	uint32_t index, cell;
	int err = rows_intern(&shared->rows, row, &index);

	if (err)
		return err;
	if (shared->capacity < shared->rows.capacity) {
		uint32_t capacity = shared->rows.capacity;
		uint32_t *bigger = realloc(shared->row_cell, capacity * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		memset(bigger + shared->capacity, 0, (capacity - shared->capacity) * sizeof(*bigger));
		shared->row_cell = bigger;
		shared->capacity = capacity;
	}
	if (shared->row_cell[index] == ROW_UNPLACED) {
		err = pack_reserve(pack, ROW_CELLS, &cell);
		if (err)
			return err;
		for (uint32_t i = 0; i < ROW_CELLS; i++)
			pack->cell[cell + i] = (uint64_t)row->word[2 * i + 1] << 32 | row->word[2 * i];
		shared->row_cell[index] = cell;
	}
	*ret_cell = shared->row_cell[index];
	return 0;
}

/* Row ROW_NONE is the first thing of each image. */
int pack_init(struct pack *pack)
{
	struct row none;
	uint32_t cell;
	int err;

	memset(pack, 0, sizeof(*pack));
	pack->private = calloc(1, sizeof(struct shared));
	if (!pack->private)
		return -ENOMEM;
	pack->used = ROW_NONE / 2;
	memset(&none, 0xff, sizeof(none));
	err = pack_row(pack, &none, &cell);
	if (err)
		pack_done(pack);
	return err;
}

/* One lane while its states find their places. */
struct layout {
	const struct automaton *automaton;
	const struct dfa *dfa;
	const uint32_t *number; /* of each state as a directory; NULL in lanes without */
	uint32_t *leader;	/* the state whose full row stands in; itself for a full row */
	uint32_t *base;
	uint32_t *row_cell;	       /* of each state */
	uint32_t *listed;	       /* how many symbols each state lists */
	uint16_t symbol[COMB_SYMBOLS]; /* what the state at hand lists, */
	uint32_t target[COMB_SYMBOLS]; /* and where that leads */
};

static void layout_done(struct layout *layout)
{
	free(layout->leader);
	free(layout->base);
	free(layout->row_cell);
	free(layout->listed);
}

static int layout_init(struct layout *layout, const struct automaton *automaton, const struct dfa *dfa)
{
	memset(layout, 0, sizeof(*layout));
	layout->automaton = automaton;
	layout->dfa = dfa;
	layout->leader = malloc(dfa->count * sizeof(uint32_t));
	layout->base = malloc(dfa->count * sizeof(uint32_t));
	layout->row_cell = malloc(dfa->count * sizeof(uint32_t));
	layout->listed = malloc(dfa->count * sizeof(uint32_t));
	return layout->leader && layout->base && layout->row_cell && layout->listed ? 0 : -ENOMEM;
}

static uint32_t number_of(const struct layout *layout, uint32_t state)
{
	return layout->number ? layout->number[state] : 0;
}

/* The class on which directories list their numbers: one more than there are, which begin at 1. */
static uint16_t number_symbol(const struct layout *layout)
{
	return layout->automaton->classes.count + 1;
}

static uint32_t count_listed(const struct dfa *dfa, uint32_t state)
{
	return dfa->first[state + 1] - dfa->first[state];
}

/* The candidate for each target: the one with least to list, first of all among those that are no directories. */
static void find_leaders(const struct layout *layout, uint32_t *best)
{
	const struct dfa *dfa = layout->dfa;

	for (uint32_t state = 0; state < dfa->count; state++) {
		uint32_t *now = &best[dfa->fallback[state]];
		bool is_directory = number_of(layout, state);

		if (*now == UINT32_MAX) {
			*now = state;
			continue;
		}
		if (is_directory != !!number_of(layout, *now)) {
			*now = is_directory ? *now : state;
			continue;
		}
		if (*now != dfa->fallback[state] &&
		    (state == dfa->fallback[state] || count_listed(dfa, state) < count_listed(dfa, *now)))
			*now = state;
	}
}

/*
 * States whose unlisted classes lead to the same state share a full row: that
 * state's own if it leads to itself, else that of the one with least to list. A
 * full row that is a directory's has its number, which all others would have to
 * list as theirs is another: where they are many, one of them gets a full row, too.
 */
static void choose_leaders(struct layout *layout)
{
	const struct dfa *dfa = layout->dfa;
	uint32_t *best = layout->base;	  /* of each such target; free until places are found, */
	uint32_t *count = layout->listed; /* as is this: states of each target that are no directories */

	memset(best, 0xff, dfa->count * sizeof(*best));
	memset(count, 0, dfa->count * sizeof(*count));
	find_leaders(layout, best);
	for (uint32_t state = 0; state < dfa->count; state++)
		count[dfa->fallback[state]] += !number_of(layout, state);
	for (uint32_t state = 0; state < dfa->count; state++) {
		uint32_t target = dfa->fallback[state];
		bool leads_itself = dfa->fallback[target] == target;

		if (leads_itself && (state == target || count[target] <= layout->automaton->classes.count))
			layout->leader[state] = target;
		else
			layout->leader[state] = best[target];
	}
}

/* Where STATE leads on each internal class. */
static void expand_state(const struct layout *layout, uint32_t state, uint32_t *target)
{
	const struct dfa *dfa = layout->dfa;

	for (unsigned int class = 0; class < layout->automaton->classes.count; class ++)
		target[class] = dfa->fallback[state];
	for (uint32_t i = dfa->first[state]; i < dfa->first[state + 1]; i++)
		target[dfa->class[i]] = dfa->target[i];
}

/* Adds the number of STATE as a directory to the LEN symbols that it lists, unless its leader's is the same. */
static uint32_t list_number(struct layout *layout, uint32_t state, uint32_t len)
{
	uint32_t leader = layout->leader[state], number = number_of(layout, state);

	if (!layout->number || (leader != state && number == number_of(layout, leader)))
		return len;
	layout->symbol[len] = number_symbol(layout);
	layout->target[len] = number;
	return len + 1;
}

/* By symbol, for full rows and where classes stand for many symbols. */
static uint32_t list_symbols(struct layout *layout, uint32_t state)
{
	const struct classes *classes = &layout->automaton->classes;
	bool is_bytes = layout->automaton->kind != AUTOMATON_PATHS;
	unsigned int symbols = is_bytes ? 256 : classes->count;
	uint32_t mine[256], its[256], leader = layout->leader[state], len = 0;

	expand_state(layout, state, mine);
	expand_state(layout, leader, its);
	for (unsigned int i = 0; i < symbols; i++) {
		unsigned int class = is_bytes ? classes->of[i] : i;

		if (leader != state && mine[class] == its[class])
			continue;
		layout->symbol[len] = i + 1;
		layout->target[len++] = mine[class];
	}
	return list_number(layout, state, len);
}

/*
 * What STATE must list, by ascending symbols: all of a full row, else what
 * differs from its leader's. Path states differ in little: it is found by
 * walking both lists.
 */
static uint32_t list_state(struct layout *layout, uint32_t state)
{
	const struct dfa *dfa = layout->dfa;
	uint32_t leader = layout->leader[state], len = 0;
	uint32_t i = dfa->first[state], j = dfa->first[leader];
	uint32_t i_end = dfa->first[state + 1], j_end = dfa->first[leader + 1];

	if (leader == state || layout->automaton->kind != AUTOMATON_PATHS)
		return list_symbols(layout, state);
	while (i < i_end || j < j_end) {
		unsigned int mine = i < i_end ? dfa->class[i] : UINT16_MAX;
		unsigned int its = j < j_end ? dfa->class[j] : UINT16_MAX;
		unsigned int class = mine < its ? mine : its;
		uint32_t target = mine == class ? dfa->target[i] : dfa->fallback[state];
		uint32_t leads = its == class ? dfa->target[j] : dfa->fallback[state];

		i += mine == class;
		j += its == class;
		if (target == leads)
			continue;
		layout->symbol[len] = class + 1;
		layout->target[len++] = target;
	}
	return list_number(layout, state, len);
}

/* Finds the states' places, those with most to list first. */
static int place_states(struct layout *layout, struct comb *comb)
{
	uint32_t count = layout->dfa->count, begin[COMB_SYMBOLS + 2] = { 0 };
	uint32_t *order = malloc(count * sizeof(*order));
	int err = order ? 0 : -ENOMEM;

	for (uint32_t state = 0; state < count; state++) {
		layout->listed[state] = list_state(layout, state);
		begin[COMB_SYMBOLS - layout->listed[state] + 1]++;
	}
	for (uint32_t i = 1; i < COMB_SYMBOLS + 2; i++)
		begin[i] += begin[i - 1];
	for (uint32_t state = 0; !err && state < count; state++)
		order[begin[COMB_SYMBOLS - layout->listed[state]]++] = state;
	for (uint32_t i = 0; !err && i < count; i++) {
		uint32_t len = list_state(layout, order[i]);

		err = comb_place(comb, layout->symbol, len, &layout->base[order[i]]);
	}
	free(order);
	return err;
}

static void write_states(struct pack *pack, struct layout *layout)
{
	for (uint32_t state = 0; state < layout->dfa->count; state++) {
		uint32_t base = layout->base[state], len = list_state(layout, state);

		pack->cell[base] = (uint64_t)layout->row_cell[state] * 2 << 32 |
				   layout->base[layout->leader[state]];
		for (uint32_t i = 0; i < len; i++) {
			bool is_number = layout->number && layout->symbol[i] == number_symbol(layout);
			uint32_t next = is_number ? layout->target[i] : layout->base[layout->target[i]];

			pack->cell[base + layout->symbol[i]] = (uint64_t)next << 32 | base;
		}
	}
}

/* The verdict rows come first: what is laid out behind a comb must keep its distance. */
static int layout_rows(struct pack *pack, struct layout *layout)
{
	int err = 0;

	for (uint32_t state = 0; !err && state < layout->dfa->count; state++)
		err = pack_row(pack, &layout->automaton->rows.row[layout->dfa->row[state]],
			       &layout->row_cell[state]);
	return err;
}

static void write_header(const struct layout *layout, uint32_t lanes, struct image_header *header)
{
	const struct automaton *automaton = layout->automaton;

	if (automaton->kind == AUTOMATON_ADDRESSES) {
		for (int family = 0; family < 2; family++)
			header->address_start[family] = layout->base[layout->dfa->start[family]];
		return;
	}
	if (automaton->kind == AUTOMATON_PROGRAMS) {
		header->program_start = layout->base[layout->dfa->start[0]];
		return;
	}
	header->lanes = lanes;
	for (uint32_t lane = 0; lane < lanes; lane++)
		header->lane_start[lane] = layout[lane].base[layout[lane].dfa->start[0]];
	for (unsigned int byte = 0; byte < 256; byte++)
		header->class[byte] = automaton->classes.of[byte] + 1;
}

/*
 * A lookup reads up to COMB_SYMBOLS cells behind a base and takes what it finds
 * for the state's own if its low half says so. In a comb only the state itself
 * writes that; other data must lie out of reach.
 */
static int pack_states(struct pack *pack, struct layout *layout, uint32_t lanes)
{
	struct comb *comb = malloc(sizeof(*comb));
	int err = comb ? 0 : -ENOMEM;

	if (!err)
		comb_init(comb, pack->used);
	for (uint32_t lane = 0; !err && lane < lanes; lane++) {
		choose_leaders(&layout[lane]);
		err = place_states(&layout[lane], comb);
	}
	if (!err)
		err = pack_grow(pack, comb->end + COMB_SYMBOLS);
	if (!err) {
		pack->used = comb->end + COMB_SYMBOLS;
		for (uint32_t lane = 0; lane < lanes; lane++)
			write_states(pack, &layout[lane]);
	}
	free(comb);
	return err;
}

/*
 * Without a matrix directories contain only what is equal: less is permitted, nothing more.
 * So it is left out where it is of no use, too large or too dear.
 */
static int make_matrix(struct pack *pack, const struct automaton *automaton, struct image_header *header)
{
	struct shared *shared = pack->private;
	int err;

	if (automaton->kind != AUTOMATON_PATHS || !(header->enforced & OPS_PATH))
		return 0;
	contain_done(&shared->contain);
	err = contain_build(automaton, header, &shared->contain);
	if (err)
		contain_done(&shared->contain);
	else
		header->directory_class = automaton->classes.count + 1;
	header->directories = shared->contain.directories;
	return err == -E2BIG ? 0 : err;
}

int pack_automaton(struct pack *pack, const struct automaton *automaton, struct image_header *header)
{
	struct shared *shared = pack->private;
	struct layout layout[LANES_MAX] = { 0 };
	uint32_t lanes = automaton->lanes;
	int err = make_matrix(pack, automaton, header);

	for (uint32_t lane = 0; !err && lane < lanes; lane++)
		err = layout_init(&layout[lane], automaton, &automaton->lane[lane]);
	if (automaton->kind == AUTOMATON_PATHS)
		layout[0].number = shared->contain.number;
	for (uint32_t lane = 0; !err && lane < lanes; lane++)
		err = layout_rows(pack, &layout[lane]);
	if (!err)
		err = pack_states(pack, layout, lanes);
	if (!err)
		write_header(layout, lanes, header);
	for (uint32_t lane = 0; lane < lanes; lane++)
		layout_done(&layout[lane]);
	return err;
}

static uint32_t class_cells(uint32_t used)
{
	return used <= CELLS_SMALL ? CELLS_SMALL : used <= CELLS_MEDIUM ? CELLS_MEDIUM : CELLS_LARGE;
}

/*
 * The matrix comes last, when it is known what room there is. A largest image takes 16 MiB of
 * the kernel's memory, too much for a matrix alone: then there is none.
 */
static int place_matrix(struct pack *pack, struct image_header *image)
{
	struct shared *shared = pack->private;
	uint64_t bits = (uint64_t)image->directories * image->directories;
	uint32_t cells = (bits + 63) / 64, before = class_cells(pack->used);
	int err = 0;

	if (!image->directories || image->containment)
		return 0;
	if (!shared->matrix) {
		if (cells > CELLS_LARGE - pack->used ||
		    (before != CELLS_LARGE && class_cells(pack->used + cells) == CELLS_LARGE)) {
			image->directories = image->directory_class = 0;
			return 0;
		}
		err = pack_reserve(pack, cells, &shared->matrix);
		if (!err)
			memcpy(pack->cell + shared->matrix, shared->contain.bit, cells * sizeof(uint64_t));
	}
	image->containment = shared->matrix;
	return err;
}

int pack_image(struct pack *pack, const struct image_header *header, struct image_header **ret,
	       size_t *ret_bytes)
{
	struct image_header placed = *header, *image;
	int err = place_matrix(pack, &placed);

	if (err)
		return err;
	placed.cells = class_cells(pack->used);
	*ret_bytes = sizeof(placed) + (size_t)placed.cells * sizeof(uint64_t);
	image = calloc(1, *ret_bytes);
	if (!image)
		return -ENOMEM;
	*image = placed;
	if (pack->cell)
		memcpy(image + 1, pack->cell, pack->used * sizeof(uint64_t));
	*ret = image;
	return 0;
}
