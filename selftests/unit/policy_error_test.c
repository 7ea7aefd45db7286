// SPDX-License-Identifier: GPL-2.0
/* What bad policies are told: rules that can never win, circles, links, limits, all errors in one go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "selftests/unit/policy_sample.h"

#define FILE_RULES(rules) "{\"name\":\"p\",\"file\":{\"rules\":[\n" rules "]}}"
#define NET_RULES(rules) "{\"name\":\"p\",\"net\":{\"rules\":[\n" rules "]}}"

static void test_all_at_once(void **state)
{
	(void)state;
	refused_text(
		"{\"nam\":\"p\",\n\"file\":{\"rules\":[{\"allow\":\"raed\",\"path\":\"/a\"},\n{\"allow\":\"read\"}]},\n"
		"\"net\":{\"rules\":[{\"allow\":\"connect\",\"port\":\"9-1\"}]}}",
		"p.json:1:1: a policy without a name: add \"name\": \"…\"\n"
		"p.json:1:2: unknown key 'nam' in a policy (did you mean 'name'?): write one of name, description, "
		"mode, include, vars, file, exec, net, signal, kernel, env, limits, observe, tests\n"
		"p.json:2:27: unknown operation 'raed' (did you mean 'read'?): write one of read, write, create, "
		"delete, attr, \"*\"\n"
		"p.json:3:1: a rule without 'path': add it; \"/**\" is everything\n"
		"p.json:4:43: '9-1': an inverted port range: write the lower port first\n");
}

/* Errors inside a string stand at their own byte, also behind escapes and variables. */
static void test_columns(void **state)
{
	(void)state;
	refused_text(
		"{\"name\":\"p\",\"vars\":{\"LONG\":\"/a/b/c/d\"},\"file\":{\"rules\":[\n"
		"{\"deny\":\"read\",\"path\":[\"${LONG}/x**y\",\"/\\u00e9\\\\\\\\/[a\",\"/é/{a\"]}]}}",
		"p.json:2:34: '**' stands only as a whole component: write '*' within a name, or '/**/' for any depth\n"
		"p.json:2:52: unclosed '[': close it, or write \\[ for the character itself\n"
		"p.json:2:61: unclosed '{': close it, or write \\{ for the character itself\n");
}

/* What a policy holds cannot act on the terminal that its errors go to, or look like another error. */
static void test_printable(void **state)
{
	(void)state;
	refused_text(
		"{\"name\":\"p\",\"include\":\"/a\\u001b[2J\\nb\\\\c\",\"\\u009b\":1}",
		"p.json:1:23: cannot read '/a\\x1b[2J\\x0ab\\c': No such file or directory: name a file beside this one, "
		"or a shipped one such as base.json\n"
		"p.json:1:43: unknown key '\\xc2\\x9b' in a policy: write one of name, description, mode, include, "
		"vars, file, exec, net, signal, kernel, env, limits, observe, tests\n");
}

static void test_dead(void **state)
{
	(void)state;
	refused_text(
		FILE_RULES(
			"{\"deny\":\"*\",\"path\":\"/a/**\"},\n {\"allow\":\"read\",\"path\":[\"/a\",\"/a/b/*.c\"]}"),
		"p.json:3:2: rule 1 can never match: rule 0 at 2:1 decides first\n");
	refused_text(
		FILE_RULES(
			"{\"allow\":[\"read\",\"write\"],\"path\":\"/a/*\"},\n{\"deny\":[\"create\",\"delete\",\"attr\"],\"path\":\"/a/*\"},\n"
			"{\"deny\":\"*\",\"path\":\"/a/b\"}"),
		"p.json:4:1: rule 2 can never match: rule 0 at 2:1 decides first\n");
	refused_text(NET_RULES("{\"allow\":\"connect\",\"cidr\":[\"10.0.0.0/9\",\"10.128.0.0/9\"]},\n"
			       "{\"deny\":\"connect\",\"cidr\":\"10.0.0.0/8\",\"port\":25}"),
		     "p.json:3:1: rule 1 can never match: rule 0 at 2:1 decides first\n");
}

/* One operation, one path, one port that is left is enough to live. */
static void test_alive(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text(FILE_RULES("{\"deny\":\"write\",\"path\":\"/a/**\"},{\"allow\":\"*\",\"path\":\"/a/b\"}"),
		  &compiled);
	compiled_done(&compiled);
	open_text(
		FILE_RULES("{\"deny\":\"*\",\"path\":\"/a/*\"},{\"allow\":\"*\",\"path\":[\"/a/b\",\"/a\"]}"),
		&compiled);
	compiled_done(&compiled);
	open_text(
		NET_RULES(
			"{\"allow\":\"connect\",\"port\":\"1-79\"},{\"deny\":\"connect\",\"port\":\"2-80\"}"),
		&compiled);
	compiled_done(&compiled);
}

