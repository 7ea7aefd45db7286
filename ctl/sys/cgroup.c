// SPDX-License-Identifier: GPL-2.0
/* Control groups: finding the one that a user means, its number, and what lies below it. */
#include "ctl/sys/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool has_magic(const char *path, long magic)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == magic;
}

int cgroup_mount(const char **ret_mount)
{
	static const char hybrid[] = CGROUP_MOUNT "/unified";

	if (has_magic(CGROUP_MOUNT, CGROUP2_SUPER_MAGIC))
		*ret_mount = CGROUP_MOUNT;
	else if (has_magic(hybrid, CGROUP2_SUPER_MAGIC))
		*ret_mount = hybrid;
	else
		return -ENOTSUP;
	return 0;
}

static int find_directory(const char *path, char **ret_path)
{
	char *real = realpath(path, NULL);
	struct stat status;
	int error = 0;

	if (!real)
		return -errno;
	if (stat(real, &status))
		error = -errno;
	else if (has_magic(real, CGROUP_SUPER_MAGIC))
		error = -ENOTSUP;
	else if (!S_ISDIR(status.st_mode) || !has_magic(real, CGROUP2_SUPER_MAGIC))
		error = -EXDEV;
	if (error) {
		free(real);
		return error;
	}
	*ret_path = real;
	return 0;
}

/* A unit lies in its slice, and a slice a-b.slice below a.slice: look where systemd would have put it, then anywhere. */
static int find_unit(const char *folder, const char *unit, unsigned int depth, char **ret_path)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);
	char *path = NULL;
	int error = -ENOENT;

	if (!dir)
		return -errno;
	while (error == -ENOENT && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0) {
			error = -ENOMEM;
			break;
		}
		if (!strcmp(entry->d_name, unit))
			error = find_directory(path, ret_path);
		else if (depth)
			error = find_unit(path, unit, depth - 1, ret_path);
		free(path);
	}
	closedir(dir);
	return error;
}

static bool is_unit_name(const char *text)
{
	const char *dot = strrchr(text, '.');

	return dot && !strchr(text, '/') &&
	       (!strcmp(dot, ".slice") || !strcmp(dot, ".service") || !strcmp(dot, ".scope"));
}

int cgroup_find(const char *text, char **ret_path)
{
	const char *mount;
	char *path;
	int error = cgroup_mount(&mount);

	if (error)
		return error;
	if (is_unit_name(text))
		return find_unit(mount, text, 16, ret_path);
	if (text[0] != '/')
		return -EINVAL;
	if (cgroup_is_above(mount, text))
		return find_directory(text, ret_path);
	if (asprintf(&path, "%s%s", mount, text) < 0)
		return -ENOMEM;
	error = find_directory(path, ret_path);
	free(path);
	if (error == -ENOENT)
		error = find_directory(text, ret_path);
	return error;
}

/* systemd.slice(5): a-b.slice lies in a.slice, so every dash but a first one ends a name. */
static char *slice_path(const char *mount, const char *slice)
{
	char *path = NULL;
	size_t len;
	FILE *stream = open_memstream(&path, &len);

	if (!stream)
		return NULL;
	fputs(mount, stream);
	for (const char *dash = strchr(slice + 1, '-'); dash; dash = strchr(dash + 1, '-'))
		fprintf(stream, "/%.*s.slice", (int)(dash - slice), slice);
	fprintf(stream, "/%s", slice);
	if (fclose(stream)) {
		free(path);
		return NULL;
	}
	return path;
}

/* Where the cgroup TEXT would be made; NULL without memory. */
static char *new_path(const char *mount, const char *text)
{
	char *path;

	if (text[0] != '/')
		return slice_path(mount, text);
	if (cgroup_is_above(mount, text))
		return strdup(text);
	return asprintf(&path, "%s%s", mount, text) < 0 ? NULL : path;
}

static int make_directories(const char *mount, char *path)
{
	for (char *slash = path + strlen(mount); slash; slash = strchr(slash + 1, '/')) {
		char *end = strchr(slash + 1, '/');

		if (end)
			*end = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			return -errno;
		if (end)
			*end = '/';
	}
	return 0;
}

