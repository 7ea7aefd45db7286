// SPDX-License-Identifier: GPL-2.0
/* agentctl explain: the rule that decides an operation, and what would change that. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/json_writer.h"
#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"
#include "ctl/enforce/loaded.h"
#include "ctl/policy/decision.h"
#include "ctl/policy/words.h"

struct explaining {
	struct cmd_defines defines;
	bool is_json;
	const char *policy;
	enum operation op;
	const char *object;
};

static bool set_option(const char *option, const char *value, void *data)
{
	struct explaining *explaining = data;

	if (!strcmp(option, "define"))
		return cmd_define("explain", &explaining->defines, value);
	explaining->is_json = true;
	return true;
}

static int refuse_operation(const char *name)
{
	const char *names[OP_COUNT + 1], *near;

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

/* Checks the operands; true if they make sense by themselves. */
static bool read_operands(struct explaining *explaining, int count, char **operands, int *ret_code)
{
	struct object object;
	char *error = NULL;
	int op, result;

	*ret_code = EXIT_USAGE;
	if (count < 3 || count > 4) {
		cmd_usage_error("explain", "explain: %s",
				count < 3 ? "a policy, an operation and an object are needed"
					  : "too many operands");
		return false;
	}
	op = operation_parse(operands[1]);
	if (op < 0) {
		refuse_operation(operands[1]);
		return false;
	}
	if (!(OP_BIT(op) & OPS_HOOKED)) {
		cmd_usage_error("explain", "explain: '%s' is not enforced by this version yet", operands[1]);
		return false;
	}
	if (count == 4) {
		cmd_usage_error("explain", "explain: only file.rename and file.link have a new name");
		return false;
	}
	result = object_parse(op, operands[2], &object, &error);
	if (result) {
		*ret_code = result == -EINVAL ? cmd_usage_error("explain", "explain: %s", error)
					      : cmd_fail("explain: %s", strerror(-result));
		free(error);
		return false;
	}
	object_done(&object);
	explaining->policy = operands[0];
	explaining->op = op;
	explaining->object = operands[2];
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
	cmd_report(&diagnostics);
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

static void write_word(struct json_writer *writer, const char *key, const char *word)
{
	json_key(writer, key);
	json_string(writer, word);
}

static void write_number(struct json_writer *writer, const char *key, bool is_known, uint64_t number)
{
	json_key(writer, key);
	if (is_known)
		json_unsigned(writer, number);
	else
		json_null(writer);
}

static void print_json(const struct explaining *explaining, const struct compiled *compiled,
		       const struct decision *decision)
{
	const struct policy_rule *rule = decision->rule;
	bool has_place = decision->place.file;
	struct json_writer writer;

	json_writer_init(&writer, stdout);
	json_begin_object(&writer);
	write_word(&writer, "verdict", verb_words[decision->verb]);
	write_word(&writer, "op", operation_name(explaining->op));
	json_key(&writer, "object");
	json_name(&writer, explaining->object, strlen(explaining->object));
	if (decision->judged) {
		json_key(&writer, "judged");
		json_name(&writer, decision->judged, strlen(decision->judged));
	}
	write_word(&writer, "policy", compiled->policy->name);
	write_word(&writer, "mode", compiled->policy->is_audit ? "audit" : "enforce");
	json_key(&writer, "enforced");
	json_bool(&writer, decision->is_enforced);
	write_word(&writer, "reason", reason_words[decision->reason]);
	write_number(&writer, "rule", rule, rule ? rule->index : 0);
	write_word(&writer, "file", decision->place.file);
	write_number(&writer, "line", has_place, decision->place.line);
	write_number(&writer, "column", has_place, decision->place.column);
	write_word(&writer, "tag", rule ? rule->tag : NULL);
	write_word(&writer, "severity", rule && rule->severity ? severity_words[rule->severity - 1] : NULL);
	write_word(&writer, "message", rule ? rule->message : NULL);
	write_word(&writer, "change", decision->change);
	json_end_object(&writer);
	json_newline(&writer);
}

static void print_origin(const struct decision *decision)
{
	char *file = decision->place.file ? text_name(decision->place.file, strlen(decision->place.file))
					  : NULL;

	if (!decision->is_enforced)
		puts("no rule: the policy does not decide such operations");
	else if (decision->reason == REASON_TOO_DEEP)
		printf("no rule: a name of more than %d components is always denied\n", DEPTH_MAX);
	else if (decision->rule)
		printf("%s:%u:%u: rule %u", file ? file : "", decision->place.line, decision->place.column,
		       decision->rule->index);
	else
		printf("%s:%u:%u: the section's default\n", file ? file : "", decision->place.line,
		       decision->place.column);
	free(file);
	if (!decision->rule)
		return;
	if (decision->rule->tag)
		printf(", tag %s", decision->rule->tag);
	if (decision->rule->severity)
		printf(", severity %s", severity_words[decision->rule->severity - 1]);
	if (decision->rule->message)
		printf(": %s", decision->rule->message);
	putchar('\n');
}

static void print_text(const struct explaining *explaining, const struct compiled *compiled,
		       const struct decision *decision)
{
	printf("%s %s ", verb_words[decision->verb], operation_name(explaining->op));
	text_write_name(stdout, explaining->object, strlen(explaining->object));
	if (compiled->policy->is_audit && decision->verb == VERB_DENY)
		fputs("  (mode audit: logged, not refused)", stdout);
	putchar('\n');
	if (decision->judged) {
		fputs("  judged by its real name: ", stdout);
		text_write_name(stdout, decision->judged, strlen(decision->judged));
		putchar('\n');
	}
	fputs("  ", stdout);
	print_origin(decision);
	printf("  to change it: %s\n", decision->change);
}

static int explain(const struct explaining *explaining)
{
	struct compiled compiled;
	struct decision decision;
	char *error = NULL;
	int code = open_policy(explaining, &compiled), result;

	if (code)
		return code;
	result = decision_make(&compiled, explaining->op, explaining->object, &decision, &error);
	if (result) {
		code = cmd_fail("explain: %s", error ? error : strerror(-result));
	} else {
		(explaining->is_json ? print_json : print_text)(explaining, &compiled, &decision);
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
