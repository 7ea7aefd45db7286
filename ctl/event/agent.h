/* SPDX-License-Identifier: GPL-2.0 */
/* Coding agents, told by the file that is executed: never by what a process calls itself. */
#ifndef AGENTCTL_EVENT_AGENT_H
#define AGENTCTL_EVENT_AGENT_H

#include "ctl/event/decode.h"

/* A label, not an identity: whoever may put a file at such a path may make a program pass for an agent. */
struct agent {
	const char *id;	   /* as in events: "claude-code" */
	const char *title; /* as people call it */
	const char *
		programs; /* names of executables and scripts, separated by spaces; a script's ending is left out */
	const char *folders; /* parts of paths that nothing else has, separated by spaces */
};

/* The agent that the file PATH is, as an executable or as a script; NULL if it is none that is known. */
const struct agent *agent_of_file(struct span path);

/*
 * The agent of the program EXE run with the arguments ARGS (argv[0] first):
 * EXE's own, or that of the script, if EXE is an interpreter.
 */
const struct agent *agent_of_command(struct span exe, const struct span *args, size_t count);

/* The agent called ID in events, or NULL. */
const struct agent *agent_by_id(struct span id);

/* The coding agent whose executable did it, or NULL. */
const char *event_agent(const struct event_view *view);

#endif
