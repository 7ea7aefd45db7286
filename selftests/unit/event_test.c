// SPDX-License-Identifier: GPL-2.0
/* Events from record to line: decoding, both forms, filters, the ring's layout, and the account. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/bpf.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ctl/event/account.h"
#include "ctl/event/filter.h"
#include "ctl/event/lock.h"
#include "ctl/event/ringbuf.h"
#include "ctl/event/sink.h"
#include "selftests/unit/event_sample.h"

/* Lines */

static void assert_line(const struct event_view *view, bool is_json, const char *expected)
{
	char *text;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	if (is_json)
		json_put_event(stream, view);
	else
		text_put(stream, view, false);
	fclose(stream);
	assert_string_equal(text, expected);
	free(text);
}

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
	assert_line(&view, false,
		    "08:30:56.123 BLOCKED file.read /home/u/.ssh/id_ed25519  claude[4711] coding-agent#credentials");
	assert_line(&view, true,
		    "{\"time\":\"2026-11-30T08:30:56.123456789Z\",\"seq\":42,\"verdict\":\"blocked\","
		    "\"op\":\"file.read\",\"object\":\"/home/u/.ssh/id_ed25519\",\"errno\":\"EACCES\","
		    "\"reason\":\"rule\",\"policy\":\"coding-agent\",\"rule\":0,\"tag\":\"credentials\","
		    "\"severity\":\"high\",\"message\":\"Agents never read credentials.\","
		    "\"cgroup\":\"/agents.slice/a.scope\",\"process\":{\"pid\":4711,\"tid\":4711,\"ppid\":4700,"
		    "\"uid\":1000,\"comm\":\"claude\",\"exe\":\"/usr/bin/node\",\"agent\":\"claude-code\"}}");
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
	assert_line(&view, true,
		    "{\"time\":\"2026-11-30T08:30:56.123456789Z\",\"seq\":42,\"verdict\":\"allowed\","
		    "\"op\":\"exec.run\",\"object\":\"/usr/bin/git\",\"args\":[\"git\",\"status\",\"\",\"-\\\"s\"],"
		    "\"truncated\":true,\"reason\":\"rule\",\"policy\":\"coding-agent\",\"rule\":0,"
		    "\"process\":{\"pid\":4711,\"tid\":4711,\"ppid\":4700,\"uid\":1000,\"comm\":\"claude\","
		    "\"agent\":\"claude-code\"}}");
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
	assert_line(&view, false, "08:30:56.123 BLOCKED file.rename /a -> /b  mv[4711] coding-agent (widens)");
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
	struct event_view view = { .wall_ns = SAMPLE_NS, .verdict = VERDICT_LOST, .repeated = VERDICT_LOST, .count = 7 };
	struct event event;

	(void)state;
	assert_line(&view, false, "08:30:56.123 lost 7 denials");
	assert_line(&view, true,
		    "{\"time\":\"2026-11-30T08:30:56.123456789Z\",\"verdict\":\"lost\",\"count\":7,\"ring\":\"denials\"}");
	sample_init(&event);
	sample_puts(&event, &event.object_len, "/o");
	decode(&event, &view);
	view.verdict = VERDICT_REPEATED;
	view.count = 3127;
	assert_line(&view, false,
		    "08:30:56.123 BLOCKED file.read /o  claude[4711] coding-agent#credentials (and 3127 more)");
}

