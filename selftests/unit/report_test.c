// SPDX-License-Identifier: GPL-2.0
/* Reports: lines read back, sums that are exact whatever repeats, is lost or unreadable, and pages that no name can break. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl/report/json.h"
#include "ctl/report/page.h"
#include "ctl/report/read.h"
#include "ctl/report/top.h"

#define EVENT(verdict, op, object, more)                                                      \
	"{\"time\":\"2026-11-30T08:30:56.5Z\",\"verdict\":\"" verdict "\",\"op\":\"" op "\"," \
	"\"object\":\"" object "\"" more "}\n"
#define PROCESS(pid, ppid, exe) \
	",\"process\":{\"pid\":" #pid ",\"ppid\":" #ppid ",\"uid\":1,\"comm\":\"c\",\"exe\":\"" exe "\"}"

/* Reads TEXT as a file. To be freed. */
static struct collected *collect(const char *text, size_t len)
{
	int fd = memfd_create("events", MFD_CLOEXEC);
	struct collected *collected;

	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(collected_new(&collected), 0);
	assert_int_equal(collected_read(collected, fd, "events"), 0);
	assert_int_equal(collected_finish(collected), 0);
	close(fd);
	return collected;
}

enum look { AS_JSON, AS_HTML, AS_MARKDOWN };

/* To be freed. */
static char *show(const struct collected *collected, enum look look)
{
	struct view view;
	char *text;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	assert_int_equal(view_init(&view, collected, look == AS_JSON ? &limits_json : &limits_page), 0);
	if (look == AS_JSON)
		report_json_put(stream, &view);
	else
		page_put(stream, look == AS_HTML ? &page_html : &page_markdown, &view);
	view_done(&view);
	fclose(stream);
	return text;
}

static char *show_text(const char *text, enum look look)
{
	struct collected *collected = collect(text, strlen(text));
	char *shown = show(collected, look);

	collected_free(collected);
	return shown;
}

static void test_moments(void **state)
{
	static const char *const wrong[] = { "",
					     "2026-11-30",
					     "2026-11-30T08:30:56",
					     "2026-13-30T08:30:56Z",
					     "2026-11-30T24:30:56Z",
					     "2026-11-30T08:30:56+01:00",
					     "2026-11-30T08:30:56.1Zx",
					     "yyyy-11-30T08:30:56Z" };
	struct moment moment = { 0 }, later = { 0 };
	char scratch[MOMENT_TEXT];

	(void)state;
	assert_true(moment_parse((struct span){ "2026-11-30T08:30:56.123456789Z", 30 }, &moment));
	assert_int_equal(moment.seconds, 1796027456);
	assert_string_equal(moment_text(&moment, scratch), "2026-11-30T08:30:56.123456789Z");
	assert_true(moment_parse((struct span){ "2026-11-30T08:30:56.2Z", 22 }, &later));
	assert_int_equal(later.ns, 200000000);
	assert_true(moment_compare(&moment, &later) < 0 && !moment_compare(&later, &later));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct moment none = { 0 };

		assert_false(moment_parse((struct span){ wrong[i], strlen(wrong[i]) }, &none));
		assert_string_equal(moment_text(&none, scratch), "");
	}
}

static void test_record(void **state)
{
	static const char text[] =
		"{\"time\":\"2026-11-30T08:30:56Z\",\"seq\":42,\"verdict\":\"repeated\",\"of\":\"blocked\","
		"\"count\":7,\"op\":\"signal.TERM\",\"object\":\"4712 a\\\"b\",\"args\":[\"a\",\"b\\u00e9\"],"
		"\"truncated\":true,\"rule\":3,\"severity\":\"high\",\"reason\":\"default\",\"unheard\":{\"of\":1},"
		"\"process\":{\"pid\":4711,\"ppid\":4700,\"uid\":1000,\"comm\":\"x\",\"exe\":\"/y\"}}";
	struct json_line *line;
	struct record record;

	(void)state;
	assert_int_equal(json_line_new(&line), 0);
	assert_int_equal(record_read(line, text, strlen(text), &record), 0);
	assert_true(record.time.is_known && record.seq == 42 && record.count == 7);
	assert_true(record.verdict == VERDICT_REPEATED && record.repeated == VERDICT_BLOCKED);
	assert_true(record.op == OP_SIGNAL_SEND && record.reason == REASON_DEFAULT);
	assert_true(record.rule == 3 && record.severity == SEVERITY_HIGH && record.is_truncated);
	assert_true(record.pid == 4711 && record.ppid == 4700 && record.uid == 1000);
	assert_memory_equal(record.object.data, "4712 a\"b", 8);
	assert_int_equal(record.arg_count, 2);
	assert_memory_equal(record.args[1].data, "b\xc3\xa9", 3);
	json_line_free(line);
}

