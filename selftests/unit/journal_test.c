// SPDX-License-Identifier: GPL-2.0
/* The fields of journal entries, and that the catalog explains each kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>

#include "ctl/event/journal.h"
#include "selftests/unit/event_sample.h"

#define CATALOG "docs/agentctl.catalog"
#define MANUAL "docs/man/agentctl-events.7"

static void assert_fields(const struct event_view *view, const char *const *expected)
{
	struct journal_entry entry;
	int count = 0;

	assert_int_equal(journal_build(&entry, view), 0);
	for (; expected[count]; count++) {
		char text[1024];

		assert_true(count < entry.count);
		snprintf(text, sizeof(text), "%.*s", (int)entry.field[count].iov_len,
			 (const char *)entry.field[count].iov_base);
		assert_string_equal(text, expected[count]);
	}
	/* The last one holds the whole event, for reading back. */
	assert_int_equal(entry.count, count + 1);
	assert_memory_equal(entry.field[count].iov_base, "AGENTCTL_JSON={\"time\":\"", 23);
	journal_entry_done(&entry);
}

static void id_field(enum verdict verdict, char text[64])
{
	snprintf(text, 64, "MESSAGE_ID=%s", journal_message_id(verdict));
}

static void test_blocked(void **state)
{
	struct event_view view;
	struct event event;
	char id[64];
	const char *const expected[] = {
		"MESSAGE=BLOCKED file.read /home/u/.ssh/id_ed25519  claude[4711] coding-agent#credentials",
		id,
		"PRIORITY=3",
		"AGENTCTL_VERDICT=BLOCKED",
		"AGENTCTL_OP=file.read",
		"AGENTCTL_OBJECT=/home/u/.ssh/id_ed25519",
		"AGENTCTL_POLICY=coding-agent",
		"AGENTCTL_RULE=0",
		"AGENTCTL_TAG=credentials",
		"AGENTCTL_CGROUP=/agents.slice/a.scope",
		"AGENTCTL_AGENT=claude-code",
		"OBJECT_PID=4711",
		NULL,
	};

	(void)state;
	id_field(VERDICT_BLOCKED, id);
	sample_whole(&event);
	assert_int_equal(event_decode(&event, sample_size(&event), 0, &view), 0);
	assert_fields(&view, expected);
}

static void test_address_and_host(void **state)
{
	struct event_view view;
	struct event event;
	char id[64];
	const char *const expected[] = {
		"MESSAGE=audited net.connect 192.0.2.1:443 (example.org)  curl[4711] coding-agent",
		id,
		"PRIORITY=5",
		"AGENTCTL_VERDICT=AUDITED",
		"AGENTCTL_OP=net.connect",
		"AGENTCTL_OBJECT=192.0.2.1:443",
		"AGENTCTL_POLICY=coding-agent",
		"AGENTCTL_HOST=example.org",
		"OBJECT_PID=4711",
		NULL,
	};

	(void)state;
	id_field(VERDICT_AUDITED, id);
	sample_init(&event);
	memcpy(event.comm, "curl\0\0", 6);
	memset(event.tag, 0, sizeof(event.tag));
	event.op = OP_NET_CONNECT;
	event.verdict = VERDICT_AUDITED;
	event.reason = REASON_DEFAULT;
	event.error = 0;
	event.rule = ~0u;
	event.family = AF_INET;
	event.protocol = 6;
	event.port = 443;
	memcpy(event.address, "\xc0\x00\x02\x01", 4);
	event.flags = EVENT_MORE;
	sample_puts(&event, &event.host_len, "example.org");
	assert_int_equal(event_decode(&event, sample_size(&event), 0, &view), 0);
	assert_fields(&view, expected);
}

static void test_lost(void **state)
{
	struct event_view view = { .verdict = VERDICT_LOST, .repeated = VERDICT_LOST, .count = 12 };
	char id[64];
	const char *const expected[] = {
		"MESSAGE=lost 12 denials", id,	"PRIORITY=3", "AGENTCTL_VERDICT=LOST",
		"AGENTCTL_COUNT=12",	   NULL
	};

	(void)state;
	id_field(VERDICT_LOST, id);
	assert_fields(&view, expected);
}

