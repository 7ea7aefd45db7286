// SPDX-License-Identifier: GPL-2.0
/* Tests of thousands of address rules: what fits decides as written, what does not is refused by name. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/pattern/automaton.h"
#include "ctl/pattern/image.h"
#include "ctl/pattern/pack.h"
#include "kern/decide.h"

#define MANY 10000
#define FALLBACK 0xeeeeeee0u
#ifdef __SANITIZE_ADDRESS__
#define SLOWER 4
#else
#define SLOWER 1
#endif

struct many {
	struct pattern_address block[MANY];
	struct automaton_rule rule[MANY];
	size_t count;
};

static void add(struct many *many, const struct pattern_address *block)
{
	struct pattern *pattern;
	size_t i = many->count++;

	assert_int_equal(pattern_address(block, &pattern), 0);
	many->block[i] = *block;
	many->rule[i] = (struct automaton_rule){ pattern, WORD(i, VERB_ALLOW), OP_BIT(OP_NET_CONNECT) };
}

/* The I-th of blocks that have nothing in common: an address or, if IS_WIDE, all that differ in the last byte. */
static struct pattern_address block_of(uint32_t i, bool is_v6, bool is_wide)
{
	struct pattern_address block = { .is_v6 = is_v6, .protocol = i % 3 ? -1 : 6 };
	uint32_t spread = i * 2654435761u >> 8, len = is_v6 ? 16 : 4;

	block.address[0] = is_v6 ? 0x20 : 10;
	block.address[len - 4] |= is_v6 ? spread >> 16 : 0;
	block.address[len - 3] = spread >> 8 ^ spread >> 16;
	block.address[len - 2] = spread;
	block.address[1] = i >> 8;
	block.address[2] = i;
	block.address[len - 1] = is_wide ? 0 : spread >> 4;
	block.prefix = len * 8 - (is_wide ? 8 : 0);
	block.port_low = i % 20 ? i : 1024;
	block.port_high = i % 20 ? i : 65535;
	return block;
}

static uint32_t ask(const struct image_header *image, const struct pattern_address *block, uint8_t last,
		    uint32_t protocol, uint16_t port)
{
	struct address_key key = { 0 };
	uint8_t address[16], network[2] = { port >> 8, port };

	memcpy(address, block->address, sizeof(address));
	address[block->is_v6 ? 15 : 3] ^= last;
	if (block->is_v6)
		decide_key6(&key, OP_NET_CONNECT, address, decide_protocol(protocol), network);
	else
		decide_key4(&key, OP_NET_CONNECT, address, decide_protocol(protocol), network);
	return image_match_address(image, &key, OP_NET_CONNECT);
}

