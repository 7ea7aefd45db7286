// SPDX-License-Identifier: GPL-2.0
/* One line of recorded events, read back. */
#include "ctl/report/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static bool span_is(const char *data, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(data, word, len);
}

/* DIGITS decimal digits at *AT, which moves on; then the character AFTER, unless that is 0. */
static bool take_number(const char **at, const char *end, int digits, char after, int *ret)
{
	int value = 0;

	if (end - *at < digits + (after != 0))
		return false;
	for (int i = 0; i < digits; i++) {
		char c = *(*at)++;

		if (c < '0' || c > '9')
			return false;
		value = value * 10 + (c - '0');
	}
	*ret = value;
	return !after || *(*at)++ == after;
}

static bool take_fraction(const char **at, const char *end, int32_t *ret_ns)
{
	int32_t scale = 100000000;

	*ret_ns = 0;
	if (*at == end || **at != '.')
		return true;
	for (++*at; *at < end && **at >= '0' && **at <= '9'; ++*at, scale /= 10)
		*ret_ns += scale * (**at - '0');
	return true;
}

bool moment_parse(struct span text, struct moment *ret)
{
	const char *at = text.data, *end = text.data + text.len;
	struct tm tm = { 0 };

	if (!take_number(&at, end, 4, '-', &tm.tm_year) || !take_number(&at, end, 2, '-', &tm.tm_mon) ||
	    !take_number(&at, end, 2, 'T', &tm.tm_mday) || !take_number(&at, end, 2, ':', &tm.tm_hour) ||
	    !take_number(&at, end, 2, ':', &tm.tm_min) || !take_number(&at, end, 2, 0, &tm.tm_sec) ||
	    !take_fraction(&at, end, &ret->ns) || end - at != 1 || *at != 'Z')
		return false;
	if (tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_hour > 23 ||
	    tm.tm_min > 59 || tm.tm_sec > 60)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	ret->seconds = timegm(&tm);
	ret->is_known = true;
	return true;
}

int moment_compare(const struct moment *a, const struct moment *b)
{
	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? -1 : 1;
	return a->ns < b->ns ? -1 : a->ns > b->ns;
}

