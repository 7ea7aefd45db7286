// SPDX-License-Identifier: GPL-2.0
// Tests of finding rules that can never win, against a search through all short names.
#include "rule_set.h"

struct dead_case {
	const char *pattern[5];
	uint32_t operations[5];
	int dead; /* -1 for none */
	uint32_t by;
};

#define READ OP_BIT(OP_FILE_READ)
#define WRITE OP_BIT(OP_FILE_WRITE)

static const struct dead_case dead_cases[] = {
	{ { "/a/**", "/a/b" }, { OPS_FILE, READ }, 1, 0 },
	{ { "/a/**", "/a/b" }, { READ, OPS_FILE }, -1, 0 },
	{ { "/a/**", "/a" }, { READ, READ }, 1, 0 },
	{ { "/a/*", "/a/**" }, { READ, READ }, -1, 0 },
	{ { "/a/**", "/a/**" }, { READ, READ }, 1, 0 },
	{ { "/a", "/a/*", "/a/*/**", "/a/**" }, { READ, READ, READ, READ }, 3, 0 },
	{ { "/a", "/a/*/**", "/a/**" }, { READ, READ, READ }, 2, 0 },
	{ { "/a/*", "/a/*/**", "/a/**" }, { READ, READ, READ }, -1, 0 },
	{ { "/x", "**/.env", "/w/.env" }, { READ, READ, READ }, 2, 1 },
	{ { "**/*.pem", "/w/a.pem" }, { READ, READ }, 1, 0 },
	{ { "**/*.pem", "/w/*.pe[m]" }, { READ, READ }, 1, 0 },
	{ { "**/*.pem", "/w/*.pe?" }, { READ, READ }, -1, 0 },
	{ { "/a/b", "/a/{b,c}" }, { READ, READ }, -1, 0 },
	{ { "/a/b", "/a/c", "/a/{b,c}" }, { READ, READ, READ }, 2, 1 },
	{ { "/a/[a-f]", "/a/[g-z]", "/a/[b-y]" }, { READ, READ, READ }, 2, 0 },
	{ { "/a", "/b", "/a" }, { READ, WRITE, READ | WRITE }, -1, 0 },
	{ { "/a", "/a", "/a" }, { READ, WRITE, READ | WRITE }, 2, 0 },
	{ { "/**", "/a" }, { OPS_FILE, OPS_FILE }, 1, 0 },
	{ { "**/?*", "/a" }, { OPS_FILE, OPS_FILE }, 1, 0 },
	{ { "**/*", "**" }, { OPS_FILE, OPS_FILE }, -1, 0 },
	{ { "/", "**/*", "**" }, { OPS_FILE, OPS_FILE, OPS_FILE }, 2, 0 },
	/* Nothing but "." and ".." is left for the last rule. */
	{ { "/a/[!.]*", "/a/.[!.]*", "/a/..?*", "/a/.*" }, { READ, READ, READ, READ }, 3, 1 },
};

static void add_case(struct set *set, const struct dead_case *c)
{
	for (int i = 0; i < 5 && c->pattern[i]; i++)
		set_add(set, c->pattern[i], c->operations[i]);
}

static void check_dead(const struct set *set, const struct dead_case *c)
{
	struct automaton_dead *dead = NULL;
	size_t count = 0;

	assert_int_equal(automaton_dead(set->automaton, &dead, &count), 0);
	if (c->dead < 0 && count)
		fail_msg("%s: rule %u is not dead", c->pattern[0], dead[0].rule);
	if (c->dead >= 0 && (count != 1 || dead[0].rule != (uint32_t)c->dead || dead[0].by != c->by))
		fail_msg("%s: %zu dead, the first is %u by %u", c->pattern[0], count,
			 count ? dead[0].rule : 0, count ? dead[0].by : 0);
	free(dead);
}

static void test_dead(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(dead_cases) / sizeof(dead_cases[0]); i++) {
		struct set *set = set_new();

		add_case(set, &dead_cases[i]);
		set_build(set, AUTOMATON_PATHS);
		check_dead(set, &dead_cases[i]);
		set_free(set);
	}
}

