// SPDX-License-Identifier: GPL-2.0
/*
 * Six hostile threads against one policy: hostile CGROUP SECONDS.
 *
 * The policy lets them do everything but read below /h/no and read *.key anywhere.
 * What must not be read begins with S, all else with p. The threads rename, link,
 * exchange and open what they can; root outside moves folders and bind mounts, and
 * fills up again, without ever giving what is secret an allowed name. Whatever
 * becomes readable was laundered.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FOLDERS 4
#define OPEN_TREE_CLONE 1
#define MOVE_MOUNT_FROM_EMPTY 4

static struct counts {
	_Atomic unsigned long leaked, opened, refused, moved, crossed, denied, outside;
} * counts;

static const char *const areas[] = { "ok", "no", "z" };
static const char *const names[] = { "f", "g.txt", "a.key", "b.key" };
static time_t end;

#define PICK(array) (array)[rand_r(seed) % (sizeof(array) / sizeof((array)[0]))]

static void pick_folder(unsigned int *seed, char *path, size_t size)
{
	unsigned int dice = rand_r(seed) % 8;

	if (!dice)
		snprintf(path, size, "/h/%s", PICK(areas));
	else
		snprintf(path, size, "/h/%s/d%u%s", PICK(areas), rand_r(seed) % FOLDERS,
			 dice == 1 ? "/e" : "");
}

static void pick_file(unsigned int *seed, char *path, size_t size)
{
	char folder[64];

	pick_folder(seed, folder, sizeof(folder));
	snprintf(path, size, "%s/%s", folder, PICK(names));
}

static void tell_leak(const char *how, const char *path)
{
	if (!atomic_fetch_add(&counts->leaked, 1))
		fprintf(stderr, "leaked by %s: %s\n", how, path);
}

/* Ends the descriptor, which may be an error. */
static void check_read(int fd, const char *how, const char *path)
{
	char byte = 0;

	if (fd < 0) {
		if (errno == EACCES)
			atomic_fetch_add(&counts->refused, 1);
		return;
	}
	if (read(fd, &byte, 1) == 1 && byte == 'S')
		tell_leak(how, path);
	else
		atomic_fetch_add(&counts->opened, 1);
	close(fd);
}

static void count_move(int result)
{
	if (!result)
		atomic_fetch_add(&counts->moved, 1);
	else if (errno == EXDEV)
		atomic_fetch_add(&counts->crossed, 1);
	else if (errno == EACCES)
		atomic_fetch_add(&counts->denied, 1);
}

static void do_open(unsigned int *seed)
{
	char path[128];

	pick_file(seed, path, sizeof(path));
	check_read(open(path, O_RDONLY | O_CLOEXEC), "open", path);
}

/* Holds a folder, and opens below it when it may have got another name. */
static void do_hold(unsigned int *seed)
{
	char folder[64], path[128];
	const char *name = PICK(names);
	int fd;

	pick_folder(seed, folder, sizeof(folder));
	fd = open(folder, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return;
	for (int i = 0; i < 8; i++)
		check_read(openat(fd, name, O_RDONLY | O_CLOEXEC), "openat", folder);
	close(fd);
	pick_file(seed, path, sizeof(path));
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return;
	snprintf(folder, sizeof(folder), "/proc/self/fd/%d", fd);
	for (int i = 0; i < 4; i++)
		check_read(open(folder, O_RDONLY | O_CLOEXEC), "reopen", path);
	close(fd);
}

static void do_rename_file(unsigned int *seed)
{
	static const unsigned int flags[] = { 0, RENAME_NOREPLACE, RENAME_EXCHANGE };
	char from[128], to[128];

	pick_file(seed, from, sizeof(from));
	pick_file(seed, to, sizeof(to));
	count_move(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, PICK(flags)));
}

static void do_rename_folder(unsigned int *seed)
{
	static const unsigned int flags[] = { 0, RENAME_EXCHANGE };
	char from[64], to[64];

	pick_folder(seed, from, sizeof(from));
	pick_folder(seed, to, sizeof(to));
	count_move(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, PICK(flags)));
}

static void do_link(unsigned int *seed)
{
	char from[128], to[128], link_path[64];
	int fd;

	pick_file(seed, from, sizeof(from));
	pick_file(seed, to, sizeof(to));
	count_move(link(from, to));
	fd = open(from, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return;
	snprintf(link_path, sizeof(link_path), "/proc/self/fd/%d", fd);
	count_move(linkat(AT_FDCWD, link_path, AT_FDCWD, to, AT_SYMLINK_FOLLOW));
	close(fd);
}

static void do_exchange(unsigned int *seed)
{
	char from[128], to[64];

	pick_file(seed, from, sizeof(from));
	pick_folder(seed, to, sizeof(to));
	count_move(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE));
	do_rename_folder(seed);
}

