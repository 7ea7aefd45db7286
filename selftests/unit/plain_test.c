// SPDX-License-Identifier: GPL-2.0
/* Sentences: none of the operations and reasons is without, and events told by them; agents, by what is executed alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ctl/event/agent.h"
#include "ctl/event/plain.h"
#include "selftests/unit/event_sample.h"

#define SPAN(text) ((struct span){ text, sizeof(text) - 1 })

static bool is_sentence(const char *text)
{
	return text && strlen(text) > 10 && text[strlen(text) - 1] == '.';
}

static void test_each_operation(void **state)
{
	(void)state;
	for (unsigned int op = 0; op < OP_COUNT; op++) {
		const struct plain_operation *operation = plain_operation(op);

		if (operation == plain_operation(OP_COUNT))
			fail_msg("%s has no sentence in ctl/event/plain.c", event_op_word(op));
		assert_true(strchr(operation->deed, '@') && plain_deed_len(op) >= strlen("read"));
		assert_true(is_sentence(operation->why) && is_sentence(operation->remedy));
		for (unsigned int other = 0; other < op; other++)
			assert_string_not_equal(operation->deed, plain_operation(other)->deed);
	}
	for (unsigned int life = EVENT_LIFE + 1; life < EVENT_LIFE_END; life++)
		if (plain_operation(life) == plain_operation(OP_COUNT))
			fail_msg("%s has no sentence in ctl/event/plain.c", event_op_word(life));
	assert_non_null(plain_operation(OP_COUNT)->deed);
	assert_ptr_equal(plain_operation(~0u), plain_operation(OP_COUNT));
}

static void test_each_reason(void **state)
{
	(void)state;
	for (unsigned int reason = 0; reason < REASON_COUNT; reason++) {
		assert_true(is_sentence(plain_reason(reason)->cause));
		if (reason != REASON_RULE && reason != REASON_DEFAULT)
			assert_true(is_sentence(plain_reason(reason)->remedy));
	}
}

static void assert_plain(const struct event_view *view, const char *expected)
{
	char *text;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	plain_put(stream, view, false);
	fclose(stream);
	assert_string_equal(text, expected);
	free(text);
}

static void test_blocked(void **state)
{
	struct event_view view;
	struct event event;

	(void)state;
	sample_whole(&event);
	assert_int_equal(event_decode(&event, sample_size(&event), 0, &view), 0);
	assert_plain(
		&view,
		"08:30:56.123 BLOCKED file.read: Claude Code (process 4711) was not allowed to read "
		"/home/u/.ssh/id_ed25519. Agents never read credentials. What is read can be sent "
		"elsewhere: passwords, keys and private files matter most. If it should be allowed: Allow "
		"'read' of this path in the section 'file', or put the file where the agent works.");
	view.verdict = VERDICT_REPEATED;
	view.count = 5;
	view.message = view.tag = (struct span){ 0 };
	view.reason = REASON_TOO_DEEP;
	assert_plain(
		&view,
		"08:30:56.123 BLOCKED file.read: Claude Code (process 4711) was not allowed to read "
		"/home/u/.ssh/id_ed25519. And 5 more like it. The name lies too many folders deep to be "
		"judged. What is read can be sent elsewhere: passwords, keys and private files matter most. "
		"If it should be allowed: Work in a folder that is less deep; 128 levels are judged.");
}

/* A name cannot make a second sentence of its own line, and an object that is not there leaves no hole. */
static void test_names(void **state)
{
	struct event_view view;
	struct event event;

	(void)state;
	sample_init(&event);
	event.verdict = VERDICT_ALLOWED;
	event.op = OP_KERNEL_BPF;
	sample_puts(&event, &event.exe_len, "/x\n08:30 BLOCKED");
	event.object_len = 0;
	assert_int_equal(event_decode(&event, sample_size(&event), 0, &view), 0);
	assert_plain(&view,
		     "08:30:56.123 allowed kernel.bpf: process 4711 (/x\\x0a08:30 BLOCKED) was allowed to "
		     "load a program into the kernel.");
	view.object = SPAN("a\nb");
	assert_plain(&view,
		     "08:30:56.123 allowed kernel.bpf: process 4711 (/x\\x0a08:30 BLOCKED) was allowed to "
		     "load a program into the kernel (a\\x0ab).");
	view.verdict = VERDICT_LOST;
	view.ring = RING_DENIALS;
	view.count = 12;
	assert_plain(&view,
		     "08:30:56.123 lost 12 denials: they came faster than they were read, so nobody knows "
		     "what they were.");
}

