// SPDX-License-Identifier: GPL-2.0
/* Events from record to line: decoding, and both forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "ctl/event/sink.h"
#include "selftests/unit/event_sample.h"

static void decode(const struct event *event, struct event_view *ret_view)
{
	assert_int_equal(event_decode(event, sample_size(event), 0, ret_view), 0);
	ret_view->seq = 42;
}

static void test_blocked(void **state)
{
	struct event_view view;
	struct event event;

	(void)state;
	sample_whole(&event);
	decode(&event, &view);
	assert_line(
		&view, false,
		"08:30:56.123 BLOCKED file.read /home/u/.ssh/id_ed25519  claude[4711] coding-agent#credentials");
	assert_line(
		&view, true,
		"{\"time\":\"2026-11-30T08:30:56.123456789Z\",\"seq\":42,\"verdict\":\"blocked\","
		"\"op\":\"file.read\",\"object\":\"/home/u/.ssh/id_ed25519\",\"errno\":\"EACCES\","
		"\"reason\":\"rule\",\"policy\":\"coding-agent\",\"rule\":0,\"tag\":\"credentials\","
		"\"severity\":\"high\",\"message\":\"Agents never read credentials.\","
		"\"cgroup\":\"/agents.slice/a.scope\",\"process\":{\"pid\":4711,\"tid\":4711,\"ppid\":4700,"
		"\"uid\":1000,\"comm\":\"claude\",\"exe\":\"/usr/local/bin/claude\",\"agent\":\"claude-code\"}}");
}

static void test_allowed_with_args(void **state)
{
	struct event_view view;
	struct event event;

	(void)state;
	sample_init(&event);
	event.op = OP_EXEC_RUN;
	event.verdict = VERDICT_ALLOWED;
	event.error = 0;
	event.severity = SEVERITY_NONE;
	event.flags = EVENT_MORE | EVENT_ARGS_CUT;
	memset(event.tag, 0, sizeof(event.tag));
	memset(event.message, 0, sizeof(event.message));
	sample_puts(&event, &event.object_len, "/usr/bin/git");
	sample_put(&event, &event.args_len, "git\0status\0\0-\"s", 15);
	decode(&event, &view);
	assert_line(&view, false, "08:30:56.123 allowed exec.run /usr/bin/git status  -\"s...  claude[4711]");
	assert_line(
		&view, true,
		"{\"time\":\"2026-11-30T08:30:56.123456789Z\",\"seq\":42,\"verdict\":\"allowed\","
		"\"op\":\"exec.run\",\"object\":\"/usr/bin/git\",\"args\":[\"git\",\"status\",\"\",\"-\\\"s\"],"
		"\"truncated\":true,\"reason\":\"rule\",\"policy\":\"coding-agent\",\"rule\":0,"
		"\"process\":{\"pid\":4711,\"tid\":4711,\"ppid\":4700,\"uid\":1000,\"comm\":\"claude\"}}");
}

static void test_rename_that_widens(void **state)
{
	struct event_view view;
	struct event event;

	(void)state;
	sample_init(&event);
	event.op = OP_FILE_RENAME;
	event.reason = REASON_WIDENS;
	event.error = EXDEV;
	event.rule = ~0u;
	event.severity = SEVERITY_NONE;
	event.flags = EVENT_MORE;
	memset(event.tag, 0, sizeof(event.tag));
	memset(event.message, 0, sizeof(event.message));
	memcpy(event.comm, "mv\0\0\0\0", 6);
	sample_puts(&event, &event.object_len, "/a");
	sample_puts(&event, &event.target_len, "/b");
	decode(&event, &view);
	assert_line(&view, false,
		    "08:30:56.123 BLOCKED file.rename /a -> /b  mv[4711] coding-agent (widens)");
	assert_line(&view, true,
		    "{\"time\":\"2026-11-30T08:30:56.123456789Z\",\"seq\":42,\"verdict\":\"blocked\","
		    "\"op\":\"file.rename\",\"object\":\"/a\",\"target\":\"/b\",\"errno\":\"EXDEV\","
		    "\"reason\":\"widens\",\"policy\":\"coding-agent\",\"rule\":null,"
		    "\"process\":{\"pid\":4711,\"tid\":4711,\"ppid\":4700,\"uid\":1000,\"comm\":\"mv\"}}");
}

static void assert_address(int family, const void *address, size_t len, uint32_t protocol, const char *object,
			   const char *proto)
{
	char expected[128], scratch[EVENT_ADDRESS_TEXT], number[16];
	struct event_view view;
	struct event event;
	struct span span;

	sample_init(&event);
	event.op = OP_NET_CONNECT;
	event.family = family;
	event.port = 443;
	event.protocol = protocol;
	memcpy(event.address, address, len);
	decode(&event, &view);
	span = event_object(&view, scratch);
	snprintf(expected, sizeof(expected), "%.*s", (int)span.len, span.data);
	assert_string_equal(expected, object);
	assert_string_equal(event_protocol(&view, number), proto);
}

static void test_addresses(void **state)
{
	static const uint8_t longest[16] = { 0xfd, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
					     0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
	static const uint8_t loopback[16] = { [15] = 1 };

	(void)state;
	assert_address(AF_INET, "\xc0\x00\x02\x01", 4, 6, "192.0.2.1:443", "tcp");
	assert_address(AF_INET, "\xff\xff\xff\xff", 4, 262, "255.255.255.255:443", "tcp");
	assert_address(AF_INET6, loopback, 16, 17, "[::1]:443", "udp");
	assert_address(AF_INET6, longest, 16, 58, "[fd11:2233:4455:6677:8899:aabb:ccdd:eeff]:443", "icmp");
	assert_address(AF_INET, "\x7f\0\0\1", 4, 1, "127.0.0.1:443", "icmp");
	assert_address(AF_INET, "\x7f\0\0\1", 4, 132, "127.0.0.1:443", "132");
}

static void test_net_json(void **state)
{
	struct event_view view;
	struct event event;
	char *text;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	(void)state;
	sample_init(&event);
	event.op = OP_NET_CONNECT;
	event.family = AF_INET;
	event.port = 443;
	event.protocol = 6;
	event.flags = EVENT_MORE;
	memcpy(event.address, "\xc0\x00\x02\x01", 4);
	sample_puts(&event, &event.host_len, "example.org");
	decode(&event, &view);
	json_put_event(stream, &view);
	fclose(stream);
	assert_non_null(strstr(text, ",\"op\":\"net.connect\",\"object\":\"192.0.2.1:443\",\"proto\":\"tcp\","
				     "\"host\":\"example.org\",\"errno\":"));
	free(text);
}

static void test_lost_and_repeated(void **state)
{
	struct event_view view = {
		.wall_ns = SAMPLE_NS, .verdict = VERDICT_LOST, .repeated = VERDICT_LOST, .count = 7
	};
	struct event event;

	(void)state;
	assert_line(&view, false, "08:30:56.123 lost 7 denials");
	assert_line(
		&view, true,
		"{\"time\":\"2026-11-30T08:30:56.123456789Z\",\"verdict\":\"lost\",\"count\":7,\"ring\":\"denials\"}");
	sample_init(&event);
	sample_puts(&event, &event.object_len, "/o");
	decode(&event, &view);
	view.verdict = VERDICT_REPEATED;
	view.count = 3127;
	assert_line(
		&view, false,
		"08:30:56.123 BLOCKED file.read /o  claude[4711] coding-agent#credentials (and 3127 more)");
}

static void test_colours(void **state)
{
	struct event_view view = { .wall_ns = SAMPLE_NS,
				   .repeated = VERDICT_BLOCKED,
				   .verdict = VERDICT_BLOCKED };
	struct span kept = { "BLOCKED file.read", 17 };
	char *text;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	(void)state;
	text_put(stream, &view, true);
	fputc('|', stream);
	text_put_kept(stream, SAMPLE_NS, kept, true);
	fputc('|', stream);
	text_put_kept(stream, SAMPLE_NS, kept, false);
	fclose(stream);
	assert_string_equal(text,
			    "08:30:56.123 \x1b[1;31mBLOCKED\x1b[0m file.read|"
			    "08:30:56.123 \x1b[1;31mBLOCKED\x1b[0m file.read|08:30:56.123 BLOCKED file.read");
	free(text);
}

/* Before the epoch and at the ends of what fits; the clock may have been set to anything. */
static void test_odd_times(void **state)
{
	static const int64_t times[] = { -1, 0, INT64_MIN + 1, INT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct event_view view = { .wall_ns = times[i], .verdict = VERDICT_LOST, .count = 1 };
		char *text;
		size_t len;
		FILE *stream = open_memstream(&text, &len);

		json_put_event(stream, &view);
		text_put(stream, &view, false);
		fclose(stream);
		assert_int_equal(text[38], 'Z');
		if (times[i] == -1)
			assert_memory_equal(text, "{\"time\":\"1969-12-31T23:59:59.999999999Z\"", 40);
		free(text);
	}
}

