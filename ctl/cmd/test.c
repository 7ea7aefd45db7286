// SPDX-License-Identifier: GPL-2.0
/* agentctl test: the policies' own tests, offline, as TAP. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json_writer.h"
#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"
#include "ctl/policy/decision.h"
#include "ctl/policy/words.h"

struct testing {
	struct cmd_defines defines;
	bool is_json;
	struct json_writer writer;
	size_t count; /* TAP's number of the last test */
	int code;
};

static bool set_option(const char *option, const char *value, void *data)
{
	struct testing *testing = data;

	if (!strcmp(option, "define"))
		return cmd_define("test", &testing->defines, value);
	testing->is_json = true;
	return true;
}

/* What both forms say of one test. */
struct test_line {
	const char *file;
	const struct policy_test *test; /* NULL: the file itself, which could not be tested */
	const char *verdict;		/* NULL: none was reached */
	const char *failure;
};

static void print_comment(const char *text)
{
	char *shown = text_name(text, strlen(text));

	printf("# %s\n", shown ? shown : "");
	free(shown);
}

/* In TAP, a '#' in a description would begin a directive. */
static void print_description(const char *text)
{
	char *shown = text_name(text, strlen(text));

	for (const char *c = shown ? shown : ""; *c; c++) {
		if (*c == '#')
			putchar('\\');
		putchar(*c);
	}
	free(shown);
}

static void print_tap(struct testing *testing, const struct test_line *line)
{
	char scratch[OPERATION_NAME_MAX];

	printf("%s %zu - ", line->failure ? "not ok" : "ok", testing->count);
	print_description(line->file);
	if (line->test) {
		printf(": %s ", operation_name_of(line->test->op, line->test->detail, scratch));
		print_description(line->test->object);
		if (line->test->target) {
			putchar(' ');
			print_description(line->test->target);
		}
		printf(" %s", verb_words[line->test->expect]);
	}
	putchar('\n');
	if (!line->failure)
		return;
	print_comment(line->failure);
	if (line->test) {
		fputs("# at ", stdout);
		text_write_name(stdout, line->test->place.file, strlen(line->test->place.file));
		printf(":%u:%u\n", line->test->place.line, line->test->place.column);
	}
}

static void print_json(struct testing *testing, const struct test_line *line)
{
	struct json_writer *writer = &testing->writer;
	char scratch[OPERATION_NAME_MAX];

	json_begin_object(writer);
	json_key(writer, "ok");
	json_bool(writer, !line->failure);
	json_key(writer, "file");
	json_name(writer, line->file, strlen(line->file));
	json_key(writer, "line");
	json_unsigned(writer, line->test ? line->test->place.line : 1);
	json_key(writer, "column");
	json_unsigned(writer, line->test ? line->test->place.column : 1);
	json_key(writer, "op");
	json_string(writer,
		    line->test ? operation_name_of(line->test->op, line->test->detail, scratch) : NULL);
	json_key(writer, "object");
	if (line->test)
		json_name(writer, line->test->object, strlen(line->test->object));
	else
		json_null(writer);
	if (line->test && line->test->target) {
		json_key(writer, "target");
		json_name(writer, line->test->target, strlen(line->test->target));
	}
	json_key(writer, "expect");
	json_string(writer, line->test ? verb_words[line->test->expect] : NULL);
	json_key(writer, "verdict");
	json_string(writer, line->verdict);
	json_key(writer, "failure");
	json_string(writer, line->failure);
	json_end_object(writer);
	json_newline(writer);
}

static void print_line(struct testing *testing, const struct test_line *line)
{
	testing->count++;
	if (line->failure)
		testing->code = EXIT_POLICY;
	if (testing->is_json)
		print_json(testing, line);
	else
		print_tap(testing, line);
}

static int run_one(struct testing *testing, const char *file, const struct compiled *compiled,
		   const struct policy_test *test)
{
	struct test_outcome outcome;
	struct test_line line = { .file = file, .test = test };
	int result = decision_test(compiled, test, &outcome);

	if (result)
		return result;
	line.failure = outcome.failure;
	line.verdict = outcome.decision.change ? verb_words[outcome.decision.verb] : NULL;
	print_line(testing, &line);
	test_outcome_done(&outcome);
	return 0;
}

static int test_file(struct testing *testing, const char *file)
{
	struct policy_options options = { .defines = testing->defines.list,
					  .define_count = testing->defines.count };
	struct compiled compiled;
	int code = cmd_open_policy(file, &options, &compiled), result = 0;

	if (code) {
		print_line(testing, &(struct test_line){ .file = file,
							 .failure = "the policy cannot be used: see above" });
		return code;
	}
	for (size_t i = 0; i < compiled.policy->test_count && !result; i++)
		result = run_one(testing, file, &compiled, &compiled.policy->tests[i]);
	if (!compiled.policy->test_count && !testing->is_json)
		printf("# %s: the policy has no tests\n", file);
	compiled_done(&compiled);
	return result ? cmd_fail("test: %s", strerror(-result)) : EXIT_DONE;
}

int cmd_test(int argc, char **argv)
{
	struct testing testing = { .code = EXIT_DONE };
	int first, code, worst = EXIT_DONE;

	if (!cmd_parse(argc, argv, set_option, &testing, &first, &code)) {
		cmd_defines_done(&testing.defines);
		return code;
	}
	if (first == argc) {
		cmd_defines_done(&testing.defines);
		return cmd_usage_error("test", "test: no policy file given");
	}
	json_writer_init(&testing.writer, stdout);
	for (int i = first; i < argc; i++) {
		code = test_file(&testing, argv[i]);
		/* An invalid policy outranks an unreadable file: its code says more. */
		worst = code > worst ? code : worst;
	}
	if (!testing.is_json)
		printf("1..%zu\n", testing.count);
	cmd_defines_done(&testing.defines);
	/* That a file could not be read is told by its own code, not as a test that failed. */
	return worst ? worst : testing.code;
}
