/* SPDX-License-Identifier: GPL-2.0 */
/* From a record of a ring to an event with checked fields, and the words that its numbers stand for. */
#ifndef AGENTCTL_EVENT_DECODE_H
#define AGENTCTL_EVENT_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kern/abi.h"

/* Bytes that somebody else owns; not terminated, and with any value, for an agent chose most of them. */
struct span {
	const char *data;
	size_t len;
};

#define EVENT_NO_RULE UINT32_MAX

/*
 * One event. Every span borrows from the record that it was decoded from, so a
 * view lives as long as that. Copies freely.
 */
struct event_view {
	int64_t wall_ns; /* since the Unix epoch */
	uint64_t boot_ns;
	uint64_t seq;	/* 0 in a lost event */
	uint64_t count; /* of a repeated or lost event, else 0 */
	enum verdict verdict;
	enum verdict repeated; /* what a repeated event repeats, else the verdict itself */
	enum event_ring ring;
	enum operation op;
	enum reason reason;
	enum severity severity;
	int error;	  /* errno, 0 if it went through */
	uint32_t rule;	  /* index in its section, or EVENT_NO_RULE */
	bool has_details; /* false where object and process are not known */
	bool has_rule;	  /* false where policy, rule, tag, severity and reason are not known either */
	bool is_truncated;
	uint64_t generation;
	uint64_t attachment;
	uint64_t cgroup_id;
	uint64_t start_ns;
	uint32_t word;
	uint32_t pid, tid, ppid, uid;
	uint16_t family, port;
	uint32_t protocol;
	uint32_t detail;    /* the signal, or as in struct event */
	uint32_t other_pid; /* 0 where the act is about no process */
	uint8_t address[16];
	uint8_t local[16]; /* of net.accept, what was connected to: of the same family */
	struct span object, target, args, host;
	struct span exe, cgroup, comm, other_comm;
	struct span policy, tag, message;
};

/* CLOCK_REALTIME minus CLOCK_BOOTTIME in nanoseconds, now. */
int64_t event_clock_offset(void);

/* Split a wall time into whole seconds, rounded down, and the nanoseconds since. */
int64_t event_wall_seconds(int64_t wall_ns, int *ret_ns);

/* CLOCK_BOOTTIME in nanoseconds. */
uint64_t event_clock_now(void);

/*
 * Check a record as if an enemy had written it, and describe it. Returns
 * -EBADMSG for what cannot be an event: too short, longer than any, a length
 * beyond its field's limit or the record's end, a number out of its table.
 */
int event_decode(const void *record, size_t size, int64_t clock_offset, struct event_view *ret_view);

/* Is this well-formed record one of the self-check's, which nobody shows or counts? */
bool event_is_canary(const void *record, size_t size);

#define EVENT_ADDRESS_TEXT 64

/* The object's bytes: a path as it is; or ADDR:PORT, [ADDR6]:PORT, PID COMM, or how a process ended, written to SCRATCH. */
struct span event_object(const struct event_view *view, char scratch[EVENT_ADDRESS_TEXT]);

/* "tcp", "udp", "icmp", or a number written to SCRATCH; NULL where the object is no address. */
/* The new name of a rename or link, or what a connection was made to; empty for other operations. */
struct span event_target(const struct event_view *view, char scratch[EVENT_ADDRESS_TEXT]);

const char *event_protocol(const struct event_view *view, char scratch[16]);

#define EVENT_OP_TEXT 32

/* What happened: "file.read", or "signal.TERM" written to SCRATCH. */
const char *event_op(const struct event_view *view, char scratch[EVENT_OP_TEXT]);

/* "file.read" and its parts; "?" for numbers outside the tables. */
const char *event_op_word(unsigned int op);
const char *event_verdict_word(unsigned int verdict);
const char *event_reason_word(unsigned int reason);

/* NULL for SEVERITY_NONE. */
const char *event_severity_word(unsigned int severity);

/* What became of an act that a verdict word of VERB decided, in a policy that enforces. */
enum verdict event_verdict_of_verb(unsigned int verb);

#endif
