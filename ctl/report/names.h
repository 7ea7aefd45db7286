/* SPDX-License-Identifier: GPL-2.0 */
/* Names by number: each kept once, so many and no more, however many an agent makes up. */
#ifndef AGENTCTL_REPORT_NAMES_H
#define AGENTCTL_REPORT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "ctl/event/decode.h"

/* Bytes of a name that are kept; longer ones are told apart by all of it, but shown by their beginning. */
#define NAME_KEPT 1000
#define NAME_NONE UINT32_MAX

struct names;

/* At most COUNT_MAX names of together BYTES_MAX bytes. -ENOMEM. */
int names_new(size_t count_max, size_t bytes_max, struct names **ret);
void names_free(struct names *names);

/* The number of NAME, counted from 0 in the order of appearance; NAME_NONE if it is new and there is no more room. */
uint32_t names_add(struct names *names, struct span name);

/* The number of a name that was added, or NAME_NONE. */
uint32_t names_find(const struct names *names, struct span name);

uint32_t names_count(const struct names *names);

/* What was kept of the name. */
struct span names_get(const struct names *names, uint32_t number);

/* How long it was. */
size_t names_length(const struct names *names, uint32_t number);

#endif