static void (*const attacks[])(unsigned int *) = { do_open,	     do_hold, do_rename_file,
						   do_rename_folder, do_link, do_exchange };

#define ATTACKS (sizeof(attacks) / sizeof(attacks[0]))

static void *attack(void *data)
{
	unsigned int seed = (unsigned int)(size_t)data + (unsigned int)time(NULL) * 7;

	while (time(NULL) < end)
		attacks[(size_t)data](&seed);
	return NULL;
}

static int enter(const char *cgroup)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY);
	return fd < 0 || write(fd, "0", 1) != 1;
}

static int attack_all(void)
{
	pthread_t thread[ATTACKS];

	for (size_t i = 0; i < ATTACKS; i++)
		if (pthread_create(&thread[i], NULL, attack, (void *)i))
			return 1;
	for (size_t i = 0; i < ATTACKS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static void put(const char *folder, const char *name, const char *text)
{
	int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	fd = at < 0 ? -1 : openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0 && write(fd, text, 1) != 1)
		perror(name);
	if (fd >= 0)
		close(fd);
	if (at >= 0)
		close(at);
}

/*
 * New files where some are missing: keys anywhere, secrets below /h/no. A folder may
 * move while something is made in it, but one from /h/no has no way out, or that is
 * the leak.
 */
static void fill(void)
{
	char folder[64];

	for (size_t area = 0; area < sizeof(areas) / sizeof(areas[0]); area++) {
		bool is_secret = !strcmp(areas[area], "no");

		snprintf(folder, sizeof(folder), "/h/%s", areas[area]);
		mkdir(folder, 0777);
		for (unsigned int i = 0; i < FOLDERS; i++) {
			snprintf(folder, sizeof(folder), "/h/%s/d%u/e", areas[area], i);
			*strrchr(folder, '/') = 0;
			mkdir(folder, 0777);
			put(folder, "f", is_secret ? "S" : "p");
			put(folder, "g.txt", is_secret ? "S" : "p");
			put(folder, "a.key", "S");
			put(folder, "b.key", "S");
			strcat(folder, "/e");
			mkdir(folder, 0777);
		}
	}
}

/* Binds FROM to PLACE for a while. The mount is held, since its place moves with the folder. */
static void bind_shortly(const char *from, const char *place)
{
	struct timespec pause = { .tv_nsec = 300000 };
	int tree = syscall(SYS_open_tree, AT_FDCWD, from, OPEN_TREE_CLONE | O_CLOEXEC);
	char held[64];

	if (tree < 0)
		return;
	if (!syscall(SYS_move_mount, tree, "", AT_FDCWD, place, MOVE_MOUNT_FROM_EMPTY)) {
		atomic_fetch_add(&counts->outside, 1);
		nanosleep(&pause, NULL);
		snprintf(held, sizeof(held), "/proc/self/fd/%d", tree);
		if (umount2(held, MNT_DETACH))
			perror("umount");
	}
	close(tree);
}

/* Renames and mounts that give nothing secret an allowed name; what is allowed gets second ones among the secrets, too. */
static void stir(unsigned int *seed)
{
	const char *area = areas[rand_r(seed) % 2];
	const char *other = rand_r(seed) % 2 ? area : "no";
	char from[64], to[64];

	snprintf(from, sizeof(from), "/h/%s/d%u", area, rand_r(seed) % FOLDERS);
	snprintf(to, sizeof(to), "/h/%s/d%u", area, rand_r(seed) % FOLDERS);
	if (!syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE))
		atomic_fetch_add(&counts->outside, 1);
	snprintf(to, sizeof(to), "/h/%s/d%u/e", other, rand_r(seed) % FOLDERS);
	bind_shortly(from, to);
}

int main(int argc, char **argv)
{
	unsigned int seed = 1;
	int status, failures = 0;
	pid_t pid;

	if (argc != 3)
		return 2;
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return 1;
	umask(0);
	end = time(NULL) + strtol(argv[2], NULL, 10);
	fill();
	pid = fork();
	if (!pid)
		_exit(enter(argv[1]) || attack_all());
	while (time(NULL) < end) {
		fill();
		stir(&seed);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		failures = 1;
	printf("leaked=%lu opened=%lu refused=%lu moved=%lu crossed=%lu denied=%lu outside=%lu\n",
	       counts->leaked, counts->opened, counts->refused, counts->moved, counts->crossed,
	       counts->denied, counts->outside);
	return failures;
}
