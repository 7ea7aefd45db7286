// SPDX-License-Identifier: GPL-2.0
/* Builds journal entries and sends them; the table of message ids. */
#include "ctl/event/journal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

/* Without this the library adds the place in this file that called it. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

#include "ctl/base/text.h"
#include "ctl/event/agent.h"
#include "ctl/event/sink.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define SYNC_SOCKET "/run/systemd/journal/io.systemd.journal"

/* docs/agentctl.catalog explains each; a test holds the two against each other. */
static const char *const message_ids[VERDICT_COUNT] = {
	[VERDICT_ALLOWED] = "67c12d1c9ca74e04b6c0f715ed32712a",
	[VERDICT_AUDITED] = "4462acb699f14ff1853f9b412d93d9c4",
	[VERDICT_BLOCKED] = "956a475fd6e043f1979f845700b37a29",
	[VERDICT_HELD] = "75e8a3a25731450fb6cb8d991b5279f3",
	[VERDICT_REPEATED] = "c9d28b5e1d204d50a17298d44c693da6",
	[VERDICT_LOST] = "7cffa7a2cd1b40be974f549890256049",
};

const char *journal_message_id(unsigned int verdict)
{
	return verdict < VERDICT_COUNT ? message_ids[verdict] : NULL;
}

enum verdict journal_verdict(const char *id, size_t len)
{
	enum verdict verdict = 0;

	while (verdict < VERDICT_COUNT &&
	       (len != strlen(message_ids[verdict]) || memcmp(id, message_ids[verdict], len)))
		verdict++;
	return verdict;
}

static int priority_of(const struct event_view *view)
{
	switch (view->repeated) {
	case VERDICT_LOST:
		return LOG_ERR;
	case VERDICT_BLOCKED:
		return view->severity == SEVERITY_HIGH ? LOG_ERR : LOG_WARNING;
	case VERDICT_AUDITED:
	case VERDICT_HELD:
		return LOG_NOTICE;
	default:
		return LOG_INFO;
	}
}

static void field_begin(struct journal_entry *entry, const char *name)
{
	fprintf(entry->stream, "%s=", name);
}

static void field_end(struct journal_entry *entry)
{
	entry->end[entry->count++] = ftello(entry->stream);
}

static void put_text(struct journal_entry *entry, const char *name, const char *value)
{
	if (!value)
		return;
	field_begin(entry, name);
	fputs(value, entry->stream);
	field_end(entry);
}

static void put_number(struct journal_entry *entry, const char *name, uint64_t value)
{
	field_begin(entry, name);
	fprintf(entry->stream, "%" PRIu64, value);
	field_end(entry);
}

/*
 * The printable form here, too: fields are length-prefixed on their way, so that
 * no name could forge another field, but it ends up on a terminal all the same.
 */
static void put_span(struct journal_entry *entry, const char *name, struct span span)
{
	if (!span.len)
		return;
	field_begin(entry, name);
	text_write_name(entry->stream, span.data, span.len);
	field_end(entry);
}

static void put_verdict(struct journal_entry *entry, const char *name, enum verdict verdict)
{
	field_begin(entry, name);
	for (const char *at = event_verdict_word(verdict); *at; at++)
		fputc(toupper((unsigned char)*at), entry->stream);
	field_end(entry);
}

static void put_details(struct journal_entry *entry, const struct event_view *view)
{
	char address[EVENT_ADDRESS_TEXT];

	if (view->has_details)
		put_span(entry, "AGENTCTL_OBJECT", event_object(view, address));
	put_span(entry, "AGENTCTL_POLICY", view->policy);
	if (view->rule != EVENT_NO_RULE)
		put_number(entry, "AGENTCTL_RULE", view->rule);
	put_span(entry, "AGENTCTL_TAG", view->tag);
	if (!view->has_details)
		return;
	put_span(entry, "AGENTCTL_CGROUP", view->cgroup);
	put_text(entry, "AGENTCTL_AGENT", event_agent(view));
	put_span(entry, "AGENTCTL_HOST", view->host);
	put_number(entry, "OBJECT_PID", view->pid);
}

static void put_fields(struct journal_entry *entry, const struct event_view *view)
{
	char scratch[EVENT_OP_TEXT];

	field_begin(entry, "MESSAGE");
	text_put_message(entry->stream, view, false);
	field_end(entry);
	put_text(entry, "MESSAGE_ID", journal_message_id(view->verdict));
	put_number(entry, "PRIORITY", priority_of(view));
	put_verdict(entry, "AGENTCTL_VERDICT", view->verdict);
	if (view->verdict == VERDICT_REPEATED)
		put_verdict(entry, "AGENTCTL_REPEATED", view->repeated);
	if (view->count)
		put_number(entry, "AGENTCTL_COUNT", view->count);
	if (view->verdict != VERDICT_LOST)
		put_text(entry, "AGENTCTL_OP", event_op(view, scratch));
	if (view->has_rule)
		put_details(entry, view);
	/* All of it, for reading back: time, number and process are in no other field. */
	field_begin(entry, "AGENTCTL_JSON");
	json_put_event(entry->stream, view);
	field_end(entry);
}

int journal_build(struct journal_entry *entry, const struct event_view *view)
{
	size_t begin = 0;
	int failed;

	memset(entry, 0, sizeof(*entry));
	entry->stream = open_memstream(&entry->text, &entry->text_len);
	if (!entry->stream)
		return -ENOMEM;
	put_fields(entry, view);
	failed = ferror(entry->stream);
	if (fclose(entry->stream) || failed)
		return -ENOMEM;
	/* Only now, for the text has moved while it grew. */
	for (int i = 0; i < entry->count; i++) {
		entry->field[i] = (struct iovec){ entry->text + begin, entry->end[i] - begin };
		begin = entry->end[i];
	}
	return 0;
}

void journal_entry_done(struct journal_entry *entry)
{
	free(entry->text);
	memset(entry, 0, sizeof(*entry));
}

int journal_send(const struct journal_entry *entry)
{
	if (access(JOURNAL_SOCKET, F_OK))
		return -errno;
	return sd_journal_sendv(entry->field, entry->count);
}

/* The request and its answer are JSON objects that end with a NUL (varlink.org); any answer will do. */
static int sync_talk(int fd, int timeout_ms)
{
	static const char request[] = "{\"method\":\"io.systemd.Journal.Synchronize\"}";
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = SYNC_SOCKET };
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int ready;

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return -errno;
	if (send(fd, request, sizeof(request), MSG_NOSIGNAL) != sizeof(request))
		return -EIO;
	ready = poll(&wait, 1, timeout_ms);
	return ready < 0 ? -errno : ready ? 0 : -ETIMEDOUT;
}

int journal_sync(int timeout_ms)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	error = sync_talk(fd, timeout_ms);
	close(fd);
	return error;
}

void journal_notify_ready(void)
{
	sd_notify(0, "READY=1");
}

void journal_notify_alive(void)
{
	static time_t last;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec != last)
		sd_notify(0, "WATCHDOG=1");
	last = now.tv_sec;
}
