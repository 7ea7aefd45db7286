// SPDX-License-Identifier: GPL-2.0
/* agentctl log: events from the rings to standard output or the journal, or back from the journal. */
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ctl/cmd/cmd.h"
#include "ctl/event/filter.h"
#include "ctl/event/journal.h"
#include "ctl/event/lock.h"
#include "ctl/event/plain.h"
#include "ctl/event/reader.h"
#include "ctl/event/sink.h"

#define JOURNAL_TRIES 30 /* a second apart */
#define JOURNAL_SYNC_MS 5000
#define JOURNAL_WAIT_MS 1000

struct log {
	struct filter filter;
	bool is_following;
	bool is_json;
	bool is_plain;
	bool is_to_journal;
	bool is_from_journal;
	bool has_colours;
};

static volatile sig_atomic_t is_stopped;

static void stop(int signal)
{
	(void)signal;
	is_stopped = 1;
}

/* Without SA_RESTART, so that waiting and writing end; a second signal kills a write that never does. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = stop, .sa_flags = SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static bool set_globs(const char *option, const char *value,
		      int (*add)(struct filter *, const char *, struct span *), struct filter *filter)
{
	struct span glob;
	int error = add(filter, value, &glob);

	if (error == -E2BIG)
		cmd_usage_error("log", "log: more than %d values of --%s: use a glob", FILTER_GLOBS_MAX,
				option);
	else if (error)
		cmd_usage_error("log", "log: --%s '%.*s' matches nothing: see agentctl-events(7)", option,
				(int)glob.len, glob.data);
	return !error;
}

static bool set_journal(const char *option, const char *value, bool *ret_is_journal)
{
	*ret_is_journal = !strcmp(value, "journal");
	if (!*ret_is_journal)
		cmd_usage_error("log", "log: --%s '%s': only 'journal' is known", option, value);
	return *ret_is_journal;
}

static bool set_option(const char *option, const char *value, void *data)
{
	struct log *log = data;

	if (!strcmp(option, "op"))
		return set_globs(option, value, filter_add_ops, &log->filter);
	if (!strcmp(option, "verdict"))
		return set_globs(option, value, filter_add_verdicts, &log->filter);
	if (!strcmp(option, "to"))
		return set_journal(option, value, &log->is_to_journal);
	if (!strcmp(option, "from"))
		return set_journal(option, value, &log->is_from_journal);
	if (!strcmp(option, "follow"))
		log->is_following = true;
	else if (!strcmp(option, "json"))
		log->is_json = true;
	else if (!strcmp(option, "plain"))
		log->is_plain = true;
	return true;
}

/* A line at a time, straight to the descriptor, so that nothing that was taken from a ring lingers in a buffer. */
static int write_all(const char *data, size_t len)
{
	while (len) {
		ssize_t written = write(STDOUT_FILENO, data, len);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written <= 0)
			continue;
		data += written;
		len -= written;
	}
	return 0;
}

/* What one event's line is made from: a view from a ring, or what the journal kept. */
typedef void (*put_line)(FILE *stream, const struct log *log, const void *event);

static int write_line(const struct log *log, put_line put, const void *event)
{
	char *text = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&text, &len);
	int error;

	if (!stream)
		return -ENOMEM;
	put(stream, log, event);
	fputc('\n', stream);
	error = ferror(stream) ? -ENOMEM : 0;
	if (fclose(stream))
		error = -ENOMEM;
	if (!error)
		error = write_all(text, len);
	free(text);
	return error;
}

static void put_view(FILE *stream, const struct log *log, const void *event)
{
	const struct event_view *view = event;

	if (log->is_json)
		json_put_event(stream, view);
	else if (log->is_plain)
		plain_put(stream, view, log->has_colours);
	else
		text_put(stream, view, log->has_colours);
}

static void put_kept(FILE *stream, const struct log *log, const void *event)
{
	const struct journal_line *line = event;

	if (log->is_json)
		fwrite(line->json.data, 1, line->json.len, stream);
	else
		text_put_kept(stream, line->wall_ns, line->message, log->has_colours);
}

/*
 * The journal may be restarting. While it is away the event waits in its ring,
 * and with it all later ones; what then finds the ring full is counted there.
 */
static int send_patiently(const struct journal_entry *entry)
{
	static const struct timespec second = { .tv_sec = 1 };
	int error = journal_send(entry);

	for (int i = 0; error && i < JOURNAL_TRIES && !is_stopped; i++) {
		if (!i)
			cmd_fail("log: the journal takes no events: %s: trying for %d s", strerror(-error),
				 JOURNAL_TRIES);
		journal_notify_alive();
		nanosleep(&second, NULL);
		error = journal_send(entry);
	}
	return error;
}

static int send_view(const struct event_view *view)
{
	struct journal_entry entry;
	int error = journal_build(&entry, view);

	if (!error)
		error = send_patiently(&entry);
	journal_entry_done(&entry);
	return error;
}

