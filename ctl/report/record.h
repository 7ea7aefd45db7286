/* SPDX-License-Identifier: GPL-2.0 */
/* One line of recorded events, read back: the reverse of json_put_event. */
#ifndef AGENTCTL_REPORT_RECORD_H
#define AGENTCTL_REPORT_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/json_line.h"
#include "ctl/event/decode.h"

#define RECORD_ARGS_MAX 8 /* the first ones are enough to know a script by */

/* A time as events bear it: seconds since the epoch, and nanoseconds. */
struct moment {
	int64_t seconds;
	int32_t ns;
	bool is_known;
};

/* Whatever the line lacks is empty or 0; spans live until the next line is read. */
struct record {
	struct moment time;
	uint64_t seq, count;
	enum verdict verdict, repeated;
	enum event_ring ring;
	uint32_t op;	 /* OP_COUNT for one that is not in the table */
	uint32_t reason; /* REASON_COUNT likewise */
	uint32_t severity;
	uint64_t rule; /* UINT64_MAX for none */
	bool is_truncated;
	bool has_process;
	uint32_t pid, ppid, uid;
	struct span op_text, object, target, host, error, reason_text, policy, tag, message;
	struct span comm, exe, agent;
	struct span args[RECORD_ARGS_MAX];
	size_t arg_count;
};

/* -EINVAL if the line is no event, -ENOMEM. */
int record_read(struct json_line *line, const char *text, size_t len, struct record *ret);

/* RFC 3339 with Z and up to nine digits of a second. */
bool moment_parse(struct span text, struct moment *ret);

/* Negative if A is before B. */
int moment_compare(const struct moment *a, const struct moment *b);

#define MOMENT_TEXT 48

/* "2026-11-30T08:30:56.123456789Z", or "" if it is not known. */
const char *moment_text(const struct moment *moment, char scratch[MOMENT_TEXT]);

#endif
