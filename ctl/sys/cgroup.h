/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups: finding the one that a user means, its number, and what lies below it. */
#ifndef AGENTCTL_CGROUP_H
#define AGENTCTL_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CGROUP_MOUNT "/sys/fs/cgroup"

/* Where cgroup2 is mounted: CGROUP_MOUNT, or its `unified` on a hybrid system. -ENOTSUP with version 1 alone. */
int cgroup_mount(const char **ret_mount);

/*
 * The cgroup that TEXT names: an absolute path below the mount, a path relative to
 * the mount ("/agents.slice"), or a systemd unit ("agents.slice", "nginx.service").
 * *ret_path is the path in the file system, for the caller to free. -ENOENT if
 * there is none, -ENOTSUP for a version 1 hierarchy, -EXDEV if it is no cgroup.
 */
int cgroup_find(const char *text, char **ret_path);

/*
 * As cgroup_find, but a path or a slice that does not exist is made, and what lies
 * above it: a slice where systemd will look for it. Services and scopes are systemd's to make.
 */
int cgroup_make(const char *text, char **ret_path);

/* The kernel's number of the cgroup in PATH: what programs see as its id. 0 or -errno. */
int cgroup_id(const char *path, uint64_t *ret_id);

/* The path in the file system of the cgroup numbered ID, for the caller to free. -ESTALE if it is gone. */
int cgroup_path(uint64_t id, char **ret_path);

/* The path below the mount, as events have it ("/" for the root); points into PATH. */
const char *cgroup_relative(const char *path);

/* Path of the calling process's own cgroup, for the caller to free. */
int cgroup_own(char **ret_path);

/*
 * Calls VISIT with the path and id of the cgroup in PATH and of every one below it, parents first.
 * Ends at the first result that is not 0 and returns it. What vanishes meanwhile is passed over.
 */
int cgroup_walk(const char *path, int (*visit)(const char *path, uint64_t id, void *data), void *data);

/* Returns when every cgroup that was being made when it was called is there: all that happens under one lock. */
int cgroup_barrier(void);

/* Is PATH the same as, or above, BELOW? Both are paths in the file system without links. */
bool cgroup_is_above(const char *path, const char *below);

/* Moves process PID into the cgroup in PATH. 0 or -errno. */
int cgroup_move(const char *path, pid_t pid);

#endif
