// SPDX-License-Identifier: GPL-2.0
/* An event as one JSON object: what is not known is not there, and every name is in its printable form. */
#include <string.h>
#include <time.h>

#include "ctl/base/json_writer.h"
#include "ctl/event/agent.h"
#include "ctl/event/sink.h"

static void put_name(struct json_writer *json, const char *key, struct span span)
{
	if (!span.len)
		return;
	json_key(json, key);
	json_name(json, span.data, span.len);
}

static void put_word(struct json_writer *json, const char *key, const char *word)
{
	if (!word)
		return;
	json_key(json, key);
	json_string(json, word);
}

static void put_number(struct json_writer *json, const char *key, uint64_t number)
{
	json_key(json, key);
	json_unsigned(json, number);
}

static void put_time(struct json_writer *json, int64_t wall_ns)
{
	int ns;
	time_t seconds = event_wall_seconds(wall_ns, &ns);
	struct tm utc = { 0 };
	char text[64];
	size_t len;

	gmtime_r(&seconds, &utc);
	len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text + len, sizeof(text) - len, ".%09dZ", ns);
	put_word(json, "time", text);
}

static void put_args(struct json_writer *json, struct span args)
{
	const char *end = args.data + args.len;

	if (!args.len)
		return;
	json_key(json, "args");
	json_begin_array(json);
	for (const char *at = args.data; at < end;) {
		const char *nul = memchr(at, 0, end - at);
		size_t len = (nul ? nul : end) - at;

		json_name(json, at, len);
		at += len + 1;
	}
	json_end_array(json);
}

static void put_object(struct json_writer *json, const struct event_view *view)
{
	char address[EVENT_ADDRESS_TEXT], local[EVENT_ADDRESS_TEXT];
	char protocol[16];
	struct span object = event_object(view, address);

	json_key(json, "object");
	json_name(json, object.data, object.len);
	put_name(json, "target", event_target(view, local));
	put_word(json, "proto", event_protocol(view, protocol));
	put_name(json, "host", view->host);
	put_args(json, view->args);
	if (!view->is_truncated)
		return;
	json_key(json, "truncated");
	json_bool(json, true);
}

static void put_errno(struct json_writer *json, int error)
{
	const char *name = error ? strerrorname_np(error) : NULL;

	if (name)
		put_word(json, "errno", name);
	else if (error)
		put_number(json, "errno", error);
}

static void put_decision(struct json_writer *json, const struct event_view *view)
{
	put_errno(json, view->error);
	put_word(json, "reason", event_reason_word(view->reason));
	put_name(json, "policy", view->policy);
	json_key(json, "rule");
	if (view->rule == EVENT_NO_RULE)
		json_null(json);
	else
		json_unsigned(json, view->rule);
	put_name(json, "tag", view->tag);
	put_word(json, "severity", event_severity_word(view->severity));
	put_name(json, "message", view->message);
}

static void put_process(struct json_writer *json, const struct event_view *view)
{
	json_key(json, "process");
	json_begin_object(json);
	put_number(json, "pid", view->pid);
	put_number(json, "tid", view->tid);
	put_number(json, "ppid", view->ppid);
	put_number(json, "uid", view->uid);
	json_key(json, "comm");
	json_name(json, view->comm.data, view->comm.len);
	put_name(json, "exe", view->exe);
	put_word(json, "agent", event_agent(view));
	json_end_object(json);
}

static void put_details(struct json_writer *json, const struct event_view *view)
{
	if (view->has_details)
		put_object(json, view);
	if (view->has_rule)
		put_decision(json, view);
	else
		put_number(json, "generation", view->generation);
	if (!view->has_details)
		return;
	put_name(json, "cgroup", view->cgroup);
	put_process(json, view);
}

static void put_event(struct json_writer *json, const struct event_view *view)
{
	char scratch[EVENT_OP_TEXT];

	put_time(json, view->wall_ns);
	if (view->seq)
		put_number(json, "seq", view->seq);
	put_word(json, "verdict", event_verdict_word(view->verdict));
	if (view->verdict == VERDICT_REPEATED)
		put_word(json, "of", event_verdict_word(view->repeated));
	if (view->count)
		put_number(json, "count", view->count);
	if (view->verdict == VERDICT_LOST) {
		put_word(json, "ring", view->ring == RING_DENIALS ? "denials" : "observations");
		return;
	}
	put_word(json, "op", event_op(view, scratch));
	put_details(json, view);
}

void json_put_event(FILE *stream, const struct event_view *view)
{
	struct json_writer json;

	json_writer_init(&json, stream);
	json_begin_object(&json);
	put_event(&json, view);
	json_end_object(&json);
}
