/* SPDX-License-Identifier: GPL-2.0 */
/* The tasks in a cgroup and in all cgroups below it. */
#ifndef AGENTCTL_TASKS_H
#define AGENTCTL_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct task {
	pid_t pid; /* of its process */
	pid_t tid;
};

struct task_list {
	struct task *list; /* process by process, the first of each its leader if that is among them */
	size_t count;
	size_t room;
	size_t hidden; /* tasks of pid namespaces that the caller does not see */
};

/*
 * The tasks in the cgroup in PATH and below. Those that end meanwhile are passed
 * over. KNOWN, an earlier list or NULL, spares looking at its tasks again. 0 or -errno.
 */
int tasks_list(const char *path, const struct task_list *known, struct task_list *ret);
void tasks_done(struct task_list *list);

bool tasks_has(const struct task_list *list, const struct task *task);

/*
 * The number of the process PID in a pid namespace below the caller's: is it
 * NUMBER in one of them? *ret_is_only: and in all of them.
 */
bool task_is_numbered(pid_t pid, pid_t number, bool *ret_is_only);

#endif
