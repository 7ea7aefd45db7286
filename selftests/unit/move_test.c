// SPDX-License-Identifier: GPL-2.0
/* Renames and hard links, each refusal with an allowed twin: what they need, what they must not gain, and what tells why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "selftests/unit/policy_sample.h"

static const char policy_text[] =
	"{\"name\":\"p\",\"file\":{\"rules\":["
	"{\"deny\":\"*\",\"path\":[\"**/.env\",\"/home/*/.ssh/**\"],\"tag\":\"secret\"},"
	"{\"deny\":\"create\",\"path\":\"/w/t/.agent/set\",\"tag\":\"agent\"},"
	"{\"allow\":\"*\",\"path\":\"/w/**\"},"
	"{\"allow\":\"create\",\"path\":\"/drop/**\"},"
	"{\"audit\":\"create\",\"path\":\"/log/**\"},"
	"{\"allow\":[\"read\",\"write\",\"create\"],\"path\":\"/shared/**\"}]}}";

/* As the kernel and its events say it: "deny widens EXDEV file.rename 0", with the rule's index or "-". */
static const char *verdict_on(const struct compiled *compiled, const char *operation, const char *old,
			      const char *fresh)
{
	static char verdict[128];
	struct decision decision;
	char *error = NULL;
	uint32_t detail;
	int len, op = operation_parse(operation, &detail);

	assert_int_equal(decision_make(compiled, op, detail, old, fresh, &decision, &error), 0);
	assert_non_null(decision.move);
	len = snprintf(verdict, sizeof(verdict), "%s", verb_words[decision.verb]);
	if (decision.verb == VERB_DENY)
		len += snprintf(verdict + len, sizeof(verdict) - len, " %s %s %s",
				reason_words[decision.reason], decision.error == EXDEV ? "EXDEV" : "EACCES",
				operation_name(decision.move->lacking));
	if (decision.rule)
		snprintf(verdict + len, sizeof(verdict) - len, " %u", decision.rule->index);
	decision_done(&decision);
	return verdict;
}

#define assert_move(compiled, operation, old, fresh, wanted) \
	assert_string_equal(verdict_on(compiled, operation, old, fresh), wanted)

/* A version that does not hook them refuses to decide them. */
static bool is_hooked(enum operation op)
{
	return OPS_HOOKED & OP_BIT(op);
}

static void test_link(void **state)
{
	struct compiled compiled;

	(void)state;
	if (!is_hooked(OP_FILE_LINK))
		return;
	open_text(policy_text, &compiled);
	assert_move(&compiled, "file.link", "/w/a", "/w/b", "allow 2");
	assert_move(&compiled, "file.link", "/w/.env", "/w/b", "deny widens EXDEV file.link 0");
	assert_move(&compiled, "file.link", "/home/u/.ssh/id", "/w/b", "deny widens EXDEV file.link 0");
	/* The right to create comes first; no link needs the right to delete. */
	assert_move(&compiled, "file.link", "/w/.env", "/etc/x", "deny default EACCES file.create");
	assert_move(&compiled, "file.link", "/w/a", "/w/.env", "deny rule EACCES file.create 0");
	assert_move(&compiled, "file.link", "/w/a", "/w/t/.agent/set", "deny rule EACCES file.create 1");
	assert_move(&compiled, "file.link", "/shared/a", "/shared/b", "allow 5");
	assert_move(&compiled, "file.link", "/w/a", "/log/a", "audit 4");
	/* What may be created but neither read nor written gains nothing there, */
	assert_move(&compiled, "file.link", "/w/a", "/drop/a", "allow 3");
	assert_move(&compiled, "file.link", "/w/.env", "/w/x/.env", "deny rule EACCES file.create 0");
	/* but everything by leaving. */
	assert_move(&compiled, "file.link", "/drop/a", "/w/a", "deny widens EXDEV file.link");
	compiled_done(&compiled);
}

static void test_rename(void **state)
{
	struct compiled compiled;

	(void)state;
	if (!is_hooked(OP_FILE_RENAME) || !is_hooked(OP_FILE_DELETE))
		return;
	open_text(policy_text, &compiled);
	assert_move(&compiled, "file.rename", "/w/a", "/w/b", "allow 2");
	assert_move(&compiled, "file.rename", "/w/a", "/w/a", "allow 2");
	assert_move(&compiled, "file.rename", "/w/.env", "/w/b", "deny rule EACCES file.delete 0");
	assert_move(&compiled, "file.rename", "/shared/a", "/w/b", "deny default EACCES file.delete");
	assert_move(&compiled, "file.rename", "/w/a", "/w/.env", "deny rule EACCES file.create 0");
	/* The old name is asked first. */
	assert_move(&compiled, "file.rename", "/shared/a", "/w/.env", "deny default EACCES file.delete");
	assert_move(&compiled, "file.rename", "/w/a", "/shared/b", "allow 2");
	assert_move(&compiled, "file.rename", "/w/a", "/log/b", "audit 4");
	compiled_done(&compiled);
}

