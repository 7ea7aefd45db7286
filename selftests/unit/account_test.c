// SPDX-License-Identifier: GPL-2.0
/* The account: numbers without holes, repeats, losses, and what one reader leaves to the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "ctl/event/account.h"
#include "selftests/unit/event_sample.h"

struct book {
	struct reader_state state;
	struct account *account;
	struct event_sink sink;
	struct event_view last;
	char object[16];
	int given;
	int error;    /* what the sink says */
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
	assert_line(&book.last, false,
		    "08:30:56.123 audited file.read  coding-agent#credentials (and 4 more)");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests(tests, sample_use_utc, NULL);
}
