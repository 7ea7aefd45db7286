// SPDX-License-Identifier: GPL-2.0
// Tests of the pattern parsers: what matches what, and where every mistake is reported.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/pattern/pattern.h"

struct match_case {
	const char *pattern;
	const char *path;
	bool matches;
};

static const struct match_case path_cases[] = {
	/* literals */
	{ "/etc/passwd", "/etc/passwd", true },
	{ "/etc/passwd", "/etc/passwd2", false },
	{ "/etc/passwd", "/etc", false },
	{ "/etc/passwd", "/x/etc/passwd", false },
	{ "/", "/", true },
	{ "/", "/a", false },
	{ "/\xc3\xa9", "/\xc3\xa9", true },
	/* a star: any run without a slash */
	{ "/etc/*", "/etc/passwd", true },
	{ "/etc/*", "/etc", false },
	{ "/etc/*", "/etc/ssl/certs", false },
	{ "/*", "/", false },
	{ "/*", "/a", true },
	{ "/*", "/a/b", false },
	{ "/a*c", "/ac", true },
	{ "/a*c", "/abbbc", true },
	{ "/a*c", "/ab/c", false },
	{ "/a*c", "/abcd", false },
	{ "/*.c", "/.c", true },
	{ "/a/*/b", "/a/x/b", true },
	{ "/a/*/b", "/a/b", false },
	{ "/a/*/b", "/a/x/y/b", false },
	{ "/a/*b*", "/a/abc", true },
	{ "/a/*b*", "/a/b", true },
	{ "/a/*b*", "/a/ac", false },
	{ "/a*{,x}", "/a", true },
	/* one character */
	{ "/a?c", "/abc", true },
	{ "/a?c", "/ac", false },
	{ "/a?c", "/a/c", false },
	{ "/?", "/\xff", true },
	{ "/a?", "/a.", true },
	/* classes */
	{ "/[a-c]", "/b", true },
	{ "/[a-c]", "/d", false },
	{ "/[!a-c]", "/d", true },
	{ "/[!a-c]", "/b", false },
	{ "/[!a-c]", "/\xc3", true },
	{ "/[^a-c]", "/d", true },
	{ "/[^a-c]", "/b", false },
	{ "/a[!b]c", "/a/c", false },
	{ "/a[!/]c", "/axc", true },
	{ "/a[+-9]c", "/a/c", false },
	{ "/a[+-9]c", "/a.c", true },
	{ "/[]a]", "/]", true },
	{ "/[]a]", "/a", true },
	{ "/[!]a]", "/]", false },
	{ "/[!]a]", "/b", true },
	{ "/[a-]", "/-", true },
	{ "/[-a]", "/-", true },
	{ "/[\\]]", "/]", true },
	{ "/[\\!a]", "/!", true },
	{ "/[a!]", "/!", true },
	{ "/[*?]", "/*", true },
	{ "/[*?]", "/x", false },
	{ "/[{,}]", "/,", true },
	/* any depth */
	{ "**/x", "/x", true },
	{ "**/x", "/a/b/x", true },
	{ "**/x", "/ax", false },
	{ "**/x", "/x/a", false },
	{ "/**/x", "/x", true },
	{ "/**/x", "/a/x", true },
	{ "/a/**/b", "/a/b", true },
	{ "/a/**/b", "/a/x/b", true },
	{ "/a/**/b", "/a/x/y/b", true },
	{ "/a/**/b", "/a/xb", false },
	{ "/a/**/b", "/ab", false },
	{ "/a/**/**/b", "/a/b", true },
	{ "**/a/**/b", "/x/a/y/b", true },
	{ "**/a/**/b", "/x/b", false },
	{ "**/.env.*", "/w/.env.local", true },
	{ "**/.env.*", "/w/.env", false },
	{ "**/*", "/a/b", true },
	{ "**/*", "/", false },
	{ "**", "/", true },
	{ "**", "/a/b", true },
	{ "**/**", "/", true },
	/* a directory and all below it */
	{ "/a/**", "/a", true },
	{ "/a/**", "/a/b", true },
	{ "/a/**", "/a/b/c", true },
	{ "/a/**", "/ab", false },
	{ "/a/**", "/", false },
	{ "/a/**/**", "/a", true },
	{ "/**", "/", true },
	{ "/**", "/a", true },
	{ "/**/**", "/", true },
	{ "**/d/**", "/d", true },
	{ "**/d/**", "/x/d/y", true },
	{ "**/d/**", "/x/dd", false },
	{ "/a*/**", "/abc", true },
	{ "/a*/**", "/abc/d", true },
	{ "/home/*/.ssh/**", "/home/u/.ssh", true },
	{ "/home/*/.ssh/**", "/home/u/.ssh/id", true },
	{ "/home/*/.ssh/**", "/home/.ssh/id", false },
	{ "/home/*/**/x*", "/home/u/x1", true },
	{ "/home/*/**/x*", "/home/u/a/b/x1", true },
	{ "/home/*/**/x*", "/home/x1", false },
	/* bare names */
	{ "git", "/usr/bin/git", true },
	{ "git", "/git", true },
	{ "git", "/git/x", false },
	{ "git", "/usr/bin/git2", false },
	{ "*.pem", "/a/b.pem", true },
	{ "*.pem", "/.pem", true },
	{ "{a,b}c", "/x/bc", true },
	{ ".", NULL, false },
	/* braces */
	{ "/{a,b}", "/a", true },
	{ "/{a,b}", "/b", true },
	{ "/{a,b}", "/c", false },
	{ "/a{,b}", "/a", true },
	{ "/a{,b}", "/ab", true },
	{ "/a{b}", "/ab", true },
	{ "/a{}", "/a", true },
	{ "/{a,b{c,d}}e", "/ae", true },
	{ "/{a,b{c,d}}e", "/bde", true },
	{ "/{a,b{c,d}}e", "/be", false },
	{ "/{a/b,c}/d", "/a/b/d", true },
	{ "/{a/b,c}/d", "/c/d", true },
	{ "/{a/b,c}/d", "/a/d", false },
	{ "/a{/**,}", "/a", true },
	{ "/a{/**,}", "/a/b", true },
	{ "/a{/*,/b/**}", "/a", false },
	{ "/a{/*,/b/**}", "/a/b/c", true },
	{ "/{**,a}/b", "/b", true },
	{ "/{**,a}/b", "/x/y/b", true },
	{ "/a/**{,/b}", "/a", true },
	{ "/a/**{/c,/b}", "/a", false },
	{ "/a/**{/c,/b}", "/a/x/b", true },
	{ "{/a,**/b,c}", "/a", true },
	{ "{/a,**/b,c}", "/x/b", true },
	{ "{/a,**/b,c}", "/x/c", true },
	{ "{/a,**/b,c}", "/x/a", false },
	{ "/{a,}{b,}c", "/c", true },
	{ "/{a,}{b,}c", "/abc", true },
	{ "/{a,}{b,}c", "/bac", false },
	{ "/a,b", "/a,b", true },
	{ "/{x*,y}z", "/x1z", true },
	{ "/*{.c,.h}", "/a.h", true },
	{ "/*{.c,.h}", "/a.hc", false },
	/* escapes */
	{ "/\\*", "/*", true },
	{ "/\\*", "/a", false },
	{ "/\\{a\\}", "/{a}", true },
	{ "/\\[a]", "/[a]", true },
	{ "/a]", "/a]", true },
	{ "/\\\\", "/\\", true },
	{ "/{a\\,b,c}", "/a,b", true },
	{ "\\/a", "/a", true },
	{ "/\\a", "/a", true },
	/* dots that are no "." or ".." */
	{ "/.a", "/.a", true },
	{ "/...", "/...", true },
	{ "/..a/b", "/..a/b", true },
	{ "/.*", "/.x", true },
	{ "/.{a,b}", "/.b", true },
};

