// SPDX-License-Identifier: GPL-2.0
// Tests of the containment matrix: against an enumeration of names, in one lane and in several.
#include "rule_set.h"

#include "ctl/pattern/contain.h"
#include "ctl/pattern/directories.h"
#include "ctl/pattern/example.h"

#define COMPONENTS_MAX 64
#define TAILS_MAX 8192
#define PREFIXES_MAX 256

/* Names that go on from a directory, by the components of all lengths that small patterns tell apart. */
struct names {
	char component[COMPONENTS_MAX][8];
	uint32_t components;
	char (*tail)[32];
	uint32_t tails;
};

static void add_components(struct names *names, const char *begin, int len)
{
	if (len) {
		strcpy(names->component[names->components], begin);
		names->components++;
	}
	for (const char *byte = "abz"; len < 3 && *byte; byte++) {
		char longer[8];

		snprintf(longer, sizeof(longer), "%s%c", begin, *byte);
		add_components(names, longer, len + 1);
	}
}

static void add_tails(struct names *names, const char *begin, uint32_t depth)
{
	char tail[32];

	for (uint32_t i = 0; i < names->components; i++) {
		/* Of three components all are short, for patterns are. */
		if (strlen(names->component[i]) > 2 && depth == 2)
			continue;
		snprintf(tail, sizeof(tail), "%s%s", begin, names->component[i]);
		strcpy(names->tail[names->tails++], tail);
		assert_true(names->tails < TAILS_MAX);
		strcat(tail, "/");
		if (depth < 1 || (depth < 2 && strlen(tail) <= 6 && strlen(names->component[i]) <= 2))
			add_tails(names, tail, depth + 1);
	}
}

static void names_init(struct names *names)
{
	memset(names, 0, sizeof(*names));
	names->tail = calloc(TAILS_MAX, sizeof(*names->tail));
	assert_non_null(names->tail);
	add_components(names, "", 0);
	add_tails(names, "", 0);
}

static const __u64 *cells(const struct image_header *image)
{
	return (const __u64 *)(image + 1);
}

static uint64_t walk(const struct image_header *image, uint64_t state, const char *text)
{
	for (; *text; text++)
		state = match_step(cells(image), image->cells - 1, state, image->class[(uint8_t)*text]);
	return state;
}

/* The state of every lane after the directory PREFIX ("" or "a/b/"), and the rights of all names below it. */
struct directory {
	char prefix[24];
	uint64_t state[LANES_MAX];
	uint32_t *rights;
};

static uint32_t rights_of(const struct image_header *image, const struct directory *directory,
			  const char *tail)
{
	uint64_t state[LANES_MAX];
	uint32_t rights = 0;

	for (uint32_t lane = 0; lane < image->lanes; lane++)
		state[lane] = walk(image, directory->state[lane], tail);
	for (int op = 0; op < ROW_WORDS; op++) {
		uint32_t word = WORD_NONE;

		for (uint32_t lane = 0; lane < image->lanes; lane++) {
			uint32_t found = match_word(cells(image), image->cells - 1, state[lane], op);

			word = found < word ? found : word;
		}
		word = word == WORD_NONE ? image->fallback[op] : word;
		if (image->enforced & OPS_PATH & OP_BIT(op))
			rights |= decide_right(op, word);
	}
	return rights;
}

struct directories {
	struct directory list[PREFIXES_MAX];
	uint32_t count;
};

static void add_directory(struct directories *directories, const struct image_header *image,
			  const struct names *names, const char *prefix)
{
	struct directory *directory = &directories->list[directories->count++];

	assert_true(directories->count <= PREFIXES_MAX);
	strcpy(directory->prefix, prefix);
	for (uint32_t lane = 0; lane < image->lanes; lane++)
		directory->state[lane] = walk(image, image->lane_start[lane], prefix);
	directory->rights = calloc(names->tails, sizeof(uint32_t));
	assert_non_null(directory->rights);
	for (uint32_t i = 0; i < names->tails; i++)
		directory->rights[i] = rights_of(image, directory, names->tail[i]);
}

