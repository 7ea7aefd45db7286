/* SPDX-License-Identifier: GPL-2.0 */
/* Comparing patterns by what they match: an example of one, and whether one is contained in another. */
#ifndef AGENTCTL_INCLUSION_H
#define AGENTCTL_INCLUSION_H

#include "classes.h"
#include "part.h"

#define SAMPLE_MAX 1024

/*
 * A shortest name that PART matches, with letters that no pattern mentions
 * where it can choose. Its length, 0 if there is none within SAMPLE_MAX, or -ENOMEM.
 */
int part_sample(const struct pattern *part, const struct classes *classes, uint8_t *sample);

/* Does WHOLE match every name that PART does? 1, 0 (also where the answer is too costly), or -ENOMEM. */
int part_is_within(const struct pattern *part, const struct pattern *whole, const struct classes *classes);

#endif
