// SPDX-License-Identifier: GPL-2.0
// Tests of what a containment matrix may cost: time, memory and the size of its image.
#include "rule_set.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/pattern/contain.h"

/* Sanitizers keep what is freed; so that memory can be measured, only a little of it. */
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=4";
}

/* May the directory TO, both from behind the first slash on, hold what FROM does? */
static bool asks(const struct image_header *image, const char *to, const char *from)
{
	const __u64 *cell = (const __u64 *)(image + 1);
	uint64_t state[2] = { image->lane_start[0], image->lane_start[0] };

	for (; *to; to++)
		state[0] = match_step(cell, image->cells - 1, state[0], image->class[(uint8_t)*to]);
	for (; *from; from++)
		state[1] = match_step(cell, image->cells - 1, state[1], image->class[(uint8_t)*from]);
	return decide_is_subtree(image, cell, image->cells - 1, state[0], state[1]);
}

/* Too many directories, or too much to compare: there is no matrix, and only equal ones contain each other. */
static void test_too_many(void **state)
{
	static const uint32_t counts[] = { 2500, CONTAIN_DIRECTORIES_MAX + 8 };

	(void)state;
	for (int round = 0; round < 2; round++) {
		struct image_header header = { .enforced = OPS_FILE };
		struct set *set = set_new();
		char text[128];

		for (uint32_t i = 0; i < counts[round]; i++) {
			sprintf(text, "/srv/%u/x%u", i, i);
			set_add(set, text, OPS_FILE);
			set->rule[i].word = WORD(i, VERB_ALLOW);
		}
		set_build_automaton(set);
		set->image = image_with(set->automaton, &header);
		assert_int_equal(set->image->containment, 0);
		assert_int_equal(set->image->directories, 0);
		assert_int_equal(set->image->directory_class, 0);
		assert_true(asks(set->image, "a/x/", "b/"));
		assert_false(asks(set->image, "b/", "srv/7/"));
		assert_int_equal(image_match_path(set->image, "/srv/7/x7", 9, OP_FILE_READ),
				 WORD(7, VERB_ALLOW));
		set_free(set);
	}
}

/* A matrix alone does not make an image one of the largest class; in such a one it has room. */
static void test_size_class(void **state)
{
	struct set *set = set_new();

	(void)state;
	realistic_set(set, 100, 10, 20);
	set_build_automaton(set);
	for (uint32_t beyond = 0; beyond < 2; beyond++) {
		struct image_header header = { .enforced = OPS_FILE };
		struct pack pack;
		uint32_t noise, cells;
		size_t bytes;

		assert_int_equal(pack_init(&pack), 0);
		assert_int_equal(pack_automaton(&pack, set->automaton, &header), 0);
		cells = header.directories * header.directories / 64;
		assert_true(cells > 16);
		assert_int_equal(pack_reserve(&pack, CELLS_MEDIUM + beyond - pack.used, &noise), 0);
		assert_int_equal(pack_image(&pack, &header, &set->image, &bytes), 0);
		pack_done(&pack);
		assert_int_equal(set->image->cells, beyond ? CELLS_LARGE : CELLS_MEDIUM);
		assert_int_equal(set->image->directories, beyond ? header.directories : 0);
		assert_int_equal(!set->image->directory_class, !beyond);
		assert_int_equal(!set->image->containment, !beyond);
		free(set->image);
	}
	set->image = NULL;
	set_free(set);
}

static double cpu_seconds(const struct rusage *usage)
{
	return usage->ru_utime.tv_sec + usage->ru_stime.tv_sec +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

/* Five hundred rules with all lanes, to an image with its matrix, in a process of its own. */
static void test_cost(void **state)
{
	(void)state;
	for (uint32_t floating = 0; floating <= 100; floating += 25) {
		struct rusage usage;
		int status;
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			struct set *set = set_new();

			realistic_set(set, 500, floating, 50);
			set_build(set, AUTOMATON_PATHS);
			print_message("# %u lanes, %u directories, %u cells\n", set->image->lanes,
				      set->image->directories, set->image->cells);
			_exit(set->image->containment && set->image->cells < CELLS_LARGE ? 0 : 1);
		}
		assert_int_equal(wait4(pid, &status, 0, &usage), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
		print_message("# %.2f s, %ld KiB\n", cpu_seconds(&usage), usage.ru_maxrss);
		assert_true(cpu_seconds(&usage) < 2.0 && usage.ru_maxrss < 256 << 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_size_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
