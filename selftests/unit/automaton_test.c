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
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Sanitizers keep what is freed; so that memory can be measured, only a little of it. */
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=4";
}

#ifdef __SANITIZE_ADDRESS__
#define SLOWER 3
#else
#define SLOWER 1
#endif

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

static const char *const words[] = { "bin", "lib",   "cache", "config", "data",
				     "src", "build", "docs",  "log",	"state" };
static const char *const extensions[] = {
	"pem", "key", "so", "py", "js", "json", "conf", "sock", "env", "md"
};
static const char *const roots[] = { "/usr", "/etc", "/var", "/home/*", "/opt", "/srv", "/root", "/proc/*" };

static void floating_pattern(char *text, uint32_t variety)
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

static void anchored_pattern(char *text, uint32_t variety)
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

static void realistic_set(struct set *set, uint32_t rules, uint32_t floating, uint32_t variety)
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
		len += sprintf(text + len, "/%s", pieces[dice(10)]);
	if (!dice(4))
		sprintf(text + len, "/**");
}

/* On tiny patterns, dead is exactly what wins for no short name. */
static void test_dead_random(void **state)
{
	int deads = 0;

	(void)state;
	for (int round = 0; round < 150; round++) {
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
		mark_winners(set, path, 1, 5, wins);
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

static double cpu_seconds(const struct rusage *usage)
{
	return usage->ru_utime.tv_sec + usage->ru_stime.tv_sec +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

/* Compiles all the way to an image in a process of its own, and holds that to 2 s and 256 MiB. */
static void check_cost(void (*fill)(struct set *set), bool fits)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		struct set *set = set_new();
		struct automaton_dead *dead;
		uint32_t *blame;
		size_t count = 0;
		int err;

		fill(set);
		err = automaton_build(AUTOMATON_PATHS, set->rule, set->count, &set->automaton, &blame,
				      &count);
		if (err)
			_exit(err == -E2BIG && !fits && count ? 0 : 1);
		if (!fits || automaton_dead(set->automaton, &dead, &count))
			_exit(2);
		set->image = image_of(set->automaton);
		_exit(0);
	}
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	if (cpu_seconds(&usage) > 2.0 * SLOWER || usage.ru_maxrss > 256 << 10)
		fail_msg("%.2f s, %ld KiB", cpu_seconds(&usage), usage.ru_maxrss);
	print_message("# %.2f s, %ld KiB\n", cpu_seconds(&usage), usage.ru_maxrss);
}

static void fill_mixed(struct set *set)
{
	realistic_set(set, 10000, 200, 10000);
}

static void fill_anchored(struct set *set)
{
	realistic_set(set, 5000, 0, 5000);
}

static void fill_floating_first(struct set *set)
{
	realistic_set(set, 200, 200, 10000);
	realistic_set(set, 9800, 0, 10000);
}

static void fill_floating_last(struct set *set)
{
	realistic_set(set, 9800, 0, 10000);
	realistic_set(set, 200, 200, 10000);
}

static void fill_multiplying(struct set *set)
{
	char text[128];

	realistic_set(set, 5000, 100, 10000);
	for (int i = 0; i < 2000; i++) {
		sprintf(text, "**/*%s%u*%s*/x%u*y*", words[dice(10)], dice(1000), extensions[dice(10)],
			dice(1000));
		set_add(set, text, 1 + dice(31));
	}
}

static void fill_multiplying_anchored(struct set *set)
{
	char text[128];

	for (int i = 0; i < 10000; i++) {
		sprintf(text, "/x/*%s%u*%s*", words[dice(10)], dice(1000), extensions[dice(10)]);
		set_add(set, text, 1 + dice(31));
	}
}

static void fill_exponential(struct set *set)
{
	char text[128];

	for (int i = 0; i < 200; i++) {
		sprintf(text, "**/*%c????????????????????????????%c", 'a' + (char)dice(26),
			'a' + (char)dice(26));
		set_add(set, text, 1 + dice(31));
	}
}

static void test_cost(void **state)
{
	(void)state;
	check_cost(fill_mixed, true);
	check_cost(fill_anchored, true);
	check_cost(fill_floating_first, true);
	check_cost(fill_floating_last, true);
}

static void test_cost_of_refusal(void **state)
{
	(void)state;
	check_cost(fill_multiplying, false);
	check_cost(fill_multiplying_anchored, false);
	check_cost(fill_exponential, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_small),
		cmocka_unit_test(test_random_large),
		cmocka_unit_test(test_several_lanes),
		cmocka_unit_test(test_one_lane),
		cmocka_unit_test(test_no_rules),
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_union),
		cmocka_unit_test(test_dead),
		cmocka_unit_test(test_dead_across_lanes),
		cmocka_unit_test(test_dead_random),
		cmocka_unit_test(test_blame),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_cost_of_refusal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