/* Inside, and just outside in each respect. */
static void check_rule(const struct image_header *image, const struct many *many, size_t i)
{
	const struct pattern_address *block = &many->block[i];
	uint32_t any = block->protocol < 0 ? many->rule[i].word : FALLBACK;
	bool is_wide = block->prefix % 32;

	assert_int_equal(ask(image, block, 0, 6, block->port_low), many->rule[i].word);
	assert_int_equal(ask(image, block, 0, 262, block->port_high), many->rule[i].word);
	assert_int_equal(ask(image, block, 0, 17, block->port_low), any);
	assert_int_equal(ask(image, block, 0, 132, block->port_low), any);
	assert_int_equal(ask(image, block, 0, 0, block->port_low), any);
	if (block->port_low)
		assert_int_equal(ask(image, block, 0, 6, block->port_low - 1), FALLBACK);
	if (block->port_high < 65535)
		assert_int_equal(ask(image, block, 0, 6, block->port_high + 1), FALLBACK);
	assert_int_equal(ask(image, block, 0x80, 6, block->port_low),
			 is_wide ? many->rule[i].word : FALLBACK);
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void check_many(struct many *many)
{
	double begun = cpu_seconds();
	struct automaton *automaton;
	struct automaton_dead *dead;
	struct image_header *image, header = { 0 };
	uint32_t *blame;
	size_t count;
	struct pack pack;

	for (int op = 0; op < ROW_WORDS; op++)
		header.fallback[op] = FALLBACK;
	assert_int_equal(
		automaton_build(AUTOMATON_ADDRESSES, many->rule, many->count, &automaton, &blame, &count), 0);
	assert_int_equal(automaton_dead(automaton, &dead, &count), 0);
	assert_int_equal(count, 0);
	free(dead);
	assert_int_equal(pack_init(&pack), 0);
	assert_int_equal(pack_automaton(&pack, automaton, &header), 0);
	assert_int_equal(pack_image(&pack, &header, &image, &count), 0);
	if (cpu_seconds() - begun > 2.0 * SLOWER)
		fail_msg("%.2f s", cpu_seconds() - begun);
	for (size_t i = 0; i < many->count; i++)
		check_rule(image, many, i);
	pack_done(&pack);
	automaton_free(automaton);
	free(image);
}

static void many_done(struct many *many)
{
	for (size_t i = 0; i < many->count; i++)
		pattern_free((struct pattern *)many->rule[i].pattern);
	free(many);
}

static struct many *many_new(void)
{
	struct many *many = calloc(1, sizeof(*many));

	assert_non_null(many);
	return many;
}

static void test_exact_addresses(void **state)
{
	struct many *many = many_new();

	(void)state;
	for (uint32_t i = 1; many->count < MANY; i++) {
		struct pattern_address block = block_of(i, i & 1, false);

		add(many, &block);
	}
	check_many(many);
	many_done(many);
}

/* Half of them skip a byte, which takes a row of the image each. */
static void test_blocks(void **state)
{
	struct many *many = many_new();

	(void)state;
	for (uint32_t i = 1; many->count < MANY; i++) {
		struct pattern_address block = block_of(i, i & 1, i & 2);

		add(many, &block);
	}
	check_many(many);
	many_done(many);
}

/* Where rules tell every byte apart, each is for its own alone. */
static void test_all_bytes(void **state)
{
	struct many *many = many_new();

	(void)state;
	for (uint32_t i = 0; i < 256; i++) {
		struct pattern_address block = { .address = { 10, 9, i, i },
						 .prefix = 32,
						 .protocol = 6,
						 .port_low = i << 8 | i,
						 .port_high = i << 8 | i };

		add(many, &block);
	}
	check_many(many);
	many_done(many);
}

/* Rules that skip eight bytes are too many; those beside them that skip none are not to blame. */
static void test_refused_by_name(void **state)
{
	struct many *many = many_new();
	struct automaton *automaton = NULL;
	uint32_t *blame = NULL;
	size_t blamed = 0;

	(void)state;
	for (uint32_t i = 1; many->count < 3000; i++) {
		struct pattern_address block = block_of(i, true, false);

		block.prefix = i % 3 ? 64 : 128;
		memset(block.address + 8, 0, i % 3 ? 8 : 0);
		add(many, &block);
	}
	assert_int_equal(
		automaton_build(AUTOMATON_ADDRESSES, many->rule, many->count, &automaton, &blame, &blamed),
		-E2BIG);
	assert_int_equal(blamed, 16);
	for (size_t i = 0; i < blamed; i++)
		assert_int_equal(many->block[blame[i]].prefix, 64);
	free(blame);
	many_done(many);
}

/* As lists in one rule they take next to nothing, as nothing has to be remembered of them. */
static void test_one_rule(void **state)
{
	struct pattern *all = NULL;
	struct automaton_rule rule = { .word = WORD(0, VERB_DENY), .operations = OP_BIT(OP_NET_CONNECT) };
	struct automaton *automaton;
	struct image_header header = { 0 };
	struct pack pack;
	uint32_t *blame;
	size_t count;

	(void)state;
	for (uint32_t i = 1; i <= MANY; i++) {
		struct pattern_address block = {
			.address = { 10, i >> 8, i, i * 7 }, .prefix = 32, .protocol = -1, .port_high = 65535
		};
		struct pattern *pattern;

		assert_int_equal(pattern_address(&block, &pattern), 0);
		if (all)
			assert_int_equal(pattern_union(pattern, all, &all), 0);
		else
			all = pattern;
	}
	rule.pattern = all;
	assert_int_equal(automaton_build(AUTOMATON_ADDRESSES, &rule, 1, &automaton, &blame, &count), 0);
	assert_int_equal(pack_init(&pack), 0);
	assert_int_equal(pack_automaton(&pack, automaton, &header), 0);
	assert_true(pack.used < CELLS_MEDIUM);
	pack_done(&pack);
	automaton_free(automaton);
	pattern_free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_addresses), cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_all_bytes),	cmocka_unit_test(test_refused_by_name),
		cmocka_unit_test(test_one_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
