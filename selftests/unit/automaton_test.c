// SPDX-License-Identifier: GPL-2.0
// Tests of compiled automata against the patterns themselves: random rules, dead rules, sizes and times.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/pattern/automaton.h"
#include "ctl/pattern/image.h"
#include "ctl/pattern/pack.h"

#define RULES_OF_A_SET 4096

/* Some rules, their automaton and its image. */
struct set {
	struct automaton_rule rule[RULES_OF_A_SET];
	char *text[RULES_OF_A_SET];
	size_t count;
	struct automaton *automaton;
	struct image_header *image;
};

static uint32_t seed = 1;

static uint32_t dice(uint32_t sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % sides;
}

static struct set *set_new(void)
{
	struct set *set = calloc(1, sizeof(*set));

	assert_non_null(set);
	return set;
}

static void set_add(struct set *set, const char *text, uint32_t operations)
{
	struct automaton_rule *rule = &set->rule[set->count];
	struct pattern_error error;
	struct pattern *pattern;

	if (pattern_path(text, strlen(text), &pattern, &error))
		fail_msg("%s: %zu: %s", text, error.offset, error.what);
	rule->pattern = pattern;
	rule->word = WORD(set->count, dice(3));
	rule->operations = operations;
	set->text[set->count++] = strdup(text);
}

static struct image_header *image_of(const struct automaton *automaton)
{
	struct image_header header = { .magic = IMAGE_MAGIC, .abi = ABI_VERSION }, *image = NULL;
	struct pack pack;
	uint32_t noise;
	size_t bytes;

	memset(header.fallback, 0xee, sizeof(header.fallback));
	assert_int_equal(pack_init(&pack), 0);
	/* Data before and behind the automaton that looks like states. */
	assert_int_equal(pack_reserve(&pack, 64, &noise), 0);
	assert_int_equal(pack_automaton(&pack, automaton, &header), 0);
	assert_int_equal(pack_reserve(&pack, 512, &noise), 0);
	for (uint32_t i = 0; i < 512; i++)
		pack.cell[noise + i] = (uint64_t)noise << 32 | (noise - 5 + i);
	assert_int_equal(pack_image(&pack, &header, &image, &bytes), 0);
	assert_int_equal(bytes, sizeof(*image) + image->cells * sizeof(uint64_t));
	pack_done(&pack);
	return image;
}

static void set_build(struct set *set, enum automaton_kind kind)
{
	uint32_t *blame = NULL;
	size_t blamed = 0;

	assert_int_equal(automaton_build(kind, set->rule, set->count, &set->automaton, &blame, &blamed), 0);
	assert_null(blame);
	set->image = image_of(set->automaton);
}

static void set_free(struct set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		pattern_free((struct pattern *)set->rule[i].pattern);
		free(set->text[i]);
	}
	automaton_free(set->automaton);
	free(set->image);
	free(set);
}

/* What the rules themselves say: the first that matches. */
static uint32_t first_match(const struct set *set, const char *path, size_t len, uint32_t op)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->rule[i].operations & OP_BIT(op) &&
		    pattern_matches(set->rule[i].pattern, (const uint8_t *)path, len))
			return set->rule[i].word;
	return 0xeeeeeeeeu;
}

static void check_path(const struct set *set, const char *path)
{
	for (uint32_t op = 0; op < OP_COUNT; op++) {
		uint32_t expected = first_match(set, path, strlen(path), op);
		uint32_t found = image_match_path(set->image, path, strlen(path), op);

		if (found == expected)
			continue;
		for (size_t i = 0; i < set->count; i++)
			print_error("rule %zu ops %x %s\n", i, set->rule[i].operations, set->text[i]);
		fail_msg("%s op %u: %x, expected %x", path, op, found, expected);
	}
}

/* Few letters, so that patterns and paths meet. */
static void random_component(char *text, bool is_pattern)
{
	static const char *const pieces[] = { "a", "b", "ab", "c", ".a", "ba", "x", "aa" };
	static const char *const globs[] = { "*", "?", "[ab]", "[!a]", "{a,b}", "{,a}b", "[a-c]", "*a", "a*", "{a,b*}c" };
	bool star = false;

	*text = '\0';
	for (uint32_t i = 0, parts = 1 + dice(3); i < parts; i++) {
		const char *piece = is_pattern && !dice(3) ? globs[dice(10)] : pieces[dice(8)];

		if (star && strchr(piece, '*'))
			piece = "a";
		star = strchr(piece, '*') != NULL;
		strcat(text, piece);
	}
}

static void random_pattern(char *text)
{
	char component[64];
	bool fresh = true;

	*text = '\0';
	if (!dice(8)) {
		random_component(text, true);
		return;
	}
	for (uint32_t i = 0, parts = 1 + dice(4); i < parts; i++) {
		random_component(component, true);
		if (!dice(4))
			strcpy(component, "**");
		if (!fresh || strcmp(component, "**"))
			strcat(text, "/");
		fresh = false;
		strcat(text, component);
	}
	if (!dice(4))
		strcat(text, "/**");
}

static void random_path(char *text)
{
	char component[64];

	*text = '\0';
	for (uint32_t i = 0, parts = 1 + dice(4); i < parts; i++) {
		random_component(component, false);
		strcat(text, "/");
		strcat(text, component);
	}
}

static void check_random_set(uint32_t rules, uint32_t paths)
{
	struct set *set = set_new();
	char text[512];

	for (uint32_t i = 0; i < rules; i++) {
		random_pattern(text);
		set_add(set, text, dice(3) ? OPS_FILE : 1 + dice(OPS_PATH));
	}
	set_build(set, AUTOMATON_PATHS);
	check_path(set, "/");
	for (uint32_t i = 0; i < paths; i++) {
		random_path(text);
		check_path(set, text);
	}
	set_free(set);
}

static void test_random_small(void **state)
{
	(void)state;
	for (int i = 0; i < 600; i++)
		check_random_set(1 + dice(8), 40);
}

static void test_random_large(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		check_random_set(20 + dice(40), 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_small),
		cmocka_unit_test(test_random_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
