// SPDX-License-Identifier: GPL-2.0
/* An event as one line for people. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "ctl/base/text.h"
#include "ctl/event/sink.h"

#define NS_PER_MS 1000000

#define BLOCKED "BLOCKED"
#define RED_BLOCKED "\x1b[1;31m" BLOCKED "\x1b[0m"

static void put_span(FILE *stream, struct span span)
{
	text_write_name(stream, span.data, span.len);
}

static void put_time(FILE *stream, int64_t wall_ns)
{
	int ns;
	time_t seconds = event_wall_seconds(wall_ns, &ns);
	struct tm local = { 0 };

	localtime_r(&seconds, &local);
	fprintf(stream, "%02d:%02d:%02d.%03d ", local.tm_hour, local.tm_min, local.tm_sec, ns / NS_PER_MS);
}

/* Capitals for what was refused, so that it is found without colours, too. */
static void put_verdict(FILE *stream, enum verdict verdict, bool has_colours)
{
	if (verdict != VERDICT_BLOCKED)
		fputs(event_verdict_word(verdict), stream);
	else
		fputs(has_colours ? RED_BLOCKED : BLOCKED, stream);
}

static void put_args(FILE *stream, struct span args)
{
	const char *end = args.data + args.len;
	const char *at = args.data;
	bool is_first = true;

	/* The first names the program itself, which the object has said more truly. */
	while (at < end) {
		const char *nul = memchr(at, 0, end - at);
		size_t len = (nul ? nul : end) - at;

		if (!is_first) {
			fputs(" ", stream);
			text_write_name(stream, at, len);
		}
		is_first = false;
		at += len + 1;
	}
}

static void put_object(FILE *stream, const struct event_view *view)
{
	char scratch[EVENT_ADDRESS_TEXT], local[EVENT_ADDRESS_TEXT];
	struct span target = event_target(view, local);

	fputs(" ", stream);
	put_span(stream, event_object(view, scratch));
	if (target.len) {
		fputs(" -> ", stream);
		put_span(stream, target);
	}
	if (view->host.len) {
		fputs(" (", stream);
		put_span(stream, view->host);
		fputs(")", stream);
	}
	if (view->args.len)
		put_args(stream, view->args);
	if (view->is_truncated)
		fputs("...", stream);
}

static void put_policy(FILE *stream, const struct event_view *view)
{
	fputs(" ", stream);
	put_span(stream, view->policy);
	if (view->tag.len) {
		fputs("#", stream);
		put_span(stream, view->tag);
	}
	if (view->reason != REASON_RULE && view->reason != REASON_DEFAULT)
		fprintf(stream, " (%s)", event_reason_word(view->reason));
}

static void put_process(FILE *stream, const struct event_view *view)
{
	fputs(" ", stream);
	put_span(stream, view->comm);
	fprintf(stream, "[%u]", view->pid);
}

static void put_details(FILE *stream, const struct event_view *view)
{
	if (view->has_details)
		put_object(stream, view);
	fputs(" ", stream);
	if (view->has_details)
		put_process(stream, view);
	if (view->policy.len && view->repeated != VERDICT_ALLOWED)
		put_policy(stream, view);
}

void text_put_message(FILE *stream, const struct event_view *view, bool has_colours)
{
	char scratch[EVENT_OP_TEXT];

	if (view->verdict == VERDICT_LOST) {
		fprintf(stream, "lost %" PRIu64 " %s", view->count,
			view->ring == RING_DENIALS ? "denials" : "observations");
		return;
	}
	put_verdict(stream, view->repeated, has_colours);
	fprintf(stream, " %s", event_op(view, scratch));
	if (view->has_rule)
		put_details(stream, view);
	if (view->verdict == VERDICT_REPEATED)
		fprintf(stream, " (and %" PRIu64 " more)", view->count);
}

void text_put(FILE *stream, const struct event_view *view, bool has_colours)
{
	put_time(stream, view->wall_ns);
	text_put_message(stream, view, has_colours);
}

void text_put_verdict(FILE *stream, const struct event_view *view, bool has_colours)
{
	put_time(stream, view->wall_ns);
	put_verdict(stream, view->repeated, has_colours);
}

void text_put_kept(FILE *stream, int64_t wall_ns, struct span message, bool has_colours)
{
	size_t len = strlen(BLOCKED);

	put_time(stream, wall_ns);
	if (has_colours && message.len >= len && !memcmp(message.data, BLOCKED, len)) {
		fputs(RED_BLOCKED, stream);
		message.data += len;
		message.len -= len;
	}
	fwrite(message.data, 1, message.len, stream);
}