/* What deletes and creates but does not read must not come to be read. */
static void test_rename_widens(void **state)
{
	struct compiled compiled;

	(void)state;
	if (!is_hooked(OP_FILE_RENAME) || !is_hooked(OP_FILE_DELETE))
		return;
	open_text(
		"{\"name\":\"p\",\"file\":{\"rules\":["
		"{\"allow\":\"*\",\"path\":\"/w/**\"},"
		"{\"deny\":[\"read\",\"write\"],\"path\":\"/in/**\",\"tag\":\"in\"},"
		"{\"allow\":\"*\",\"path\":\"/in/**\"}]},"
		"\"exec\":{\"rules\":[{\"allow\":\"*\",\"path\":\"/in/bin/**\"}]},"
		"\"tests\":["
		"{\"file.rename\":[\"/in/a\",\"/w/a\"],\"expect\":\"deny\",\"reason\":\"widens\",\"tag\":\"in\"},"
		"{\"file.rename\":[\"/w/a\",\"/in/a\"],\"expect\":\"allow\"},"
		"{\"file.link\":[\"/in/a\",\"/w/a\"],\"expect\":\"deny\",\"reason\":\"widens\"}]}",
		&compiled);
	assert_move(&compiled, "file.rename", "/in/a", "/w/a", "deny widens EXDEV file.rename 1");
	assert_move(&compiled, "file.rename", "/w/a", "/in/a", "allow 0");
	/* The right to run counts, too, though another section gives it. */
	assert_move(&compiled, "file.rename", "/w/a", "/in/bin/a", "deny widens EXDEV file.rename");
	compiled_done(&compiled);
}

static void decide(const struct compiled *compiled, const char *old, const char *fresh, struct decision *ret)
{
	char *error = NULL;

	assert_int_equal(decision_make(compiled, OP_FILE_RENAME, 0, old, fresh, ret, &error), 0);
}

/* A directory is judged by what may lie below: beside the verdict, or in it where the old name says so. */
static void test_directories(void **state)
{
	struct compiled compiled;
	struct decision decision;

	(void)state;
	if (!is_hooked(OP_FILE_RENAME) || !is_hooked(OP_FILE_DELETE))
		return;
	open_text(policy_text, &compiled);
	decide(&compiled, "/w/y", "/w/z", &decision);
	assert_true(decision.move->has_below && decision.move->is_contained);
	assert_null(decision.move->below);
	decision_done(&decision);
	/* What lies below must not arrive where it could not have been made. */
	decide(&compiled, "/w/y", "/w/t/.agent", &decision);
	assert_int_equal(decision.verb, VERB_ALLOW);
	assert_false(decision.move->is_contained);
	assert_true(decision.move->below->is_loss);
	assert_int_equal(decision.move->below->operation, OP_FILE_CREATE);
	assert_string_equal(decision.move->below->old_name, "/w/y/set");
	assert_string_equal(decision.move->below->fresh_name, "/w/t/.agent/set");
	assert_string_equal(decision.move->below->fresh.rule->tag, "agent");
	decision_done(&decision);
	assert_move(&compiled, "file.rename", "/w/y/", "/w/t/.agent", "deny widens EXDEV file.rename 1");
	assert_move(&compiled, "file.rename", "/w/y/", "/w/t", "deny widens EXDEV file.rename 1");
	assert_move(&compiled, "file.rename", "/w/y/", "/w/t/.agents", "allow 2");
	/* Below, a name that is denied keeps being so: nothing is gained within the workspace. */
	assert_move(&compiled, "file.rename", "/w/y/", "/w/z/", "allow 2");
	compiled_done(&compiled);
}

