// SPDX-License-Identifier: GPL-2.0
/* Where names lead on this machine: symbolic links, and who could change them. */
#include "ctl/sys/links.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/text.h"

struct walk {
	char *done;	/* resolved so far, without a slash at its end; "" is the root */
	char *rest;	/* still to go */
	const char *at; /* in rest */
	struct links *links;
	unsigned int hops;
};

static bool is_root_only(const char *directory)
{
	struct stat status;

	return !lstat(*directory ? directory : "/", &status) && !status.st_uid && !(status.st_mode & 022);
}

/* The first directory from the root to DIRECTORY that others can write: whoever can may put another in its place. */
static int find_open_directory(const char *directory, char **ret)
{
	char *copy = strdup(directory), *end = copy;
	int result = copy ? 0 : -ENOMEM;

	while (end) {
		char kept = *end;

		*end = '\0';
		if (!is_root_only(copy)) {
			*ret = strdup(*copy ? copy : "/");
			result = *ret ? 0 : -ENOMEM;
			break;
		}
		*end = kept;
		end = kept ? strchrnul(end + 1, '/') : NULL;
	}
	free(copy);
	return result;
}

static int replace(char **text, char *with)
{
	if (!with)
		return -ENOMEM;
	free(*text);
	*text = with;
	return 0;
}

/* The walk has come to the link CANDIDATE in walk->done: goes on with what it says. */
static int follow(struct walk *walk, const char *candidate, const char *target, const char *rest)
{
	int result = 0;

	walk->hops++;
	if (!walk->links->link) {
		walk->links->link = strdup(candidate);
		result = walk->links->link ? 0 : -ENOMEM;
	}
	if (!result && !walk->links->open_directory)
		result = find_open_directory(walk->done, &walk->links->open_directory);
	if (!result)
		result = replace(&walk->rest, text_format("%s%s%s", target, *rest ? "/" : "", rest));
	walk->at = walk->rest;
	if (!result && *target == '/')
		result = replace(&walk->done, strdup(""));
	return result;
}

static int step(struct walk *walk, const char *name, size_t len, bool follow_last)
{
	const char *rest = name + len + strspn(name + len, "/");
	char target[PATH_MAX], *candidate;
	ssize_t target_len = -1;
	char *slash;
	int result;

	walk->at = rest;
	if (len == 1 && *name == '.')
		return 0;
	if (len == 2 && !memcmp(name, "..", 2)) {
		slash = strrchr(walk->done, '/');
		if (slash)
			*slash = '\0';
		return 0;
	}
	candidate = text_format("%s/%.*s", walk->done, (int)len, name);
	if (!candidate)
		return -ENOMEM;
	if (*rest || follow_last)
		target_len = readlink(candidate, target, sizeof(target) - 1);
	if (target_len > 0) {
		target[target_len] = '\0';
		result = follow(walk, candidate, target, rest);
		free(candidate);
		return result;
	}
	return replace(&walk->done, candidate);
}

static bool is_self(const struct walk *walk, const char *name, size_t len)
{
	return !strcmp(walk->done, "/proc") &&
	       ((len == 4 && !memcmp(name, "self", 4)) || (len == 11 && !memcmp(name, "thread-self", 11)));
}

static int run(struct walk *walk, bool follow_last)
{
	int result = 0;

	while (!result && walk->hops <= LINKS_MAX) {
		const char *name = walk->at + strspn(walk->at, "/");
		size_t len = strcspn(name, "/");

		if (!len)
			break;
		if (is_self(walk, name, len))
			return replace(&walk->done, text_format("%s/%s", walk->done, name));
		result = step(walk, name, len, follow_last);
	}
	return result;
}

int links_resolve(const char *path, bool follow_last, struct links *ret)
{
	struct links links = { 0 };
	struct walk walk = { .done = strdup(""), .rest = strdup(path), .links = &links };
	int result = -ENOMEM;

	if (!walk.done || !walk.rest)
		goto out;
	walk.at = walk.rest;
	result = run(&walk, follow_last);
	if (result || walk.hops > LINKS_MAX || !walk.hops)
		goto out;
	links.target = *walk.done ? walk.done : strdup("/");
	if (links.target == walk.done)
		walk.done = NULL;
	result = links.target ? 0 : -ENOMEM;
out:
	free(walk.done);
	free(walk.rest);
	if (result || !links.target)
		links_done(&links);
	if (!result)
		*ret = links;
	return result;
}

void links_done(struct links *links)
{
	free(links->target);
	free(links->link);
	free(links->open_directory);
	*links = (struct links){ 0 };
}