static void assert_agent(struct span path, const char *id)
{
	const struct agent *agent = agent_of_file(path);

	if (id)
		assert_string_equal(agent ? agent->id : "(none)", id);
	else
		assert_null(agent);
}

static void test_agent_files(void **state)
{
	(void)state;
	assert_agent(SPAN("/home/u/.local/share/claude/versions/2.0.1"), "claude-code");
	assert_agent(SPAN("/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"), "claude-code");
	assert_agent(SPAN("/usr/local/bin/codex"), "codex");
	assert_agent(SPAN("/home/u/.local/share/cursor-agent/versions/1/node"), "cursor");
	assert_agent(SPAN("/opt/node_modules/@google/gemini-cli/dist/index.js"), "gemini-cli");
	assert_agent(SPAN("/opt/node_modules/@vibe-kit/grok-cli/dist/index.js"), "grok-cli");
	assert_agent(SPAN("/home/u/.local/bin/aider"), "aider");
	assert_agent(SPAN("/v/lib/python3.12/site-packages/aider/main.py"), "aider");
	assert_agent(SPAN("opencode"), "opencode");
	assert_agent(SPAN("/usr/bin/zcode"), "zcode");
	assert_agent(SPAN("/usr/bin/openclacky"), "openclacky");
	assert_agent(SPAN("/home/u/.local/bin/agy"), "antigravity");
	assert_agent(SPAN("/usr/bin/node"), NULL);
	assert_agent(SPAN("/usr/bin/claudette"), NULL);
	assert_agent(SPAN("/home/u/claude/notes"), NULL);
	assert_agent(SPAN(""), NULL);
	assert_agent((struct span){ 0 }, NULL);
}

static void test_agent_commands(void **state)
{
	const struct span gemini[] = { SPAN("node"), SPAN("--no-warnings"),
				       SPAN("/usr/lib/node_modules/@google/gemini-cli/dist/index.js") };
	const struct span aider[] = { SPAN("python"), SPAN("/home/u/.local/bin/aider") };
	const struct span cat[] = { SPAN("cat"), SPAN("/home/u/.local/bin/aider") };
	const struct agent *agent;

	(void)state;
	agent = agent_of_command(SPAN("/usr/bin/node"), gemini, 3);
	assert_string_equal(agent ? agent->id : "", "gemini-cli");
	agent = agent_of_command(SPAN("/usr/bin/python3.11"), aider, 2);
	assert_string_equal(agent ? agent->id : "", "aider");
	assert_null(agent_of_command(SPAN("/usr/bin/cat"), cat, 2));
	assert_null(agent_of_command(SPAN("/usr/bin/node"), NULL, 0));
	assert_null(agent_by_id(SPAN("nobody")));
	assert_string_equal(agent_by_id(SPAN("codex"))->title, "Codex CLI");
}

/* What a process calls itself says nothing. */
static void test_agent_comm(void **state)
{
	struct event_view view;
	struct event event;

	(void)state;
	sample_init(&event);
	sample_puts(&event, &event.exe_len, "/usr/bin/bash");
	assert_int_equal(event_decode(&event, sample_size(&event), 0, &view), 0);
	assert_null(event_agent(&view));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_operation), cmocka_unit_test(test_each_reason),
		cmocka_unit_test(test_blocked),	       cmocka_unit_test(test_names),
		cmocka_unit_test(test_agent_files),    cmocka_unit_test(test_agent_commands),
		cmocka_unit_test(test_agent_comm),
	};

	return cmocka_run_group_tests(tests, sample_use_utc, NULL);
}
