/* SPDX-License-Identifier: GPL-2.0 */
/* Records as the kernel makes them, for the tests of the event path. */
#ifndef AGENTCTL_EVENT_SAMPLE_H
#define AGENTCTL_EVENT_SAMPLE_H

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "ctl/event/sink.h"
#include "kern/abi.h"

/* 2026-11-30T08:30:56.123456789Z as the boot clock would say it if the machine had started with the epoch. */
#define SAMPLE_NS 1796027456123456789ull

/* The event of the documentation: a credential that was refused. */
static inline void sample_init(struct event *event)
{
	memset(event, 0, sizeof(*event));
	event->time_ns = SAMPLE_NS;
	event->generation = 7;
	event->attachment = 99;
	event->op = OP_FILE_READ;
	event->verdict = VERDICT_BLOCKED;
	event->reason = REASON_RULE;
	event->error = EACCES;
	event->rule = 0;
	event->severity = SEVERITY_HIGH;
	event->pid = event->tid = 4711;
	event->ppid = 4700;
	event->uid = 1000;
	event->word = WORD(3, VERB_DENY);
	memcpy(event->comm, "claude", 6);
	memcpy(event->policy, "coding-agent", 12);
	memcpy(event->tag, "credentials", 11);
	memcpy(event->message, "Agents never read credentials.", 30);
}

/* Append bytes to the data and count them in LEN, whichever it is; in the order of the record. */
static inline void sample_put(struct event *event, __u32 *len, const void *data, size_t size)
{
	size_t used = event->object_len + event->exe_len + event->cgroup_len + event->target_len +
		      event->args_len + event->host_len;

	memcpy(event->data + used, data, size);
	*len = size;
}

static inline void sample_puts(struct event *event, __u32 *len, const char *text)
{
	sample_put(event, len, text, strlen(text));
}

static inline size_t sample_size(const struct event *event)
{
	return offsetof(struct event, data) + event->object_len + event->exe_len + event->cgroup_len +
	       event->target_len + event->args_len + event->host_len;
}

static inline void sample_whole(struct event *event)
{
	sample_init(event);
	sample_puts(event, &event->object_len, "/home/u/.ssh/id_ed25519");
	sample_puts(event, &event->exe_len, "/usr/local/bin/claude");
	sample_puts(event, &event->cgroup_len, "/agents.slice/a.scope");
}

/* In memory of exactly that size, so that the sanitizer sees who reads beyond it. To be freed. */
static inline void *sample_exact(const struct event *event, size_t size)
{
	void *record = malloc(size ? size : 1);

	memcpy(record, event, size);
	return record;
}

/* The event's line of text without colours, or its JSON object. To be freed. */
static inline char *sample_line(const struct event_view *view, bool is_json)
{
	char *text;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	if (is_json)
		json_put_event(stream, view);
	else
		text_put(stream, view, false);
	fclose(stream);
	return text;
}

/* In a macro, so that a failure names the test's own line. */
#define assert_line(view, is_json, expected)                    \
	do {                                                    \
		char *sample_text = sample_line(view, is_json); \
		assert_string_equal(sample_text, expected);     \
		free(sample_text);                              \
	} while (0)

/* Golden lines are written in UTC. */
static inline int sample_use_utc(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
}

#endif
