/* SPDX-License-Identifier: GPL-2.0 */
/* The report as one JSON object, as agentctl-report(5) describes it. */
#ifndef AGENTCTL_REPORT_JSON_H
#define AGENTCTL_REPORT_JSON_H

#include <stdio.h>

#include "ctl/report/view.h"

/* Counts up when a member changes its meaning or goes; new ones may come without. */
#define REPORT_VERSION 1

void report_json_put(FILE *stream, const struct view *view);

#endif
