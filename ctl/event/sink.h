/* SPDX-License-Identifier: GPL-2.0 */
/* How one event becomes a line of text, a JSON object, or a journal entry. */
#ifndef AGENTCTL_EVENT_SINK_H
#define AGENTCTL_EVENT_SINK_H

#include <stdbool.h>
#include <stdio.h>

#include "ctl/event/decode.h"

/*
 * Where events go. Returns 0 once the event is safe with the receiver, else
 * -errno: the reader then keeps it in its ring and stops.
 */
struct event_sink {
	int (*give)(void *context, const struct event_view *view);
	void *context;
};

/*
 * All of these write to a stream whose errors the caller asks for at the end.
 * Names come in their printable form, so that an event is one line whatever it
 * is about.
 */

/* Write "08:30:56.123 BLOCKED file.read /x  claude[4711] policy#tag" in local time, without a line break. */
void text_put(FILE *stream, const struct event_view *view, bool has_colours);

/* The same without the time: the journal's MESSAGE. */
void text_put_message(FILE *stream, const struct event_view *view, bool has_colours);

/* The beginning of both: time and verdict. */
void text_put_verdict(FILE *stream, const struct event_view *view, bool has_colours);

/* A line whose message was kept, as in the journal, with its time in front. */
void text_put_kept(FILE *stream, int64_t wall_ns, struct span message, bool has_colours);

/* Write the event as one JSON object without a line break. */
void json_put_event(FILE *stream, const struct event_view *view);

#endif