static void test_words(void **state)
{
	(void)state;
	assert_string_equal(event_op_word(OP_FILE_LINK), "file.link");
	assert_string_equal(event_op_word(OP_COUNT), "?");
	assert_string_equal(event_verdict_word(VERDICT_HELD), "held");
	assert_string_equal(event_verdict_word(VERDICT_COUNT), "?");
	assert_string_equal(event_reason_word(REASON_TOO_DEEP), "too-deep");
	assert_string_equal(event_reason_word(~0u), "?");
	assert_null(event_severity_word(SEVERITY_NONE));
	assert_string_equal(event_severity_word(SEVERITY_HIGH), "high");
}

/* Decoding */

static int decode_exact(const struct event *event, size_t size)
{
	void *record = sample_exact(event, size);
	struct event_view view;
	int error = event_decode(record, size, 0, &view);

	event_is_canary(record, size);
	free(record);
	return error;
}

static void test_every_truncation(void **state)
{
	struct event event;
	size_t size;

	(void)state;
	sample_whole(&event);
	size = sample_size(&event);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(decode_exact(&event, i), -EBADMSG);
	assert_int_equal(decode_exact(&event, size), 0);
}

/* The kernel reserves more than it fills; beyond an event's whole size it is none. */
static void test_sizes(void **state)
{
	struct event event[2];

	(void)state;
	memset(event, 0, sizeof(event));
	sample_whole(event);
	assert_int_equal(decode_exact(event, sizeof(*event)), 0);
	assert_int_equal(decode_exact(event, sizeof(*event) + 1), -EBADMSG);
	assert_int_equal(decode_exact(event, 2 * sizeof(*event)), -EBADMSG);
}