/* None of them is an event, and each is counted; what stands around them is read. */
static void test_unreadable(void **state)
{
	static const char text[] = EVENT(
		"allowed", "file.read", "/a",
		"") "not json\n[1]\n\"x\"\n{}\n{\"verdict\":\"blocked\"}\n{\"verdict\":\"odd\",\"op\":\"file.read\"}\n"
		    "{\"verdict\":\"lost\"}\n{\"verdict\":\"repeated\",\"op\":\"file.read\",\"count\":1}\n"
		    "{\"verdict\":\"allowed\",\"op\":\"file.read\",\"object\":\"\xff\"}\n\n  \n" EVENT(
			    "allowed", "file.read", "/b", "") "{\"verdict\":\"allowed\",\"op\":\"fi";
	struct collected *collected;

	(void)state;
	collected = collect(text, strlen(text));
	assert_int_equal(collected->source[0].lines, 12);
	assert_int_equal(collected->source[0].events, 2);
	assert_int_equal(collected->source[0].unreadable, 10);
	assert_true(collected->source[0].is_cut);
	assert_int_equal(names_count(collected->objects), 2);
	collected_free(collected);
}

/* The last line may lack its end and be whole; a line without end in sight is passed over, whatever follows it is not. */
static void test_long_line(void **state)
{
	static const char after[] = EVENT("allowed", "file.read", "/a", "");
	size_t long_len = 3ul * LINE_BYTES_MAX, len = long_len + sizeof(after) - 2;
	char *text = malloc(len);
	struct collected *collected;

	(void)state;
	memset(text, 'x', long_len);
	text[long_len - 1] = '\n';
	memcpy(text + long_len, after, sizeof(after) - 2);
	collected = collect(text, len);
	assert_true(collected->source[0].lines == 2 && collected->source[0].events == 1);
	assert_true(collected->source[0].too_long == 1 && collected->source[0].unreadable == 1);
	assert_false(collected->source[0].is_cut);
	collected_free(collected);
	free(text);
}

static void test_account(void **state)
{
	static const char text[] = EVENT("blocked", "file.read", "/a",
					 ",\"seq\":5") EVENT("blocked", "file.read", "/a", ",\"seq\":6")
		EVENT("repeated", "file.read", "/a",
		      ",\"of\":\"blocked\",\"count\":3127,\"seq\":7") "{\"verdict\":\"lost\",\"count\":12,\"ring\":\"denials\"}\n"
								      "{\"verdict\":\"lost\",\"count\":3,\"ring\":\"observations\"}\n" EVENT(
									      "audited", "file.write", "/b",
									      ",\"seq\":23")
									      EVENT("allowed", "file.read",
										    "/b", ",\"seq\":26")
										      EVENT("allowed",
											    "file.read", "/b",
											    ",\"seq\":1");
	struct collected *collected;

	(void)state;
	collected = collect(text, strlen(text));
	assert_int_equal(collected->acts.blocked, 3129);
	assert_int_equal(collected->acts.noted, 1);
	assert_int_equal(collected->acts.done, 2);
	assert_int_equal(collected->told, 5);
	assert_int_equal(collected->merged, 3127);
	assert_int_equal(collected->lost[RING_DENIALS], 12);
	assert_int_equal(collected->lost[RING_OBSERVATIONS], 3);
	/* 8 to 22 were lost; 24 and 25 nobody has. */
	assert_int_equal(collected->source[0].missing, 2);
	assert_int_equal(names_count(collected->group_keys), 2);
	assert_int_equal(collected->group[0].told, 2);
	assert_int_equal(collected->group[0].merged, 3127);
	collected_free(collected);
}

/* A filter may hide what follows lost events; they explain no more numbers than there are. */
static void test_account_of_several(void **state)
{
	static const char text[] = EVENT(
		"allowed", "file.read", "/a",
		",\"seq\":1") "{\"verdict\":\"lost\",\"count\":5,\"ring\":\"denials\"}\n" EVENT("allowed",
												"file.read",
												"/a",
												",\"seq\":4")
		EVENT("repeated", "file.read", "/a", ",\"of\":\"blocked\",\"count\":2")
			EVENT("repeated", "file.read", "/a", ",\"of\":\"allowed\",\"count\":3");
	struct collected *collected;

	(void)state;
	collected = collect(text, strlen(text));
	assert_int_equal(collected->source[0].missing, 0);
	assert_int_equal(collected->merged, 5);
	assert_int_equal(collected->acts.blocked, 2);
	assert_int_equal(collected->acts.done, 5);
	collected_free(collected);
}

