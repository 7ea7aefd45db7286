// SPDX-License-Identifier: GPL-2.0
/* Checks records and describes them; the words for their numbers. */
#include "ctl/event/decode.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "ctl/base/signal_name.h"
#include "ctl/policy/family.h"

#define ERRNO_MAX 4095
#define PROTOCOL_MPTCP 262
#define CLOCK_TRIES 3
#define NS_PER_S 1000000000ll

#define EVENT_HEAD offsetof(struct event, data)
#define FLAGS_CUT (EVENT_OBJECT_CUT | EVENT_TARGET_CUT | EVENT_ARGS_CUT)

static int64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

uint64_t event_clock_now(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

int64_t event_wall_seconds(int64_t wall_ns, int *ret_ns)
{
	int64_t seconds = wall_ns / NS_PER_S, ns = wall_ns % NS_PER_S;

	*ret_ns = ns < 0 ? ns + NS_PER_S : ns;
	return ns < 0 ? seconds - 1 : seconds;
}

/* The clocks are read one after the other; of several tries the one that was interrupted least is the truest. */
int64_t event_clock_offset(void)
{
	int64_t shortest = INT64_MAX, offset = 0;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		int64_t before = clock_ns(CLOCK_BOOTTIME);
		int64_t wall = clock_ns(CLOCK_REALTIME);
		int64_t after = clock_ns(CLOCK_BOOTTIME);

		if (after - before >= shortest)
			continue;
		shortest = after - before;
		offset = wall - (before + shortest / 2);
	}
	return offset;
}

/* Cuts spans off the record's data, one after the other, and remembers if one did not fit. */
struct cutter {
	const char *data;
	size_t left;
	bool has_failed;
};

static struct span cut(struct cutter *cutter, uint32_t len, uint32_t limit)
{
	struct span span = { cutter->data, len };

	if (len > limit || len > cutter->left) {
		cutter->has_failed = true;
		return (struct span){ 0 };
	}
	cutter->data += len;
	cutter->left -= len;
	return span;
}

/* A fixed field that ends at its first NUL, or not at all. */
static struct span fixed(const void *record, size_t offset, size_t size)
{
	const char *data = (const char *)record + offset;

	return (struct span){ data, strnlen(data, size) };
}

#define FIXED(record, member) \
	fixed(record, offsetof(struct event, member), sizeof(((struct event *)NULL)->member))

static bool is_sane(const struct event *event)
{
	bool is_life = event->op > EVENT_LIFE && event->op < EVENT_LIFE_END;

	if ((event->op >= OP_COUNT && !is_life) || event->reason >= REASON_COUNT ||
	    event->severity > SEVERITY_HIGH)
		return false;
	/* The others are the reader's own. */
	if (event->verdict > VERDICT_HELD)
		return false;
	return event->error >= 0 && event->error <= ERRNO_MAX;
}

static bool has_record_size(size_t size)
{
	return size >= EVENT_HEAD && size <= sizeof(struct event);
}

bool event_is_canary(const void *record, size_t size)
{
	uint32_t flags;

	if (!has_record_size(size))
		return false;
	memcpy(&flags, (const char *)record + offsetof(struct event, flags), sizeof(flags));
	return flags & EVENT_CANARY;
}

static void describe_numbers(const struct event *event, int64_t clock_offset, struct event_view *view)
{
	view->wall_ns = (int64_t)(event->time_ns + (uint64_t)clock_offset);
	view->boot_ns = event->time_ns;
	view->verdict = view->repeated = event->verdict;
	view->ring = event->verdict == VERDICT_ALLOWED ? RING_OBSERVATIONS : RING_DENIALS;
	view->op = event->op;
	view->reason = event->reason;
	view->severity = event->severity;
	view->error = event->error;
	view->rule = event->rule;
	view->has_details = view->has_rule = true;
	view->is_truncated = event->flags & FLAGS_CUT;
	view->generation = event->generation;
	view->attachment = event->attachment;
	view->cgroup_id = event->cgroup;
	view->start_ns = event->start_ns;
	view->word = event->word;
	view->pid = event->pid;
	view->tid = event->tid;
	view->ppid = event->ppid;
	view->uid = event->uid;
	view->family = event->family;
	view->port = event->port;
	view->protocol = event->protocol;
	view->detail = event->detail;
	view->other_pid = event->other_pid;
	memcpy(view->address, event->address, sizeof(view->address));
	memcpy(view->local, event->local, sizeof(view->local));
}

int event_decode(const void *record, size_t size, int64_t clock_offset, struct event_view *ret_view)
{
	struct cutter cutter = { (const char *)record + EVENT_HEAD, size - EVENT_HEAD, false };
	struct event_view view = { 0 };
	struct event head; /* aligned, and without its data */
	const struct event *event = &head;

	if (!has_record_size(size))
		return -EBADMSG;
	memcpy(&head, record, EVENT_HEAD);
	if (!is_sane(event))
		return -EBADMSG;
	describe_numbers(event, clock_offset, &view);
	view.object = cut(&cutter, event->object_len, EVENT_OBJECT_MAX);
	view.exe = cut(&cutter, event->exe_len, EVENT_EXE_MAX);
	view.cgroup = cut(&cutter, event->cgroup_len, EVENT_CGROUP_MAX);
	if (event->flags & EVENT_MORE) {
		view.target = cut(&cutter, event->target_len, EVENT_TARGET_MAX);
		view.args = cut(&cutter, event->args_len, EVENT_ARGS_MAX);
		view.host = cut(&cutter, event->host_len, EVENT_HOST_MAX);
	}
	if (cutter.has_failed)
		return -EBADMSG;
	view.comm = FIXED(record, comm);
	view.other_comm = FIXED(record, other_comm);
	view.policy = FIXED(record, policy);
	view.tag = FIXED(record, tag);
	view.message = FIXED(record, message);
	*ret_view = view;
	return 0;
}