static void test_colours(void **state)
{
	struct event_view view = { .wall_ns = SAMPLE_NS, .repeated = VERDICT_BLOCKED, .verdict = VERDICT_BLOCKED };
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
	assert_string_equal(text, "08:30:56.123 \x1b[1;31mBLOCKED\x1b[0m file.read|"
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

/* Each within its limit, but not all in one record. */
static void test_sum_of_lengths(void **state)
{
	struct event event;

	(void)state;
	sample_init(&event);
	event.flags = EVENT_MORE;
	event.object_len = event.target_len = EVENT_OBJECT_MAX;
	assert_int_equal(decode_exact(&event, sizeof(event)), 0);
	event.host_len = 1;
	assert_int_equal(decode_exact(&event, sizeof(event)), -EBADMSG);
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

/* Filters */

static bool filter_shows(const char *ops, const char *verdicts, enum verdict verdict, enum verdict repeated,
			 const char *op)
{
	struct filter filter = { 0 };
	struct span glob;

	if (ops)
		assert_int_equal(filter_add_ops(&filter, ops, &glob), 0);
	if (verdicts)
		assert_int_equal(filter_add_verdicts(&filter, verdicts, &glob), 0);
	return filter_matches(&filter, verdict, repeated, op);
}

static void test_filter(void **state)
{
	enum verdict blocked = VERDICT_BLOCKED, lost = VERDICT_LOST;

	(void)state;
	assert_true(filter_shows(NULL, NULL, blocked, blocked, "file.read"));
	assert_true(filter_shows("file.*", NULL, blocked, blocked, "file.read"));
	assert_false(filter_shows("file.*", NULL, blocked, blocked, "net.connect"));
	assert_true(filter_shows("file.*,net.connect", NULL, blocked, blocked, "net.connect"));
	assert_true(filter_shows("signal.TERM", NULL, blocked, blocked, "signal.TERM"));
	assert_true(filter_shows(NULL, "blocked", blocked, blocked, "file.read"));
	assert_false(filter_shows(NULL, "audited,held", blocked, blocked, "file.read"));
	assert_false(filter_shows("exec.*", "blocked", blocked, blocked, "file.read"));
	assert_true(filter_shows(NULL, "blocked", VERDICT_REPEATED, blocked, "file.read"));
	assert_true(filter_shows(NULL, "repeated", VERDICT_REPEATED, blocked, "file.read"));
	assert_false(filter_shows(NULL, "allowed", VERDICT_REPEATED, blocked, "file.read"));
	assert_true(filter_shows("exec.*", "allowed", lost, lost, ""));
}

static void test_filter_refuses(void **state)
{
	struct filter filter = { 0 };
	struct span glob;

	(void)state;
	assert_int_equal(filter_add_ops(&filter, "file.read,file.raed", &glob), -ENOENT);
	assert_memory_equal(glob.data, "file.raed", 9);
	assert_int_equal(filter_add_ops(&filter, "", &glob), -ENOENT);
	assert_int_equal(filter_add_ops(&filter, "file.*,", &glob), -ENOENT);
	assert_int_equal(filter_add_verdicts(&filter, "denied", &glob), -ENOENT);
	memset(&filter, 0, sizeof(filter));
	for (int i = 0; i < FILTER_GLOBS_MAX; i++)
		assert_int_equal(filter_add_ops(&filter, "*", &glob), 0);
	assert_int_equal(filter_add_ops(&filter, "*", &glob), -E2BIG);
}

/* The ring's layout, in plain memory that is mirrored by hand. */

#define RING_SIZE 256

struct fake_ring {
	unsigned long consumer, producer;
	_Alignas(8) uint8_t data[2 * RING_SIZE];
	struct ringbuf ring;
};

static void fake_init(struct fake_ring *fake, unsigned long position)
{
	memset(fake, 0, sizeof(*fake));
	fake->consumer = fake->producer = position;
	fake->ring = (struct ringbuf){ &fake->consumer, &fake->producer, fake->data, RING_SIZE };
}

static uint8_t *fake_at(struct fake_ring *fake, unsigned long position)
{
	return fake->data + position % RING_SIZE;
}

static void fake_put(struct fake_ring *fake, const char *text, uint32_t bits)
{
	uint32_t len = strlen(text), header = len | bits;
	uint8_t *record = fake_at(fake, fake->producer);

	memcpy(record, &header, sizeof(header));
	memcpy(record + BPF_RINGBUF_HDR_SZ, text, len);
	fake->producer += (BPF_RINGBUF_HDR_SZ + len + 7) / 8 * 8;
}

static void assert_peek(struct fake_ring *fake, const char *text)
{
	const void *record;
	size_t size;
	int found = ringbuf_peek(&fake->ring, ringbuf_end(&fake->ring), &record, &size);

	assert_int_equal(found, text ? 1 : 0);
	if (!text)
		return;
	assert_int_equal(size, strlen(text));
	assert_memory_equal(record, text, size);
}

static void test_ring_keeps_until_dropped(void **state)
{
	struct fake_ring fake;

	(void)state;
	fake_init(&fake, 0);
	assert_peek(&fake, NULL);
	fake_put(&fake, "one", 0);
	fake_put(&fake, "the second", 0);
	assert_peek(&fake, "one");
	assert_peek(&fake, "one");
	ringbuf_drop(&fake.ring);
	assert_peek(&fake, "the second");
	ringbuf_drop(&fake.ring);
	assert_peek(&fake, NULL);
	assert_int_equal(fake.consumer, fake.producer);
}

static void test_ring_busy_and_discarded(void **state)
{
	struct fake_ring fake;
	uint32_t header = 4;

	(void)state;
	fake_init(&fake, 0);
	fake_put(&fake, "gone", BPF_RINGBUF_DISCARD_BIT);
	fake_put(&fake, "busy", BPF_RINGBUF_BUSY_BIT);
	fake_put(&fake, "next", 0);
	assert_peek(&fake, NULL);
	assert_int_equal(fake.consumer, 16);
	memcpy(fake_at(&fake, 16), &header, sizeof(header));
	assert_peek(&fake, "busy");
	ringbuf_drop(&fake.ring);
	assert_peek(&fake, "next");
}

/* Positions grow without end and wrap; a round ends where it was told to. */
static void test_ring_wraps(void **state)
{
	struct fake_ring fake;
	const void *record;
	unsigned long end;
	size_t size;

	(void)state;
	fake_init(&fake, -8ul);
	end = ringbuf_end(&fake.ring);
	fake_put(&fake, "across the end", 0);
	assert_int_equal(ringbuf_peek(&fake.ring, end, &record, &size), 0);
	assert_peek(&fake, "across the end");
	ringbuf_drop(&fake.ring);
	assert_int_equal(fake.consumer, 16);
	assert_peek(&fake, NULL);
}

static void test_ring_refuses_nonsense(void **state)
{
	struct fake_ring fake;
	uint32_t header = RING_SIZE;
	const void *record;
	size_t size;

	(void)state;
	fake_init(&fake, 0);
	fake_put(&fake, "x", 0);
	memcpy(fake.data, &header, sizeof(header));
	assert_int_equal(ringbuf_peek(&fake.ring, fake.producer, &record, &size), -EBADMSG);
}

/* The account */

struct book {
	struct reader_state state;
	struct account *account;
	struct event_sink sink;
	struct event_view last;
	char object[16];
	int given;
	int error; /* what the sink says */
	uint64_t sum; /* of all that events stand for */
};

static int book_give(void *context, const struct event_view *view)
{
	struct book *book = context;

	if (book->error)
		return book->error;
	book->last = *view;
	snprintf(book->object, sizeof(book->object), "%.*s", (int)view->object.len,
		 view->object.data ? view->object.data : "");
	book->given++;
	book->sum += view->count ? view->count : 1;
	return 0;
}

static void book_init(struct book *book)
{
	memset(book, 0, sizeof(*book));
	book->sink = (struct event_sink){ book_give, book };
	assert_int_equal(account_new(&book->state, &book->account), 0);
}

static int book_record(struct book *book, const struct event *event, size_t size)
{
	return account_record(book->account, RING_DENIALS, event, size, 0, &book->sink);
}

static int book_lost(struct book *book, uint64_t lost)
{
	return account_lost(book->account, RING_DENIALS, lost, SAMPLE_NS, 0, &book->sink);
}

static int book_bucket(struct book *book, const struct bucket_key *key, uint64_t merged, struct told *told)
{
	return account_bucket(book->account, key, merged, SAMPLE_NS + 5, 0, &book->sink, told);
}

static const struct bucket_key sample_key = { 99, 7, WORD(3, VERB_DENY), OP_FILE_READ };

static void test_account_numbers(void **state)
{
	struct event event;
	struct book book;

	(void)state;
	book_init(&book);
	sample_whole(&event);
	for (uint64_t seq = 1; seq <= 3; seq++) {
		assert_int_equal(book_record(&book, &event, sizeof(event)), 0);
		assert_int_equal(book.last.seq, seq);
	}
	/* 5 lost: no number of its own, but a hole of 5. */
	assert_int_equal(book_lost(&book, 5), 0);
	assert_int_equal(book.last.verdict, VERDICT_LOST);
	assert_int_equal(book.last.seq, 0);
	assert_int_equal(book.last.count, 5);
	assert_int_equal(book_lost(&book, 5), 0);
	assert_int_equal(book.given, 4);
	assert_int_equal(book_record(&book, &event, sizeof(event)), 0);
	assert_int_equal(book.last.seq, 9);
	/* Only what came since. */
	assert_int_equal(book_lost(&book, 7), 0);
	assert_int_equal(book.last.count, 2);
	account_free(book.account);
}

static void test_account_goes_on(void **state)
{
	struct event event;
	struct book book;

	(void)state;
	book_init(&book);
	sample_whole(&event);
	assert_int_equal(book_record(&book, &event, sizeof(event)), 0);
	account_free(book.account);
	assert_int_equal(account_new(&book.state, &book.account), 0);
	assert_int_equal(book_record(&book, &event, sizeof(event)), 0);
	assert_int_equal(book.last.seq, 2);
	account_free(book.account);
}

static void test_account_repeats_the_last(void **state)
{
	struct event event;
	struct book book;
	struct told told = { 0 };

	(void)state;
	book_init(&book);
	sample_init(&event);
	sample_puts(&event, &event.object_len, "/first");
	assert_int_equal(book_record(&book, &event, sizeof(event)), 0);
	sample_init(&event);
	sample_puts(&event, &event.object_len, "/last");
	assert_int_equal(book_record(&book, &event, sizeof(event)), 0);
	/* Another bucket's must not be taken for it. */
	sample_init(&event);
	event.word = WORD(4, VERB_DENY);
	sample_puts(&event, &event.object_len, "/other");
	assert_int_equal(book_record(&book, &event, sizeof(event)), 0);

	assert_int_equal(book_bucket(&book, &sample_key, 3127, &told), 0);
	assert_int_equal(told.count, 3127);
	assert_string_equal(told.policy, "coding-agent");
	assert_string_equal(told.tag, "credentials");
	assert_int_equal(book.last.verdict, VERDICT_REPEATED);
	assert_int_equal(book.last.repeated, VERDICT_BLOCKED);
	assert_int_equal(book.last.count, 3127);
	assert_int_equal(book.last.seq, 4);
	assert_int_equal(book.last.boot_ns, SAMPLE_NS + 5);
	assert_string_equal(book.object, "/last");

	assert_int_equal(book_bucket(&book, &sample_key, 3127, &told), 0);
	assert_int_equal(book.given, 4);
	assert_int_equal(book_bucket(&book, &sample_key, 3130, &told), 0);
	assert_int_equal(book.last.count, 3);
	assert_int_equal(book.last.seq, 5);
	assert_int_equal(book.state.repeated, 3130);
	account_free(book.account);
}

static void test_account_repeats_the_unseen(void **state)
{
	struct book book;
	struct told told = { .count = 10 };

	(void)state;
	book_init(&book);
	assert_int_equal(book_bucket(&book, &sample_key, 14, &told), 0);
	assert_false(book.last.has_details);
	assert_int_equal(book.last.count, 4);
	assert_int_equal(book.last.repeated, VERDICT_BLOCKED);
	assert_line(&book.last, false, "08:30:56.123 BLOCKED file.read (and 4 more)");
	assert_line(&book.last, true,
		    "{\"time\":\"2026-11-30T08:30:56.123456794Z\",\"seq\":1,\"verdict\":\"repeated\","
		    "\"of\":\"blocked\",\"count\":4,\"op\":\"file.read\",\"generation\":7}");
	account_free(book.account);
}

/* What one reader saw, the next one says of what came later. */
static void test_account_hands_over(void **state)
{
	struct told told = { 0 };
	struct bucket_key keys[ACCOUNT_KEYS_MAX];
	struct event event;
	struct book book;

	(void)state;
	book_init(&book);
	assert_false(account_describe(book.account, &sample_key, &told));
	sample_whole(&event);
	event.verdict = VERDICT_AUDITED;
	assert_int_equal(book_record(&book, &event, sizeof(event)), 0);
	assert_int_equal(account_keys(book.account, keys), 1);
	assert_memory_equal(keys, &sample_key, sizeof(sample_key));
	assert_true(account_describe(book.account, &sample_key, &told));
	account_free(book.account);

	assert_int_equal(account_new(&book.state, &book.account), 0);
	assert_int_equal(book_bucket(&book, &sample_key, 4, &told), 0);
	assert_line(&book.last, false, "08:30:56.123 audited file.read  coding-agent#credentials (and 4 more)");
	assert_line(&book.last, true,
		    "{\"time\":\"2026-11-30T08:30:56.123456794Z\",\"seq\":2,\"verdict\":\"repeated\","
		    "\"of\":\"audited\",\"count\":4,\"op\":\"file.read\",\"reason\":\"rule\","
		    "\"policy\":\"coding-agent\",\"rule\":0,\"tag\":\"credentials\",\"severity\":\"high\"}");
	account_free(book.account);
}

static void test_account_bucket_anew(void **state)
{
	struct book book;
	struct told told = { .count = 10 };

	(void)state;
	book_init(&book);
	assert_int_equal(book_bucket(&book, &sample_key, 3, &told), 0);
	assert_int_equal(book.last.count, 3);
	assert_int_equal(told.count, 3);
	told.count = 10;
	assert_int_equal(book_bucket(&book, &sample_key, 0, &told), 0);
	assert_int_equal(told.count, 0);
	assert_int_equal(book.given, 1);
	account_free(book.account);
}

/* A sink that fails leaves all as it was: what was not taken is owed. */
static void test_account_sink_fails(void **state)
{
	struct reader_state before;
	struct event event;
	struct book book;
	struct told told = { 0 };

	(void)state;
	book_init(&book);
	sample_whole(&event);
	assert_int_equal(book_record(&book, &event, sizeof(event)), 0);
	before = book.state;
	book.error = -ENOSPC;
	assert_int_equal(book_record(&book, &event, sizeof(event)), -ENOSPC);
	assert_int_equal(book_lost(&book, 5), -ENOSPC);
	assert_int_equal(book_bucket(&book, &sample_key, 5, &told), -ENOSPC);
	assert_int_equal(told.count, 0);
	assert_memory_equal(&before, &book.state, sizeof(before));
	book.error = 0;
	assert_int_equal(book_lost(&book, 5), 0);
	assert_int_equal(book.last.count, 5);
	account_free(book.account);
}

static void test_account_rejects(void **state)
{
	struct event event;
	struct book book;

	(void)state;
	book_init(&book);
	sample_whole(&event);
	assert_int_equal(book_record(&book, &event, 12), 0);
	event.op = OP_COUNT;
	assert_int_equal(book_record(&book, &event, sizeof(event)), 0);
	assert_int_equal(book.given, 0);
	assert_int_equal(book.state.rejected[RING_DENIALS], 2);
	assert_int_equal(book_lost(&book, 0), 0);
	assert_int_equal(book.last.count, 2);
	assert_int_equal(book.state.lost_told[RING_DENIALS], 2);
	account_free(book.account);
}

static void test_account_drops_canaries(void **state)
{
	struct event event;
	struct book book;

	(void)state;
	book_init(&book);
	sample_whole(&event);
	event.flags = EVENT_CANARY;
	assert_int_equal(book_record(&book, &event, sizeof(event)), 0);
	assert_int_equal(book.given, 0);
	assert_int_equal(book.state.seq, 0);
	account_free(book.account);
}

/* More keys than are remembered: the oldest are forgotten, and the sum still holds. */
static void test_account_many_keys(void **state)
{
	struct event event;
	struct book book;
	uint64_t made = 0;

	(void)state;
	book_init(&book);
	sample_whole(&event);
	for (int i = 0; i < 2 * ACCOUNT_KEYS_MAX; i++, made++) {
		event.word = WORD(i, VERB_DENY);
		assert_int_equal(book_record(&book, &event, sizeof(event)), 0);
	}
	for (int i = 0; i < 2 * ACCOUNT_KEYS_MAX; i++, made += 9) {
		struct bucket_key key = sample_key;
		struct told told = { .count = 1 };

		key.word = WORD(i, VERB_DENY);
		assert_int_equal(book_bucket(&book, &key, 10, &told), 0);
	}
	assert_true(book.last.has_details);
	assert_int_equal(book.sum, made);
	assert_int_equal(book.state.seen + book.state.repeated, made);
	account_free(book.account);
}

/* made = seen + repeated + lost, and numbers without holes but those of lost events, whatever comes in which order. */
static void test_account_holds(void **state)
{
	uint64_t made = 0, merged = 0, lost = 0, next = 1;
	struct told told = { 0 };
	unsigned int seed = 7;
	struct event event;
	struct book book;

	(void)state;
	book_init(&book);
	sample_whole(&event);
	for (int i = 0; i < 5000; i++) {
		int given = book.given;

		book.error = rand_r(&seed) % 5 ? 0 : -EAGAIN;
		switch (rand_r(&seed) % 3) {
		case 0:
			if (!book_record(&book, &event, sizeof(event)))
				made++;
			break;
		case 1:
			merged += rand_r(&seed) % 100;
			book_bucket(&book, &sample_key, merged, &told);
			break;
		case 2:
			lost += rand_r(&seed) % 100;
			book_lost(&book, lost);
			break;
		}
		if (book.given == given)
			continue;
		if (book.last.verdict != VERDICT_LOST)
			assert_int_equal(book.last.seq, next);
		next += book.last.verdict == VERDICT_LOST ? book.last.count : 1;
	}
	book.error = 0;
	book_bucket(&book, &sample_key, merged, &told);
	book_lost(&book, lost);
	made += merged + lost;
	assert_int_equal(book.sum, made);
	assert_int_equal(book.state.seen + book.state.repeated + book.state.lost_told[RING_DENIALS], made);
	account_free(book.account);
}

/* The lock */

static void test_lock_names_its_holder(void **state)
{
	char dir[] = "/tmp/event_test.XXXXXX", lock_dir[64], file[128];
	pid_t holder = -1, child;
	int fd, status;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(lock_dir, sizeof(lock_dir), "%s/run", dir);
	assert_int_equal(reader_lock(lock_dir, &fd, &holder), 0);
	child = fork();
	if (!child) {
		pid_t seen = -1;
		int other;
		int error = reader_lock(lock_dir, &other, &seen);

		_exit(error == -EBUSY && seen == getppid() ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(fd);
	assert_int_equal(reader_lock(lock_dir, &fd, &holder), 0);
	close(fd);
	snprintf(file, sizeof(file), "%s/%s", lock_dir, READER_LOCK_NAME);
	unlink(file);
	rmdir(lock_dir);
	rmdir(dir);
}

static int use_utc(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
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
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_filter_refuses),
		cmocka_unit_test(test_ring_keeps_until_dropped),
		cmocka_unit_test(test_ring_busy_and_discarded),
		cmocka_unit_test(test_ring_wraps),
		cmocka_unit_test(test_ring_refuses_nonsense),
		cmocka_unit_test(test_account_numbers),
		cmocka_unit_test(test_account_goes_on),
		cmocka_unit_test(test_account_repeats_the_last),
		cmocka_unit_test(test_account_repeats_the_unseen),
		cmocka_unit_test(test_account_hands_over),
		cmocka_unit_test(test_account_bucket_anew),
		cmocka_unit_test(test_account_sink_fails),
		cmocka_unit_test(test_account_rejects),
		cmocka_unit_test(test_account_drops_canaries),
		cmocka_unit_test(test_account_many_keys),
		cmocka_unit_test(test_account_holds),
		cmocka_unit_test(test_lock_names_its_holder),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