/* Counts that no memory could hold add up to the largest number, not to a small one. */
static void test_largest(void **state)
{
	static const char text[] =
		"{\"verdict\":\"lost\",\"count\":18446744073709551615,\"ring\":\"denials\"}\n"
		"{\"verdict\":\"lost\",\"count\":5,\"ring\":\"denials\"}\n"
		"{\"verdict\":\"lost\",\"count\":18446744073709551616,\"ring\":\"denials\"}\n" EVENT(
			"repeated", "file.read", "/a", ",\"of\":\"blocked\",\"count\":18446744073709551615")
			EVENT("repeated", "file.read", "/a", ",\"of\":\"blocked\",\"count\":2");
	struct collected *collected;

	(void)state;
	collected = collect(text, strlen(text));
	assert_true(collected->lost[RING_DENIALS] == UINT64_MAX && collected->acts.blocked == UINT64_MAX);
	assert_int_equal(collected->source[0].unreadable, 1);
	collected_free(collected);
}

static void test_tree(void **state)
{
	static const char text[] = EVENT("allowed", "file.read", "/a",
					 PROCESS(50, 1, "/usr/local/bin/claude"))
		EVENT("allowed", "file.read", "/a", PROCESS(51, 50, "/usr/bin/bash"))
			EVENT("allowed", "exec.run", "/usr/bin/node",
			      ",\"args\":[\"node\",\"/opt/@google/gemini-cli/index.js\"]" PROCESS(
				      52, 51, "/usr/bin/bash")) EVENT("allowed", "file.read", "/a",
								      PROCESS(53, 52, "/usr/bin/git"))
				EVENT("allowed", "file.read", "/a", PROCESS(60, 61, "/usr/bin/git")) EVENT(
					"allowed", "file.read", "/a", PROCESS(61, 60, "/usr/bin/git"))
					EVENT("allowed", "file.read", "/a", PROCESS(62, 62, "/usr/bin/git"))
						EVENT("allowed", "exit", "", PROCESS(51, 50, "/usr/bin/bash"))
							EVENT("allowed", "file.read", "/a",
							      PROCESS(51, 60, "/usr/bin/vi"));
	struct collected *collected;
	const struct process *process;
	char *page;

	(void)state;
	collected = collect(text, strlen(text));
	process = collected->process;
	assert_int_equal(collected->process_count, 8);
	assert_true(process[0].parent == NO_PROCESS && process[1].parent == 0 && process[2].parent == 1);
	assert_string_equal(process[1].agent->id, "claude-code");
	assert_string_equal(process[2].agent->id, "gemini-cli");
	assert_string_equal(process[3].agent->id, "gemini-cli");
	assert_true((process[4].parent == NO_PROCESS) != (process[5].parent == NO_PROCESS));
	assert_true(process[6].parent == NO_PROCESS);
	assert_true(process[1].is_gone && !process[7].is_gone && !process[7].agent && process[7].parent == 4);
	page = show(collected, AS_MARKDOWN);
	assert_non_null(strstr(page, "- **Claude Code** `/usr/local/bin/claude` process 50, started by 1, "));
	assert_non_null(strstr(page, "\n  - `/usr/bin/bash` process 51, "));
	assert_non_null(strstr(page, "\n    - **Gemini CLI** `/usr/bin/bash` process 52, "));
	assert_non_null(strstr(page, "\n      - `/usr/bin/git` process 53, "));
	free(page);
	collected_free(collected);
}

#define HOSTILE \
	"<script>alert(1)</script>\\\"'><img src=x>&amp;</code></section>`` `\\u202e\\u0001\\u2028x\xe2\x80\xae"