/* In an included file: dead by its own rules is its error, dead by the including file's is not. */
static void test_dead_included(void **state)
{
	static const char base[] =
		FILE_RULES("{\"allow\":\"read\",\"path\":\"/a\"},\n{\"deny\":\"read\",\"path\":\"/a\"}");
	static const char shared[] = FILE_RULES(
		"{\"allow\":\"read\",\"path\":\"/b\"},\n{\"deny\":\"read\",\"path\":[\"/b\",\"/c\"]}");
	static const char own[] = "{\"name\":\"o\",\"include\":\"base.json\"}";
	static const char joint[] =
		"{\"name\":\"o\",\"include\":\"shared.json\",\"file\":{\"rules\":[{\"allow\":\"read\","
		"\"path\":\"/c\"}]}}";
	struct compiled compiled;

	(void)state;
	scratch_write("base.json", base, strlen(base));
	scratch_write("shared.json", shared, strlen(shared));
	scratch_write("own.json", own, strlen(own));
	scratch_write("joint.json", joint, strlen(joint));
	refused_saying("own.json", NULL, -EINVAL,
		       "base.json:3:1: rule 1 can never match: rule 0 at 2:1 decides first\n");
	open_saying("joint.json", NULL, "", &compiled);
	compiled_done(&compiled);
}

/* The same two files deep: each file is judged by itself, whoever includes it. */
static void test_dead_deep(void **state)
{
	static const char leaf[] = FILE_RULES(
		"{\"allow\":\"read\",\"path\":\"/a/x\"},\n{\"deny\":\"read\",\"path\":[\"/b\",\"/c\"]}");
	static const char middle[] =
		"{\"name\":\"m\",\"include\":\"leaf.json\",\"file\":{\"rules\":[{\"allow\":\"read\","
		"\"path\":[\"/a/**\",\"/b\"]}]}}";
	static const char top[] =
		"{\"name\":\"t\",\"include\":\"middle.json\",\"file\":{\"rules\":[{\"allow\":"
		"\"read\",\"path\":\"/c\"}]}}";
	static const char broken[] =
		FILE_RULES("{\"allow\":\"read\",\"path\":\"/d\"},\n{\"deny\":\"read\",\"path\":\"/d\"}");
	struct compiled compiled;

	(void)state;
	scratch_write("leaf.json", leaf, strlen(leaf));
	scratch_write("middle.json", middle, strlen(middle));
	scratch_write("top.json", top, strlen(top));
	open_saying("top.json", NULL, "", &compiled);
	compiled_done(&compiled);
	scratch_write("leaf.json", broken, strlen(broken));
	refused_saying("top.json", NULL, -EINVAL,
		       "leaf.json:3:1: rule 3 can never match: rule 2 at 2:1 decides first\n");
}

/* What only a -D or this machine makes dead is a warning. */
static void test_dead_here(void **state)
{
	static const char text[] =
		"{\"name\":\"p\",\"vars\":{\"W\":\"/w\"},\"file\":{\"rules\":[\n"
		"{\"allow\":\"*\",\"path\":\"/a/**\"},\n{\"deny\":\"read\",\"path\":\"${W}/x\"}]}}";
	struct policy_define defines[] = { { "W", "/a/b" } };
	struct policy_options options = { .defines = defines, .define_count = 1 };
	struct compiled compiled;

	(void)state;
	scratch_write("p.json", text, strlen(text));
	open_saying("p.json", NULL, "", &compiled);
	compiled_done(&compiled);
	open_saying(
		"p.json", &options,
		"p.json:3:1: warning: rule 1 can never match here: rule 0 at 2:1 decides first, by this machine's "
		"links and addresses or a -D\n",
		&compiled);
	assert_verdict(&compiled, "file.read", "/a/b/x", "allow 0");
	compiled_done(&compiled);
}

