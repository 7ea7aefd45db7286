/* SPDX-License-Identifier: GPL-2.0 */
/* What is mounted where, in the mount namespaces of the tasks that were looked at. */
#ifndef AGENTCTL_MOUNTS_H
#define AGENTCTL_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* What the kernel's side denies as caseless on a file system. */
enum mount_caseless {
	CASELESS_UNASKED,
	CASELESS_NOTHING,
	CASELESS_ALL,	  /* everything, by its type */
	CASELESS_FOLDERS, /* what lies in directories that fold case, which it can have */
	CASELESS_UNKNOWN, /* whether it can have such directories could not be read */
};

struct mount {
	uint32_t id;	    /* as mountinfo and fdinfo have it; of all namespaces no two share one */
	uint64_t namespace; /* its inode number */
	dev_t device;
	bool is_whole; /* the file system's own root is what is mounted */
	pid_t seen_by; /* a process in the namespace, 0 for the caller's own */
	char *point;   /* absolute in the namespace, whatever the root of the task that was asked */
	char *type;
	enum mount_caseless caseless;
};

struct mounts {
	struct mount *list; /* in order of their ids */
	size_t count;
	size_t room;
	struct mount_view *views; /* the namespaces, with the roots in them, that were looked at */
	size_t view_count;
};

/*
 * Adds what the process sees whose directory in /proc is TASK: nothing if another
 * with its namespace and root has been asked. PID is its number, 0 for the caller. 0 or -errno.
 */
int mounts_see(struct mounts *mounts, int task, pid_t pid, uint64_t *ret_namespace);

/* Adds what stands in STREAM, the mountinfo of a task whose root is ROOT ("" for that of the namespace). */
int mounts_read(struct mounts *mounts, FILE *stream, const char *root, uint64_t namespace, pid_t pid);

const struct mount *mounts_by_id(const struct mounts *mounts, uint32_t id);

/*
 * The mount of NAMESPACE through which a file of DEVICE has the name NAME; NULL if
 * there is none. Which of several that lie upon each other makes no difference to a name.
 */
const struct mount *mounts_by_name(const struct mounts *mounts, uint64_t namespace, dev_t device,
				   const char *name);

void mounts_done(struct mounts *mounts);

/* Does NAME lie at or below POINT? Both are absolute. */
bool mount_is_above(const char *point, const char *name);

/* Is everything on file systems of this type denied as caseless? */
bool type_is_caseless(const char *type);

/* Asks no file system, as one that is dead would not answer: its type tells, or the superblock on its device. */
enum mount_caseless mount_ask_caseless(const struct mount *mount);

/* The same from the first bytes of a device: can directories fold case there? -EINVAL if it holds no TYPE. */
#define SUPERBLOCK_OFFSET 1024
#define SUPERBLOCK_BYTES 4096
int superblock_folds_case(const char *type, const uint8_t *block, size_t len, bool *ret_folds);

#endif