static void test_html(void **state)
{
	static const char more[] = ",\"policy\":\"" HOSTILE "\",\"tag\":\"" HOSTILE
				   "\",\"message\":\"" HOSTILE "\",\"host\":\"" HOSTILE
				   "\",\"target\":\"" HOSTILE "\",\"errno\":\"" HOSTILE
				   "\",\"reason\":\"" HOSTILE "\"" PROCESS(1, 2, HOSTILE) "}\n";
	static const char *const ops[] = { "file.read", "file.rename", "net.connect", "exec.run", HOSTILE };
	char *events, *page;
	size_t len;
	FILE *stream = open_memstream(&events, &len);

	(void)state;
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		for (int blocked = 0; blocked < 2; blocked++)
			fprintf(stream, "{\"verdict\":\"%s\",\"op\":\"%s\",\"object\":\"/%s\"%s",
				blocked ? "blocked" : "allowed", ops[i], HOSTILE, more);
	fclose(stream);
	page = show_text(events, AS_HTML);
	assert_null(strstr(page, "<script"));
	assert_null(strstr(page, "<img"));
	assert_null(strstr(page, "&amp;</code"));
	assert_null(strstr(page, "\xe2\x80\xae"));
	assert_null(strstr(page, "\xe2\x80\xa8"));
	assert_null(strchr(page, 1));
	assert_non_null(
		strstr(page, "&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#62;&#60;img src=x"));
	assert_non_null(strstr(page, "<i>\\u{202e}</i><i>\\u{0001}</i><i>\\u{2028}</i>x<i>\\u{202e}</i>"));
	assert_non_null(strstr(page, "default-src 'none'"));
	assert_null(strstr(page, "http://"));
	assert_null(strstr(page, "https://"));
	free(page);
	page = show_text(events, AS_MARKDOWN);
	assert_null(strstr(page, "\xe2\x80\xae"));
	assert_non_null(strstr(
		page, "``` /<script>alert(1)</script>\"'><img src=x>&amp;</code></section>`` `\\u{202e}"));
	free(page);
	free(events);
}

/* Bounded, and every list says how much more there is. */
static void test_bounds(void **state)
{
	struct collected *collected;
	char *events, *page;
	size_t len;
	FILE *stream = open_memstream(&events, &len);

	(void)state;
	for (int i = 0; i < 2000; i++)
		fprintf(stream,
			"{\"verdict\":\"%s\",\"op\":\"file.create\",\"object\":\"/d%d/f\",\"rule\":%d%s%d}}\n",
			i % 2 ? "blocked" : "allowed", i, i, ",\"process\":{\"pid\":", i + 1);
	fclose(stream);
	collected = collect(events, len);
	page = show(collected, AS_MARKDOWN);
	assert_non_null(strstr(page, "And 960 more kinds, of together 960 acts."));
	assert_non_null(strstr(page, "and 975 more files created"));
	assert_non_null(strstr(page, "and 1,960 more directories"));
	assert_non_null(strstr(page, "and 1,880 more processes"));
	assert_true(strlen(page) < 100000);
	free(page);
	collected_free(collected);
	free(events);
}

static void test_long_names(void **state)
{
	struct collected *collected;
	char *events, *page, *name = malloc(100001);
	size_t len;
	FILE *stream = open_memstream(&events, &len);

	(void)state;
	memset(name, 'a', 100000);
	name[100000] = '\0';
	for (int i = 0; i < 2; i++) {
		name[99999] = 'b' + i;
		fprintf(stream, "{\"verdict\":\"allowed\",\"op\":\"file.read\",\"object\":\"/%s\"}\n", name);
	}
	fclose(stream);
	collected = collect(events, len);
	assert_int_equal(names_count(collected->objects), 2);
	page = show(collected, AS_HTML);
	assert_non_null(strstr(page, "aaa</code>... (100001 bytes)</li>"));
	assert_true(strlen(page) < 20000);
	free(page);
	page = show(collected, AS_JSON);
	assert_non_null(strstr(page, "\"bytes\":100001"));
	free(page);
	collected_free(collected);
	free(events);
	free(name);
}

static void test_names_full(void **state)
{
	struct names *names;

	(void)state;
	assert_int_equal(names_new(2, 100, &names), 0);
	assert_int_equal(names_add(names, (struct span){ "a", 1 }), 0);
	assert_int_equal(names_add(names, (struct span){ 0 }), 1);
	assert_int_equal(names_add(names, (struct span){ "b", 1 }), NAME_NONE);
	assert_int_equal(names_add(names, (struct span){ "a", 1 }), 0);
	assert_int_equal(names_find(names, (struct span){ "b", 1 }), NAME_NONE);
	names_free(names);
}

static void test_names_many(void **state)
{
	struct names *names;

	(void)state;
	assert_int_equal(names_new(100000, 1 << 20, &names), 0);
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(names_add(names, (struct span){ (char *)&i, sizeof(i) }), i);
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(names_find(names, (struct span){ (char *)&i, sizeof(i) }), i);
	names_free(names);
}