static void test_path_matches(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(path_cases) / sizeof(path_cases[0]); i++) {
		const struct match_case *c = &path_cases[i];
		struct pattern_error error;
		struct pattern *pattern = NULL;
		int err = pattern_path(c->pattern, strlen(c->pattern), &pattern, &error);

		if (!c->path) {
			assert_int_equal(err, -EINVAL);
			continue;
		}
		if (err)
			fail_msg("%s: %zu: %s", c->pattern, error.offset, error.what);
		if (pattern_matches(pattern, (const uint8_t *)c->path, strlen(c->path)) != c->matches)
			fail_msg("%s on %s should %smatch", c->pattern, c->path, c->matches ? "" : "not ");
		pattern_free(pattern);
	}
}

static const struct match_case argument_cases[] = {
	{ "push", "push", true },
	{ "push", "pushx", false },
	{ "--force*", "--force", true },
	{ "--force*", "--force-with-lease", true },
	{ "*", "a/b", true },
	{ "*", "", true },
	{ "", "", true },
	{ "", "a", false },
	{ "a*c", "a/b/c", true },
	{ "a?c", "a/c", true },
	{ "a[!b]c", "a/c", true },
	{ "[/]", "/", true },
	{ "{a,b}/c", "b/c", true },
	{ "{a,b}/c", "c/c", false },
	{ "x{,=*}", "x", true },
	{ "x{,=*}", "x=1", true },
	{ "..", "..", true },
	{ "a//b/", "a//b/", true },
	{ "\\*", "*", true },
};