/* A link in a folder that others can write: an allow rule is refused, a deny rule means both names. */
static void test_open_link(void **state)
{
	struct diagnostics diagnostics;
	struct compiled compiled;
	char *text, *lines;

	(void)state;
	assert_int_equal(mkdir(scratch_path("real"), 0755), 0);
	assert_int_equal(symlink("real", scratch_path("link")), 0);
	text = text_format(FILE_RULES("{\"allow\":\"read\",\"path\":\"%s/link/**\"}"), scratch);
	scratch_write("p.json", text, strlen(text));
	free(text);
	diagnostics_init(&diagnostics);
	assert_int_equal(policy_open(scratch_path("p.json"), NULL, &diagnostics, &compiled), -EINVAL);
	lines = diagnostic_lines(&diagnostics);
	assert_non_null(strstr(lines, "p.json:2:24: the path goes through the symbolic link '"));
	assert_non_null(strstr(lines, "others than root can write in '/tmp'"));
	assert_non_null(strstr(lines, "/real/**' itself"));
	free(lines);
	diagnostics_done(&diagnostics);
	text = text_format(
		"{\"name\":\"p\",\"file\":{\"default\":\"allow\",\"rules\":[{\"deny\":\"read\",\"path\":\"%s/link/**\"}]}}",
		scratch);
	open_text(text, &compiled);
	free(text);
	assert_verdict(&compiled, "file.read", scratch_path("real/x"), "deny 0");
	assert_verdict(&compiled, "file.read", scratch_path("link/x"), "deny 0");
	unlink(scratch_path("link"));
	assert_verdict(&compiled, "file.read", scratch_path("link/x"), "deny 0");
	assert_verdict(&compiled, "file.read", scratch_path("other/x"), "allow default");
	compiled_done(&compiled);
}

/* A link that only root can move is followed; the note is for `load`. */
static void test_root_link(void **state)
{
	static const char text[] = FILE_RULES("{\"allow\":\"read\",\"path\":\"/bin/**\"}");
	struct policy_options options = { .wants_notes = true };
	struct compiled compiled;
	struct stat status;

	(void)state;
	if (lstat("/bin", &status) || !S_ISLNK(status.st_mode)) {
		skip();
		return;
	}
	scratch_write("p.json", text, strlen(text));
	open_saying(
		"p.json", &options,
		"p.json:2:24: warning: '/bin' is a symbolic link here, which leads to '/usr/bin/**': the rule holds for "
		"that name\n",
		&compiled);
	assert_verdict(&compiled, "file.read", "/usr/bin/x", "allow 0");
	assert_verdict(&compiled, "file.read", "/bin/x", "allow 0");
	compiled_done(&compiled);
}

/* A brace that holds a link hides it from nobody. */
static void test_brace_link(void **state)
{
	struct compiled compiled;
	char *text;

	(void)state;
	assert_int_equal(mkdir(scratch_path("real"), 0755), 0);
	assert_int_equal(symlink("real", scratch_path("link")), 0);
	text = text_format(
		"{\"name\":\"p\",\"file\":{\"default\":\"allow\",\"rules\":[{\"deny\":\"read\",\"path\":["
		"\"%s/{link,other{1,2},a[},]b,c\\\\,d,}x/*.{k,l}\",\"%s/{link,e}/y\",\"/proc/{self,thread-self}/z\"]}]}}",
		scratch, scratch);
	open_text(text, &compiled);
	free(text);
	assert_verdict(&compiled, "file.read", scratch_path("real/y"), "deny 0");
	assert_verdict(&compiled, "file.read", scratch_path("e/y"), "deny 0");
	assert_verdict(&compiled, "file.read", scratch_path("real/z"), "allow default");
	assert_verdict(&compiled, "file.read", scratch_path("linkx/q.k"), "deny 0");
	assert_verdict(&compiled, "file.read", scratch_path("other2x/q.l"), "deny 0");
	assert_verdict(&compiled, "file.read", scratch_path("a}bx/q.l"), "deny 0");
	assert_verdict(&compiled, "file.read", scratch_path("a,bx/q.l"), "deny 0");
	assert_verdict(&compiled, "file.read", scratch_path("c,dx/q.l"), "deny 0");
	assert_verdict(&compiled, "file.read", scratch_path("x/q.l"), "deny 0");
	assert_verdict(&compiled, "file.read", scratch_path("x/q.m"), "allow default");
	assert_verdict(&compiled, "file.read", "/proc/thread-self/z", "deny 0");
	assert_verdict(&compiled, "file.read", "/proc/self/z", "deny 0");
	compiled_done(&compiled);
}

static void test_circle(void **state)
{
	static const char a[] = "{\"name\":\"a\",\n\"include\":[\"b.json\"]}";
	static const char b[] = "{\"name\":\"b\",\n\"include\":[\"./a.json\"]}";
	char *wanted;

	(void)state;
	scratch_write("a.json", a, strlen(a));
	scratch_write("b.json", b, strlen(b));
	wanted = text_format(
		"b.json:2:12: '%s/a.json' includes itself by way of this file: remove one of the includes\n",
		scratch);
	refused_saying("a.json", NULL, -EINVAL, wanted);
	free(wanted);
}