/* mv of a directory with keys in it: what is gained is told by an example. */
static void test_example(void **state)
{
	struct compiled compiled;
	struct decision decision;

	(void)state;
	if (!is_hooked(OP_FILE_RENAME) || !is_hooked(OP_FILE_DELETE))
		return;
	open_text("{\"name\":\"p\",\"file\":{\"rules\":["
		  "{\"deny\":\"read\",\"path\":\"/w/.ssh/id_*\",\"tag\":\"keys\"},"
		  "{\"allow\":\"*\",\"path\":\"/w/**\"}]}}",
		  &compiled);
	decide(&compiled, "/w/.ssh/", "/w/y", &decision);
	assert_int_equal(decision.reason, REASON_WIDENS);
	assert_int_equal(decision.error, EXDEV);
	assert_false(decision.move->widens->is_loss);
	assert_int_equal(decision.move->widens->operation, OP_FILE_READ);
	assert_string_equal(decision.move->widens->old_name, "/w/.ssh/id_");
	assert_string_equal(decision.move->widens->fresh_name, "/w/y/id_");
	assert_string_equal(decision.rule->tag, "keys");
	assert_int_equal(decision.move->widens->fresh.rule->index, 1);
	decision_done(&decision);
	/* Back it may go: it only loses. */
	decide(&compiled, "/w/y/", "/w/.ssh", &decision);
	assert_int_equal(decision.verb, VERB_ALLOW);
	decision_done(&decision);
	compiled_done(&compiled);
}

/* Without a section for paths nothing is decided; names that are too deep are refused before anything else. */
static void test_edges(void **state)
{
	static const char net[] = "{\"name\":\"p\",\"net\":{}}";
	struct compiled compiled;
	struct decision decision;
	char deep[2 * DEPTH_MAX + 3], *error = NULL;

	(void)state;
	if (!is_hooked(OP_FILE_LINK))
		return;
	for (int i = 0; i <= DEPTH_MAX; i++)
		memcpy(deep + 2 * i, "/d", 3);
	open_text(net, &compiled);
	assert_int_equal(decision_make(&compiled, OP_FILE_LINK, 0, "/a", "/b", &decision, &error), 0);
	assert_int_equal(decision.verb, VERB_ALLOW);
	assert_false(decision.is_enforced);
	decision_done(&decision);
	compiled_done(&compiled);
	open_text(policy_text, &compiled);
	assert_move(&compiled, "file.link", deep, "/w/x", "deny too-deep EACCES file.link");
	assert_move(&compiled, "file.link", "/w/x", deep, "deny too-deep EACCES file.create");
	assert_int_equal(decision_make(&compiled, OP_FILE_LINK, 0, "/a", "b", &decision, &error), -EINVAL);
	assert_non_null(error);
	free(error);
	compiled_done(&compiled);
}

/* What has the new name goes by a rename, which is judged beside it. */
static void test_replacing(void **state)
{
	struct compiled compiled;
	struct decision decision;

	(void)state;
	if (!is_hooked(OP_FILE_RENAME) || !is_hooked(OP_FILE_DELETE))
		return;
	open_text(policy_text, &compiled);
	decide(&compiled, "/w/a", "/drop/b", &decision);
	assert_int_equal(decision.verb, VERB_ALLOW);
	assert_true(decision.move->has_replacing);
	assert_int_equal(decision.move->replacing.verb, VERB_DENY);
	assert_null(decision.move->replacing.rule);
	decision_done(&decision);
	decide(&compiled, "/w/a", "/w/b", &decision);
	assert_int_equal(decision.move->replacing.verb, VERB_ALLOW);
	assert_int_equal(decision.move->replacing.rule->index, 2);
	decision_done(&decision);
	compiled_done(&compiled);
}

/* They are no operations of rules. */
static void test_no_rules(void **state)
{
	(void)state;
	refused_text("{\"name\":\"p\",\"file\":{\"rules\":[{\"allow\":\"rename\",\"path\":\"/a\"}]}}",
		     "p.json:1:39: unknown operation 'rename': write delete for the old name and create for "
		     "the new one\n");
	refused_text("{\"name\":\"p\",\"file\":{\"rules\":[{\"deny\":[\"link\"],\"path\":\"/a\"}]}}",
		     "p.json:1:39: unknown operation 'link': write delete for the old name and create for "
		     "the new one\n");
}

/* That they are observed is a matter of their hooks. */
static void test_observed(void **state)
{
	struct compiled compiled;

	(void)state;
	if (!is_hooked(OP_FILE_RENAME) || !is_hooked(OP_FILE_LINK))
		return;
	open_text(
		"{\"name\":\"p\",\"file\":{\"default\":\"allow\"},\"observe\":[\"file.rename\",\"file.link\"]}",
		&compiled);
	assert_int_equal(compiled.image->observed, OP_BIT(OP_FILE_RENAME) | OP_BIT(OP_FILE_LINK));
	compiled_done(&compiled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link),	      cmocka_unit_test(test_rename),
		cmocka_unit_test(test_rename_widens), cmocka_unit_test(test_directories),
		cmocka_unit_test(test_example),	      cmocka_unit_test(test_edges),
		cmocka_unit_test(test_replacing),     cmocka_unit_test(test_no_rules),
		cmocka_unit_test(test_observed),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