static void add_directories(struct directories *directories, const struct image_header *image,
			    const struct names *names)
{
	static const char *const words[] = { "a", "b", "z", "ab", "ba", "bb" };
	char prefix[24];

	directories->count = 0;
	add_directory(directories, image, names, "");
	for (int i = 0; i < 6; i++) {
		snprintf(prefix, sizeof(prefix), "%s/", words[i]);
		add_directory(directories, image, names, prefix);
		for (int j = 0; j < 6; j++) {
			snprintf(prefix, sizeof(prefix), "%s/%s/", words[i], words[j]);
			add_directory(directories, image, names, prefix);
		}
	}
}

static void directories_done(struct directories *directories)
{
	for (uint32_t i = 0; i < directories->count; i++)
		free(directories->list[i].rights);
}

static bool is_contained(const struct names *names, const struct directory *to, const struct directory *from,
			 uint32_t *ret_tail)
{
	for (uint32_t i = 0; i < names->tails; i++) {
		if (decide_is_contained_below(to->rights[i], from->rights[i]))
			continue;
		*ret_tail = i;
		return false;
	}
	return true;
}

static bool others_are_equal(const struct image_header *image, const struct directory *a,
			     const struct directory *b)
{
	for (uint32_t lane = 1; lane < image->lanes; lane++)
		if (a->state[lane] != b->state[lane])
			return false;
	return true;
}

static void show_rules(const struct set *set)
{
	print_error("enforced %x, defaults", set->image->enforced);
	for (int op = 0; op < OPS_MAX; op++)
		print_error(" %u", WORD_VERB(set->image->fallback[op]));
	print_error("\n");
	for (size_t i = 0; i < set->count; i++)
		print_error("rule %zu verb %u ops %x lane %u: %s\n", i, WORD_VERB(set->rule[i].word),
			    set->rule[i].operations, set->automaton->lane_of[i], set->text[i]);
}

/* Where a directory is not contained there is a name that tells: the search finds it, and it is one. */
static void check_example(const struct set *set, const struct directory *to, const struct directory *from)
{
	struct image_state state[2];
	char example[EXAMPLE_MAX], path[2 * EXAMPLE_MAX];

	snprintf(path, sizeof(path), "/%s", to->prefix);
	image_walk(set->image, path, strlen(path), &state[0]);
	snprintf(path, sizeof(path), "/%s", from->prefix);
	image_walk(set->image, path, strlen(path), &state[1]);
	assert_int_equal(example_find(set->image, &state[0], &state[1], example), 1);
	assert_true(example[0] != '/' && example[strlen(example) - 1] != '/' && !strstr(example, "//"));
	assert_false(decide_is_contained_below(rights_of(set->image, to, example),
					       rights_of(set->image, from, example)));
}

/* How often the matrix held what it must, and how often it held more or less. */
struct tally {
	uint32_t good;
	uint32_t bad;
	uint32_t examples;
	uint32_t strict; /* denied though no name gains: in several lanes alone */
};

static void compare_all(const struct set *set, const struct names *names,
			const struct directories *directories, struct tally *tally)
{
	const struct image_header *image = set->image;

	for (uint32_t i = 0; i < directories->count; i++) {
		for (uint32_t j = 0; j < directories->count; j++) {
			const struct directory *to = &directories->list[i], *from = &directories->list[j];
			uint32_t tail = 0;
			bool expected = is_contained(names, to, from, &tail);
			bool found = decide_is_subtree(image, cells(image), image->cells - 1, to->state[0],
						       from->state[0]);

			if (!others_are_equal(image, to, from))
				continue;
			tally->good += found;
			tally->bad += !expected;
			tally->strict += expected && !found;
			if (!expected && tally->examples++ % 64 == 0)
				check_example(set, to, from);
			if (found ? expected : (!expected || image->lanes > 1))
				continue;
			show_rules(set);
			fail_msg("/%s in /%s: %d, expected %d (%s)", to->prefix, from->prefix, found,
				 expected, names->tail[tail]);
		}
	}
}

