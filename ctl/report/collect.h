/* SPDX-License-Identifier: GPL-2.0 */
/* What a report is made from: events, added up as they are read, in memory that has a limit. */
#ifndef AGENTCTL_REPORT_COLLECT_H
#define AGENTCTL_REPORT_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/event/agent.h"
#include "ctl/report/names.h"
#include "ctl/report/couples.h"
#include "ctl/report/record.h"
#include "ctl/report/timeline.h"

#define NO_PROCESS UINT32_MAX

/* A file, or whatever else acts were about. */
struct object_tally {
	struct acts acts;
	uint32_t done; /* operations that went through, as a mask */
};

enum folder_use { FOLDER_READ, FOLDER_WRITTEN, FOLDER_CREATED, FOLDER_DELETED, FOLDER_OTHER, FOLDER_USES };

struct folder_tally {
	struct acts acts;
	uint64_t use[FOLDER_USES]; /* of what went through */
};

/* Acts that one rule (or default, or other reason) noted or refused, one operation at a time. */
struct group {
	enum verdict verdict;
	uint32_t op, reason, severity;
	uint64_t rule;
	uint32_t op_text, reason_text, policy, tag, message, error; /* words */
	uint64_t told;						    /* events that tell each act */
	uint64_t merged;					    /* acts that repeated events stand for */
	struct moment first, last;
};

struct process {
	uint32_t pid, ppid, uid;
	uint32_t comm; /* a word */
	uint32_t program, first_program;
	uint32_t program_changes;
	uint32_t parent; /* once finished: its index, or NO_PROCESS */
	const struct agent *own_agent;
	const struct agent *agent; /* once finished: its own, or its nearest ancestor's */
	bool has_agent;		   /* that is decided, maybe to none */
	bool is_gone;		   /* it ended: the next one of that pid is another */
	struct acts acts;
	int64_t first, last; /* seconds */
};

struct source {
	char *name;
	uint64_t lines, events;
	uint64_t unreadable; /* lines that are no events, the following two kinds included */
	uint64_t too_long;
	bool is_cut;	  /* the last line has no end and is no event */
	uint64_t missing; /* numbers that no event has and no lost event explains */
	uint64_t last_seq, lost_since;
};

/* Acts that were counted in the sums, but whose name found no room. */
struct left_out {
	uint64_t objects, folders, hosts, groups, processes;
	bool has_couples; /* some of which came with which, too */
};

struct collected {
	struct names *objects, *folders, *hosts, *programs, *words, *group_keys, *pids;
	struct object_tally *object;
	struct folder_tally *folder;
	struct acts *host;
	const struct agent **program_agent;
	struct group *group;
	uint32_t *pid_process; /* by number of pids: its newest process */
	struct process *process;
	size_t object_room, folder_room, host_room, program_room, group_room, pid_room, process_room;
	uint32_t process_count;
	struct couples group_objects, group_processes, host_objects, renames;
	struct timeline timeline;
	struct source *source;
	size_t source_count;
	struct moment first, last;
	struct acts acts;
	uint64_t told, merged; /* acts: told one by one, and those that repeated events stand for */
	uint64_t repeated_events;
	uint64_t lost[RING_COUNT];
	uint64_t truncated;
	struct left_out left_out;
	char *scratch; /* for names that are put together */
	struct json_line *line;
	char *buffer; /* what is read */
};

int collected_new(struct collected **ret);
void collected_free(struct collected *collected);

/* Reads a whole file of events, which errors and the report call NAME. The error of reading, or -ENOMEM. */
int collected_read(struct collected *collected, int fd, const char *name);

/* One event of the newest source. -ENOMEM. */
int collected_add(struct collected *collected, const struct record *record);

/* After the last event: orders the pairs, finds each process's parent and agent. -ENOMEM. */
int collected_finish(struct collected *collected);

#endif
