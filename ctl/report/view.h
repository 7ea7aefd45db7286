/* SPDX-License-Identifier: GPL-2.0 */
/* What a report shows of what was collected: so many of each, the most telling first. Pages and JSON share it. */
#ifndef AGENTCTL_REPORT_VIEW_H
#define AGENTCTL_REPORT_VIEW_H

#include "ctl/report/collect.h"
#include "ctl/report/top.h"

/* How many of each are shown. */
struct limits {
	size_t groups, group_objects, group_processes;
	size_t processes, files, folders, hosts, host_objects;
};

extern const struct limits limits_page, limits_json;

#define VIEW_AGENTS_MAX 32

struct agent_tally {
	const struct agent *agent; /* NULL: no known one */
	uint32_t processes;
	struct acts acts;
};

struct view {
	const struct collected *collected;
	const struct limits *limits;
	struct top blocked, noted; /* groups; of more_score only its being there says something */
	struct top processes;
	uint8_t *is_shown; /* by process: those, and their ancestors */
	uint32_t shown_count;
	struct top created, written, deleted, read, run; /* objects */
	struct top renames;				 /* places in the list of pairs */
	struct top folders, hosts;
	uint64_t files_renamed, files_changed_attributes, addresses;
	struct agent_tally agents[VIEW_AGENTS_MAX];
	size_t agent_count;
	uint64_t lines, events, unreadable, missing;
};

/* What COLLECTED (finished, borrowed) holds, within LIMITS. -ENOMEM; view_done in any case. */
int view_init(struct view *view, const struct collected *collected, const struct limits *limits);
void view_done(struct view *view);

/* All that a list found: what it shows, and what not. */
uint64_t view_total(const struct top *top);

/* The acts of a group. */
uint64_t group_acts(const struct group *group);

/* Acts of the groups that TOP does not show, given that VERDICTs sum up to ALL. */
uint64_t view_acts_left(const struct view *view, const struct top *top, uint64_t all);

/* Seconds from the first event to the last. */
int64_t view_seconds(const struct view *view);

/* Is nothing missing: no line unreadable, no event lost or left out? */
bool view_is_whole(const struct view *view);

#endif
