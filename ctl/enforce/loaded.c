// SPDX-License-Identifier: GPL-2.0
/* What `load` keeps of the policies in force: their sources, for `explain`. */
#include "ctl/enforce/loaded.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/enforce/pins.h"
#include "kern/abi.h"

#define FOLDER RUN_DIR "/policies"
#define PATH_SIZE (sizeof(FOLDER) + POLICY_NAME_MAX + 8)

/* The name of a policy starts with a letter or digit, so what starts with a dot is no policy's. */
static void bundle_path(char *path, const char *name)
{
	snprintf(path, PATH_SIZE, FOLDER "/%s", name);
}

static void fresh_path(char *path, const char *name)
{
	snprintf(path, PATH_SIZE, FOLDER "/.%s.new", name);
}

static void old_path(char *path, const char *name)
{
	snprintf(path, PATH_SIZE, FOLDER "/.%s.old", name);
}

int loaded_policy_path(const char *name, char **ret_path)
{
	char *path;

	if (asprintf(&path, FOLDER "/%s", name) < 0)
		return -ENOMEM;
	if (access(path, R_OK)) {
		int error = -errno;

		free(path);
		return error;
	}
	*ret_path = path;
	return 0;
}

int loaded_policy_stage(const struct policy *policy, const struct policy_options *options)
{
	char path[PATH_SIZE], fresh[PATH_SIZE], old[PATH_SIZE];
	int fd, error;

	if (mkdir(FOLDER, 0700) && errno != EEXIST)
		return -errno;
	bundle_path(path, policy->name);
	fresh_path(fresh, policy->name);
	old_path(old, policy->name);
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	error = policy_write_bundle(policy, options, fd);
	if (close(fd) && !error)
		error = -errno;
	/* The second name keeps the one that is replaced, should it have to come back. */
	if (!error && link(path, old) && errno != ENOENT)
		error = -errno;
	return error;
}

int loaded_policy_commit(const char *name)
{
	char path[PATH_SIZE], fresh[PATH_SIZE];

	bundle_path(path, name);
	fresh_path(fresh, name);
	return rename(fresh, path) ? -errno : 0;
}

/* Where the fresh one still is, nothing was replaced. */
int loaded_policy_undo(const char *name)
{
	char path[PATH_SIZE], fresh[PATH_SIZE], old[PATH_SIZE];

	bundle_path(path, name);
	fresh_path(fresh, name);
	old_path(old, name);
	if (!access(fresh, F_OK))
		return 0;
	if (!rename(old, path))
		return 0;
	return errno != ENOENT || (unlink(path) && errno != ENOENT) ? -errno : 0;
}

int loaded_policies_tidy(void)
{
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;
	int error = 0;

	if (!folder)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] != '.' || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(dirfd(folder), entry->d_name, 0) && errno != ENOENT)
			error = -errno;
	}
	closedir(folder);
	return error;
}

void loaded_policy_forget(const char *name)
{
	char path[PATH_SIZE];

	bundle_path(path, name);
	unlink(path);
}
