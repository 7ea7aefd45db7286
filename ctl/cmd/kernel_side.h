/* SPDX-License-Identifier: GPL-2.0 */
/* What the verbs that change or show what is in force have in common. */
#ifndef AGENTCTL_KERNEL_SIDE_H
#define AGENTCTL_KERNEL_SIDE_H

#include <stdbool.h>

#include "ctl/enforce/pins.h"

/*
 * Opens the pins for VERB, with the lock that serialises changes unless RET_LOCK
 * is NULL. Returns EXIT_DONE, or the exit code after having said what lacks.
 */
int kernel_side_open(const char *verb, struct pins *pins, int *ret_lock);
void kernel_side_close(struct pins *pins, int lock);

/* Says which need of enforcement this machine lacks and how to mend it: EXIT_DONE if none, else EXIT_LACKING. */
int kernel_side_insist(const char *verb);

/* Says ERROR of VERB on WHAT; EXIT_LACKING if it is one of privileges, else EXIT_FAILED. */
int kernel_side_failed(const char *verb, const char *what, int error);

/* Tells that VERB is done with WHAT: one line, or {"KEY": WHAT} for --json. */
void kernel_side_done(const char *key, const char *what, bool is_json);

/* Finds the cgroup TEXT; EXIT_DONE, or the exit code after having said why not. */
int kernel_side_cgroup(const char *verb, const char *text, char **ret_path);

#endif
