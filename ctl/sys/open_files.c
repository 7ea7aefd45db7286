// SPDX-License-Identifier: GPL-2.0
/* What the tasks of a cgroup have open or mapped that has a place in the tree of names. */
#include "ctl/sys/open_files.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "ctl/sys/tasks.h"

#define ROUNDS_MAX 4   /* of looking for tasks that were started meanwhile */
#define TABLES_MAX 8   /* file tables of one process that are told apart */
#define NAME_SIZE 4097 /* the kernel gives out no longer name */
#define DELETED " (deleted)"

struct walk {
	struct mounts *mounts;
	int (*visit)(const struct open_file *file, void *data);
	void *data;
	struct open_missed *missed;
	/* the process that is looked at */
	pid_t pid;
	int folder; /* its directory in /proc */
	uint64_t namespace;
	char comm[64];
	char exe[NAME_SIZE];
	/* the file */
	char name[NAME_SIZE];
	char other[NAME_SIZE];
};

/* EINVAL is what a task that is ending says of its mounts. */
static bool is_gone(int error)
{
	return error == -ENOENT || error == -ESRCH || error == -EINVAL;
}

/* A short file of /proc as text; its length or -errno. */
static ssize_t read_text(int folder, const char *name, char *text, size_t size)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -errno : read(fd, text, size - 1);

	if (fd >= 0) {
		len = len < 0 ? -errno : len;
		close(fd);
	}
	if (len >= 0)
		text[len] = '\0';
	return len;
}

/* The name that a link of /proc leads to, as the kernel tells it, which follows nothing. 0 or -errno. */
static int read_link(int folder, const char *link, char *name)
{
	ssize_t len = readlinkat(folder, link, name, NAME_SIZE - 1);

	if (len < 0)
		return -errno;
	name[len] = '\0';
	return 0;
}

static const char *fdinfo_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (; text && *text; text = strchr(text, '\n'), text += text ? 1 : 0)
		if (!strncmp(text, key, len) && text[len] == ':')
			return text + len + 1;
	return NULL;
}

int fdinfo_parse(const char *text, int *ret_flags, uint32_t *ret_mount)
{
	const char *flags = fdinfo_value(text, "flags"), *mount = fdinfo_value(text, "mnt_id");

	if (!flags || !mount)
		return -EBADMSG;
	*ret_flags = strtol(flags, NULL, 8);
	*ret_mount = strtoul(mount, NULL, 10);
	return 0;
}

int mapping_parse(char *line, struct mapping *ret)
{
	unsigned int major, minor;
	char perms[5];
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %*u %n", &ret->start, &ret->end, perms,
		   &major, &minor, &at) < 5 ||
	    !at || line[at] != '/')
		return -ENOENT;
	ret->is_written = perms[1] == 'w';
	ret->is_shared = perms[3] == 's';
	ret->device = makedev(major, minor);
	ret->name = line + at;
	return 0;
}

/* File systems whose kernel code answers for a file that is open without asking anybody. */
static bool answers(const struct mount *mount)
{
	static const char *const types[] = { "ext2",  "ext3",	 "ext4", "xfs",	     "btrfs", "f2fs",
					     "tmpfs", "overlay", "proc", "bcachefs", "vfat",  "exfat" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(mount->type, types[i]))
			return true;
	return false;
}

/* Has no name any more the file that LINK leads to? False if nobody may be asked. */
static bool is_nameless(const struct mount *mount, int folder, const char *link)
{
	struct statx status;

	return answers(mount) &&
	       !statx(folder, link, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_NLINK, &status) &&
	       status.stx_mask & STATX_NLINK && !status.stx_nlink;
}

