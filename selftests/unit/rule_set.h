/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of rules for tests: made by hand or by dice, compiled to an image, and asked beside the patterns themselves. */
#ifndef AGENTCTL_RULE_SET_H
#define AGENTCTL_RULE_SET_H

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

#define RULES_OF_A_SET 10000

/* Some rules, their automaton and its image. */
struct set {
	struct automaton_rule rule[RULES_OF_A_SET];
	char *text[RULES_OF_A_SET];
	size_t count;
	struct automaton *automaton;
	struct image_header *image;
};

static uint32_t seed = 1;

static inline uint32_t dice(uint32_t sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % sides;
}

static inline struct set *set_new(void)
{
	struct set *set = calloc(1, sizeof(*set));

	assert_non_null(set);
	return set;
}

static inline void set_add(struct set *set, const char *text, uint32_t operations)
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

static inline struct image_header *image_of(const struct automaton *automaton)
{
	struct image_header header = { .magic = IMAGE_MAGIC, .abi = ABI_VERSION, .enforced = OPS_PATH };
	struct image_header *image = NULL;
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

static inline void set_build(struct set *set, enum automaton_kind kind)
{
	uint32_t *blame = NULL;
	size_t blamed = 0;

	assert_int_equal(automaton_build(kind, set->rule, set->count, &set->automaton, &blame, &blamed), 0);
	assert_null(blame);
	set->image = image_of(set->automaton);
}

/* The automaton alone. */
static inline void set_build_automaton(struct set *set)
{
	uint32_t *blame;
	size_t count;

	assert_int_equal(
		automaton_build(AUTOMATON_PATHS, set->rule, set->count, &set->automaton, &blame, &count), 0);
}

/* AUTOMATON in an image under the operations and defaults of HEADER. */
static inline struct image_header *image_with(const struct automaton *automaton, struct image_header *header)
{
	struct image_header *image;
	struct pack pack;
	size_t bytes;

	assert_int_equal(pack_init(&pack), 0);
	assert_int_equal(pack_automaton(&pack, automaton, header), 0);
	assert_int_equal(pack_image(&pack, header, &image, &bytes), 0);
	pack_done(&pack);
	return image;
}

static inline void set_free(struct set *set)
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
static inline uint32_t first_match(const struct set *set, const char *path, size_t len, uint32_t op)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->rule[i].operations & OP_BIT(op) &&
		    pattern_matches(set->rule[i].pattern, (const uint8_t *)path, len))
			return set->rule[i].word;
	return 0xeeeeeeeeu;
}

static inline void check_path(const struct set *set, const char *path)
{
	for (uint32_t op = 0; op < ROW_WORDS; op++) {
		uint32_t expected = first_match(set, path, strlen(path), op);
		uint32_t found = image_match_path(set->image, path, strlen(path), op);

		if (found == expected)
			continue;
		for (size_t i = 0; i < set->count; i++)
			print_error("rule %zu ops %x %s\n", i, set->rule[i].operations, set->text[i]);
		fail_msg("%s op %u: %x, expected %x", path, op, found, expected);
	}
}

static const char *const words[] = { "bin", "lib",   "cache", "config", "data",
				     "src", "build", "docs",  "log",	"state" };
static const char *const extensions[] = {
	"pem", "key", "so", "py", "js", "json", "conf", "sock", "env", "md"
};
static const char *const roots[] = { "/usr", "/etc", "/var", "/home/*", "/opt", "/srv", "/root", "/proc/*" };

static inline void floating_pattern(char *text, uint32_t variety)
{
	switch (dice(6)) {
	case 0:
		sprintf(text, "**/%s%u*", words[dice(10)], dice(variety));
		break;
	case 1:
		sprintf(text, "**/*.%s%u", extensions[dice(10)], dice(variety));
		break;
	case 2:
		sprintf(text, "**/%s%u/**", words[dice(10)], dice(variety));
		break;
	case 3:
		sprintf(text, "**/.%s%u", words[dice(10)], dice(variety));
		break;
	case 4:
		sprintf(text, "/home/*/**/%s_%u*", words[dice(10)], dice(variety));
		break;
	default:
		sprintf(text, "*.%s", extensions[dice(10)]);
		break;
	}
}

static inline void anchored_pattern(char *text, uint32_t variety)
{
	int len = sprintf(text, "%s", roots[dice(8)]);

	for (uint32_t i = 0, depth = 1 + dice(3); i < depth; i++) {
		len += sprintf(text + len, "/%s", words[dice(10)]);
		if (dice(2))
			len += sprintf(text + len, "%u", dice(variety));
	}
	switch (dice(6)) {
	case 0:
	case 1:
	case 2:
		strcpy(text + len, "/**");
		break;
	case 3:
		sprintf(text + len, "/*.%s", extensions[dice(10)]);
		break;
	case 4:
		sprintf(text + len, "/%s-*", words[dice(10)]);
		break;
	}
}

static const uint32_t masks[] = {
	OPS_FILE,
	OPS_FILE,
	OP_BIT(OP_FILE_READ),
	OP_BIT(OP_FILE_WRITE) | OP_BIT(OP_FILE_CREATE),
	OP_BIT(OP_FILE_READ) | OP_BIT(OP_FILE_WRITE),
	OPS_EXEC,
};

static inline void realistic_set(struct set *set, uint32_t rules, uint32_t floating, uint32_t variety)
{
	char text[512];

	for (uint32_t i = 0; i < rules; i++) {
		if (dice(rules) < floating)
			floating_pattern(text, variety);
		else
			anchored_pattern(text, variety);
		set_add(set, text, masks[dice(6)]);
	}
}

#endif
