// SPDX-License-Identifier: GPL-2.0
/* The reader's lock: a record lock, because that is the kind that tells who holds it. */
#include "ctl/event/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_TRIES 3

static int lock_open(const char *dir, int *ret_fd)
{
	int dir_fd, fd, error = 0;

	if (mkdir(dir, 0700) && errno != EEXIST)
		return -errno;
	dir_fd = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir_fd < 0)
		return -errno;
	fd = openat(dir_fd, READER_LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		error = -errno;
	close(dir_fd);
	if (!error)
		*ret_fd = fd;
	return error;
}

/* Between the refusal and the question the holder may end; then the lock is free to try again. */
static int lock_take(int fd, pid_t *ret_holder)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

		if (!fcntl(fd, F_SETLK, &lock))
			return 0;
		if (errno != EAGAIN && errno != EACCES)
			return -errno;
		if (fcntl(fd, F_GETLK, &lock))
			return -errno;
		if (lock.l_type != F_UNLCK) {
			*ret_holder = lock.l_pid > 0 ? lock.l_pid : 0;
			return -EBUSY;
		}
	}
	*ret_holder = 0;
	return -EBUSY;
}

int reader_lock(const char *dir, int *ret_fd, pid_t *ret_holder)
{
	int fd = -1, error;

	error = lock_open(dir, &fd);
	if (error)
		return error;
	error = lock_take(fd, ret_holder);
	if (error) {
		close(fd);
		return error;
	}
	*ret_fd = fd;
	return 0;
}
