/* SPDX-License-Identifier: GPL-2.0 */
/* What the tasks of a cgroup held open before they were governed, and what is mounted for them that has no honest names. */
#ifndef AGENTCTL_HELD_H
#define AGENTCTL_HELD_H

#include "ctl/base/json_writer.h"
#include "ctl/policy/decision.h"
#include "ctl/sys/open_files.h"

/* A descriptor or mapping that the policy would deny to be opened now. */
struct held_file {
	pid_t pid;
	char comm[17];
	int fd; /* or FD_MAPPED */
	enum operation op;
	enum reason reason;
	struct origin origin; /* of a rule's or default's denial */
	char *name;
};

struct held {
	struct compiled compiled; /* empty if the policy decides no files, or ERROR */
	bool is_audit;
	int error; /* why nothing was judged: -errno */
	struct held_file *list;
	size_t count;
	size_t room;
	size_t unjudged; /* what is open whose names cannot be told */
	struct open_missed missed;
	struct mounts mounts;
};

/* Looks at the cgroup in PATH, which SLOT's policy governs. What cannot be found out stands in *ret, which held_done ends. */
void held_gather(const char *path, const struct policy_slot *slot, struct held *ret);
void held_done(struct held *held);

/* Judges FILE and adds it to HELD if it would be denied. 0 or -ENOMEM. */
int held_judge(struct held *held, const struct open_file *file);

/* As lines on standard output, as members of the object that WRITER writes, and what to be warned of on standard error. */
void held_show(const struct held *held);
void held_write(const struct held *held, struct json_writer *writer);
void held_warn(const struct held *held);

#endif