/* NAME lies in a directory of a process in /proc: if it is this one, the kernel's side calls it `self`. */
static void name_self(struct walk *walk, struct open_file *file)
{
	const struct mount *mount = file->mount;
	size_t len = strcmp(mount->point, "/") ? strlen(mount->point) : 0;
	const char *number = walk->name + len + 1;
	size_t digits;
	bool is_only;

	if (strcmp(mount->type, "proc") || !mount->is_whole || !mount_is_above(mount->point, walk->name) ||
	    walk->name[len] != '/')
		return;
	digits = strspn(number, "0123456789");
	if (!digits || (number[digits] && number[digits] != '/') ||
	    !task_is_numbered(walk->pid, atoi(number), &is_only) ||
	    (size_t)snprintf(walk->other, NAME_SIZE, "%.*s/self%s", (int)len, walk->name, number + digits) >=
		    NAME_SIZE)
		return;
	file->other_name = walk->other;
	if (is_only)
		file->name = walk->other;
}

/*
 * What stands in walk->name has been read of LINK in FOLDER, and is in MOUNT if
 * that is known. Without a known mount it is an object that has no place, such as a
 * memfd, or one on a mount that no task here sees.
 */
static int tell(struct walk *walk, struct open_file *file, int folder, const char *link)
{
	size_t len = strlen(walk->name), suffix = strlen(DELETED);
	bool has_suffix = len > suffix && !strcmp(walk->name + len - suffix, DELETED);

	file->pid = walk->pid;
	file->comm = walk->comm;
	file->name = file->mount ? walk->name : NULL;
	if (!file->mount && (has_suffix || !strncmp(walk->name, "/dmabuf:", 8)))
		return 0;
	if (file->mount && has_suffix) {
		if (is_nameless(file->mount, folder, link))
			return 0;
		/* It may really be called so, or have lost one of several names. */
		memcpy(walk->other, walk->name, len - suffix);
		walk->other[len - suffix] = '\0';
		file->other_name = walk->other;
	} else if (file->mount) {
		name_self(walk, file);
	}
	return walk->visit(file, walk->data);
}

/*
 * Files that are registered with a ring are open without being in any table of
 * descriptors, and how they were opened is not told: one that cannot be judged
 * stands for all of a ring.
 */
static int look_ring(struct walk *walk, int infos, const char *number)
{
	struct open_file file = { .pid = walk->pid, .comm = walk->comm, .fd = atoi(number), .is_read = true };
	int fd = openat(infos, number, O_RDONLY | O_CLOEXEC);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned int count = 0;
	char *line = NULL;
	size_t size = 0;

	while (stream && !count && getline(&line, &size, stream) >= 0)
		sscanf(line, "UserFiles: %u", &count);
	free(line);
	if (stream)
		fclose(stream);
	else if (fd >= 0)
		close(fd);
	return count ? walk->visit(&file, walk->data) : 0;
}

static int look_descriptor(struct walk *walk, int links, int infos, const char *number)
{
	struct open_file file = { .fd = atoi(number) };
	char text[1024];
	uint32_t id;
	int flags, error = read_link(links, number, walk->name);

	if (!error && !strcmp(walk->name, "anon_inode:[io_uring]"))
		return look_ring(walk, infos, number);
	if (error == -ENAMETOOLONG)
		strcpy(walk->name, "/");
	else if (error || walk->name[0] != '/')
		return is_gone(error) ? 0 : error;
	if (read_text(infos, number, text, sizeof(text)) < 0 || fdinfo_parse(text, &flags, &id) ||
	    flags & O_PATH)
		return 0;
	/* Mode 3, for ioctl alone, needs both, as in the kernel. */
	file.is_read = (flags & O_ACCMODE) != O_WRONLY;
	file.is_written = (flags & O_ACCMODE) != O_RDONLY;
	file.mount = error ? NULL : mounts_by_id(walk->mounts, id);
	return tell(walk, &file, links, number);
}