static void test_repeated_without_details(void **state)
{
	struct event_view view = {
		.verdict = VERDICT_REPEATED, .repeated = VERDICT_BLOCKED, .count = 5, .op = OP_FILE_WRITE
	};
	char id[64];
	const char *const expected[] = { "MESSAGE=BLOCKED file.write (and 5 more)",
					 id,
					 "PRIORITY=4",
					 "AGENTCTL_VERDICT=REPEATED",
					 "AGENTCTL_REPEATED=BLOCKED",
					 "AGENTCTL_COUNT=5",
					 "AGENTCTL_OP=file.write",
					 NULL };

	(void)state;
	id_field(VERDICT_REPEATED, id);
	assert_fields(&view, expected);
}

static int priority(enum verdict verdict, enum severity severity)
{
	struct event_view view = {
		.verdict = verdict, .repeated = verdict, .severity = severity, .count = 1
	};
	struct journal_entry entry;
	int priority = -1;

	assert_int_equal(journal_build(&entry, &view), 0);
	for (int i = 0; i < entry.count; i++) {
		if (!memcmp(entry.field[i].iov_base, "PRIORITY=", 9))
			priority = ((char *)entry.field[i].iov_base)[9] - '0';
	}
	journal_entry_done(&entry);
	return priority;
}

static void test_priorities(void **state)
{
	(void)state;
	assert_int_equal(priority(VERDICT_BLOCKED, SEVERITY_HIGH), 3);
	assert_int_equal(priority(VERDICT_BLOCKED, SEVERITY_MEDIUM), 4);
	assert_int_equal(priority(VERDICT_BLOCKED, SEVERITY_NONE), 4);
	assert_int_equal(priority(VERDICT_AUDITED, SEVERITY_HIGH), 5);
	assert_int_equal(priority(VERDICT_HELD, SEVERITY_NONE), 5);
	assert_int_equal(priority(VERDICT_ALLOWED, SEVERITY_HIGH), 6);
	assert_int_equal(priority(VERDICT_LOST, SEVERITY_NONE), 3);
}

static void test_ids(void **state)
{
	(void)state;
	for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++) {
		const char *id = journal_message_id(verdict);

		assert_int_equal(strlen(id), 32);
		for (int i = 0; i < 32; i++)
			assert_true(isdigit((unsigned char)id[i]) || (id[i] >= 'a' && id[i] <= 'f'));
		/* Also tells that no two are the same. */
		assert_int_equal(journal_verdict(id, 32), verdict);
		assert_int_equal(journal_verdict(id, 31), VERDICT_COUNT);
	}
	assert_null(journal_message_id(VERDICT_COUNT));
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 65536);

	assert_non_null(file);
	assert_true(fread(text, 1, 65535, file) > 0);
	fclose(file);
	return text;
}

static void test_catalog(void **state)
{
	char *text = read_text(CATALOG);
	int entries = 0;

	(void)state;
	for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++) {
		char want[64];

		snprintf(want, sizeof(want), "\n-- %s\nSubject: ", journal_message_id(verdict));
		assert_non_null(strstr(text, want));
	}
	for (const char *at = text; (at = strstr(at, "\n-- ")); at++)
		entries++;
	assert_int_equal(entries, VERDICT_COUNT);
	free(text);
}

static void test_manual(void **state)
{
	char *text = read_text(MANUAL);

	(void)state;
	for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++) {
		char want[64];

		snprintf(want, sizeof(want), "\n.It Cm %s\n%s\n", event_verdict_word(verdict),
			 journal_message_id(verdict));
		assert_non_null(strstr(text, want));
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocked),	   cmocka_unit_test(test_address_and_host),
		cmocka_unit_test(test_lost),	   cmocka_unit_test(test_repeated_without_details),
		cmocka_unit_test(test_priorities), cmocka_unit_test(test_ids),
		cmocka_unit_test(test_catalog),	   cmocka_unit_test(test_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