static void test_argument_matches(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(argument_cases) / sizeof(argument_cases[0]); i++) {
		const struct match_case *c = &argument_cases[i];
		struct pattern_error error;
		struct pattern *pattern;

		if (pattern_argument(c->pattern, strlen(c->pattern), &pattern, &error))
			fail_msg("%s: %zu: %s", c->pattern, error.offset, error.what);
		if (pattern_matches(pattern, (const uint8_t *)c->path, strlen(c->path)) != c->matches)
			fail_msg("%s on %s should %smatch", c->pattern, c->path, c->matches ? "" : "not ");
		pattern_free(pattern);
	}
}

struct error_case {
	const char *pattern;
	size_t offset;
	const char *what;
};

static const struct error_case path_errors[] = {
	{ "", 0, "an empty pattern" },
	{ "{,/a}", 5, "an empty pattern" },
	{ "a/b", 0, "a relative path" },
	{ "./a", 0, "a relative path" },
	{ "*/a", 0, "a relative path" },
	{ "{/a,b}/c", 0, "a relative path" },
	{ "/a/b**", 4, "'**' stands only as a whole component" },
	{ "a**b", 1, "'**' stands only as a whole component" },
	{ "/**b", 1, "'**' stands only as a whole component" },
	{ "/***", 1, "'**' stands only as a whole component" },
	{ "/a/{**,b}c", 4, "'**' stands only as a whole component" },
	{ "/{*,a}*", 6, "'**' stands only as a whole component" },
	{ "//a", 1, "an empty component" },
	{ "/a//b", 3, "an empty component" },
	{ "/a/{,b}/c", 7, "an empty component" },
	{ "**//a", 3, "an empty component" },
	{ "/a/", 2, "a slash at the end" },
	{ "/a/**/", 5, "a slash at the end" },
	{ "/a/./b", 3, "no real path has a component '.' or '..'" },
	{ "/a/../b", 3, "no real path has a component '.' or '..'" },
	{ "/a/..", 3, "no real path has a component '.' or '..'" },
	{ "/a/.", 3, "no real path has a component '.' or '..'" },
	{ "/a/\\.\\./b", 3, "no real path has a component '.' or '..'" },
	{ "/a/[.]", 3, "no real path has a component '.' or '..'" },
	{ "/a/.{.,b}", 3, "no real path has a component '.' or '..'" },
	{ "..", 0, "no real path has a component '.' or '..'" },
	{ "/a[b", 2, "unclosed '['" },
	{ "/a[", 2, "unclosed '['" },
	{ "/a[]", 2, "unclosed '['" },
	{ "/a[!]", 2, "unclosed '['" },
	{ "/a[b\\", 2, "unclosed '['" },
	{ "/a{b", 2, "unclosed '{'" },
	{ "/a{b,{c}", 2, "unclosed '{'" },
	{ "/a}", 2, "'}' without its '{'" },
	{ "/a\\", 2, "nothing follows the '\\'" },
	{ "/[z-a]", 2, "the range runs backwards" },
	{ "/[\xc3\xa9]", 2, "a class holds ASCII only" },
	{ "/[a-\xc3]", 4, "a class holds ASCII only" },
	{ "/a[/]b", 2, "the class matches nothing" },
	{ "/[[:alpha:]]", 2, "named classes are not known" },
};

static void check_error(const struct error_case *c, size_t len)
{
	struct pattern_error error = { 0 };
	struct pattern *pattern = (struct pattern *)&error;

	if (pattern_path(c->pattern, len, &pattern, &error) != -EINVAL)
		fail_msg("%s is no error", c->pattern);
	if (error.offset != c->offset || strcmp(error.what, c->what))
		fail_msg("%s: %zu: %s, expected %zu: %s", c->pattern, error.offset, error.what, c->offset,
			 c->what);
	assert_non_null(error.remedy);
	assert_ptr_equal(pattern, &error);
}

static void test_path_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(path_errors) / sizeof(path_errors[0]); i++)
		check_error(&path_errors[i], strlen(path_errors[i].pattern));
	check_error(&(struct error_case){ "/a\0b", 2, "a NUL byte" }, 4);
}

