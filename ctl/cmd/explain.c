// SPDX-License-Identifier: GPL-2.0
/* agentctl explain: the rule that decides an operation, and what would change that. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/signal_name.h"
#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"
#include "ctl/cmd/explain_show.h"
#include "ctl/enforce/loaded.h"
#include "ctl/policy/words.h"

struct explaining {
	struct cmd_defines defines;
	bool is_json;
	const char *policy;
	struct explained asked;
};

static bool set_option(const char *option, const char *value, void *data)
{
	struct explaining *explaining = data;

	if (!strcmp(option, "define"))
		return cmd_define("explain", &explaining->defines, value);
	explaining->is_json = true;
	return true;
}

static int refuse_signal(const char *name)
{
	const char *near = text_suggest(name, signal_names);

	if (near)
		return cmd_usage_error("explain", "explain: unknown signal '%s' (did you mean '%s'?)", name,
				       near);
	return cmd_usage_error("explain", "explain: unknown signal '%s': write one such as signal.TERM",
			       name);
}

static int refuse_operation(const char *name)
{
	const char *names[OP_COUNT + 1], *near;

	if (!strncmp(name, "signal.", 7))
		return refuse_signal(name + 7);
	for (int op = 0; op < OP_COUNT; op++)
		names[op] = operation_name(op);
	names[OP_COUNT] = NULL;
	near = text_suggest(name, names);
	if (near)
		return cmd_usage_error("explain", "explain: unknown operation '%s' (did you mean '%s'?)",
				       name, near);
	return cmd_usage_error("explain", "explain: unknown operation '%s': write one such as file.read",
			       name);
}

/* Does TEXT make sense as what OP is done to? *ret_code otherwise. */
static bool check_object(enum operation op, const char *text, int *ret_code)
{
	struct object object;
	char *error = NULL;
	int result = object_parse(op, text, &object, &error);

	if (!result) {
		object_done(&object);
		return true;
	}
	*ret_code = result == -EINVAL ? cmd_usage_error("explain", "explain: %s", error)
				      : cmd_fail("explain: %s", strerror(-result));
	free(error);
	return false;
}

static bool check_count(enum operation op, int count, int *ret_code)
{
	bool is_move = decision_is_move(op);

	if (count == (is_move ? 4 : 3))
		return true;
	*ret_code = cmd_usage_error("explain",
				    is_move ? "explain: %s needs an old and a new name"
					    : "explain: %s has no new name: only file.rename and "
					      "file.link have",
				    operation_name(op));
	return false;
}

/* Checks the operands; true if they make sense by themselves. */
static bool read_operands(struct explaining *explaining, int count, char **operands, int *ret_code)
{
	struct explained *asked = &explaining->asked;
	uint32_t detail;
	int op;

	*ret_code = EXIT_USAGE;
	if (count < 3 || count > 4) {
		cmd_usage_error("explain", "explain: %s",
				count < 3 ? "a policy, an operation and an object are needed"
					  : "too many operands");
		return false;
	}
	op = operation_parse(operands[1], &detail);
	if (op < 0 || (op == OP_SIGNAL_SEND && !detail)) {
		refuse_operation(operands[1]);
		return false;
	}
	if (!(OP_BIT(op) & OPS_HOOKED)) {
		cmd_usage_error("explain", "explain: '%s' is not enforced by this version yet", operands[1]);
		return false;
	}
	if (!check_count(op, count, ret_code) || !check_object(op, operands[2], ret_code) ||
	    (count == 4 && !check_object(op, operands[3], ret_code)))
		return false;
	explaining->policy = operands[0];
	*asked = (struct explained){
		.op = op, .detail = detail, .object = operands[2], .target = count == 4 ? operands[3] : NULL
	};
	return true;
}

static bool is_file(const char *policy)
{
	size_t len = strlen(policy);

	return strchr(policy, '/') || (len > 5 && !strcmp(policy + len - 5, ".json")) ||
	       !access(policy, F_OK);
}

static int open_loaded(const char *name, struct compiled *ret)
{
	struct diagnostics diagnostics;
	char *path = NULL;
	int result = loaded_policy_path(name, &path);

	if (result == -ENOENT) {
		cmd_fail("explain: '%s' is neither a file nor the name of a loaded policy", name);
		return EXIT_FAILED;
	}
	diagnostics_init(&diagnostics);
	if (!result)
		result = policy_open_bundle(path, &diagnostics, ret);
	cmd_tell(&diagnostics);
	diagnostics_done(&diagnostics);
	free(path);
	if (result == -EINVAL || result == -E2BIG)
		return EXIT_POLICY;
	return result ? cmd_fail("explain: policy '%s': %s", name, strerror(-result)) : EXIT_DONE;
}

static int open_policy(const struct explaining *explaining, struct compiled *ret)
{
	struct policy_options options = { .defines = explaining->defines.list,
					  .define_count = explaining->defines.count };

	if (is_file(explaining->policy))
		return cmd_open_policy(explaining->policy, &options, ret);
	return open_loaded(explaining->policy, ret);
}

static int explain(const struct explaining *explaining)
{
	const struct explained *asked = &explaining->asked;
	struct compiled compiled;
	struct decision decision;
	char *error = NULL;
	int code = open_policy(explaining, &compiled), result;

	if (code)
		return code;
	result = decision_make(&compiled, asked->op, asked->detail, asked->object, asked->target, &decision,
			       &error);
	if (result) {
		code = cmd_fail("explain: %s", error ? error : strerror(-result));
	} else {
		explain_show(asked, compiled.policy, &decision, explaining->is_json);
		decision_done(&decision);
	}
	free(error);
	compiled_done(&compiled);
	return code;
}

int cmd_explain(int argc, char **argv)
{
	struct explaining explaining = { 0 };
	int first, code;

	if (cmd_parse(argc, argv, set_option, &explaining, &first, &code) &&
	    read_operands(&explaining, argc - first, argv + first, &code))
		code = explain(&explaining);
	cmd_defines_done(&explaining.defines);
	return code;
}
