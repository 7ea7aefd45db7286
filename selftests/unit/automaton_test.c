// SPDX-License-Identifier: GPL-2.0
// Tests of compiled automata against the patterns themselves, by random rules in one lane and in several.
#include "rule_set.h"

/* Few letters, so that patterns and paths meet. */
static void random_component(char *text, bool is_pattern)
{
	static const char *const pieces[] = { "a", "b", "ab", "c", ".a", "ba", "x", "aa" };
	static const char *const globs[] = { "*",     "?",     "[ab]", "[!a]", "{a,b}",
					     "{,a}b", "[a-c]", "*a",   "a*",   "{a,b*}c" };
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

/* A path out of two rules' texts, so that rules of several kinds meet on it. */
static void path_from_rules(const struct set *set, char *path)
{
	size_t len = 0;

	for (int piece = 0; piece < 2; piece++) {
		const char *text = set->text[dice(set->count)];

		if (*text != '/' && (!len || path[len - 1] != '/'))
			path[len++] = '/';
		for (; *text; text++) {
			if (*text == '*' && !dice(2))
				len += sprintf(path + len, "%s", words[dice(10)]);
			else if (*text == '*')
				path[len++] = "xb."[dice(3)];
			else if (*text != '/' || !len || path[len - 1] != '/')
				path[len++] = *text;
		}
	}
	while (len > 1 && path[len - 1] == '/')
		len--;
	path[len] = '\0';
}

static void test_several_lanes(void **state)
{
	size_t most = 0;

	(void)state;
	for (int round = 0; round < 3; round++) {
		struct set *set = set_new();
		char path[1024];

		realistic_set(set, 400, 80 + 60 * round, 12);
		set_build(set, AUTOMATON_PATHS);
		if (automaton_lanes(set->automaton) > most)
			most = automaton_lanes(set->automaton);
		for (int i = 0; i < 1500; i++) {
			path_from_rules(set, path);
			check_path(set, path);
		}
		set_free(set);
	}
	assert_in_range(most, 3, LANES_MAX);
}

static void test_one_lane(void **state)
{
	struct set *set = set_new();

	(void)state;
	set_add(set, "**/.env", OPS_FILE);
	set_add(set, "/home/*/.ssh/**", OPS_FILE);
	set_add(set, "**/*.pem", OPS_FILE);
	set_add(set, "/srv/work/**", OPS_FILE);
	set_build(set, AUTOMATON_PATHS);
	assert_int_equal(automaton_lanes(set->automaton), 1);
	assert_in_range(automaton_states(set->automaton), 20, 200);
	set_free(set);
}

static void test_no_rules(void **state)
{
	struct set *set = set_new();

	(void)state;
	set_build(set, AUTOMATON_PATHS);
	check_path(set, "/");
	check_path(set, "/a/b");
	set_free(set);
}

/* Every byte that can be in a name is a class of its own. */
static void test_every_byte(void **state)
{
	struct set *set = set_new();
	char text[8] = "/x";

	(void)state;
	for (int byte = 1; byte < 256; byte++) {
		struct pattern *pattern;

		text[1] = byte;
		assert_int_equal(pattern_literal(text, 2, &pattern), 0);
		set->rule[set->count] = (struct automaton_rule){ pattern, WORD(byte, VERB_ALLOW), OPS_FILE };
		set->text[set->count++] = strdup(text);
	}
	set_build(set, AUTOMATON_PATHS);
	for (int byte = 1; byte < 256; byte++) {
		text[1] = byte;
		assert_int_equal(image_match_path(set->image, text, 2, OP_FILE_READ), WORD(byte, VERB_ALLOW));
	}
	set_free(set);
}

/* The parts of a union go to lanes of their own. */
static void test_union(void **state)
{
	struct set *set = set_new();
	struct pattern_error error;
	struct pattern *a, *b;

	(void)state;
	set_add(set, "/x/**", OPS_FILE);
	assert_int_equal(pattern_path("**/*.pem", 8, &a, &error), 0);
	assert_int_equal(pattern_path("/a/b", 4, &b, &error), 0);
	assert_int_equal(pattern_union(a, b, &a), 0);
	set->rule[1] = (struct automaton_rule){ a, WORD(1, VERB_DENY), OPS_FILE };
	set->text[1] = strdup("union");
	set->count = 2;
	set_build(set, AUTOMATON_PATHS);
	check_path(set, "/x/a.pem");
	check_path(set, "/y/a.pem");
	check_path(set, "/a/b");
	check_path(set, "/a/c");
	assert_int_equal(image_match_path(set->image, "/y/a.pem", 8, OP_FILE_READ), WORD(1, VERB_DENY));
	set_free(set);
}

static void test_blame(void **state)
{
	struct set *set = set_new();
	struct automaton *automaton = NULL;
	uint32_t *blame = NULL;
	size_t blamed = 0;
	char text[128];

	(void)state;
	for (int i = 0; i < 40; i++) {
		anchored_pattern(text, 12);
		set_add(set, text, OPS_FILE);
	}
	for (int i = 0; i < 8; i++) {
		sprintf(text, "**/*%c??????????????????????%c", 'a' + i, 'k' + i);
		set_add(set, text, OPS_FILE);
	}
	assert_int_equal(automaton_build(AUTOMATON_PATHS, set->rule, set->count, &automaton, &blame, &blamed),
			 -E2BIG);
	assert_null(automaton);
	assert_in_range(blamed, 1, 8);
	for (size_t i = 0; i < blamed; i++)
		assert_in_range(blame[i], 40, 47);
	free(blame);
	set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_small),  cmocka_unit_test(test_random_large),
		cmocka_unit_test(test_several_lanes), cmocka_unit_test(test_one_lane),
		cmocka_unit_test(test_no_rules),      cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_union),	      cmocka_unit_test(test_blame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
