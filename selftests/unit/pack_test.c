// SPDX-License-Identifier: GPL-2.0
// Tests of packed images: addresses against a plain comparison, and what the format promises.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/pattern/automaton.h"
#include "ctl/pattern/image.h"
#include "ctl/pattern/pack.h"
#include "kern/decide.h"

#define RULES_MOST 64
#define FALLBACK 0xeeeeeee0u

static uint32_t seed = 7;

static uint32_t dice(uint32_t sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % sides;
}

struct addresses {
	struct pattern_address block[RULES_MOST];
	struct automaton_rule rule[RULES_MOST];
	size_t count;
	struct automaton *automaton;
	struct image_header *image;
};

static void add_block(struct addresses *set, const struct pattern_address *block, uint32_t operations)
{
	struct pattern *pattern;

	assert_int_equal(pattern_address(block, &pattern), 0);
	set->block[set->count] = *block;
	set->rule[set->count] = (struct automaton_rule){ pattern, WORD(set->count, VERB_ALLOW), operations };
	set->count++;
}

static void build(struct addresses *set)
{
	struct image_header header = { 0 };
	struct pack pack;
	uint32_t *blame;
	size_t count;

	for (int op = 0; op < ROW_WORDS; op++)
		header.fallback[op] = FALLBACK;
	assert_int_equal(
		automaton_build(AUTOMATON_ADDRESSES, set->rule, set->count, &set->automaton, &blame, &count),
		0);
	assert_int_equal(automaton_lanes(set->automaton), 1);
	assert_int_equal(pack_init(&pack), 0);
	assert_int_equal(pack_automaton(&pack, set->automaton, &header), 0);
	assert_int_equal(pack_image(&pack, &header, &set->image, &count), 0);
	pack_done(&pack);
	assert_int_not_equal(set->image->address_start[0], 0);
	assert_int_not_equal(set->image->address_start[1], 0);
}

static void addresses_done(struct addresses *set)
{
	for (size_t i = 0; i < set->count; i++)
		pattern_free((struct pattern *)set->rule[i].pattern);
	automaton_free(set->automaton);
	free(set->image);
}

/* The first block that holds the key, by plain comparison. */
static uint32_t naive_match(const struct addresses *set, const struct address_key *key, uint32_t op)
{
	uint32_t len = key->start ? 16 : 4;
	uint32_t port = key->byte[len + 1] << 8 | key->byte[len + 2];

	for (size_t i = 0; i < set->count; i++) {
		const struct pattern_address *block = &set->block[i];
		bool within = block->is_v6 == key->start && set->rule[i].operations & OP_BIT(op) &&
			      (block->protocol < 0 || block->protocol == key->byte[len]) &&
			      port >= block->port_low && port <= block->port_high;

		for (unsigned int bit = 0; within && bit < block->prefix; bit++)
			within = !((block->address[bit / 8] ^ key->byte[bit / 8]) & (0x80 >> bit % 8));
		if (within)
			return set->rule[i].word;
	}
	return FALLBACK;
}

static void check_key(const struct addresses *set, const struct address_key *key)
{
	for (uint32_t op = OP_NET_CONNECT; op <= OP_NET_ACCEPT; op++) {
		uint32_t expected = naive_match(set, key, op),
			 found = image_match_address(set->image, key, op);

		if (found != expected)
			fail_msg("family %u op %u: %x, expected %x", key->start, op, found, expected);
	}
}

static struct address_key key_of(bool is_v6, const uint8_t *address, uint8_t protocol, uint16_t port)
{
	struct address_key key = { .start = is_v6, .len = is_v6 ? 19 : 7 };
	uint32_t len = is_v6 ? 16 : 4;

	memcpy(key.byte, address, len);
	key.byte[len] = protocol;
	key.byte[len + 1] = port >> 8;
	key.byte[len + 2] = port & 0xff;
	return key;
}

static const uint16_t ports[] = { 0,   1,   79,	  80,	81,   255,   256,   257,   443,
				  511, 512, 1023, 1024, 8080, 65279, 65280, 65534, 65535 };

#define PORTS (sizeof(ports) / sizeof(ports[0]))

