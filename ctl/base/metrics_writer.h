/* SPDX-License-Identifier: GPL-2.0 */
/* Writing metrics to a stream, as OpenMetrics text or as JSON: the caller walks over its numbers once. */
#ifndef AGENTCTL_METRICS_WRITER_H
#define AGENTCTL_METRICS_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/base/json_writer.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE };

/* What tells one sample of a family from the others; VALUE is any name, written in its printable form. */
struct metric_label {
	const char *name;
	const char *value;
};

struct metrics_writer {
	FILE *stream; /* borrowed */
	bool is_json;
	struct json_writer json;
	enum metric_type type;
	const char *name; /* of the family that was begun last, borrowed as its help is */
	const char *help;
	bool is_told; /* it has a sample, so its head is written */
};

void metrics_init(struct metrics_writer *writer, FILE *stream, bool is_json);

/*
 * Begins a family; without samples nothing of it is written. Names are given
 * without a counter's "_total". A family's samples stand together, and no two
 * have the same labels.
 */
void metrics_family(struct metrics_writer *writer, enum metric_type type, const char *name, const char *help);

/* One sample of it. The list of labels ends with a NULL name, or is NULL. */
void metrics_sample(struct metrics_writer *writer, const struct metric_label *labels, uint64_t value);

/* The same for a time, which is written in seconds. */
void metrics_sample_ns(struct metrics_writer *writer, const struct metric_label *labels, uint64_t ns);

/* Nothing more comes: without this mark, readers take the text for cut off. */
void metrics_end(struct metrics_writer *writer);

#endif
