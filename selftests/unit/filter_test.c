// SPDX-License-Identifier: GPL-2.0
/* Which events a filter shows, and which globs it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "ctl/event/filter.h"

static bool filter_shows(const char *ops, const char *verdicts, enum verdict verdict, enum verdict repeated,
			 const char *op)
{
	struct filter filter = { 0 };
	struct span glob;

	if (ops)
		assert_int_equal(filter_add_ops(&filter, ops, &glob), 0);
	if (verdicts)
		assert_int_equal(filter_add_verdicts(&filter, verdicts, &glob), 0);
	return filter_matches(&filter, verdict, repeated, op);
}

static void test_filter(void **state)
{
	enum verdict blocked = VERDICT_BLOCKED, lost = VERDICT_LOST;

	(void)state;
	assert_true(filter_shows(NULL, NULL, blocked, blocked, "file.read"));
	assert_true(filter_shows("file.*", NULL, blocked, blocked, "file.read"));
	assert_false(filter_shows("file.*", NULL, blocked, blocked, "net.connect"));
	assert_true(filter_shows("file.*,net.connect", NULL, blocked, blocked, "net.connect"));
	assert_true(filter_shows("signal.TERM", NULL, blocked, blocked, "signal.TERM"));
	assert_true(filter_shows(NULL, "blocked", blocked, blocked, "file.read"));
	assert_false(filter_shows(NULL, "audited,held", blocked, blocked, "file.read"));
	assert_false(filter_shows("exec.*", "blocked", blocked, blocked, "file.read"));
	assert_true(filter_shows(NULL, "blocked", VERDICT_REPEATED, blocked, "file.read"));
	assert_true(filter_shows(NULL, "repeated", VERDICT_REPEATED, blocked, "file.read"));
	assert_false(filter_shows(NULL, "allowed", VERDICT_REPEATED, blocked, "file.read"));
	assert_true(filter_shows("exec.*", "allowed", lost, lost, ""));
}

static void test_filter_refuses(void **state)
{
	struct filter filter = { 0 };
	struct span glob;

	(void)state;
	assert_int_equal(filter_add_ops(&filter, "file.read,file.raed", &glob), -ENOENT);
	assert_memory_equal(glob.data, "file.raed", 9);
	assert_int_equal(filter_add_ops(&filter, "", &glob), -ENOENT);
	assert_int_equal(filter_add_ops(&filter, "file.*,", &glob), -ENOENT);
	assert_int_equal(filter_add_verdicts(&filter, "denied", &glob), -ENOENT);
	memset(&filter, 0, sizeof(filter));
	for (int i = 0; i < FILTER_GLOBS_MAX; i++)
		assert_int_equal(filter_add_ops(&filter, "*", &glob), 0);
	assert_int_equal(filter_add_ops(&filter, "*", &glob), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_filter_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