/* Enough rules that lanes part: a rule covered by one in another lane is found all the same. */
static void test_dead_across_lanes(void **state)
{
	struct set *set = set_new();
	struct automaton_dead *dead;
	bool found[3] = { false };
	size_t count;

	(void)state;
	set_add(set, "**/*.secret", OPS_FILE);
	set_add(set, "**/vault/**", OPS_FILE);
	realistic_set(set, 400, 200, 12);
	set_add(set, "/nowhere/x.secret", READ);
	set_add(set, "/nowhere/vault/x/y/*.c", OPS_FILE);
	set_add(set, "/nowhere/vaults/x", OPS_FILE);
	set_build(set, AUTOMATON_PATHS);
	assert_in_range(automaton_lanes(set->automaton), 2, LANES_MAX);
	assert_int_equal(automaton_dead(set->automaton, &dead, &count), 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(dead[i].by < dead[i].rule);
		if (dead[i].rule < 402)
			continue;
		found[dead[i].rule - 402] = true;
		assert_int_equal(dead[i].by, dead[i].rule - 402);
	}
	assert_true(found[0]);
	assert_true(found[1]);
	assert_false(found[2]);
	free(dead);
	set_free(set);
}

/* Marks which rules win for any of the names of up to LEFT more bytes. */
static void mark_winners(const struct set *set, char *path, size_t len, int left, bool *wins)
{
	size_t name = len;

	while (name > 1 && path[name - 1] != '/')
		name--;
	if (len == 1 || (path[len - 1] != '/' && strncmp(path + name, ".", len - name) &&
			 !(len - name == 2 && !memcmp(path + name, "..", 2)))) {
		for (uint32_t op = 0; op < 2; op++) {
			uint32_t word = image_match_path(set->image, path, len, op);

			if (WORD_RULE(word) < set->count)
				wins[WORD_RULE(word)] = true;
		}
	}
	for (int i = 0; left && i < 5; i++) {
		path[len] = "ab./x"[i];
		if (path[len] != '/' || (path[len - 1] != '/'))
			mark_winners(set, path, len + 1, left - 1, wins);
	}
}

static void tiny_pattern(char *text)
{
	static const char *const pieces[] = { "a", "b", "*", "?", "[ab]", "a*", "*b", "{a,b}", ".a", "[!a]" };
	int len = 0;

	if (!dice(4))
		len = sprintf(text, "**");
	len += sprintf(text + len, "/%s", pieces[dice(10)]);
	if (!dice(3))
		sprintf(text + len, "/%s", pieces[dice(10)]);
	else if (!dice(3))
		sprintf(text + len, "/**");
}

/* On tiny patterns, dead is exactly what wins for no short name. */
static void test_dead_random(void **state)
{
	int deads = 0;

	(void)state;
	for (int round = 0; round < 120; round++) {
		struct set *set = set_new();
		struct automaton_dead *dead;
		bool wins[8] = { false }, is_dead[8] = { false };
		char text[64], path[16] = "/";
		size_t count;

		for (uint32_t i = 0, rules = 2 + dice(5); i < rules; i++) {
			tiny_pattern(text);
			set_add(set, text, 1 + dice(3));
		}
		set_build(set, AUTOMATON_PATHS);
		mark_winners(set, path, 1, 6, wins);
		assert_int_equal(automaton_dead(set->automaton, &dead, &count), 0);
		for (size_t i = 0; i < count; i++)
			is_dead[dead[i].rule] = true;
		for (size_t i = 0; i < set->count; i++)
			if (is_dead[i] == wins[i])
				fail_msg("round %d: %s is %s", round, set->text[i],
					 wins[i] ? "alive" : "dead");
		deads += count;
		free(dead);
		set_free(set);
	}
	assert_in_range(deads, 20, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dead),
		cmocka_unit_test(test_dead_across_lanes),
		cmocka_unit_test(test_dead_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