const char *moment_text(const struct moment *moment, char scratch[MOMENT_TEXT])
{
	time_t seconds = moment->seconds;
	struct tm utc = { 0 };
	size_t len;

	*scratch = '\0';
	if (!moment->is_known || !gmtime_r(&seconds, &utc))
		return scratch;
	len = strftime(scratch, MOMENT_TEXT, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(scratch + len, MOMENT_TEXT - len, ".%09dZ", moment->ns);
	return scratch;
}

static bool find_verdict(const struct json_item *item, enum verdict *ret)
{
	for (unsigned int i = 0; i < VERDICT_COUNT; i++) {
		if (!span_is(item->data, item->len, event_verdict_word(i)))
			continue;
		*ret = i;
		return true;
	}
	return false;
}

static uint32_t find_op(struct span text)
{
	static const char signals[] = "signal.";

	for (unsigned int i = 0; i < OP_COUNT; i++)
		if (span_is(text.data, text.len, event_op_word(i)))
			return i;
	if (text.len > strlen(signals) && !memcmp(text.data, signals, strlen(signals)))
		return OP_SIGNAL_SEND;
	return OP_COUNT;
}

static uint32_t find_reason(struct span text)
{
	for (unsigned int i = 0; i < REASON_COUNT; i++)
		if (span_is(text.data, text.len, event_reason_word(i)))
			return i;
	return REASON_COUNT;
}

static uint32_t find_severity(struct span text)
{
	for (unsigned int i = SEVERITY_INFO; i <= SEVERITY_HIGH; i++)
		if (span_is(text.data, text.len, event_severity_word(i)))
			return i;
	return SEVERITY_NONE;
}

static uint32_t small_number(const struct json_item *item)
{
	uint64_t value;

	return json_item_unsigned(item, &value) && value <= UINT32_MAX ? value : 0;
}

static uint64_t number(const struct json_item *item)
{
	uint64_t value;

	return json_item_unsigned(item, &value) ? value : 0;
}

struct field {
	const char *key;
	size_t offset; /* of the span in struct record */
};

#define FIELD(key, member)                           \
	{                                            \
		key, offsetof(struct record, member) \
	}

static const struct field event_fields[] = {
	FIELD("op", op_text),	      FIELD("object", object),
	FIELD("target", target),      FIELD("host", host),
	FIELD("errno", error),	      FIELD("policy", policy),
	FIELD("reason", reason_text), FIELD("tag", tag),
	FIELD("message", message),    { 0 },
};

static const struct field process_fields[] = {
	FIELD("comm", comm),
	FIELD("exe", exe),
	FIELD("agent", agent),
	{ 0 },
};

static bool set_text(const struct field *fields, const struct json_item *item, struct record *record)
{
	for (; fields->key; fields++) {
		if (!span_is(item->key, item->key_len, fields->key))
			continue;
		if (item->is_string)
			*(struct span *)((char *)record + fields->offset) = (struct span){ item->data,
											   item->len };
		return true;
	}
	return false;
}

static void read_process(struct json_line *line, int at, struct record *record)
{
	struct json_item item;

	for (bool is_there = json_line_first(line, at, &item); is_there;
	     is_there = json_line_next(line, &item)) {
		if (set_text(process_fields, &item, record))
			continue;
		if (span_is(item.key, item.key_len, "pid")) {
			record->pid = small_number(&item);
			record->has_process = record->pid;
		} else if (span_is(item.key, item.key_len, "ppid")) {
			record->ppid = small_number(&item);
		} else if (span_is(item.key, item.key_len, "uid")) {
			record->uid = small_number(&item);
		}
	}
}

static void read_args(struct json_line *line, int at, struct record *record)
{
	struct json_item item;

	for (bool is_there = json_line_first(line, at, &item);
	     is_there && record->arg_count < RECORD_ARGS_MAX; is_there = json_line_next(line, &item))
		record->args[record->arg_count++] = (struct span){ item.data, item.len };
}

/* False if the line is no event. */
static bool set_item(struct json_line *line, const struct json_item *item, struct record *record)
{
	if (set_text(event_fields, item, record))
		return true;
	if (span_is(item->key, item->key_len, "verdict"))
		return item->is_string && find_verdict(item, &record->verdict);
	if (span_is(item->key, item->key_len, "of"))
		return item->is_string && find_verdict(item, &record->repeated);
	if (span_is(item->key, item->key_len, "time"))
		moment_parse((struct span){ item->data, item->len }, &record->time);
	else if (span_is(item->key, item->key_len, "seq"))
		record->seq = number(item);
	else if (span_is(item->key, item->key_len, "count"))
		record->count = number(item);
	else if (span_is(item->key, item->key_len, "rule"))
		json_item_unsigned(item, &record->rule);
	else if (span_is(item->key, item->key_len, "ring"))
		record->ring = span_is(item->data, item->len, "denials") ? RING_DENIALS : RING_OBSERVATIONS;
	else if (span_is(item->key, item->key_len, "severity"))
		record->severity = find_severity((struct span){ item->data, item->len });
	else if (span_is(item->key, item->key_len, "truncated"))
		record->is_truncated = item->len && item->data[0] == 't';
	else if (span_is(item->key, item->key_len, "process") && item->is_object)
		read_process(line, item->at, record);
	else if (span_is(item->key, item->key_len, "args") && item->is_array)
		read_args(line, item->at, record);
	return true;
}

/* An event says what became of what. */
static bool is_event(const struct record *record)
{
	if (record->verdict == VERDICT_COUNT)
		return false;
	if (record->verdict == VERDICT_LOST)
		return record->count;
	if (record->verdict == VERDICT_REPEATED)
		return record->count && record->op_text.len && record->repeated < VERDICT_REPEATED;
	return record->op_text.len;
}

int record_read(struct json_line *line, const char *text, size_t len, struct record *ret)
{
	struct json_item item;
	int result = json_line_read(line, text, len);

	if (result)
		return result;
	memset(ret, 0, sizeof(*ret));
	ret->verdict = ret->repeated = VERDICT_COUNT;
	ret->rule = UINT64_MAX;
	for (bool is_there = json_line_first(line, 0, &item); is_there;
	     is_there = json_line_next(line, &item))
		if (!set_item(line, &item, ret))
			return -EINVAL;
	if (!is_event(ret))
		return -EINVAL;
	if (ret->verdict != VERDICT_REPEATED)
		ret->repeated = ret->verdict;
	ret->op = find_op(ret->op_text);
	ret->reason = find_reason(ret->reason_text);
	return 0;
}
