// SPDX-License-Identifier: GPL-2.0
// Walking one pattern alone, for an example, or beside another, for containment.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inclusion.h"
#include "look.h"

#define PAIRS_MAX 4096u	       /* of places in both patterns */
#define WHOLE_STATES_MAX 4096u /* of the containing pattern */
#define STEPS_MAX 200000u      /* edges followed before the question is given up */

/* The byte to try for an edge: one that no pattern mentions if the edge takes it. */
static unsigned int edge_byte(const struct nfa *nfa, unsigned int set, const struct classes *classes)
{
	unsigned int byte = classes->byte[classes->other];

	if (nfa_set_has(nfa, set, byte))
		return byte;
	for (byte = 1; byte < 255 && !nfa_set_has(nfa, set, byte);)
		byte++;
	return byte;
}

/* A breadth-first search over states and looks; each place knows how it was reached. */
struct search {
	uint32_t *from; /* by place: the place before it, + 1; 0 if it was not reached */
	uint8_t *byte;
	uint32_t *queue;
	uint32_t head;
	uint32_t tail;
};

static void search_push(struct search *search, uint32_t place, uint32_t from, unsigned int byte)
{
	if (search->from[place])
		return;
	search->from[place] = from + 1;
	search->byte[place] = byte;
	search->queue[search->tail++] = place;
}

static int search_init(struct search *search, uint32_t places)
{
	search->from = calloc(places, sizeof(*search->from));
	search->byte = malloc(places);
	search->queue = malloc(places * sizeof(*search->queue));
	search->head = search->tail = 0;
	return search->from && search->byte && search->queue ? 0 : -ENOMEM;
}

static void search_done(struct search *search)
{
	free(search->from);
	free(search->byte);
	free(search->queue);
}

/* A place is state * LOOKS + look. The first slash is taken apart: behind it the looks begin. */
static uint32_t search_run(struct search *search, const struct nfa *nfa, const struct classes *classes)
{
	while (search->head < search->tail) {
		uint32_t place = search->queue[search->head++], state = place / LOOKS;

		if (nfa->state[state].flags & NFA_ACCEPT && look_is_name(place % LOOKS))
			return place;
		for (uint32_t i = nfa->state[state].edge; i < nfa->state[state + 1].edge; i++) {
			unsigned int byte = edge_byte(nfa, nfa->edge[i].set, classes);
			enum look look = look_after(place % LOOKS, byte == '/', byte == '.');

			if (look != LOOK_INVALID)
				search_push(search, nfa->edge[i].target * LOOKS + look, place, byte);
		}
	}
	return UINT32_MAX;
}

static int sample_write(const struct search *search, uint32_t place, uint8_t *sample)
{
	uint32_t len = 1, at = place;

	for (; search->from[at] - 1 != at; at = search->from[at] - 1)
		len++;
	if (len > SAMPLE_MAX)
		return 0;
	for (uint32_t i = len; i-- > 1; place = search->from[place] - 1)
		sample[i] = search->byte[place];
	sample[0] = '/';
	return len;
}

int part_sample(const struct pattern *part, const struct classes *classes, uint8_t *sample)
{
	const struct nfa *nfa = &part->nfa;
	struct search search;
	int ret = search_init(&search, nfa->state_count * LOOKS);
	uint32_t found;

	if (ret)
		goto out;
	for (uint32_t i = nfa->state[nfa->start].edge; i < nfa->state[nfa->start + 1].edge; i++) {
		uint32_t place = nfa->edge[i].target * LOOKS + LOOK_ROOT;

		/* Those that a search begins with are their own predecessors. */
		if (nfa_set_has(nfa, nfa->edge[i].set, '/'))
			search_push(&search, place, place, '/');
	}
	found = search_run(&search, nfa, classes);
	if (found != UINT32_MAX)
		ret = sample_write(&search, found, sample);
out:
	search_done(&search);
	return ret;
}

/* A place in the contained pattern, and all the places where the containing one can be. */
struct pair {
	uint32_t state;
	uint32_t look;
	uint64_t set[]; /* states of all parts of WHOLE, side by side */
};

struct product {
	const struct pattern *part;
	const struct pattern *whole;
	const struct classes *classes;
	uint32_t words; /* of a set */
	size_t pair_bytes;
	uint8_t *pairs; /* PAIRS_MAX + 1 of them: the last is the one being made */
	uint32_t count;
	uint32_t *slot; /* open addressing: index + 1 */
	uint32_t steps;
};

#define PRODUCT_SLOTS (PAIRS_MAX * 2)

static struct pair *product_pair(const struct product *product, uint32_t i)
{
	return (struct pair *)(product->pairs + i * product->pair_bytes);
}

/* Adds the pair that has been made behind the last one, if it is new. False if there are too many. */
static bool product_add(struct product *product)
{
	const struct pair *pair = product_pair(product, product->count);
	const uint8_t *bytes = (const uint8_t *)pair;
	uint64_t hash = 1469598103934665603ull;
	uint32_t i;

	for (size_t at = 0; at < product->pair_bytes; at++)
		hash = (hash ^ bytes[at]) * 1099511628211ull;
	for (i = hash & (PRODUCT_SLOTS - 1); product->slot[i]; i = (i + 1) & (PRODUCT_SLOTS - 1))
		if (!memcmp(product_pair(product, product->slot[i] - 1), pair, product->pair_bytes))
			return true;
	if (product->count == PAIRS_MAX)
		return false;
	product->slot[i] = ++product->count;
	return true;
}

