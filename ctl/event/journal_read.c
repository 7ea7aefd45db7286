// SPDX-License-Identifier: GPL-2.0
/* Reads events back from the journal, and only those that the journal itself vouches for. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

#include "ctl/event/journal.h"

#define LOG_UNIT "agentctl-log.service"
#define NS_PER_S 1000000000ll
#define US_PER_MS 1000ull

/* Terminated, too. */
struct copy {
	char *data;
	size_t len;
};

struct journal_reader {
	sd_journal *journal;
	struct copy json, message,
		op; /* one entry's fields, for each look-up may move the journal's window */
};

static int match(sd_journal *journal, const char *name, const char *value)
{
	char text[PATH_MAX + 32];
	int len = snprintf(text, sizeof(text), "%s=%s", name, value);

	if (len >= (int)sizeof(text))
		return -ENAMETOOLONG;
	return sd_journal_add_match(journal, text, len);
}

static int match_ids(sd_journal *journal)
{
	int error = 0;

	for (unsigned int verdict = 0; !error && verdict < VERDICT_COUNT; verdict++)
		error = match(journal, "MESSAGE_ID", journal_message_id(verdict));
	return error;
}

/*
 * Who sent it. Any process may send our MESSAGE_ID and fields, but the names
 * with a leading underscore come from the socket's credentials. A governed task
 * cannot be in the service's cgroup. The second way serves who ran the tool by
 * hand; there a root process could pose as it by running this executable with
 * code of its own, and whoever must exclude that reads the unit's entries only.
 */
static int match_sender(sd_journal *journal)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int error;

	error = match(journal, "_SYSTEMD_UNIT", LOG_UNIT);
	if (error || len <= 0)
		return error;
	self[len] = '\0';
	error = sd_journal_add_disjunction(journal);
	if (!error)
		error = match(journal, "_EXE", self);
	return error;
}

/* Matches of one field are alternatives; the terms that the conjunctions set off must all hold. */
static int match_true(sd_journal *journal)
{
	int error;

	error = match_sender(journal);
	if (!error)
		error = sd_journal_add_conjunction(journal);
	if (!error)
		error = match(journal, "_UID", "0");
	if (!error)
		error = match_ids(journal);
	return error;
}

int journal_reader_open(struct journal_reader **ret_reader)
{
	struct journal_reader *reader = calloc(1, sizeof(*reader));
	int error;

	if (!reader)
		return -ENOMEM;
	error = sd_journal_open(&reader->journal, SD_JOURNAL_LOCAL_ONLY | SD_JOURNAL_SYSTEM);
	if (!error)
		error = sd_journal_set_data_threshold(reader->journal, 0);
	if (!error)
		error = match_true(reader->journal);
	if (error) {
		journal_reader_close(reader);
		return error;
	}
	*ret_reader = reader;
	return 0;
}

void journal_reader_close(struct journal_reader *reader)
{
	if (!reader)
		return;
	sd_journal_close(reader->journal);
	free(reader->json.data);
	free(reader->message.data);
	free(reader->op.data);
	free(reader);
}

/* The value of a field, copied; empty unless it returns 0, else -ENOENT, -ENOMEM, or what the journal says. */
static int field_read(sd_journal *journal, const char *name, struct copy *copy)
{
	size_t skip = strlen(name) + 1;
	const void *data;
	size_t len;
	int error;

	free(copy->data);
	memset(copy, 0, sizeof(*copy));
	error = sd_journal_get_data(journal, name, &data, &len);
	if (error)
		return error;
	if (len < skip)
		return -ENOENT;
	copy->data = malloc(len - skip + 1);
	if (!copy->data)
		return -ENOMEM;
	memcpy(copy->data, (const char *)data + skip, len - skip);
	copy->data[len - skip] = '\0';
	copy->len = len - skip;
	return 0;
}

static struct span span_of(const struct copy *copy)
{
	return (struct span){ copy->data ? copy->data : "", copy->len };
}

/* {"time":"2026-11-30T08:30:56.123456789Z" at the very start, as json_put_event writes it. */
static int time_read(const struct copy *json, int64_t *ret_wall_ns)
{
	struct tm utc = { 0 };
	int ns, end = 0;

	if (sscanf(json->data, "{\"time\":\"%4d-%2d-%2dT%2d:%2d:%2d.%9dZ\"%n", &utc.tm_year, &utc.tm_mon,
		   &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &ns, &end) != 7 ||
	    !end)
		return -EBADMSG;
	utc.tm_year -= 1900;
	utc.tm_mon--;
	*ret_wall_ns = timegm(&utc) * NS_PER_S + ns;
	return 0;
}

static enum verdict verdict_of_word(const char *word)
{
	enum verdict verdict = 0;

	while (verdict < VERDICT_COUNT && strcasecmp(word, event_verdict_word(verdict)))
		verdict++;
	return verdict;
}

/* What the entry repeats is only there if it repeats. */
static int verdicts_read(struct journal_reader *reader, struct journal_line *line)
{
	int error;

	error = field_read(reader->journal, "MESSAGE_ID", &reader->op);
	if (error)
		return error;
	line->verdict = line->repeated = journal_verdict(reader->op.data, reader->op.len);
	if (line->verdict == VERDICT_COUNT)
		return -EBADMSG;
	if (line->verdict != VERDICT_REPEATED)
		return 0;
	error = field_read(reader->journal, "AGENTCTL_REPEATED", &reader->op);
	line->repeated = error ? VERDICT_COUNT : verdict_of_word(reader->op.data);
	return error ? error : line->repeated == VERDICT_COUNT ? -EBADMSG : 0;
}

static int entry_read(struct journal_reader *reader, struct journal_line *line)
{
	int error;

	error = verdicts_read(reader, line);
	if (!error)
		error = field_read(reader->journal, "AGENTCTL_JSON", &reader->json);
	if (!error)
		error = field_read(reader->journal, "MESSAGE", &reader->message);
	if (!error)
		error = time_read(&reader->json, &line->wall_ns);
	if (error)
		return error;
	error = field_read(reader->journal, "AGENTCTL_OP", &reader->op);
	if (error && (error != -ENOENT || line->verdict != VERDICT_LOST))
		return error;
	line->op = span_of(&reader->op).data;
	line->message = span_of(&reader->message);
	line->json = span_of(&reader->json);
	return 0;
}

int journal_reader_next(struct journal_reader *reader, struct journal_line *ret_line)
{
	for (;;) {
		struct journal_line line = { 0 };
		int error = sd_journal_next(reader->journal);

		if (error <= 0)
			return error;
		error = entry_read(reader, &line);
		if (error == -ENOENT || error == -EBADMSG)
			continue;
		if (error)
			return error;
		*ret_line = line;
		return 1;
	}
}

int journal_reader_wait(struct journal_reader *reader, int timeout_ms)
{
	int result = sd_journal_wait(reader->journal, timeout_ms * US_PER_MS);

	return result < 0 ? result : 0;
}