/*
 * No event is dropped here: a failure keeps it in its ring for the next reader,
 * and ends this one, which says so. The ring is bounded, and the kernel counts
 * what it cannot hold.
 */
static int give(void *context, const struct event_view *view)
{
	const struct log *log = context;
	char scratch[EVENT_OP_TEXT];

	if (!filter_matches(&log->filter, view->verdict, view->repeated, event_op(view, scratch)))
		return 0;
	return log->is_to_journal ? send_view(view) : write_line(log, put_view, view);
}

static int follow(struct reader *reader, const struct event_sink *sink, bool is_to_journal)
{
	while (!is_stopped) {
		int error = reader_read(reader, sink, false);

		if (is_to_journal)
			journal_notify_alive();
		if (!error)
			error = reader_wait(reader);
		if (error && error != -EINTR)
			return error;
	}
	return 0;
}

static int say_read_error(const struct log *log, int error)
{
	/* Whoever read our output has seen enough. */
	if (!error || (error == -EPIPE && !log->is_to_journal))
		return EXIT_DONE;
	return cmd_fail("log: cannot pass events to %s: %s: they wait in the ring for the next reader",
			log->is_to_journal ? "the journal" : "standard output", strerror(-error));
}

static int say_open_error(int error, pid_t holder)
{
	switch (error) {
	case -ENOENT:
		return cmd_fail("log: nothing is loaded: load a policy with 'agentctl load FILE'");
	case -EBUSY:
		if (holder)
			return cmd_fail("log: the events are already read by process %d", (int)holder);
		return cmd_fail("log: the events are already read by a process of another pid namespace");
	case -EINVAL:
		return cmd_fail("log: what is loaded is of another version: load the policies again");
	case -EPERM:
	case -EACCES:
		cmd_fail("log: reading events takes privileges: run it as root");
		return EXIT_LACKING;
	}
	return cmd_fail("log: cannot open the events: %s", strerror(-error));
}

/* Asked first, for without them "nothing is loaded" could not be told from "nothing is visible". */
static bool has_privileges(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN) ||
	       data[CAP_TO_INDEX(CAP_BPF)].effective & CAP_TO_MASK(CAP_BPF);
}

static int log_rings(struct log *log)
{
	struct event_sink sink = { give, log };
	struct reader *reader;
	pid_t holder = 0;
	int error;

	error = has_privileges() ? reader_open(READER_PIN_DIR, READER_LOCK_DIR, &reader, &holder) : -EPERM;
	if (error)
		return say_open_error(error, holder);
	if (log->is_to_journal)
		journal_notify_ready();
	error = log->is_following ? follow(reader, &sink, log->is_to_journal) : 0;
	if (!error)
		error = reader_read(reader, &sink, true);
	reader_close(reader);
	if (log->is_to_journal)
		journal_sync(JOURNAL_SYNC_MS);
	return say_read_error(log, error);
}

/* All that is there now: 0, or the error of reading or writing, told by *ret_is_read. */
static int print_kept(const struct log *log, struct journal_reader *reader, bool *ret_is_read)
{
	struct journal_line line;
	int result = 0;

	while (!is_stopped && (result = journal_reader_next(reader, &line)) > 0) {
		if (!filter_matches(&log->filter, line.verdict, line.repeated, line.op))
			continue;
		result = write_line(log, put_kept, &line);
		if (result)
			return result;
	}
	*ret_is_read = true;
	return is_stopped ? 0 : result;
}

static int log_from_journal(const struct log *log)
{
	struct journal_reader *reader;
	bool is_read;
	int error;

	error = journal_reader_open(&reader);
	if (error)
		return cmd_fail("log: cannot open the journal: %s", strerror(-error));
	do {
		is_read = false;
		error = print_kept(log, reader, &is_read);
		if (!error && log->is_following && !is_stopped)
			error = journal_reader_wait(reader, JOURNAL_WAIT_MS);
		if (error == -EINTR)
			error = 0;
	} while (!error && log->is_following && !is_stopped);
	journal_reader_close(reader);
	if (!error || (!is_read && error == -EPIPE))
		return EXIT_DONE;
	return cmd_fail("log: cannot %s: %s", is_read ? "read the journal" : "write to standard output",
			strerror(-error));
}

int cmd_log(int argc, char **argv)
{
	struct log log = { 0 };
	int first, code;

	if (!cmd_parse(argc, argv, set_option, &log, &first, &code))
		return code;
	if (first < argc)
		return cmd_usage_error("log", "log: unexpected '%s'", argv[first]);
	if (log.is_to_journal && (log.is_from_journal || log.is_json))
		return cmd_usage_error("log", "log: --to goes neither with --from nor with --json");
	/* The journal keeps lines, not what they were made from. */
	if (log.is_plain && (log.is_json || log.is_to_journal || log.is_from_journal))
		return cmd_usage_error("log", "log: --plain goes with none of --json, --to and --from");
	log.has_colours = cmd_has_colour(STDOUT_FILENO);
	catch_signals();
	return log.is_from_journal ? log_from_journal(&log) : log_rings(&log);
}