static bool is_exit(const struct event_view *view)
{
	return (unsigned int)view->op == EVENT_EXIT;
}

static bool is_address(const struct event_view *view)
{
	return view->family == AF_INET || view->family == AF_INET6;
}

/* How a process ended, from its wait status. */
static struct span exit_object(unsigned int status, char scratch[EVENT_ADDRESS_TEXT])
{
	char name[SIGNAL_NAME_MAX];
	int len;

	if (status & 0x7f)
		len = snprintf(scratch, EVENT_ADDRESS_TEXT, "signal %s", signal_name(status & 0x7f, name));
	else
		len = snprintf(scratch, EVENT_ADDRESS_TEXT, "status %u", status >> 8 & 0xff);
	return (struct span){ scratch, len };
}

static struct span show_address(const struct event_view *view, const uint8_t *bytes, uint16_t port,
				char scratch[EVENT_ADDRESS_TEXT])
{
	char address[INET6_ADDRSTRLEN];
	int len;

	inet_ntop(view->family, bytes, address, sizeof(address));
	len = snprintf(scratch, EVENT_ADDRESS_TEXT, view->family == AF_INET ? "%s:%u" : "[%s]:%u", address,
		       port);
	return (struct span){ scratch, len };
}

/* A socket that was not to be made: by its family's name, or the protocol's if that was the matter. */
static struct span show_family(const struct event_view *view, char scratch[EVENT_ADDRESS_TEXT])
{
	const char *name = family_name(view->detail);
	int len;

	if (!name)
		len = snprintf(scratch, EVENT_ADDRESS_TEXT, "family %u", SOCKET_FAMILY(view->detail));
	else if (view->op == OP_KERNEL_RAW_SOCKET || strstr(name, "inet"))
		len = snprintf(scratch, EVENT_ADDRESS_TEXT, "%s protocol %u", name,
			       SOCKET_PROTOCOL(view->detail));
	else
		len = snprintf(scratch, EVENT_ADDRESS_TEXT, "%s", name);
	return (struct span){ scratch, len };
}

struct span event_object(const struct event_view *view, char scratch[EVENT_ADDRESS_TEXT])
{
	int len;

	if (view->op == OP_KERNEL_RAW_SOCKET || view->op == OP_KERNEL_FAMILIES)
		return show_family(view, scratch);
	/* A socket of a family that is refused as a whole has no address that we could read. */
	if (view->family && !is_address(view) && !view->object.len) {
		len = snprintf(scratch, EVENT_ADDRESS_TEXT, "family %u", view->family);
		return (struct span){ scratch, len };
	}
	if (is_exit(view))
		return exit_object(view->detail, scratch);
	if (view->other_pid && !view->object.len) {
		len = snprintf(scratch, EVENT_ADDRESS_TEXT, "%u %.*s", view->other_pid,
			       (int)view->other_comm.len, view->other_comm.data);
		return (struct span){ scratch, len };
	}
	return is_address(view) ? show_address(view, view->address, view->port, scratch) : view->object;
}

struct span event_target(const struct event_view *view, char scratch[EVENT_ADDRESS_TEXT])
{
	if (view->op == OP_NET_ACCEPT && is_address(view))
		return show_address(view, view->local, view->detail, scratch);
	return view->target;
}

const char *event_protocol(const struct event_view *view, char scratch[16])
{
	if (!is_address(view))
		return NULL;
	switch (view->protocol) {
	case IPPROTO_TCP:
	case PROTOCOL_MPTCP:
		return "tcp";
	case IPPROTO_UDP:
		return "udp";
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return "icmp";
	}
	snprintf(scratch, 16, "%u", view->protocol);
	return scratch;
}

#define WORD_OF(words, index) ((index) < sizeof(words) / sizeof(*(words)) ? (words)[index] : "?")

const char *event_op_word(unsigned int op)
{
	static const char *const words[] = {
#define X(id, section, name, hooked) [OP_##id] = section "." name,
		OPERATIONS(X)
#undef X
#define X(id, word) [EVENT_##id] = word,
			LIFE(X)
#undef X
	};

	return op < sizeof(words) / sizeof(*words) && words[op] ? words[op] : "?";
}

const char *event_op(const struct event_view *view, char scratch[EVENT_OP_TEXT])
{
	char name[SIGNAL_NAME_MAX];

	if (view->op != OP_SIGNAL_SEND)
		return event_op_word(view->op);
	snprintf(scratch, EVENT_OP_TEXT, "signal.%s", signal_name(view->detail, name));
	return scratch;
}

const char *event_verdict_word(unsigned int verdict)
{
	static const char *const words[] = {
#define X(id, word) word,
		VERDICTS(X)
#undef X
	};

	return WORD_OF(words, verdict);
}

const char *event_reason_word(unsigned int reason)
{
	static const char *const words[] = {
#define X(id, word) word,
		REASONS(X)
#undef X
	};

	return WORD_OF(words, reason);
}

const char *event_severity_word(unsigned int severity)
{
	static const char *const words[] = { NULL, "info", "low", "medium", "high" };

	return WORD_OF(words, severity);
}

enum verdict event_verdict_of_verb(unsigned int verb)
{
	switch (verb) {
	case VERB_ALLOW:
		return VERDICT_ALLOWED;
	case VERB_AUDIT:
		return VERDICT_AUDITED;
	case VERB_ASK:
		return VERDICT_HELD;
	}
	return VERDICT_BLOCKED;
}