static void test_couples(void **state)
{
	const struct couple *couple;
	struct couples couples;
	size_t count;

	(void)state;
	couples_init(&couples);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++)
			couples_add(&couples, i % 5, i, i == 3333 ? 10 : 1);
	couples_sort(&couples);
	couple = couples_of(&couples, 3, &count);
	assert_int_equal(count, 1000);
	assert_true(couple[0].right == 3333 && couple[0].count == 20 && couple[1].right == 3 &&
		    couple[1].count == 2);
	couples_of(&couples, 9, &count);
	assert_int_equal(count, 0);
	couples_done(&couples);
}

static void test_top(void **state)
{
	struct top top;

	(void)state;
	assert_int_equal(top_init(&top, 3), 0);
	for (uint32_t i = 0; i < 100; i++)
		top_add(&top, i % 10, i);
	top_sort(&top);
	assert_int_equal(top.count, 3);
	assert_true(top.list[0].number == 9 && top.list[1].number == 19 && top.list[2].number == 29);
	assert_int_equal(top.more, 97);
	assert_int_equal(top.more_score, 450 - 27);
	top_done(&top);
}

/* However far times lie apart, and in whichever order they come, no act is lost. */
static void test_timeline(void **state)
{
	static const int64_t times[] = { 100, 101, 1000, 0, -5, 1000000, 99, 253402300799, -62135596800, 7 };
	struct timeline timeline = { 0 };
	uint64_t sum = 0;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		timeline_add(&timeline, times[i], VERDICT_BLOCKED, 2);
	assert_true(timeline.count && timeline.count <= TIMELINE_BUCKETS);
	for (size_t i = 0; i < timeline.count; i++)
		sum += timeline.bucket[i].blocked;
	assert_int_equal(sum, 20);
	memset(&timeline, 0, sizeof(timeline));
	timeline_add(&timeline, 1000, VERDICT_ALLOWED, 1);
	timeline_add(&timeline, -3, VERDICT_AUDITED, 1);
	/* Before the epoch, too, a bucket is rounded down. */
	assert_int_equal(timeline.width, 15);
	assert_int_equal(timeline.first, -1);
	assert_int_equal(timeline.bucket[0].noted, 1);
}

static void test_json(void **state)
{
	static const char text[] =
		EVENT("blocked", "file.read", "/a\\\\\\\\x",
		      ",\"policy\":\"p\",\"rule\":0,\"tag\":\"t\",\"reason\":\"rule\"" PROCESS(
			      7, 1, "/usr/local/bin/claude"));
	char *json = show_text(text, AS_JSON), *again = show_text(text, AS_JSON);

	(void)state;
	assert_string_equal(json, again);
	assert_non_null(
		strstr(json, "{\"report\":1,\"summary\":{\"first\":\"2026-11-30T08:30:56.500000000Z\","));
	assert_non_null(strstr(
		json,
		"\"denials\":[{\"verdict\":\"blocked\",\"op\":\"file.read\",\"policy\":\"p\",\"rule\":0,"
		"\"tag\":\"t\",\"reason\":\"rule\",\"count\":1,\"repeated\":0,"));
	assert_non_null(strstr(json,
			       "\"objects\":[{\"name\":\"/a\\\\\\\\x\",\"count\":1}],\"objects_more\":0,"
			       "\"processes\":[{\"id\":0,\"pid\":7,\"exe\":\"/usr/local/bin/claude\","
			       "\"agent\":\"claude-code\",\"count\":1}]"));
	free(json);
	free(again);
}

static void test_empty(void **state)
{
	(void)state;
	for (enum look look = AS_JSON; look <= AS_MARKDOWN; look++) {
		char *page = show_text("", look);

		assert_true(strlen(page) > 100);
		free(page);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments),	   cmocka_unit_test(test_record),
		cmocka_unit_test(test_unreadable), cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_account),	   cmocka_unit_test(test_largest),
		cmocka_unit_test(test_tree),	   cmocka_unit_test(test_html),
		cmocka_unit_test(test_bounds),	   cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_names_full), cmocka_unit_test(test_names_many),
		cmocka_unit_test(test_couples),	   cmocka_unit_test(test_top),
		cmocka_unit_test(test_timeline),   cmocka_unit_test(test_json),
		cmocka_unit_test(test_empty),	   cmocka_unit_test(test_account_of_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