static void small_pattern(char *text, bool floats)
{
	static const char *const anchored[] = { "/a/**",    "/a",      "/b/*",	"/b/**",   "/*/a",
						"/*/b/**",  "/a/b/**", "/a/a*", "/b/b",	   "/a/*/b",
						"/**",	    "/a*/**",  "/*b/a", "/b/a/**", "/[!a]*",
						"/{a,b}/z", "/ab/**",  "/a/?",	"/*/*/z",  "/b*",
						"/a/b",	    "/bb/**",  "/z/**", "/b/a/b" };
	static const char *const floating[] = { "**/a", "**/b/**", "**/*b", "**/ab", "**/a/b",
						"**/z", "**/b*",   "*a",    "**/?" };

	strcpy(text, floats ? floating[dice(9)] : anchored[dice(24)]);
}

static const uint32_t some_masks[] = { OPS_FILE,
				       OP_BIT(OP_FILE_READ),
				       OP_BIT(OP_FILE_CREATE),
				       OP_BIT(OP_FILE_READ) | OP_BIT(OP_FILE_CREATE),
				       OP_BIT(OP_FILE_WRITE) | OP_BIT(OP_EXEC_RUN),
				       OPS_FILE | OPS_EXEC };

static void random_set(struct set *set, uint32_t floating)
{
	char text[64];

	for (uint32_t i = 0, rules = 1 + dice(8); i < rules; i++) {
		small_pattern(text, dice(10) < floating);
		set_add(set, text, some_masks[dice(6)]);
		set->rule[set->count - 1].word = WORD(i, dice(4));
	}
}

static void random_header(struct image_header *header)
{
	static const uint32_t enforced[] = { OPS_FILE | OPS_EXEC, OPS_FILE, OPS_EXEC, OPS_PATH };

	memset(header, 0, sizeof(*header));
	header->enforced = enforced[dice(4)];
	for (int op = 0; op < ROW_WORDS; op++)
		header->fallback[op] = WORD(RULE_DEFAULT, dice(4));
}

static void compare_set(struct set *set, const struct names *names, struct tally *tally)
{
	struct directories directories;
	struct image_header header;

	random_header(&header);
	set->image = image_with(set->automaton, &header);
	assert_int_not_equal(set->image->containment, 0);
	add_directories(&directories, set->image, names);
	compare_all(set, names, &directories, tally);
	directories_done(&directories);
}

/* With one lane the matrix is exactly what an enumeration of names finds. */
static void test_one_lane(void **state)
{
	struct tally tally = { 0 };
	struct names names;

	(void)state;
	names_init(&names);
	for (int round = 0; round < 60; round++) {
		struct set *set = set_new();

		seed = 1000 + round;
		random_set(set, 3);
		set_build_automaton(set);
		assert_int_equal(automaton_lanes(set->automaton), 1);
		compare_set(set, &names, &tally);
		set_free(set);
	}
	print_message("# %u contained, %u not\n", tally.good, tally.bad);
	assert_true(tally.good > 10000 && tally.bad > 10000 && !tally.strict);
	free(names.tail);
}

/* Makes lane LANE of AUTOMATON of the units that MEMBER names. */
static void make_lane(struct automaton *automaton, uint32_t lane, const uint32_t *member, uint32_t members)
{
	struct lane_input input = { AUTOMATON_PATHS, &automaton->classes, automaton->unit, member, members };
	struct budget budget = { 100000, 10000000 };
	struct rows rows = { 0 };
	uint32_t *blame = calloc(members + 1, sizeof(*blame)), *class;

	assert_int_equal(subset_build(&input, &budget, blame, &rows, &automaton->lane[lane]), 0);
	class = calloc(rows.count + 1, sizeof(*class));
	for (uint32_t i = 0; i < rows.count; i++) {
		struct row row = rows.row[i];

		for (int op = 0; op < ROW_WORDS; op++)
			if (row.word[op] != WORD_NONE)
				row.word[op] = automaton->unit[row.word[op]].word;
		assert_int_equal(rows_intern(&automaton->rows, &row, &class[i]), 0);
	}
	assert_int_equal(dfa_minimise(&automaton->lane[lane], class), 0);
	rows_done(&rows);
	free(blame);
	free(class);
}

