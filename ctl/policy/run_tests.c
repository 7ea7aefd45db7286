// SPDX-License-Identifier: GPL-2.0
/* Running the tests that a policy brings along. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/policy/decision.h"
#include "ctl/policy/words.h"

static char *describe_origin(const struct decision *decision)
{
	if (decision->rule)
		return text_format("by rule %u at %s:%u:%u", decision->rule->index, decision->place.file,
				   decision->place.line, decision->place.column);
	if (!decision->is_enforced)
		return text_format("because no section decides it");
	return text_format("by %s", reason_words[decision->reason]);
}

/* Why DECISION is not what TEST expects, or NULL if it is; *ret_failed says which, should memory run out. */
static char *compare(const struct policy_test *test, const struct decision *decision, bool *ret_failed)
{
	const char *tag = decision->rule && decision->rule->tag ? decision->rule->tag : "";
	char *origin = describe_origin(decision), *failure = NULL;

	*ret_failed = true;
	if (decision->verb != test->expect)
		failure = text_format("expected %s, got %s %s", verb_words[test->expect],
				      verb_words[decision->verb], origin ? origin : "");
	else if (test->tag && strcmp(test->tag, tag))
		failure = text_format("expected tag '%s', got '%s' %s", test->tag, tag, origin ? origin : "");
	else if (test->reason >= 0 && test->reason != (int)decision->reason)
		failure = text_format("expected reason %s, got %s", reason_words[test->reason],
				      reason_words[decision->reason]);
	else
		*ret_failed = false;
	free(origin);
	return failure;
}

int decision_test(const struct compiled *compiled, const struct policy_test *test, struct test_outcome *ret)
{
	struct test_outcome outcome = { .test = test };
	bool has_failed = false;
	int result = decision_make(compiled, test->op, test->detail, test->object, test->target,
				   &outcome.decision, &outcome.failure);

	if (result == -EINVAL)
		result = 0;
	else if (!result)
		outcome.failure = compare(test, &outcome.decision, &has_failed);
	if (!result && has_failed && !outcome.failure)
		result = -ENOMEM;
	if (result)
		test_outcome_done(&outcome);
	else
		*ret = outcome;
	return result;
}

void test_outcome_done(struct test_outcome *outcome)
{
	decision_done(&outcome->decision);
	free(outcome->failure);
	*outcome = (struct test_outcome){ 0 };
}

int policy_run_tests(const struct compiled *compiled, struct diagnostics *diagnostics)
{
	const struct policy *policy = compiled->policy;
	struct test_outcome outcome;
	char scratch[OPERATION_NAME_MAX];
	int result = 0;

	for (size_t i = 0; i < policy->test_count; i++) {
		result = decision_test(compiled, &policy->tests[i], &outcome);
		if (result)
			return result;
		if (outcome.failure)
			diagnostics_error(
				diagnostics, &policy->tests[i].place, "mend the rules or the test",
				"test %zu fails: %s %s%s%s: %s", i,
				operation_name_of(policy->tests[i].op, policy->tests[i].detail, scratch),
				policy->tests[i].object, policy->tests[i].target ? " " : "",
				policy->tests[i].target ? policy->tests[i].target : "", outcome.failure);
		test_outcome_done(&outcome);
	}
	return diagnostics_result(diagnostics);
}