/* The set that follows FROM on BYTE, over all parts of WHOLE. */
static void product_step(struct product *product, const uint64_t *from, uint64_t *to, unsigned int byte)
{
	uint32_t base = 0;

	memset(to, 0, product->words * sizeof(*to));
	for (const struct pattern *part = product->whole; part;
	     base += part->nfa.state_count, part = part->next) {
		const struct nfa *nfa = &part->nfa;

		for (uint32_t state = 0; state < nfa->state_count; state++) {
			uint32_t at = base + state;

			if (!(from[at >> 6] >> (at & 63) & 1))
				continue;
			for (uint32_t i = nfa->state[state].edge; i < nfa->state[state + 1].edge; i++) {
				uint32_t target = base + nfa->edge[i].target;

				product->steps++;
				if (nfa_set_has(nfa, nfa->edge[i].set, byte))
					to[target >> 6] |= 1ull << (target & 63);
			}
		}
	}
}

/* What the set of a pair says of WHOLE: does it match here, and will it whatever follows? */
static void product_flags(const struct product *product, const uint64_t *set, bool *ret_accepts,
			  bool *ret_universal)
{
	uint32_t at = 0;

	*ret_accepts = *ret_universal = false;
	for (const struct pattern *part = product->whole; part; part = part->next) {
		for (uint32_t state = 0; state < part->nfa.state_count; state++, at++) {
			if (!(set[at >> 6] >> (at & 63) & 1))
				continue;
			*ret_accepts |= part->nfa.state[state].flags & NFA_ACCEPT;
			*ret_universal |= (part->nfa.state[state].flags & NFA_UNIVERSAL) != 0;
		}
	}
}

/* Follows one edge of PART on every class that it takes. False to give up. */
static bool product_edge(struct product *product, uint32_t from, const struct nfa_edge *edge)
{
	const struct classes *classes = product->classes;

	for (unsigned int class = 0; class < classes->count; class ++) {
		const struct pair *pair = product_pair(product, from);
		struct pair *next = product_pair(product, product->count);
		unsigned int byte = classes->byte[class];
		enum look look;

		if (!nfa_set_has(&product->part->nfa, edge->set, byte))
			continue;
		look = look_after(pair->look, byte == '/', class == classes->dot);
		if (look == LOOK_INVALID)
			continue;
		next->state = edge->target;
		next->look = look;
		product_step(product, pair->set, next->set, byte);
		if (product->steps > STEPS_MAX || !product_add(product))
			return false;
	}
	return true;
}

static int product_run(struct product *product)
{
	const struct nfa *nfa = &product->part->nfa;

	for (uint32_t i = 0; i < product->count; i++) {
		const struct pair *pair = product_pair(product, i);
		uint32_t state = pair->state;
		bool accepts, universal;

		product_flags(product, pair->set, &accepts, &universal);
		if (universal)
			continue;
		if (nfa->state[state].flags & NFA_ACCEPT && look_is_name(pair->look) && !accepts)
			return 0;
		for (uint32_t edge = nfa->state[state].edge; edge < nfa->state[state + 1].edge; edge++)
			if (!product_edge(product, i, &nfa->edge[edge]))
				return 0;
	}
	return 1;
}

/* The pairs behind the first slash. */
static void product_begin(struct product *product, uint64_t *starts)
{
	const struct nfa *nfa = &product->part->nfa;
	uint32_t base = 0;

	for (const struct pattern *part = product->whole; part;
	     base += part->nfa.state_count, part = part->next)
		starts[(base + part->nfa.start) >> 6] |= 1ull << ((base + part->nfa.start) & 63);
	for (uint32_t i = nfa->state[nfa->start].edge; i < nfa->state[nfa->start + 1].edge; i++) {
		struct pair *next = product_pair(product, product->count);

		if (!nfa_set_has(nfa, nfa->edge[i].set, '/'))
			continue;
		next->state = nfa->edge[i].target;
		next->look = LOOK_ROOT;
		product_step(product, starts, next->set, '/');
		product_add(product);
	}
}

int part_is_within(const struct pattern *part, const struct pattern *whole, const struct classes *classes)
{
	struct product product = { .part = part, .whole = whole, .classes = classes };
	uint64_t *starts = NULL;
	uint32_t states = 0;
	int ret = -ENOMEM;

	for (const struct pattern *each = whole; each; each = each->next)
		states += each->nfa.state_count;
	if (states > WHOLE_STATES_MAX)
		return 0;
	product.words = states / 64 + 1;
	product.pair_bytes = sizeof(struct pair) + product.words * sizeof(uint64_t);
	product.pairs = calloc(PAIRS_MAX + 1, product.pair_bytes);
	product.slot = calloc(PRODUCT_SLOTS, sizeof(*product.slot));
	starts = calloc(product.words, sizeof(*starts));
	if (product.pairs && product.slot && starts) {
		product_begin(&product, starts);
		ret = product_run(&product);
	}
	free(product.pairs);
	free(product.slot);
	free(starts);
	return ret;
}
