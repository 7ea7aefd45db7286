// SPDX-License-Identifier: GPL-2.0
/* Finding what `load` kept of a policy in force. */
#include "ctl/enforce/loaded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/enforce/pins.h"

int loaded_policy_path(const char *name, char **ret_path)
{
	char *path;

	if (asprintf(&path, RUN_DIR "/policies/%s", name) < 0)
		return -ENOMEM;
	if (access(path, R_OK)) {
		int error = -errno;

		free(path);
		return error;
	}
	*ret_path = path;
	return 0;
}

int loaded_policy_keep(const struct policy *policy, const struct policy_options *options)
{
	char path[256], fresh[300];
	int fd, error;

	if (mkdir(RUN_DIR "/policies", 0700) && errno != EEXIST)
		return -errno;
	snprintf(path, sizeof(path), RUN_DIR "/policies/%s", policy->name);
	snprintf(fresh, sizeof(fresh), RUN_DIR "/policies/.%s.new", policy->name);
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	error = policy_write_bundle(policy, options, fd);
	if (close(fd) && !error)
		error = -errno;
	if (!error && rename(fresh, path))
		error = -errno;
	if (error)
		unlink(fresh);
	return error;
}

void loaded_policy_forget(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), RUN_DIR "/policies/%s", name);
	unlink(path);
}
