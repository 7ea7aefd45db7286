// SPDX-License-Identifier: GPL-2.0
/*
 * Moves a mount and the folder below a mountpoint to and fro while governed
 * tasks open through descriptors that they hold: mount_hammer CGROUP SECONDS.
 * A verdict counts only if nothing moved from before the call to after it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOVED_MOUNT, RENAMED_FOLDER, CASES };

/* A phase is odd while something moves; 0 modulo 4 is the allowed place, 2 the denied one. */
struct shared {
	_Atomic unsigned long phase[CASES];
	_Atomic unsigned long leaked, failed, refused, opened, unsure, odd;
};

static struct shared *shared;
static time_t end;

static void nap(void)
{
	struct timespec pause = { .tv_nsec = 300000 };

	nanosleep(&pause, NULL);
}

static int move_mount_to(const char *from, const char *to)
{
	return mount(from, to, NULL, MS_MOVE, NULL);
}

/* To and fro until the end; whatever fails ends it, and shows in the exit status. */
static int move(int kind, int (*step)(const char *, const char *), const char *ok, const char *no)
{
	while (time(NULL) < end) {
		atomic_fetch_add(&shared->phase[kind], 1);
		if (step(ok, no))
			return 1;
		atomic_fetch_add(&shared->phase[kind], 1);
		nap();
		atomic_fetch_add(&shared->phase[kind], 1);
		if (step(no, ok))
			return 1;
		atomic_fetch_add(&shared->phase[kind], 1);
		nap();
	}
	return 0;
}

static void count(unsigned long before, unsigned long after, int fd, int error)
{
	int is_denied_place = before % 4 == 2;

	if (before != after || before & 1)
		atomic_fetch_add(&shared->unsure, 1);
	else if (fd < 0 && error != EACCES)
		atomic_fetch_add(&shared->odd, 1);
	else if (is_denied_place)
		atomic_fetch_add(fd < 0 ? &shared->refused : &shared->leaked, 1);
	else
		atomic_fetch_add(fd < 0 ? &shared->failed : &shared->opened, 1);
}

static int try_all(const int *held)
{
	while (time(NULL) < end) {
		for (int kind = 0; kind < CASES; kind++) {
			unsigned long before = atomic_load(&shared->phase[kind]);
			int fd = openat(held[kind], "f", O_RDONLY), error = errno;

			count(before, atomic_load(&shared->phase[kind]), fd, error);
			if (fd >= 0)
				close(fd);
		}
	}
	return 0;
}

static int enter(const char *cgroup)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY);
	return fd < 0 || write(fd, "0", 1) != 1;
}

int main(int argc, char **argv)
{
	int held[CASES], status, failures = 0;

	if (argc != 3)
		return 2;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	held[MOVED_MOUNT] = open("/t/ok/h", O_PATH);
	held[RENAMED_FOLDER] = open("/t/ok/rh/m", O_PATH);
	if (shared == MAP_FAILED || held[0] < 0 || held[1] < 0)
		return 1;
	end = time(NULL) + strtol(argv[2], NULL, 10);
	if (!fork())
		_exit(move(MOVED_MOUNT, move_mount_to, "/t/ok/h", "/t/no/h"));
	if (!fork())
		_exit(move(RENAMED_FOLDER, rename, "/t/ok/rh", "/t/no/rh"));
	for (int i = 0; i < 3; i++) {
		if (!fork())
			_exit(enter(argv[1]) || try_all(held));
	}
	while (wait(&status) > 0)
		failures += !!status;
	printf("leaked=%lu failed=%lu refused=%lu opened=%lu unsure=%lu odd=%lu\n", shared->leaked,
	       shared->failed, shared->refused, shared->opened, shared->unsure, shared->odd);
	return failures || shared->odd;
}