static void random_block(struct pattern_address *block)
{
	memset(block, 0, sizeof(*block));
	block->is_v6 = dice(2);
	for (unsigned int i = 0; i < 16; i++)
		block->address[i] = dice(3) ? dice(3) : 127 + dice(3);
	block->prefix = dice(4) ? dice(block->is_v6 ? 129 : 33) : (dice(2) ? 0 : block->is_v6 ? 128 : 32);
	for (unsigned int bit = block->prefix; bit < 128; bit++)
		block->address[bit / 8] &= ~(0x80 >> bit % 8);
	block->protocol = (int[]){ -1, 6, 17, 1 }[dice(4)];
	block->port_low = ports[dice(PORTS)];
	block->port_high = ports[dice(PORTS)];
	if (dice(3) == 0) {
		block->port_low = 0;
		block->port_high = 65535;
	}
	if (block->port_low > block->port_high) {
		uint16_t low = block->port_high;

		block->port_high = block->port_low;
		block->port_low = low;
	}
}

static void check_near(const struct addresses *set, const struct pattern_address *block)
{
	uint8_t address[16];

	for (int i = 0; i < 60; i++) {
		uint16_t port = dice(2) ? ports[dice(PORTS)] : dice(65536);
		struct address_key key;

		memcpy(address, block->address, 16);
		if (dice(2))
			address[dice(16)] ^= 1u << dice(8);
		if (dice(3) == 0)
			for (unsigned int bit = block->prefix; bit < 128; bit++)
				address[bit / 8] ^= dice(2) << (7 - bit % 8);
		key = key_of(dice(8) ? block->is_v6 : !block->is_v6, address,
			     decide_protocol((uint32_t[]){ 6, 17, 1, 132, 262, 58, 0 }[dice(7)]), port);
		check_key(set, &key);
	}
}

static void test_addresses_random(void **state)
{
	(void)state;
	for (int round = 0; round < 60; round++) {
		struct addresses set = { 0 };

		for (uint32_t i = 0, rules = 1 + dice(RULES_MOST); i < rules; i++) {
			struct pattern_address block;

			random_block(&block);
			add_block(&set, &block, dice(2) ? OPS_NET : OP_BIT(OP_NET_CONNECT + dice(3)));
		}
		build(&set);
		for (size_t i = 0; i < set.count; i++)
			check_near(&set, &set.block[i]);
		addresses_done(&set);
	}
}

/* Every port around every boundary of its two bytes. */
static void test_port_ranges(void **state)
{
	static const uint8_t address[4] = { 10, 1, 2, 3 };

	(void)state;
	for (size_t low = 0; low < PORTS; low++) {
		for (size_t high = low; high < PORTS; high++) {
			struct addresses set = { 0 };
			struct pattern_address block = { .address = { 10, 1, 2, 3 },
							 .prefix = 32,
							 .protocol = 6,
							 .port_low = ports[low],
							 .port_high = ports[high] };

			add_block(&set, &block, OPS_NET);
			build(&set);
			for (uint32_t port = 0; port < 65536; port += port < 2048 || port > 65000 ? 1 : 61) {
				struct address_key key = key_of(false, address, 6, port);
				bool within = port >= ports[low] && port <= ports[high];

				assert_int_equal(image_match_address(set.image, &key, OP_NET_CONNECT),
						 within ? set.rule[0].word : FALLBACK);
			}
			addresses_done(&set);
		}
	}
}

/* /0 of one family holds nothing of the other, and the whole of its own. */
static void test_families(void **state)
{
	struct addresses set = { 0 };
	struct pattern_address any4 = { .protocol = -1, .port_high = 65535 };
	struct pattern_address one6 = {
		.is_v6 = true, .address = { 0x20, 1 }, .prefix = 128, .protocol = -1, .port_high = 65535
	};
	uint8_t address[16] = { 0x20, 1 };
	struct address_key key;

	(void)state;
	add_block(&set, &any4, OPS_NET);
	add_block(&set, &one6, OPS_NET);
	build(&set);
	key = key_of(false, address, 6, 80);
	assert_int_equal(image_match_address(set.image, &key, OP_NET_CONNECT), set.rule[0].word);
	key = key_of(true, address, 6, 80);
	assert_int_equal(image_match_address(set.image, &key, OP_NET_CONNECT), set.rule[1].word);
	address[15] = 1;
	key = key_of(true, address, 6, 80);
	assert_int_equal(image_match_address(set.image, &key, OP_NET_CONNECT), FALLBACK);
	addresses_done(&set);
}

