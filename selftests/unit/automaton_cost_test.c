// SPDX-License-Identifier: GPL-2.0
// Tests of what compiling costs: ten thousand rules, and rules that multiply, within 2 s and 256 MiB.
#include "rule_set.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_cost_of_refusal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
