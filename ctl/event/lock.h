/* SPDX-License-Identifier: GPL-2.0 */
/* One reader at a time: a lock that ends with its process and names it. */
#ifndef AGENTCTL_EVENT_LOCK_H
#define AGENTCTL_EVENT_LOCK_H

#include <sys/types.h>

#define READER_LOCK_DIR "/run/agentctl"
#define READER_LOCK_NAME "log.lock"

/*
 * Take the lock in DIR, which is made with mode 0700 if it is not there. The
 * descriptor holds it. Returns -EBUSY with the holder's process id (0 if it is
 * in a pid namespace that this one does not see), or -errno.
 */
int reader_lock(const char *dir, int *ret_fd, pid_t *ret_holder);

#endif
