/* SPDX-License-Identifier: GPL-2.0 */
/* Where names lead on this machine: symbolic links, and who could change them. */
#ifndef AGENTCTL_LINKS_H
#define AGENTCTL_LINKS_H

#include <stdbool.h>

#define LINKS_MAX 40 /* in one path, as the kernel has it */

struct links {
	char *target; /* the path without links; NULL if it goes through none, or around in a circle */
	char *link;   /* the first link on the way */
	char *open_directory; /* a directory of a link that others than root can write, or NULL */
};

/*
 * Follows the absolute PATH, its last component too if FOLLOW_LAST. What does
 * not exist or cannot be looked at counts as no link. Below /proc/self and
 * /proc/thread-self nothing is followed, because they are another process's
 * when the policy holds. 0 or -ENOMEM.
 */
int links_resolve(const char *path, bool follow_last, struct links *ret);
void links_done(struct links *links);

#endif
