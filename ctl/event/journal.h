/* SPDX-License-Identifier: GPL-2.0 */
/* Events as journal entries: written with all fields, and read back only where the journal itself vouches for them. */
#ifndef AGENTCTL_EVENT_JOURNAL_H
#define AGENTCTL_EVENT_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/uio.h>

#include "ctl/event/decode.h"

#define JOURNAL_FIELDS_MAX 20

/* The MESSAGE_ID of a verdict, 32 hexadecimal digits; NULL outside the table. */
const char *journal_message_id(unsigned int verdict);

/* The verdict of a MESSAGE_ID, or VERDICT_COUNT. */
enum verdict journal_verdict(const char *id, size_t len);

/* The fields of one entry; the vectors point into the text. A zeroed one is empty. */
struct journal_entry {
	char *text;
	size_t text_len;
	FILE *stream;			/* only while it is built */
	size_t end[JOURNAL_FIELDS_MAX]; /* where each field ends in the text */
	struct iovec field[JOURNAL_FIELDS_MAX];
	int count;
};

/* Build the fields FIELD=value of VIEW; -ENOMEM. To be freed with journal_entry_done, also after a failure. */
int journal_build(struct journal_entry *entry, const struct event_view *view);
void journal_entry_done(struct journal_entry *entry);

/*
 * Send an entry. Returns -ENOENT where no journal listens (sd_journal_sendv
 * would drop the entry and call that a success), else what the send returned.
 */
int journal_send(const struct journal_entry *entry);

/*
 * Wait until the journal has taken in what was sent: it looks at its senders'
 * executable and unit only then, and cannot vouch for a process that is gone.
 */
int journal_sync(int timeout_ms);

/* Tell a service manager, if one waits for it, that reading has begun. */
void journal_notify_ready(void);

/* Tell it that reading goes on, once a second at most; a service with WatchdogSec= is started anew where this does not come. */
void journal_notify_alive(void);

/* What was read back from one entry; borrowed until the next is read. */
struct journal_line {
	int64_t wall_ns;
	enum verdict verdict;
	enum verdict repeated; /* what a repeated event repeats, else the verdict itself */
	const char *op;	       /* "file.read", empty for lost */
	struct span message;   /* the text line without its time */
	struct span json;      /* the JSON object */
};

struct journal_reader;

/*
 * Open the local journal for events that this product wrote: with a known
 * MESSAGE_ID, sent by root from agentctl-log.service or by this very executable
 * outside of it. Only fields with a leading underscore, which the journal adds
 * itself, decide that; so a look-alike is never read.
 */
int journal_reader_open(struct journal_reader **ret_reader);
void journal_reader_close(struct journal_reader *reader);

/* The next event: 1, 0 at the end, or -errno. Entries that are no whole events are skipped. */
int journal_reader_next(struct journal_reader *reader, struct journal_line *ret_line);

/* Wait until entries were added; 0 also on timeout, -EINTR on a signal. */
int journal_reader_wait(struct journal_reader *reader, int timeout_ms);

#endif
