// SPDX-License-Identifier: GPL-2.0
/* Fuzz target: globs, one a line, are refused or compiled; the image then decides as the patterns themselves do. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/pattern/automaton.h"
#include "ctl/pattern/image.h"
#include "ctl/pattern/pack.h"

#define RULES_MOST 6
#define PATHS_EACH 24
#define PATH_MOST 512
#define WILD_MOST \
	8 /* more '?' and classes behind a star only multiply states: what that costs is tested elsewhere */

struct rules {
	struct automaton_rule rule[RULES_MOST];
	struct {
		const uint8_t *text;
		size_t len;
	} glob[RULES_MOST];
	size_t count;
	bool wins[RULES_MOST];
};

static uint64_t seed;

static uint32_t dice(uint32_t sides)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 32) % sides;
}

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* What a glob's error says must point into the glob. */
static void add_glob(struct rules *rules, const uint8_t *text, size_t len)
{
	struct pattern_error error = { .offset = SIZE_MAX };
	struct pattern *pattern = NULL, *argument = NULL;
	int err = pattern_path((const char *)text, len, &pattern, &error);

	if (err) {
		require(error.offset <= len && error.what && error.remedy && !pattern);
	} else {
		rules->rule[rules->count].pattern = pattern;
		rules->rule[rules->count].word = WORD(rules->count, VERB_ALLOW);
		rules->rule[rules->count].operations = rules->count % 3 + 1;
		rules->glob[rules->count].text = text;
		rules->glob[rules->count++].len = len;
	}
	if (!pattern_argument((const char *)text, len, &argument, &error))
		pattern_matches(argument, text, len);
	else
		require(error.offset <= len && !argument);
	pattern_free(argument);
}

static void add_globs(struct rules *rules, const uint8_t *data, size_t size)
{
	while (size && rules->count < RULES_MOST) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t len = end ? (size_t)(end - data) : size;

		add_glob(rules, data, len);
		data += len + !!end;
		size -= len + !!end;
	}
}

/* A string that the glob may well match: its letters, with something short for what stands for anything. */
static size_t derive(const uint8_t *text, size_t len, uint8_t *path)
{
	static const char letters[] = "abc./x\xc3";
	size_t used = 1;

	path[0] = '/';
	for (size_t i = len && *text == '/'; i < len && used < PATH_MOST - 4; i++) {
		uint32_t choice = dice(16);

		if (strchr("*?[]{},\\", text[i]) && text[i] && choice) {
			for (uint32_t more = dice(3); more; more--)
				path[used++] = letters[dice(7)];
		} else if (choice == 1) {
			path[used++] = letters[dice(7)];
		} else if (choice == 2 && text[i] == '/') {
			path[used++] = '/';
			path[used++] = letters[dice(7)];
			path[used++] = '/';
		} else if (choice != 3 && text[i]) {
			path[used++] = text[i];
		}
	}
	return used;
}

/* Is it what a file can be called? The automata may say anything of other strings. */
static bool is_name(const uint8_t *path, size_t len)
{
	size_t start = 1;

	for (size_t i = 1; i <= len; i++) {
		if (i < len && path[i] != '/')
			continue;
		if (i == start && len > 1)
			return false;
		if (i - start <= 2 && i > start && path[start] == '.' && path[i - 1] == '.')
			return false;
		start = i + 1;
	}
	return len && *path == '/';
}

static void check_path(struct rules *rules, const struct image_header *image, const uint8_t *path, size_t len)
{
	for (uint32_t op = 0; op < 2; op++) {
		uint32_t found = image_match_path(image, (const char *)path, len, op), expected = WORD_NONE;

		for (size_t i = 0; i < rules->count && expected == WORD_NONE; i++)
			if (rules->rule[i].operations & OP_BIT(op) &&
			    pattern_matches(rules->rule[i].pattern, path, len))
				expected = rules->rule[i].word;
		require(found == expected);
		if (expected != WORD_NONE && is_name(path, len))
			rules->wins[WORD_RULE(expected)] = true;
	}
}

static void check_dead(const struct rules *rules, const struct automaton *automaton)
{
	struct automaton_dead *dead = NULL;
	size_t count = 0;

	require(!automaton_dead(automaton, &dead, &count));
	for (size_t i = 0; i < count; i++)
		require(!rules->wins[dead[i].rule] && dead[i].by < dead[i].rule);
	free(dead);
}

static void check_automaton(struct rules *rules, const struct automaton *automaton)
{
	struct image_header header = { 0 }, *image = NULL;
	uint8_t path[PATH_MOST];
	struct pack pack;
	size_t bytes;

	memset(header.fallback, 0xff, sizeof(header.fallback));
	require(!pack_init(&pack));
	if (!pack_automaton(&pack, automaton, &header)) {
		require(!pack_image(&pack, &header, &image, &bytes));
		check_path(rules, image, (const uint8_t *)"/", 1);
		for (size_t i = 0; i < rules->count * PATHS_EACH; i++) {
			size_t rule = i % rules->count;

			check_path(rules, image, path,
				   derive(rules->glob[rule].text, rules->glob[rule].len, path));
		}
		check_dead(rules, automaton);
	}
	free(image);
	pack_done(&pack);
}

static bool is_cheap(const uint8_t *data, size_t size)
{
	size_t wild = 0;

	for (size_t i = 0; i < size; i++)
		wild += data[i] == '?' || data[i] == '[';
	return wild <= WILD_MOST;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rules rules = { 0 };
	struct automaton *automaton = NULL;
	uint32_t *blame = NULL;
	size_t blamed = 0;

	if (!is_cheap(data, size))
		return 0;
	seed = 0x9e3779b97f4a7c15ull + size;
	for (size_t i = 0; i < size; i++)
		seed = (seed ^ data[i]) * 0x100000001b3ull;
	seed |= 1;
	add_globs(&rules, data, size);
	if (rules.count) {
		int err = automaton_build(AUTOMATON_PATHS, rules.rule, rules.count, &automaton, &blame,
					  &blamed);

		require(!err || blamed);
		if (!err)
			check_automaton(&rules, automaton);
	}
	free(blame);
	automaton_free(automaton);
	for (size_t i = 0; i < rules.count; i++)
		pattern_free((struct pattern *)rules.rule[i].pattern);
	return 0;
}