static void test_dead_addresses(void **state)
{
	struct addresses set = { 0 };
	struct pattern_address net = { .address = { 10 }, .prefix = 8, .protocol = -1, .port_high = 65535 };
	struct pattern_address web = {
		.address = { 10, 1 }, .prefix = 16, .protocol = 6, .port_low = 443, .port_high = 443
	};
	struct automaton_dead *dead;
	size_t count;

	(void)state;
	add_block(&set, &web, OPS_NET);
	add_block(&set, &net, OPS_NET);
	add_block(&set, &web, OP_BIT(OP_NET_BIND));
	build(&set);
	assert_int_equal(automaton_dead(set.automaton, &dead, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(dead[0].rule, 2);
	assert_int_equal(dead[0].by, 0);
	free(dead);
	addresses_done(&set);
}

/* A v4 and a v6 block in one rule: each counts for its family alone. */
static void test_union_of_families(void **state)
{
	struct pattern_address any4 = { .protocol = 17, .port_high = 65535 };
	struct pattern_address any6 = { .is_v6 = true, .protocol = 17, .port_high = 65535 };
	struct addresses set = { 0 };
	uint8_t address[16] = { 1, 2, 3, 4 };
	struct pattern *a, *b;

	(void)state;
	assert_int_equal(pattern_address(&any4, &a), 0);
	assert_int_equal(pattern_address(&any6, &b), 0);
	assert_int_equal(pattern_union(a, b, &a), 0);
	set.rule[0] = (struct automaton_rule){ a, WORD(9, VERB_ASK), OPS_NET };
	set.count = 1;
	build(&set);
	for (int is_v6 = 0; is_v6 < 2; is_v6++) {
		struct address_key udp = key_of(is_v6, address, 17, 53), tcp = key_of(is_v6, address, 6, 53);

		assert_int_equal(image_match_address(set.image, &udp, OP_NET_CONNECT), WORD(9, VERB_ASK));
		assert_int_equal(image_match_address(set.image, &tcp, OP_NET_CONNECT), FALLBACK);
	}
	addresses_done(&set);
}

static struct automaton *automaton_of(const char *const *texts, size_t count, struct automaton_rule *rule)
{
	struct automaton *automaton;
	uint32_t *blame;
	size_t blamed;

	for (size_t i = 0; i < count; i++) {
		struct pattern_error error;
		struct pattern *pattern;

		assert_int_equal(pattern_path(texts[i], strlen(texts[i]), &pattern, &error), 0);
		rule[i] = (struct automaton_rule){ pattern, WORD(i, VERB_ALLOW), OPS_FILE };
	}
	assert_int_equal(automaton_build(AUTOMATON_PATHS, rule, count, &automaton, &blame, &blamed), 0);
	return automaton;
}

static const char *const some_texts[] = { "/a/b", "/a/**", "**/*.pem", "/usr/{bin,lib}/**",
					  "/home/*/.ssh/id_*" };

#define SOME (sizeof(some_texts) / sizeof(some_texts[0]))

/* Both automata and the caller's cells in one image do not disturb each other. */
static void test_shared_image(void **state)
{
	struct addresses set = { 0 };
	struct pattern_address net = { .address = { 10 }, .prefix = 8, .protocol = -1, .port_high = 65535 };
	struct automaton_rule rule[SOME];
	struct automaton *paths = automaton_of(some_texts, SOME, rule);
	struct image_header header = { 0 }, *image;
	struct address_key key = key_of(false, (const uint8_t[4]){ 10, 9, 8, 7 }, 6, 1);
	uint32_t *blame, text, *fallback = header.fallback;
	struct pack pack;
	size_t bytes;

	(void)state;
	add_block(&set, &net, OPS_NET);
	assert_int_equal(automaton_build(AUTOMATON_ADDRESSES, set.rule, 1, &set.automaton, &blame, &bytes),
			 0);
	for (int op = 0; op < ROW_WORDS; op++)
		fallback[op] = FALLBACK;
	assert_int_equal(pack_init(&pack), 0);
	assert_int_equal(pack_automaton(&pack, set.automaton, &header), 0);
	assert_int_equal(pack_reserve(&pack, 32, &text), 0);
	memset(&pack.cell[text], 0x11, 32 * sizeof(uint64_t));
	assert_int_equal(pack_automaton(&pack, paths, &header), 0);
	assert_int_equal(pack_image(&pack, &header, &image, &bytes), 0);
	pack_done(&pack);
	assert_int_equal(image->cells, CELLS_SMALL);
	assert_int_equal(bytes, sizeof(struct image_small));
	assert_int_equal(image->lanes, 1);
	assert_int_equal(image_match_address(image, &key, OP_NET_CONNECT), set.rule[0].word);
	assert_int_equal(image_match_path(image, "/a/b", 4, OP_FILE_READ), WORD(0, VERB_ALLOW));
	assert_int_equal(image_match_path(image, "/a", 2, OP_FILE_READ), WORD(1, VERB_ALLOW));
	assert_int_equal(image_match_path(image, "/usr/lib/x.pem", 14, OP_FILE_READ), WORD(2, VERB_ALLOW));
	assert_int_equal(image_match_path(image, "/usr/lib/x", 10, OP_FILE_READ), WORD(3, VERB_ALLOW));
	assert_int_equal(image_match_path(image, "/usr/lib/x", 10, OP_EXEC_RUN), FALLBACK);
	assert_int_equal(((uint64_t *)(image + 1))[text], 0x1111111111111111ull);
	free(image);
	for (size_t i = 0; i < SOME; i++)
		pattern_free((struct pattern *)rule[i].pattern);
	automaton_free(paths);
	set.image = NULL;
	addresses_done(&set);
}

/* Cell 0 is no state and no row, verdict rows begin at even words, and a step never leaves the table. */
static void test_format(void **state)
{
	struct automaton_rule rule[SOME];
	struct automaton *automaton = automaton_of(some_texts, SOME, rule);
	struct image_header header = { 0 }, *image;
	const __u64 *cell;
	struct pack pack;
	size_t bytes;

	(void)state;
	assert_int_equal(pack_init(&pack), 0);
	assert_int_equal(pack_automaton(&pack, automaton, &header), 0);
	assert_int_equal(pack_image(&pack, &header, &image, &bytes), 0);
	pack_done(&pack);
	cell = (const __u64 *)(image + 1);
	assert_int_equal(cell[0], 0);
	for (uint32_t lane = 0; lane < image->lanes; lane++) {
		uint32_t row = cell[image->lane_start[lane]] >> 32;

		assert_int_not_equal(image->lane_start[lane], 0);
		assert_int_not_equal(row, 0);
		assert_int_equal(row & 1, 0);
	}
	for (int byte = 0; byte < 256; byte++)
		assert_in_range(image->class[byte], 1, 255);
	for (uint32_t at = 0; at < image->cells; at += 97)
		assert_true(match_step(cell, image->cells - 1, at, 255) < UINT32_MAX);
	free(image);
	for (size_t i = 0; i < SOME; i++)
		pattern_free((struct pattern *)rule[i].pattern);
	automaton_free(automaton);
}

static void test_reserve_limit(void **state)
{
	const uint32_t first = (ROW_NONE + ROW_WORDS) / 2;
	struct image_header header = { 0 }, *image;
	struct pack pack;
	uint32_t cell;
	size_t bytes;

	(void)state;
	assert_int_equal(pack_init(&pack), 0);
	for (int op = 0; op < ROW_WORDS; op++)
		assert_int_equal(match_row_word((const __u64 *)pack.cell, CELLS_SMALL - 1, ROW_NONE, op),
				 WORD_NONE);
	assert_int_equal(pack_reserve(&pack, CELLS_SMALL - first, &cell), 0);
	assert_int_equal(cell, first);
	assert_int_equal(pack_image(&pack, &header, &image, &bytes), 0);
	assert_int_equal(image->cells, CELLS_SMALL);
	free(image);
	assert_int_equal(pack_reserve(&pack, 1, &cell), 0);
	assert_int_equal(pack_image(&pack, &header, &image, &bytes), 0);
	assert_int_equal(image->cells, CELLS_MEDIUM);
	free(image);
	assert_int_equal(pack_reserve(&pack, CELLS_LARGE - CELLS_SMALL - 1, &cell), 0);
	assert_int_equal(pack_image(&pack, &header, &image, &bytes), 0);
	assert_int_equal(image->cells, CELLS_LARGE);
	free(image);
	assert_int_equal(pack_reserve(&pack, 1, &cell), -E2BIG);
	pack_done(&pack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_random),
		cmocka_unit_test(test_port_ranges),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_dead_addresses),
		cmocka_unit_test(test_union_of_families),
		cmocka_unit_test(test_shared_image),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_reserve_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