static void assert_limit(size_t offset, __u32 limit, __u32 flags)
{
	struct event event;

	for (int i = 0; i < 2; i++) {
		__u32 len = limit + i;

		sample_init(&event);
		event.flags = flags;
		memcpy((char *)&event + offset, &len, sizeof(len));
		assert_int_equal(decode_exact(&event, sizeof(event)), i ? -EBADMSG : 0);
	}
	/* Lengths whose sum wraps around. */
	memset((char *)&event + offset, 0xff, sizeof(__u32));
	assert_int_equal(decode_exact(&event, sizeof(event)), -EBADMSG);
}

static void test_limits(void **state)
{
	(void)state;
	assert_limit(offsetof(struct event, object_len), EVENT_OBJECT_MAX, 0);
	assert_limit(offsetof(struct event, exe_len), EVENT_EXE_MAX, 0);
	assert_limit(offsetof(struct event, cgroup_len), EVENT_CGROUP_MAX, 0);
	assert_limit(offsetof(struct event, target_len), EVENT_TARGET_MAX, EVENT_MORE);
	assert_limit(offsetof(struct event, args_len), EVENT_ARGS_MAX, EVENT_MORE);
	assert_limit(offsetof(struct event, host_len), EVENT_HOST_MAX, EVENT_MORE);
}

