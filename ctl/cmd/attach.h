/* SPDX-License-Identifier: GPL-2.0 */
/* Governing a cgroup, for the verbs that do. The functions that return an int say what is wrong; it is the exit code. */
#ifndef AGENTCTL_ATTACH_H
#define AGENTCTL_ATTACH_H

#include "ctl/base/json_writer.h"
#include "ctl/enforce/pins.h"

/* Refuses a cgroup that holds this process, and one that lies below another attachment. */
int attach_refuse(const struct pins *pins, const char *path);

/* Has a process of our own refused once by every hook. */
int attach_self_check(const struct pins *pins);

/* Governs the cgroup in PATH by the policy at INDEX. */
int attach_add(const struct pins *pins, const char *path, uint32_t index);

/*
 * Tells what is governed now and what was open before, as text or as an object
 * that JSON writes. It is in force whatever is found out there: no exit code changes.
 */
void attach_show(const struct pins *pins, const char *path, uint32_t index, struct json_writer *json);

#endif
