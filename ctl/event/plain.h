/* SPDX-License-Identifier: GPL-2.0 */
/* Events in sentences for people who know no system calls: what was done, why it matters, what to do about a refusal. */
#ifndef AGENTCTL_EVENT_PLAIN_H
#define AGENTCTL_EVENT_PLAIN_H

#include <stdio.h>

#include "ctl/event/decode.h"

/* What there is to say of an operation. */
struct plain_operation {
	const char *deed;   /* "read @": an infinitive, with @ where the object stands */
	const char *why;    /* a sentence: why it matters */
	const char *remedy; /* a sentence: what to do if it should have been allowed */
};

/* Never NULL: operations that this version does not know have a row, too. */
const struct plain_operation *plain_operation(unsigned int op);

/* Bytes of the operation's deed without its object: "read". */
size_t plain_deed_len(unsigned int op);

/* What there is to say of a reason other than a rule: why it was refused, and what to do. */
struct plain_reason {
	const char *cause;
	const char *remedy; /* NULL: the operation's */
};

const struct plain_reason *plain_reason(unsigned int reason);

/* "was not allowed to", and so on. */
const char *plain_verdict(enum verdict verdict);

/* Writes the event as one line: its time, its verdict, and sentences. */
void plain_put(FILE *stream, const struct event_view *view, bool has_colours);

#endif