int cgroup_make(const char *text, char **ret_path)
{
	int error = cgroup_find(text, ret_path);
	const char *mount, *dot = strrchr(text, '.');
	char *path;

	if (error != -ENOENT || (text[0] != '/' && strcmp(dot, ".slice")) || cgroup_mount(&mount))
		return error;
	path = new_path(mount, text);
	error = path ? make_directories(mount, path) : -ENOMEM;
	free(path);
	return error ? error : cgroup_find(text, ret_path);
}

#define FILEID_KERNFS 0xfe

struct kernfs_handle {
	struct file_handle handle;
	uint64_t id;
};

int cgroup_path(uint64_t id, char **ret_path)
{
	struct kernfs_handle target = { .handle = { .handle_bytes = sizeof(id),
						    .handle_type = FILEID_KERNFS } };
	char link[64], path[PATH_MAX];
	const char *mount;
	int mount_fd, fd, error = cgroup_mount(&mount);
	ssize_t len;

	if (error)
		return error;
	memcpy(target.handle.f_handle, &id, sizeof(id));
	mount_fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (mount_fd < 0)
		return -errno;
	fd = open_by_handle_at(mount_fd, &target.handle, O_PATH | O_DIRECTORY | O_CLOEXEC);
	error = fd < 0 ? -errno : 0;
	close(mount_fd);
	if (error)
		return error;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	close(fd);
	if (len < 0)
		return -ESTALE;
	*ret_path = strndup(path, len);
	return *ret_path ? 0 : -ENOMEM;
}

int cgroup_id(const char *path, uint64_t *ret_id)
{
	struct kernfs_handle target = { .handle.handle_bytes = sizeof(uint64_t) };
	int mount_id;

	if (name_to_handle_at(AT_FDCWD, path, &target.handle, &mount_id, 0))
		return -errno;
	memcpy(ret_id, target.handle.f_handle, sizeof(*ret_id));
	return 0;
}

const char *cgroup_relative(const char *path)
{
	const char *mount;

	if (cgroup_mount(&mount) || !cgroup_is_above(mount, path))
		return path;
	path += strlen(mount);
	return *path ? path : "/";
}

int cgroup_own(char **ret_path)
{
	const char *mount;
	char line[4200], *path = NULL;
	FILE *file;
	int error = cgroup_mount(&mount);

	if (error)
		return error;
	file = fopen("/proc/self/cgroup", "re");
	if (!file)
		return -errno;
	error = -ENOENT;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		if (strncmp(line, "0::/", 4))
			continue;
		error = asprintf(&path, "%s%s", mount, line[4] ? line + 3 : "") < 0 ? -ENOMEM : 0;
		break;
	}
	fclose(file);
	if (!error)
		*ret_path = path;
	return error;
}

int cgroup_walk(const char *path, int (*visit)(const char *path, uint64_t id, void *data), void *data)
{
	struct dirent *entry;
	uint64_t id = 0;
	char *child;
	DIR *dir;
	int result = cgroup_id(path, &id);

	if (result)
		return result == -ENOENT ? 0 : result;
	result = visit(path, id, data);
	dir = result ? NULL : opendir(path);
	if (!dir)
		return result ? result : errno == ENOENT ? 0 : -errno;
	while (!result && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (asprintf(&child, "%s/%s", path, entry->d_name) < 0) {
			result = -ENOMEM;
			break;
		}
		result = cgroup_walk(child, visit, data);
		free(child);
	}
	closedir(dir);
	return result;
}

/* Making a cgroup takes the lock that all makers hold until theirs is visible. */
int cgroup_barrier(void)
{
	const char *mount;
	char path[128];
	int error = cgroup_mount(&mount);

	if (error)
		return error;
	snprintf(path, sizeof(path), "%s/agentctl-barrier.%d", mount, getpid());
	if (mkdir(path, 0755))
		return -errno;
	return rmdir(path) ? -errno : 0;
}

bool cgroup_is_above(const char *path, const char *below)
{
	size_t len = strlen(path);

	return !strncmp(path, below, len) && (!below[len] || below[len] == '/');
}

int cgroup_move(const char *path, pid_t pid)
{
	char file[4200], number[32];
	int fd, len, error = 0;

	if ((size_t)snprintf(file, sizeof(file), "%s/cgroup.procs", path) >= sizeof(file))
		return -ENAMETOOLONG;
	fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = snprintf(number, sizeof(number), "%d", pid);
	if (write(fd, number, len) != len)
		error = -errno;
	close(fd);
	return error;
}
