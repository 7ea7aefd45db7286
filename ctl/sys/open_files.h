/* SPDX-License-Identifier: GPL-2.0 */
/* What the tasks of a cgroup have open or mapped that has a place in the tree of names. */
#ifndef AGENTCTL_OPEN_FILES_H
#define AGENTCTL_OPEN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctl/sys/mounts.h"

#define FD_MAPPED (-1)

/* How a descriptor was opened, or how a file is mapped. */
struct open_file {
	pid_t pid;
	const char *comm;
	int fd; /* FD_MAPPED for what is mapped */
	bool is_read;
	bool is_written;
	bool is_exe;	     /* mapped: the program itself, which nobody needed to read, */
	bool is_interpreter; /* and what the kernel mapped to load it */
	/*
	 * Its name in the mount namespace of the mount that it was reached through;
	 * NULL if that cannot be known. OTHER_NAME is one that it may have instead:
	 * who judges it has to judge both.
	 */
	const char *name;
	const char *other_name;
	const struct mount *mount;
};

/* What was not seen. */
struct open_missed {
	size_t refused; /* processes that the caller may not look into */
	size_t hidden;	/* tasks in pid namespaces that it does not see */
	bool is_chrooted; /* the caller is: the names that it reads are not those that the kernel's side judges */
};

/*
 * Calls VISIT for all that the tasks in the cgroup in PATH and below have open or
 * mapped, also for what was opened by tasks that they started meanwhile. MOUNTS
 * gathers the mounts of their namespaces. Tasks may end and close what they like.
 * No file system is asked that might not answer. Ends at the first result of VISIT
 * that is not 0 and returns it; or -errno.
 */
int open_files_visit(const char *path, struct mounts *mounts,
		     int (*visit)(const struct open_file *file, void *data), void *data,
		     struct open_missed *ret_missed);

/* The flags and mount of "fdinfo". -EBADMSG if they are not there. */
int fdinfo_parse(const char *text, int *ret_flags, uint32_t *ret_mount);

/* One line of "maps"; -ENOENT if it is no file's. NAME points into LINE, whose newline goes. */
struct mapping {
	uint64_t start;
	uint64_t end;
	bool is_written;
	bool is_shared;
	dev_t device;
	const char *name; /* a newline in it reads \012, and so does what is written so */
};
int mapping_parse(char *line, struct mapping *ret);

#endif
