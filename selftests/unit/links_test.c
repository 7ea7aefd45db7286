// SPDX-License-Identifier: GPL-2.0
/* Following symbolic links of this machine, and whose folders they lie in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ctl/sys/links.h"
#include "selftests/unit/policy_sample.h"

static void assert_leads(const char *path, bool follow_last, const char *target)
{
	struct links links;

	assert_int_equal(links_resolve(path, follow_last, &links), 0);
	if (target)
		assert_string_equal(links.target, target);
	else
		assert_null(links.target);
	links_done(&links);
}

static void make_link(const char *target, const char *name)
{
	assert_int_equal(symlink(target, scratch_path(name)), 0);
}

static void test_resolve(void **state)
{
	char *real = realpath(scratch, NULL), *wanted = text_format("%s/dir/sub", real);

	(void)state;
	assert_int_equal(mkdir(scratch_path("dir"), 0755), 0);
	assert_int_equal(mkdir(scratch_path("dir/sub"), 0755), 0);
	make_link("dir/sub", "relative");
	make_link(wanted, "absolute");
	make_link("dir/../dir/./sub", "dots");
	make_link("relative", "twice");
	make_link("loop", "loop");
	make_link("missing/x", "dangling");
	assert_leads(scratch_path("dir/sub"), true, NULL);
	assert_leads(scratch_path("none/x"), true, NULL);
	assert_leads(scratch_path("relative"), true, wanted);
	assert_leads(scratch_path("relative"), false, NULL);
	assert_leads(scratch_path("absolute"), true, wanted);
	assert_leads(scratch_path("dots"), true, wanted);
	assert_leads(scratch_path("twice"), true, wanted);
	assert_leads(scratch_path("loop"), true, NULL);
	assert_leads(scratch_path("loop/x"), true, NULL);
	free(wanted);
	wanted = text_format("%s/dir/sub/none/x", real);
	assert_leads(scratch_path("twice/none/x"), false, wanted);
	free(wanted);
	wanted = text_format("%s/missing/x", real);
	assert_leads(scratch_path("dangling"), true, wanted);
	free(wanted);
	free(real);
}

/* As many links as the kernel follows, and one more. */
static void test_limit(void **state)
{
	char name[16], target[16], *wanted = text_format("%s/end", scratch);

	(void)state;
	for (int i = 0; i <= LINKS_MAX; i++) {
		snprintf(name, sizeof(name), "l%d", i);
		snprintf(target, sizeof(target), i ? "l%d" : "end", i - 1);
		make_link(target, name);
	}
	snprintf(name, sizeof(name), "l%d", LINKS_MAX - 1);
	assert_leads(scratch_path(name), true, wanted);
	snprintf(name, sizeof(name), "l%d", LINKS_MAX);
	assert_leads(scratch_path(name), true, NULL);
	free(wanted);
}

/* The process that looks is not the one that the policy will be about. */
static void test_self(void **state)
{
	(void)state;
	assert_leads("/proc/self/exe", true, NULL);
	assert_leads("/proc/thread-self/root/etc", true, NULL);
	assert_leads("/proc/mounts", true, "/proc/self/mounts");
	make_link("/proc/self/../1/root", "out");
	/* What stands behind self is a name, not followed. */
	assert_leads(scratch_path("out"), true, "/proc/self/../1/root");
}

static void test_owners(void **state)
{
	struct links links;

	(void)state;
	make_link("x", "link");
	assert_int_equal(links_resolve(scratch_path("link"), true, &links), 0);
	assert_string_equal(links.link, scratch_path("link"));
	/* Anybody may write in /tmp, sticky or not. */
	assert_string_equal(links.open_directory, "/tmp");
	links_done(&links);
	if (links_resolve("/bin/sh", true, &links) || !links.target) {
		skip();
		return;
	}
	assert_null(links.open_directory);
	links_done(&links);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_resolve),
		TEST(test_limit),
		TEST(test_self),
		TEST(test_owners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
