// SPDX-License-Identifier: GPL-2.0
/*
 * Opens files of a governed cgroup without pause, in many tasks, and counts what
 * came of it in a file that the test maps: hammer STATE CGROUP KIND TASKS DENIED ALLOWED.
 * KIND: tasks (processes), threads (of one process, on one CPU, woken at odd
 * moments), or chain (processes that fork and end, so that new ones come all the time).
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The test writes phase, the tasks the rest. */
struct state {
	_Atomic unsigned long phase;   /* 0 count nothing, 1 judge, 2 end */
	_Atomic unsigned long refused; /* of the denied file: right */
	_Atomic unsigned long leaked;  /* the denied file opened: wrong */
	_Atomic unsigned long opened;  /* the allowed file: right */
	_Atomic unsigned long failed;  /* the allowed file refused: wrong */
	_Atomic unsigned long odd;     /* other errors than EACCES */
	_Atomic unsigned long started; /* tasks that ever began */
	_Atomic unsigned long running;
};

static struct state *state;
static const char *denied, *allowed;

/* Judged only if the phase was 1 before the call began: whatever began earlier may end either way. */
static void try_one(const char *path, _Atomic unsigned long *on_open, _Atomic unsigned long *on_refusal)
{
	int is_judged = atomic_load(&state->phase) == 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	if (!is_judged)
		return;
	if (error && error != EACCES)
		atomic_fetch_add(&state->odd, 1);
	else
		atomic_fetch_add(error ? on_refusal : on_open, 1);
}

static void try_both(void)
{
	try_one(denied, &state->leaked, &state->refused);
	try_one(allowed, &state->opened, &state->failed);
}

/* Sleeps of odd lengths, so that a waking thread interrupts another in the middle of a check. */
static void *open_and_sleep(void *data)
{
	unsigned int seed = (unsigned int)(unsigned long)data;

	prctl(PR_SET_TIMERSLACK, 1);
	atomic_fetch_add(&state->started, 1);
	while (atomic_load(&state->phase) < 2) {
		struct timespec pause = { .tv_nsec = rand_r(&seed) % 60000 };

		for (int i = rand_r(&seed) % 8; i >= 0; i--)
			try_both();
		if (seed & 1)
			nanosleep(&pause, NULL);
	}
	return NULL;
}

static void open_for_ever(void)
{
	atomic_fetch_add(&state->started, 1);
	while (atomic_load(&state->phase) < 2)
		try_both();
}

static void fork_for_ever(void)
{
	for (;;) {
		pid_t child;

		atomic_fetch_add(&state->started, 1);
		try_both();
		if (atomic_load(&state->phase) >= 2)
			return;
		child = fork();
		if (child > 0)
			_exit(0);
	}
}

static void run_threads(long count)
{
	pthread_t thread[64];
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	for (long i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, open_and_sleep, (void *)(i + 1));
	for (long i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
}

static void run_tasks(long count, void (*body)(void))
{
	/* Orphans of a chain come back here, so that the end of all can be waited for. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (long i = 0; i < count; i++) {
		if (!fork()) {
			body();
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

static int enter(const char *cgroup)
{
	char path[4096];
	int fd, error;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	error = fd < 0 || write(fd, "0", 1) != 1;
	if (fd >= 0)
		close(fd);
	return error;
}

int main(int argc, char **argv)
{
	long count;
	int fd;

	if (argc != 7)
		return 2;
	count = strtol(argv[4], NULL, 10);
	denied = argv[5];
	allowed = argv[6];
	fd = open(argv[1], O_RDWR);
	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (state == MAP_FAILED || count < 1 || count > 64 || enter(argv[2])) {
		perror("hammer");
		return 1;
	}
	/* What the test does meanwhile shall not take for ever. */
	if (nice(10) < 0)
		perror("nice");
	atomic_store(&state->running, 1);
	if (!strcmp(argv[3], "threads"))
		run_threads(count);
	else
		run_tasks(count, strcmp(argv[3], "chain") ? open_for_ever : fork_for_ever);
	return 0;
}
