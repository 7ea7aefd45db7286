/* SPDX-License-Identifier: GPL-2.0 */
/* Signals by name: as policies and events write them, without SIG. */
#ifndef AGENTCTL_SIGNAL_NAME_H
#define AGENTCTL_SIGNAL_NAME_H

#define SIGNAL_NAME_MAX 16

/* The names of the signals below the realtime ones, for suggestions; NULL-ended, index 0 is signal 1. */
extern const char *const signal_names[];

/* The number of the signal called TEXT: a name, RTMIN+1, RTMAX-1, or a number itself; -1 if there is none. */
int signal_parse(const char *text);

/* "TERM", "RTMIN+1", or a number where signals have no name; in SCRATCH if it has to be made. */
const char *signal_name(unsigned int number, char scratch[SIGNAL_NAME_MAX]);

#endif