/* Files within each other: the last that is allowed, and one more. */
static void test_include_depth(void **state)
{
	struct compiled compiled;
	char name[32], *text;

	(void)state;
	for (int i = 0; i < POLICY_INCLUDE_DEPTH_MAX; i++) {
		bool is_last = i == POLICY_INCLUDE_DEPTH_MAX - 1;

		text = is_last ? text_format("{\"name\":\"x\"}")
			       : text_format("{\"name\":\"x\",\"include\":\"%d.json\"}", i + 1);
		snprintf(name, sizeof(name), "%d.json", i);
		scratch_write(name, text, strlen(text));
		free(text);
	}
	open_saying("0.json", NULL, "", &compiled);
	assert_int_equal(compiled.policy->file_count, POLICY_INCLUDE_DEPTH_MAX);
	compiled_done(&compiled);
	scratch_write("top.json", "{\"name\":\"x\",\"include\":\"0.json\"}", 31);
	snprintf(name, sizeof(name), "%d.json:1:23: ", POLICY_INCLUDE_DEPTH_MAX - 2);
	text = text_format("%smore than %d files, or %d within each other: put the rules into fewer files\n",
			   name, POLICY_FILES_MAX, POLICY_INCLUDE_DEPTH_MAX);
	refused_saying("top.json", NULL, -EINVAL, text);
	free(text);
}

static void test_list_limit(void **state)
{
	struct compiled compiled;
	char *text = NULL;
	size_t size;

	(void)state;
	for (int members = 4096; members <= 4097; members++) {
		FILE *stream = open_memstream(&text, &size);

		fputs("{\"name\":\"p\",\"file\":{\"rules\":[{\"deny\":\"read\",\"path\":[", stream);
		for (int i = 0; i < members; i++)
			fprintf(stream, "%s\"/f/%d\"", i ? "," : "", i);
		fputs("]}]}}", stream);
		assert_int_equal(fclose(stream), 0);
		if (members == 4096) {
			open_text(text, &compiled);
			assert_verdict(&compiled, "file.read", "/f/4095", "deny 0");
			compiled_done(&compiled);
		} else {
			refused_text(text, "p.json:1:52: a list of more than 4096 members: split the rule\n");
		}
		free(text);
	}
}

/* Writable by anybody: `load` refuses it, the others read it. */
static void test_writable(void **state)
{
	struct policy_options options = { .refuse_writable = true };
	struct compiled compiled;

	(void)state;
	scratch_write("p.json", "{\"name\":\"p\"}", 12);
	assert_int_equal(chmod(scratch_path("p.json"), 0666), 0);
	open_saying("p.json", NULL, "", &compiled);
	compiled_done(&compiled);
	refused_saying(
		"p.json", &options, -EINVAL,
		"p.json:1:1: cannot read the file: anybody may write it: take the right to write it from others "
		"(chmod o-w)\n");
	assert_int_equal(chmod(scratch_path("p.json"), 0664), 0);
	open_saying("p.json", &options, "", &compiled);
	compiled_done(&compiled);
}

static void test_unreadable(void **state)
{
	(void)state;
	refused_saying("none.json", NULL, -ENOENT, "");
	refused_saying(".", NULL, -EISDIR, "");
}

/* Rules that multiply beyond the limits are refused by name, not tried until memory ends. */
static void test_too_complex(void **state)
{
	struct diagnostics diagnostics;
	struct compiled compiled;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	int result;

	(void)state;
	fputs("{\"name\":\"p\",\"file\":{\"rules\":[", stream);
	for (int i = 0; i < 600; i++)
		fprintf(stream, "%s{\"deny\":\"read\",\"path\":\"/h/*/**/a%d*b%dc*d%d/**/*z%d*\"}",
			i ? "," : "", i, i * 7, i * 13, i * 17);
	fputs("]}}", stream);
	assert_int_equal(fclose(stream), 0);
	scratch_write("p.json", text, strlen(text));
	free(text);
	diagnostics_init(&diagnostics);
	result = policy_open(scratch_path("p.json"), NULL, &diagnostics, &compiled);
	assert_int_equal(result, -E2BIG);
	assert_true(diagnostics.error_count > 0);
	assert_non_null(strstr(diagnostics.list[0].what, "make the policy too large"));
	diagnostics_done(&diagnostics);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_all_at_once),	  TEST(test_columns),	  TEST(test_printable),
		TEST(test_dead),	  TEST(test_alive),	  TEST(test_dead_included),
		TEST(test_dead_deep),	  TEST(test_dead_here),	  TEST(test_open_link),
		TEST(test_root_link),	  TEST(test_brace_link),  TEST(test_circle),
		TEST(test_include_depth), TEST(test_list_limit),  TEST(test_writable),
		TEST(test_unreadable),	  TEST(test_too_complex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
