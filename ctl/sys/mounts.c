// SPDX-License-Identifier: GPL-2.0
/* What is mounted where, in the mount namespaces of the tasks that were looked at. */
#include "ctl/sys/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NAMESPACE_PREFIX "mnt:["

struct mount_view {
	uint64_t namespace;
	char *root;
};

/* Undoes mountinfo's \OOO in place: there a backslash is always the start of one. */
static void unescape(char *text)
{
	char *out = text;

	for (; *text; text++) {
		if (text[0] == '\\' && strspn(text + 1, "01234567") >= 3) {
			*out++ = (text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0');
			text += 3;
		} else {
			*out++ = *text;
		}
	}
	*out = '\0';
}

/* The point as the namespace has it: a task sees it from its own root on. */
static char *join(const char *root, const char *point)
{
	char *path = NULL;

	if (!strcmp(root, "/"))
		root = "";
	if (!strcmp(point, "/") && *root)
		point = "";
	return asprintf(&path, "%s%s", root, point) < 0 ? NULL : path;
}

/*
 * "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw": true if LINE is
 * such a one; *ret_root, *ret_point and *ret_type point into it.
 */
static bool parse_line(char *line, struct mount *mount, char **ret_root, char **ret_point, char **ret_type)
{
	unsigned int major, minor;
	char *field[6], *rest = line, *type;

	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < 6; i++)
		if (!(field[i] = strsep(&rest, " ")))
			return false;
	if (!rest || sscanf(field[0], "%u", &mount->id) != 1 ||
	    sscanf(field[2], "%u:%u", &major, &minor) != 2 || field[4][0] != '/')
		return false;
	mount->device = makedev(major, minor);
	type = !strncmp(rest, "- ", 2) ? rest + 2 : strstr(rest, " - ");
	if (!type)
		return false;
	type += *type == ' ' ? 3 : 0;
	type[strcspn(type, " ")] = '\0';
	unescape(field[3]);
	unescape(field[4]);
	*ret_root = field[3];
	*ret_point = field[4];
	*ret_type = type;
	return true;
}

