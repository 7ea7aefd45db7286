// SPDX-License-Identifier: GPL-2.0
/* Signals: their names, the table that a policy's rules make, and what their events say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ctl/base/signal_name.h"
#include "event_sample.h"
#include "kern/decide.h"
#include "policy_sample.h"

static void test_names(void **state)
{
	char name[SIGNAL_NAME_MAX];

	(void)state;
	for (int number = 1; number <= SIGNAL_MAX; number++)
		assert_int_equal(signal_parse(signal_name(number, name)), number);
	assert_int_equal(signal_parse("TERM"), 15);
	assert_int_equal(signal_parse("15"), 15);
	assert_int_equal(signal_parse("RTMIN"), 34);
	assert_int_equal(signal_parse("RTMIN+30"), 64);
	assert_int_equal(signal_parse("RTMAX"), 64);
	assert_int_equal(signal_parse("RTMAX-30"), 34);
	for (size_t i = 0; i < 13; i++)
		assert_int_equal(signal_parse((const char *[]){ "", "0", "65", "015", "1x", "-1", "term",
								"SIGTERM", "RTMIN+31", "RTMAX-31", "RTMIN-1",
								"RTMAX+1", "RTMIN+" }[i]),
				 -1);
	assert_string_equal(signal_name(32, name), "32");
	assert_string_equal(signal_name(35, name), "RTMIN+1");
	assert_string_equal(signal_name(~0u, name), "4294967295");
}

/* Every combination of targets has its row, and only those that can occur have different ones. */
static void test_kinds(void **state)
{
	(void)state;
	for (uint32_t targets = 0; targets < 1u << TARGET_COUNT; targets++)
		assert_true(decide_signal_kind(targets) < SIGNAL_KINDS);
	assert_int_equal(decide_signal_kind(TARGET_BIT(TARGET_EXTERNAL)), 6);
	assert_int_equal(decide_signal_kind(0), 6);
}

#define RULE(verb, signals, to) "{\"" verb "\":" signals ",\"to\":" to "}"
#define POLICY(fallback, rules) \
	"{\"name\":\"x\",\"signal\":{\"default\":\"" fallback "\",\"rules\":[" rules "]}}"

static void test_first_rule(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text(POLICY("deny", RULE("deny", "\"KILL\"", "\"descendant\"") "," RULE(
					 "allow", "\"*\"",
					 "[\"self\",\"session\"]") "," RULE("audit", "[\"HUP\",\"40\"]",
									    "[\"external\",\"child\"]")),
		  &compiled);
	assert_verdict(&compiled, "signal.KILL", "self", "allow 1");
	assert_verdict(&compiled, "signal.KILL", "child", "deny 0");
	assert_verdict(&compiled, "signal.KILL", "descendant", "deny 0");
	assert_verdict(&compiled, "signal.KILL", "session", "allow 1");
	assert_verdict(&compiled, "signal.TERM", "child", "allow 1");
	assert_verdict(&compiled, "signal.HUP", "external", "audit 2");
	assert_verdict(&compiled, "signal.RTMIN+6", "external", "audit 2");
	assert_verdict(&compiled, "signal.RTMIN+7", "external", "deny default");
	assert_verdict(&compiled, "signal.HUP", "system", "deny default");
	/* A child that was moved out is not in the session. */
	assert_int_equal(
		WORD_VERB(decide_signal(
			compiled.image, (const __u64 *)(compiled.image + 1), compiled.image->cells - 1,
			decide_signal_kind(TARGET_BIT(TARGET_CHILD) | TARGET_BIT(TARGET_EXTERNAL)), 1)),
		VERB_AUDIT);
	assert_int_equal(WORD_VERB(compiled.image->signal_owner), VERB_DENY);
	compiled_done(&compiled);
	open_text(POLICY("allow", RULE("deny", "\"KILL\"", "\"self\"")), &compiled);
	assert_int_equal(WORD_VERB(compiled.image->signal_owner), VERB_ALLOW);
	compiled_done(&compiled);
}

static void test_dead_rules(void **state)
{
	(void)state;
	refused_text(POLICY("deny", RULE("allow", "\"*\"", "\"session\"") "," RULE("deny", "\"KILL\"",
										   "[\"self\",\"child\"]")),
		     "p.json:1:78: rule 1 can never match: rule 0 at 1:49 decides first\n");
	refused_text(POLICY("deny",
			    RULE("allow", "\"TERM\"", "\"external\"") "," RULE(
				    "allow", "\"HUP\"", "\"external\"") "," RULE("deny", "[\"TERM\",\"HUP\"]",
										 "\"external\"")),
		     "p.json:1:114: rule 2 can never match: rule 0 at 1:49 decides first\n");
}

static void test_event(void **state)
{
	static const struct bucket_key key = { 99, 7, WORD(3, VERB_DENY), BUCKET_OP(OP_SIGNAL_SEND, 40) };
	struct event event;
	struct event_view view;

	(void)state;
	sample_init(&event);
	event.op = OP_SIGNAL_SEND;
	event.error = EPERM;
	event.detail = 15;
	event.other_pid = 4712;
	memcpy(event.other_comm, "a b\nlong-name-xy", 16);
	assert_int_equal(event_decode(&event, sample_size(&event), 0, &view), 0);
	assert_line(&view, false,
		    "08:30:56.123 BLOCKED signal.TERM 4712 a b\\x0along-name-xy  claude[4711] "
		    "coding-agent#credentials");
	event.detail = 40;
	assert_int_equal(event_decode(&event, sample_size(&event), 0, &view), 0);
	assert_line(
		&view, true,
		"{\"time\":\"2026-11-30T08:30:56.123456789Z\",\"verdict\":\"blocked\",\"op\":\"signal.RTMIN+6\","
		"\"object\":\"4712 a b\\\\x0along-name-xy\",\"errno\":\"EPERM\",\"reason\":\"rule\","
		"\"policy\":\"coding-agent\",\"rule\":0,\"tag\":\"credentials\",\"severity\":\"high\","
		"\"message\":\"Agents never read credentials.\","
		"\"process\":{\"pid\":4711,\"tid\":4711,\"ppid\":4700,\"uid\":1000,\"comm\":\"claude\"}}");
	assert_int_equal(BUCKET_OP_NUMBER(key.op), OP_SIGNAL_SEND);
	assert_int_equal(BUCKET_OP_DETAIL(key.op), 40);
	assert_int_equal(BUCKET_OP(OP_KERNEL_BPF, 40), OP_KERNEL_BPF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	   cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_first_rule), cmocka_unit_test(test_dead_rules),
		cmocka_unit_test(test_event),
	};

	sample_use_utc(NULL);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
