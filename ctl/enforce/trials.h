/* SPDX-License-Identifier: GPL-2.0 */
/* The acts by which the self-check tries each hook. */
#ifndef AGENTCTL_TRIALS_H
#define AGENTCTL_TRIALS_H

#include <stdbool.h>

#include "ctl/enforce/pins.h"

#define TRIALS_MAX 256

/* What the governed process has at hand, made and opened outside. */
struct stage {
	struct control *control;
	int exe;
	int file;     /* which can be written */
	int bell;     /* a socket by which this tool's own process would be signalled, */
	int clapper;  /* and its other end */
	int mail;     /* a socket on which a descriptor waits */
	int listener; /* which listens */
	int desk; /* where a descriptor of a socket is handed in, to be listened and connected to outside */
	int mailbox;	      /* a bound socket of datagrams */
	char stream_name[32]; /* of an abstract socket that listens */
	char mail_name[32];   /* and of the mailbox */
	int stream;
	int clerk;	 /* the process that does so */
	int cgroup;	 /* the directory of the cgroup that it is in */
	char folder[64]; /* where it works: holds a file, a folder, and what was not refused */
};

/* A hook that decides something, one operation of it, and an act that of all hooks only this one refuses. */
struct trial {
	const char *hook;
	enum operation op;
	bool (*refused)(const struct stage *stage);
	bool (*is_moot)(const struct trial *trial, const struct stage *stage); /* or NULL: never */
};

extern const struct trial trials[]; /* ended by a NULL hook; at most TRIALS_MAX */

/* Makes what the trials need. 0 or -errno; stage_done takes it away, also after an error. */
int stage_init(struct stage *stage, struct control *control, const char *cgroup);
void stage_done(struct stage *stage);

/*
 * Tries it, in a process that is governed by the self-check's policy. The error
 * has to be this program's: it says so itself in the control variable.
 */
bool trial_passes(const struct trial *trial, const struct stage *stage);

/* Asked of a process that is not governed: does this kernel never get as far as to the hook? */
bool trial_is_moot(const struct trial *trial, const struct stage *stage);

#endif