/* Divides an automaton of one lane: floating rules go to the second and the third. */
static void force_lanes(struct set *set, uint32_t lanes)
{
	struct automaton *automaton = set->automaton;
	uint32_t member[LANES_MAX][16], members[LANES_MAX] = { 0 };

	for (uint32_t i = 0; i < automaton->units; i++) {
		uint32_t lane = set->text[automaton->unit[i].rule][0] == '/' ? 0 : 1 + i % (lanes - 1);

		automaton->lane_of[i] = lane;
		member[lane][members[lane]++] = i;
	}
	dfa_done(&automaton->lane[0]);
	for (uint32_t lane = 0; lane < lanes; lane++)
		make_lane(automaton, lane, member[lane], members[lane]);
	automaton->lanes = lanes;
}

/* With several lanes whatever the matrix permits between equal states of the others holds for the whole. */
static void test_several_lanes(void **state)
{
	struct tally tally = { 0 };
	struct names names;

	(void)state;
	names_init(&names);
	for (int round = 0; round < 80; round++) {
		struct set *set = set_new();

		seed = 5000 + round;
		random_set(set, 5);
		set_build_automaton(set);
		force_lanes(set, 2 + dice(2));
		compare_set(set, &names, &tally);
		set_free(set);
	}
	print_message("# %u contained, %u not, %u denied beyond need\n", tally.good, tally.bad, tally.strict);
	assert_true(tally.good > 10000 && tally.bad > 5000);
	assert_true(tally.strict < tally.good / 4);
	free(names.tail);
}

static void read_rules(struct set *set, const char *const *texts, uint32_t verbs, uint32_t operations)
{
	for (int i = 0; texts[i]; i++) {
		set_add(set, texts[i], operations);
		set->rule[i].word = WORD(i, verbs >> 4 * i & 15);
	}
}

static bool asks(const struct image_header *image, const char *to, const char *from)
{
	return decide_is_subtree(image, cells(image), image->cells - 1, walk(image, image->lane_start[0], to),
				 walk(image, image->lane_start[0], from));
}

/* What operators would expect of a policy that they would write. */
static void test_known(void **state)
{
	static const char *const texts[] = { "**/.env", "/w/t/.agent/settings", "/w/**", "/usr/**", NULL };
	struct set *set = set_new();
	struct image_header header = { .enforced = OPS_FILE };

	(void)state;
	read_rules(set, texts, 0x1100, OPS_FILE);
	set->rule[3].operations = OP_BIT(OP_FILE_READ);
	set_build_automaton(set);
	set->image = image_with(set->automaton, &header);
	/* Within the workspace anything moves, */
	assert_true(asks(set->image, "w/x/", "w/y/"));
	assert_true(asks(set->image, "w/x/y/", "w/z/"));
	/* also out of it, as far as what is below keeps its right to be created: nowhere. */
	assert_false(asks(set->image, "tmp/", "w/y/"));
	assert_false(asks(set->image, "usr/x/", "w/y/"));
	assert_false(asks(set->image, "w/y/", "usr/x/"));
	/* A name that must not be created does not arrive by way of its directory, nor leave. */
	assert_false(asks(set->image, "w/t/.agent/", "w/y/"));
	assert_false(asks(set->image, "w/t/", "w/y/"));
	assert_false(asks(set->image, "w/y/", "w/t/.agent/"));
	assert_true(asks(set->image, "w/t/.agents/", "w/y/"));
	/* Of what is denied altogether, or may only be read, nothing is gained. */
	assert_true(asks(set->image, "tmp/", "opt/"));
	assert_true(asks(set->image, "tmp/", "usr/x/"));
	assert_false(asks(set->image, "usr/x/", "tmp/"));
	set_free(set);
}

