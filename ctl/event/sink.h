/* SPDX-License-Identifier: GPL-2.0 */
/* How one event becomes a line of text, a JSON object, or a journal entry. */
#ifndef AGENTCTL_EVENT_SINK_H
#define AGENTCTL_EVENT_SINK_H

#include <stdbool.h>

#include "ctl/event/decode.h"
#include "ctl/event/line.h"

/*
 * Where events go. Returns 0 once the event is safe with the receiver, else
 * -errno: the reader then keeps it in its ring and stops.
 */
struct event_sink {
	int (*give)(void *context, const struct event_view *view);
	void *context;
};

/* Append "08:30:56.123 BLOCKED file.read /x  claude[4711] policy#tag" in local time, without a line break. */
void text_put(struct line *line, const struct event_view *view, bool has_colours);

/* The same without the time: the journal's MESSAGE. */
void text_put_message(struct line *line, const struct event_view *view, bool has_colours);

/* Append "08:30:56.123", local time. */
void text_put_time(struct line *line, int64_t wall_ns);

/* Append the event as one JSON object without a line break. */
void json_put_event(struct line *line, const struct event_view *view);

#endif