static int add(struct mounts *mounts, const struct mount *mount)
{
	size_t room = mounts->room ? mounts->room * 2 : 64;
	struct mount *grown;

	if (!mount->point || !mount->type)
		return -ENOMEM;
	if (mounts->count == mounts->room) {
		grown = reallocarray(mounts->list, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		mounts->list = grown;
		mounts->room = room;
	}
	mounts->list[mounts->count++] = *mount;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct mount *first = a, *second = b;

	return first->id < second->id ? -1 : first->id > second->id;
}

static void mount_done(struct mount *mount)
{
	free(mount->point);
	free(mount->type);
}

int mounts_read(struct mounts *mounts, FILE *stream, const char *root, uint64_t namespace, pid_t pid)
{
	char *line = NULL, *whole, *point, *type;
	size_t size = 0, known = mounts->count;
	int error = 0;

	while (!error && getline(&line, &size, stream) >= 0) {
		struct mount mount = { .namespace = namespace, .seen_by = pid }, *old;

		if (!parse_line(line, &mount, &whole, &point, &type))
			continue;
		old = known ? bsearch(&mount, mounts->list, known, sizeof(mount), compare) : NULL;
		if (old && old->namespace == namespace)
			continue;
		mount.is_whole = !strcmp(whole, "/");
		mount.point = join(root, point);
		mount.type = strdup(type);
		error = add(mounts, &mount);
		if (error)
			mount_done(&mount);
	}
	if (!error && ferror(stream))
		error = -EIO;
	free(line);
	if (mounts->count)
		qsort(mounts->list, mounts->count, sizeof(*mounts->list), compare);
	return error;
}

/* The namespace's number and the root of TASK; -ENOENT and -ESRCH if it is gone. */
static int view_of(int task, struct mount_view *view)
{
	char text[PATH_MAX + 1];
	ssize_t len = readlinkat(task, "ns/mnt", text, sizeof(text) - 1);

	if (len < 0)
		return -errno;
	text[len] = '\0';
	if (strncmp(text, NAMESPACE_PREFIX, strlen(NAMESPACE_PREFIX)))
		return -EBADMSG;
	view->namespace = strtoull(text + strlen(NAMESPACE_PREFIX), NULL, 10);
	len = readlinkat(task, "root", text, sizeof(text) - 1);
	if (len < 0)
		return -errno;
	text[len] = '\0';
	view->root = strdup(text);
	return view->root ? 0 : -ENOMEM;
}

static int add_view(struct mounts *mounts, const struct mount_view *view)
{
	struct mount_view *grown = reallocarray(mounts->views, mounts->view_count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	mounts->views = grown;
	grown[mounts->view_count++] = *view;
	return 0;
}

static int read_view(struct mounts *mounts, int task, pid_t pid, const struct mount_view *view)
{
	int fd = openat(task, "mountinfo", O_RDONLY | O_CLOEXEC), error;
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");

	if (!stream) {
		error = -errno;
		if (fd >= 0)
			close(fd);
		return error;
	}
	error = mounts_read(mounts, stream, view->root, view->namespace, pid);
	fclose(stream);
	return error;
}

/* A device that is mounted several times in a row, as for a container, is read once. */
static void ask_caseless(struct mounts *mounts)
{
	const struct mount *last = NULL;

	for (size_t i = 0; i < mounts->count; i++) {
		struct mount *mount = &mounts->list[i];

		if (mount->caseless == CASELESS_UNASKED && last && last->device == mount->device &&
		    !strcmp(last->type, mount->type))
			mount->caseless = last->caseless;
		else if (mount->caseless == CASELESS_UNASKED)
			mount->caseless = mount_ask_caseless(mount);
		last = mount;
	}
}

int mounts_see(struct mounts *mounts, int task, pid_t pid, uint64_t *ret_namespace)
{
	struct mount_view view;
	int error = view_of(task, &view);

	if (error)
		return error;
	*ret_namespace = view.namespace;
	for (size_t i = 0; i < mounts->view_count; i++) {
		if (mounts->views[i].namespace != view.namespace || strcmp(mounts->views[i].root, view.root))
			continue;
		free(view.root);
		return 0;
	}
	error = read_view(mounts, task, pid, &view);
	ask_caseless(mounts);
	if (!error)
		error = add_view(mounts, &view);
	if (error)
		free(view.root);
	return error;
}

const struct mount *mounts_by_id(const struct mounts *mounts, uint32_t id)
{
	struct mount wanted = { .id = id };

	return mounts->count ? bsearch(&wanted, mounts->list, mounts->count, sizeof(wanted), compare) : NULL;
}

bool mount_is_above(const char *point, const char *name)
{
	size_t len = strcmp(point, "/") ? strlen(point) : 0;

	return !strncmp(point, name, len) && (!name[len] || name[len] == '/');
}

/* A file of an overlay may come with the device of the layer that it lies in: there the name alone tells. */
const struct mount *mounts_by_name(const struct mounts *mounts, uint64_t namespace, dev_t device,
				   const char *name)
{
	const struct mount *nearest = NULL, *found = NULL;

	for (size_t i = 0; i < mounts->count; i++) {
		const struct mount *mount = &mounts->list[i];

		if (mount->namespace != namespace || !mount_is_above(mount->point, name))
			continue;
		if (mount->device == device && (!found || strlen(mount->point) >= strlen(found->point)))
			found = mount;
		if (!nearest || strlen(mount->point) >= strlen(nearest->point))
			nearest = mount;
	}
	if (!found && nearest && !strcmp(nearest->type, "overlay"))
		found = nearest;
	return found;
}

void mounts_done(struct mounts *mounts)
{
	for (size_t i = 0; i < mounts->count; i++)
		mount_done(&mounts->list[i]);
	for (size_t i = 0; i < mounts->view_count; i++)
		free(mounts->views[i].root);
	free(mounts->list);
	free(mounts->views);
	*mounts = (struct mounts){ 0 };
}