/* FORMAT's %s replaced by COUNT times UNIT. */
static char *repeat(const char *format, const char *unit, int count)
{
	char *middle = calloc(strlen(unit) * count + 1, 1), *text;

	for (int i = 0; i < count; i++)
		strcat(middle, unit);
	text = malloc(strlen(format) + strlen(middle) + 1);
	sprintf(text, format, middle);
	free(middle);
	return text;
}

static void check_limit(const char *format, const char *unit, int most, size_t offset, const char *what)
{
	char *within = repeat(format, unit, most), *beyond = repeat(format, unit, most + 1);
	struct pattern_error error;
	struct pattern *pattern;

	if (pattern_path(within, strlen(within), &pattern, &error))
		fail_msg("%s: %s", within, error.what);
	pattern_free(pattern);
	check_error(&(struct error_case){ beyond, offset, what }, strlen(beyond));
	free(within);
	free(beyond);
}

static void test_limits(void **state)
{
	(void)state;
	check_limit("/%s", "a", 255, 1, "a component longer than 255 bytes");
	check_limit("/b/*%s*", "?", 255, 3, "a component longer than 255 bytes");
	check_limit("/b/{c,%s}", "a", 255, 3, "a component longer than 255 bytes");
	check_limit("%s", "/a", 128, 257, "more than 128 components");
	check_limit("%s/**", "/*", 128, 257, "more than 128 components");
	check_limit("/a%s", "{b,c}", 10, 52, "the braces stand for more than 1024 patterns");
	check_limit("/a%s", "{}", 2047, 4096, "the pattern is longer than 4096 bytes");
}

static void test_nesting(void **state)
{
	char text[256] = "/a";
	struct pattern_error error;
	struct pattern *pattern;

	(void)state;
	for (int i = 0; i < 32; i++)
		strcat(text, "{b");
	for (int i = 0; i < 32; i++)
		strcat(text, "}");
	assert_int_equal(pattern_path(text, strlen(text), &pattern, &error), 0);
	pattern_free(pattern);
	memset(text + 2, '{', 33);
	assert_int_equal(pattern_path(text, strlen(text), &pattern, &error), -EINVAL);
	assert_string_equal(error.what, "braces nest too deeply");
	assert_int_equal(error.offset, 2 + 32);
}

static void test_argument_errors(void **state)
{
	struct pattern_error error;
	struct pattern *pattern;

	(void)state;
	assert_int_equal(pattern_argument("a**", 3, &pattern, &error), -EINVAL);
	assert_int_equal(error.offset, 1);
	assert_string_equal(error.what, "an argument knows no '**'");
	assert_int_equal(pattern_argument("x[", 2, &pattern, &error), -EINVAL);
	assert_int_equal(error.offset, 1);
	assert_int_equal(pattern_argument("{a", 2, &pattern, &error), -EINVAL);
	assert_int_equal(error.offset, 0);
}

static bool is_floating(const char *text)
{
	struct pattern_error error;
	struct pattern *pattern;
	bool floating;

	assert_int_equal(pattern_path(text, strlen(text), &pattern, &error), 0);
	floating = pattern_is_floating(pattern);
	pattern_free(pattern);
	return floating;
}

static void test_floating(void **state)
{
	(void)state;
	assert_true(is_floating("**/x"));
	assert_true(is_floating("x"));
	assert_true(is_floating("**"));
	assert_true(is_floating("/**/x"));
	assert_true(is_floating("{/a,b}"));
	assert_false(is_floating("/a/**/x"));
	assert_false(is_floating("/a/**"));
	assert_false(is_floating("/*"));
}

static void test_literal_and_union(void **state)
{
	struct pattern_error error;
	struct pattern *a, *b;

	(void)state;
	assert_int_equal(pattern_literal("/a*[", 4, &a), 0);
	assert_true(pattern_matches(a, (const uint8_t *)"/a*[", 4));
	assert_false(pattern_matches(a, (const uint8_t *)"/ab[", 4));
	assert_int_equal(pattern_path("**/b", 4, &b, &error), 0);
	assert_int_equal(pattern_union(a, b, &a), 0);
	assert_true(pattern_matches(a, (const uint8_t *)"/a*[", 4));
	assert_true(pattern_matches(a, (const uint8_t *)"/x/b", 4));
	assert_false(pattern_matches(a, (const uint8_t *)"/x/a", 4));
	assert_true(pattern_is_floating(a));
	pattern_free(a);
	pattern_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path_matches), cmocka_unit_test(test_argument_matches),
		cmocka_unit_test(test_path_errors),  cmocka_unit_test(test_limits),
		cmocka_unit_test(test_nesting),	     cmocka_unit_test(test_argument_errors),
		cmocka_unit_test(test_floating),     cmocka_unit_test(test_literal_and_union),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