/* All of them at their limits fit in one record; one that ends earlier than they say is none. */
static void test_sum_of_lengths(void **state)
{
	struct event event;
	size_t size;

	(void)state;
	sample_init(&event);
	event.flags = EVENT_MORE;
	event.object_len = EVENT_OBJECT_MAX;
	event.exe_len = EVENT_EXE_MAX;
	event.cgroup_len = EVENT_CGROUP_MAX;
	event.target_len = EVENT_TARGET_MAX;
	event.args_len = EVENT_ARGS_MAX;
	event.host_len = EVENT_HOST_MAX;
	size = offsetof(struct event, data) + EVENT_OBJECT_MAX + EVENT_EXE_MAX + EVENT_CGROUP_MAX +
	       EVENT_TARGET_MAX + EVENT_ARGS_MAX + EVENT_HOST_MAX;
	assert_in_range(size, 0, sizeof(event));
	assert_int_equal(decode_exact(&event, size), 0);
	assert_int_equal(decode_exact(&event, size - 1), -EBADMSG);
	/* What a record without EVENT_MORE says there is whatever lay in the ring before. */
	event.flags = 0;
	assert_int_equal(decode_exact(&event, sizeof(event)), 0);
}

static void test_numbers(void **state)
{
	struct event event;

	(void)state;
	sample_init(&event);
	event.op = OP_COUNT;
	assert_int_equal(decode_exact(&event, sizeof(event)), -EBADMSG);
	sample_init(&event);
	event.verdict = VERDICT_REPEATED;
	assert_int_equal(decode_exact(&event, sizeof(event)), -EBADMSG);
	sample_init(&event);
	event.reason = REASON_COUNT;
	assert_int_equal(decode_exact(&event, sizeof(event)), -EBADMSG);
	sample_init(&event);
	event.severity = SEVERITY_HIGH + 1;
	assert_int_equal(decode_exact(&event, sizeof(event)), -EBADMSG);
	sample_init(&event);
	event.error = -EACCES;
	assert_int_equal(decode_exact(&event, sizeof(event)), -EBADMSG);
	event.error = 4096;
	assert_int_equal(decode_exact(&event, sizeof(event)), -EBADMSG);
}

/* Random bytes in a record of any size: whatever is taken for an event must come out as a line. */
static void test_noise(void **state)
{
	struct event event;
	unsigned int seed = 1;
	int taken = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t size = offsetof(struct event, data) + rand_r(&seed) % 600;
		unsigned char *record;
		struct event_view view;

		sample_whole(&event);
		record = sample_exact(&event, size);
		for (int i = rand_r(&seed) % 12; i > 0; i--)
			record[rand_r(&seed) % size] = rand_r(&seed);
		if (!event_decode(record, size, 0, &view)) {
			char *text;
			size_t len;
			FILE *stream = open_memstream(&text, &len);

			taken++;
			json_put_event(stream, &view);
			text_put(stream, &view, false);
			fclose(stream);
			assert_null(memchr(text, '\n', len));
			free(text);
		}
		free(record);
	}
	assert_in_range(taken, 1000, 19999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocked),
		cmocka_unit_test(test_allowed_with_args),
		cmocka_unit_test(test_rename_that_widens),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_net_json),
		cmocka_unit_test(test_lost_and_repeated),
		cmocka_unit_test(test_colours),
		cmocka_unit_test(test_odd_times),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_every_truncation),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_sum_of_lengths),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, sample_use_utc, NULL);
}