/* ask permits less than allow, and more than deny. */
static void test_ask(void **state)
{
	static const char *const texts[] = { "/a/**", "/b/**", "/z/**", NULL };
	struct set *set = set_new();
	struct image_header header = { .enforced = OPS_FILE };

	(void)state;
	read_rules(set, texts, VERB_ALLOW | VERB_ASK << 4 | VERB_AUDIT << 8, OP_BIT(OP_FILE_READ));
	set_build_automaton(set);
	set->image = image_with(set->automaton, &header);
	assert_true(asks(set->image, "b/x/", "a/x/"));
	assert_false(asks(set->image, "a/x/", "b/x/"));
	assert_true(asks(set->image, "z/x/", "a/x/"));
	assert_true(asks(set->image, "a/x/", "z/x/"));
	assert_true(asks(set->image, "q/x/", "b/x/"));
	assert_false(asks(set->image, "b/x/", "q/x/"));
	set_free(set);
}

/* States that are no directories have no number, whatever full row stands in for them. */
static void test_numbers(void **state)
{
	struct image_header header = { .enforced = OPS_FILE };

	(void)state;
	for (int round = 0; round < 20; round++) {
		struct set *set = set_new();
		uint8_t *reach;
		struct contain contain;
		const struct dfa *dfa;

		seed = 40 + round;
		realistic_set(set, 40, 4, 10);
		set_build_automaton(set);
		dfa = &set->automaton->lane[0];
		set->image = image_with(set->automaton, &header);
		assert_int_equal(contain_build(set->automaton, &header, &contain), 0);
		assert_int_equal(set->image->directories, contain.directories);
		assert_int_equal(set->image->directory_class, set->automaton->classes.count + 1);
		assert_int_equal(directories_reach(dfa, &set->automaton->classes, &reach), 0);
		for (uint32_t i = 0; i < set->automaton->units; i++) {
			char text[512] = "";
			uint32_t there = dfa->start[0];

			/* Along the pattern's own text: states of names and of directories. */
			for (const char *byte = set->text[i] + 1; *byte; byte++) {
				strncat(text, byte, 1);
				there = dfa_step(dfa, there, set->automaton->classes.of[(uint8_t)*byte]);
				assert_int_equal(
					decide_directory(set->image, cells(set->image), set->image->cells - 1,
							 walk(set->image, set->image->lane_start[0], text)),
					contain.number[there]);
				assert_int_equal(!contain.number[there], !(reach[there] & REACH_AFTER_SLASH));
			}
		}
		free(reach);
		contain_done(&contain);
		set_free(set);
	}
}

/* A policy that decides no paths has no use for a matrix. */
static void test_not_enforced(void **state)
{
	static const char *const texts[] = { "/a/**", NULL };
	struct set *set = set_new();
	struct image_header header = { .enforced = OPS_NET };

	(void)state;
	read_rules(set, texts, VERB_ALLOW, OPS_FILE);
	set_build_automaton(set);
	set->image = image_with(set->automaton, &header);
	assert_int_equal(set->image->containment, 0);
	assert_int_equal(set->image->directories, 0);
	assert_int_equal(set->image->directory_class, 0);
	assert_false(asks(set->image, "a/x/", "b/"));
	assert_true(asks(set->image, "b/", "z/"));
	set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_lane), cmocka_unit_test(test_several_lanes),
		cmocka_unit_test(test_known),	 cmocka_unit_test(test_ask),
		cmocka_unit_test(test_numbers),	 cmocka_unit_test(test_not_enforced),

	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
