/* SPDX-License-Identifier: GPL-2.0 */
/* The one table of hooks: what is attached where, and which operation it decides. */
#ifndef AGENTCTL_HOOKS_H
#define AGENTCTL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * X(hook, has_trusted, decides): HOOK names the program hook_HOOK; where
 * HAS_TRUSTED, kernels from 6.18 get hook_HOOK_trusted (kern/file.bpf.c says why).
 * DECIDES is what `status` shows.
 */
#define HOOKS(X)                                            \
	X(file_open, 1, "file.read file.write")             \
	X(path_mknod, 0, "file.create")                     \
	X(bprm_check_security, 1, "exec.run")               \
	X(mmap_file, 1, "exec.map")                         \
	X(file_mprotect, 1, "exec.map")                     \
	X(socket_connect, 0, "net.connect")                 \
	X(cgroup_mkdir, 0, "inheritance by new cgroups")    \
	X(cgroup_rmdir, 0, "cleaning up after old cgroups") \
	X(d_move, 0, "renamed directories")

struct hook {
	const char *name;
	bool has_trusted;
	const char *decides;
};

extern const struct hook hooks[]; /* ended by a NULL name */

/* The hook called NAME, or NULL. */
const struct hook *hook_find(const char *name);

#endif