static int look_descriptors(struct walk *walk, int folder)
{
	int fd = openat(folder, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int infos = openat(folder, "fdinfo", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *links = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int error = links && infos >= 0 ? 0 : -errno;

	while (!error && (entry = readdir(links)))
		if (entry->d_name[0] != '.')
			error = look_descriptor(walk, fd, infos, entry->d_name);
	if (links)
		closedir(links);
	else if (fd >= 0)
		close(fd);
	if (infos >= 0)
		close(infos);
	return error;
}

/* Where the kernel put the program's interpreter; 0 if it has none. Programs of 32 bits have words of 32. */
static uint64_t interpreter_base(int folder)
{
	uint64_t wide[256] = { 0 };
	uint32_t *narrow = (uint32_t *)wide;
	ssize_t len = read_text(folder, "auxv", (char *)wide, sizeof(wide));

	for (ssize_t i = 0; i + 16 <= len; i += 16)
		if (wide[i / 8] == AT_BASE)
			return wide[i / 8 + 1];
	for (ssize_t i = 0; i + 8 <= len; i += 8)
		if (narrow[i / 4] == AT_BASE)
			return narrow[i / 4 + 1];
	return 0;
}

/* The name as it is: "maps" writes a newline as \012, and a backslash as itself. */
static int mapping_name(struct walk *walk, int links, const char *link, const struct mapping *mapping)
{
	if (strchr(mapping->name, '\\'))
		return read_link(links, link, walk->name);
	if (strlen(mapping->name) >= NAME_SIZE)
		return -ENAMETOOLONG;
	strcpy(walk->name, mapping->name);
	return 0;
}

/* A shared mapping of a file that was opened for writing can be made writable at any time. */
static bool may_be_written(int links, const char *link, const struct mapping *mapping)
{
	struct stat status;

	if (!mapping->is_shared || mapping->is_written)
		return mapping->is_shared;
	return !fstatat(links, link, &status, AT_SYMLINK_NOFOLLOW) && status.st_mode & S_IWUSR;
}

static int look_mapping(struct walk *walk, int links, const struct mapping *mapping, bool is_interpreter)
{
	struct open_file file = { .fd = FD_MAPPED, .is_read = true, .is_interpreter = is_interpreter };
	char link[40];
	int error;

	snprintf(link, sizeof(link), "%" PRIx64 "-%" PRIx64, mapping->start, mapping->end);
	error = mapping_name(walk, links, link, mapping);
	if (error && error != -ENAMETOOLONG)
		return is_gone(error) ? 0 : error;
	if (error)
		strcpy(walk->name, "/");
	file.is_written = may_be_written(links, link, mapping);
	file.is_exe = !strcmp(walk->exe, walk->name);
	file.mount = error ? NULL
			   : mounts_by_name(walk->mounts, walk->namespace, mapping->device, walk->name);
	return tell(walk, &file, links, link);
}

static int look_mappings(struct walk *walk)
{
	uint64_t base = interpreter_base(walk->folder);
	int fd = openat(walk->folder, "maps", O_RDONLY | O_CLOEXEC);
	int links = openat(walk->folder, "map_files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL, *interpreter = NULL;
	struct mapping mapping;
	size_t size = 0;
	int error = stream ? 0 : -errno;

	while (!error && getline(&line, &size, stream) >= 0) {
		if (mapping_parse(line, &mapping))
			continue;
		if (base && mapping.start == base && !interpreter)
			interpreter = strdup(mapping.name);
		error = look_mapping(walk, links, &mapping,
				     interpreter && !strcmp(interpreter, mapping.name));
	}
	free(interpreter);
	free(line);
	if (stream)
		fclose(stream);
	else if (fd >= 0)
		close(fd);
	if (links >= 0)
		close(links);
	return error;
}

/* Is one of the processes or threads in TASKS known to share its table of files with TID? */
static bool shares_files(const struct task *tasks, const size_t *table, size_t tables, pid_t tid)
{
	for (size_t i = 0; i < tables; i++)
		if (syscall(SYS_kcmp, tasks[table[i]].tid, tid, KCMP_FILES, 0, 0) <= 0)
			return true;
	return false;
}

static int look_threads(struct walk *walk, const struct task *tasks, size_t count)
{
	size_t table[TABLES_MAX] = { 0 }, tables = 1;
	char path[32];
	int error = look_descriptors(walk, walk->folder), folder;

	for (size_t i = 1; i < count && !error && tables < TABLES_MAX; i++) {
		if (shares_files(tasks, table, tables, tasks[i].tid))
			continue;
		table[tables++] = i;
		snprintf(path, sizeof(path), "/proc/%d", tasks[i].tid);
		folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		error = folder < 0 ? 0 : look_descriptors(walk, folder);
		if (folder >= 0)
			close(folder);
		error = is_gone(error) ? 0 : error;
	}
	return error;
}

/* Looks at one process by its first task; the others are threads of it. */
static int look_process(struct walk *walk, const struct task *tasks, size_t count)
{
	char path[32];
	ssize_t len;
	int error;

	snprintf(path, sizeof(path), "/proc/%d", tasks->tid);
	walk->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (walk->folder < 0)
		return -errno;
	walk->pid = tasks->pid;
	len = read_text(walk->folder, "comm", walk->comm, sizeof(walk->comm));
	walk->comm[len > 0 ? len - 1 : 0] = '\0';
	error = mounts_see(walk->mounts, walk->folder, walk->pid, &walk->namespace);
	if (!error && read_link(walk->folder, "exe", walk->exe))
		walk->exe[0] = '\0';
	if (!error)
		error = look_threads(walk, tasks, count);
	if (!error)
		error = look_mappings(walk);
	close(walk->folder);
	return error;
}

/* Looks at those of TASKS that KNOWN has not; their number is added to *looked. */
static int look_tasks(struct walk *walk, const struct task_list *known, const struct task_list *tasks,
		      size_t *looked)
{
	int error = 0;

	for (size_t i = 0, next; i < tasks->count && !error; i = next) {
		for (next = i + 1; next < tasks->count && tasks->list[next].pid == tasks->list[i].pid;)
			next++;
		if (tasks_has(known, &tasks->list[i]))
			continue;
		++*looked;
		error = look_process(walk, &tasks->list[i], next - i);
		if (error == -EACCES || error == -EPERM)
			walk->missed->refused++;
		if (is_gone(error) || error == -EACCES || error == -EPERM)
			error = 0;
	}
	return error;
}

/* Names are read from the caller's root on, which has to be that of its namespace: the first process's, if they share it. */
static bool is_chrooted(void)
{
	char own[64], first[64];
	struct stat root, first_root;
	ssize_t len = readlink("/proc/self/ns/mnt", own, sizeof(own));

	return len > 0 && readlink("/proc/1/ns/mnt", first, sizeof(first)) == len &&
	       !memcmp(own, first, len) && !stat("/", &root) && !stat("/proc/1/root", &first_root) &&
	       (root.st_dev != first_root.st_dev || root.st_ino != first_root.st_ino);
}

int open_files_visit(const char *path, struct mounts *mounts,
		     int (*visit)(const struct open_file *file, void *data), void *data,
		     struct open_missed *ret_missed)
{
	struct walk *walk = malloc(sizeof(*walk));
	struct task_list known = { 0 }, tasks;
	size_t looked = 1;
	int error = 0;

	*ret_missed = (struct open_missed){ .is_chrooted = is_chrooted() };
	if (!walk)
		return -ENOMEM;
	walk->mounts = mounts;
	walk->visit = visit;
	walk->data = data;
	walk->missed = ret_missed;
	for (int round = 0; round < ROUNDS_MAX && looked && !error && !ret_missed->is_chrooted; round++) {
		error = tasks_list(path, &known, &tasks);
		if (error)
			break;
		looked = 0;
		error = look_tasks(walk, &known, &tasks, &looked);
		tasks_done(&known);
		known = tasks;
	}
	ret_missed->hidden = known.hidden;
	tasks_done(&known);
	free(walk);
	return error;
}
