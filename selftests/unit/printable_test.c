// SPDX-License-Identifier: GPL-2.0
/* Names that try to forge lines, terminals or JSON, through every sink. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "ctl/event/journal.h"
#include "ctl/event/sink.h"
#include "selftests/unit/event_sample.h"

struct forged {
	const char *name;
	size_t len;
	const char *text;
	const char *json;
};

/* Versions of clang-format differ on a list in a macro. */
/* clang-format off */
#define FORGED(name, text, json) { name, sizeof(name) - 1, text, json }
/* clang-format on */

static const struct forged forged[] = {
	FORGED("/tmp/plain", "/tmp/plain", "/tmp/plain"),
	FORGED("/tmp/a\nBLOCKED", "/tmp/a\\x0aBLOCKED", "/tmp/a\\\\x0aBLOCKED"),
	FORGED("a\nMESSAGE=x\nPRIORITY=0", "a\\x0aMESSAGE=x\\x0aPRIORITY=0",
	       "a\\\\x0aMESSAGE=x\\\\x0aPRIORITY=0"),
	FORGED("\x1b[2J", "\\x1b[2J", "\\\\x1b[2J"),
	FORGED("\" , \"decision\":\"allow", "\" , \"decision\":\"allow", "\\\" , \\\"decision\\\":\\\"allow"),
	FORGED("a\\x0a", "a\\\\x0a", "a\\\\\\\\x0a"),
	FORGED("back\\slash\\", "back\\\\slash\\\\", "back\\\\\\\\slash\\\\\\\\"),
	FORGED("nul\0inside", "nul\\x00inside", "nul\\\\x00inside"),
	FORGED("tab\tdel\x7f", "tab\\x09del\\x7f", "tab\\\\x09del\\\\x7f"),
	/* C1 as UTF-8 (U+009B is a terminal's CSI) and as a bare byte. */
	FORGED("\xc2\x9b"
	       "2J",
	       "\\xc2\\x9b2J", "\\\\xc2\\\\x9b2J"),
	FORGED("\x9b"
	       "2J",
	       "\\x9b2J", "\\\\x9b2J"),
	FORGED("\xc2\xa0", "\xc2\xa0", "\xc2\xa0"),
	/* Overlong, surrogate, beyond the last character, cut off. */
	FORGED("\xc0\xaf", "\\xc0\\xaf", "\\\\xc0\\\\xaf"),
	FORGED("\xe0\x80\xaf", "\\xe0\\x80\\xaf", "\\\\xe0\\\\x80\\\\xaf"),
	FORGED("\xed\xa0\x80", "\\xed\\xa0\\x80", "\\\\xed\\\\xa0\\\\x80"),
	FORGED("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\\\xf4\\\\x90\\\\x80\\\\x80"),
	FORGED("\xe2\x82", "\\xe2\\x82", "\\\\xe2\\\\x82"),
	FORGED("\xe2\x82\xac", "\xe2\x82\xac", "\xe2\x82\xac"),
	FORGED("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"),
	/* Line separator and right-to-left override are characters like any other: no controls, and they stay. */
	FORGED("\xe2\x80\xa8", "\xe2\x80\xa8", "\xe2\x80\xa8"),
	FORGED("\xe2\x80\xae"
	       "txt",
	       "\xe2\x80\xae"
	       "txt",
	       "\xe2\x80\xae"
	       "txt"),
};

#define FORGED_COUNT (sizeof(forged) / sizeof(*forged))

static void view_forged(struct event *event, const struct forged *name, struct event_view *view)
{
	sample_init(event);
	sample_put(event, &event->object_len, name->name, name->len);
	sample_put(event, &event->exe_len, name->name, name->len);
	sample_put(event, &event->cgroup_len, name->name, name->len);
	assert_int_equal(event_decode(event, sample_size(event), 0, view), 0);
}

static void test_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < FORGED_COUNT; i++) {
		char *text, expected[256];
		size_t len;
		FILE *stream = open_memstream(&text, &len);
		struct event_view view;
		struct event event;

		view_forged(&event, &forged[i], &view);
		text_put_message(stream, &view, false);
		fclose(stream);
		snprintf(expected, sizeof(expected),
			 "BLOCKED file.read %s  claude[4711] coding-agent#credentials", forged[i].text);
		assert_string_equal(text, expected);
		assert_int_equal(strlen(text), len);
		free(text);
	}
}

static void test_json(void **state)
{
	(void)state;
	for (size_t i = 0; i < FORGED_COUNT; i++) {
		char *text, expected[256];
		size_t len;
		FILE *stream = open_memstream(&text, &len);
		struct event_view view;
		struct event event;

		view_forged(&event, &forged[i], &view);
		json_put_event(stream, &view);
		fclose(stream);
		snprintf(expected, sizeof(expected), ",\"object\":\"%s\",\"errno\":", forged[i].json);
		assert_non_null(strstr(text, expected));
		snprintf(expected, sizeof(expected), ",\"cgroup\":\"%s\",\"process\":", forged[i].json);
		assert_non_null(strstr(text, expected));
		snprintf(expected, sizeof(expected), ",\"comm\":\"claude\",\"exe\":\"%s\"}}", forged[i].json);
		assert_non_null(strstr(text, expected));
		assert_int_equal(strlen(text), len);
		free(text);
	}
}

static void test_journal(void **state)
{
	(void)state;
	for (size_t i = 0; i < FORGED_COUNT; i++) {
		struct journal_entry entry;
		struct event_view view;
		struct event event;
		char expected[256];
		bool is_found = false;

		view_forged(&event, &forged[i], &view);
		assert_int_equal(journal_build(&entry, &view), 0);
		snprintf(expected, sizeof(expected), "AGENTCTL_OBJECT=%s", forged[i].text);
		for (int field = 0; field < entry.count; field++) {
			const char *data = entry.field[field].iov_base;
			size_t len = entry.field[field].iov_len;

			assert_null(memchr(data, '\n', len));
			assert_null(memchr(data, '\x1b', len));
			assert_null(memchr(data, '\0', len));
			is_found |= len == strlen(expected) && !memcmp(data, expected, len);
		}
		assert_true(is_found);
		journal_entry_done(&entry);
	}
}

/* A process names itself, and so its name is as hostile as any. */
static void test_comm(void **state)
{
	char *text;
	size_t len;
	FILE *stream = open_memstream(&text, &len);
	struct event_view view;
	struct event event;

	(void)state;
	sample_init(&event);
	memcpy(event.comm, "x\n00:00 BLOCKED ", 16); /* without a NUL */
	sample_puts(&event, &event.object_len, "/o");
	assert_int_equal(event_decode(&event, sample_size(&event), 0, &view), 0);
	text_put_message(stream, &view, false);
	fclose(stream);
	assert_string_equal(text,
			    "BLOCKED file.read /o  x\\x0a00:00 BLOCKED [4711] coding-agent#credentials");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_journal),
		cmocka_unit_test(test_comm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
