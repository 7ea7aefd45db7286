// SPDX-License-Identifier: GPL-2.0
/* The tasks in a cgroup and in all cgroups below it. */
#include "ctl/sys/tasks.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/sys/cgroup.h"

/* The value of "KEY:\t" in a task's status, for the caller to free; NULL if the task is gone. */
static char *status_value(pid_t tid, const char *key)
{
	char path[64], line[1024], *value = NULL;
	size_t len = strlen(key);
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	stream = fopen(path, "re");
	if (!stream)
		return NULL;
	while (!value && fgets(line, sizeof(line), stream))
		if (!strncmp(line, key, len) && line[len] == ':')
			value = strdup(line + len + 1);
	fclose(stream);
	return value;
}

struct listing {
	const struct task_list *known;
	struct task_list list;
};

/* The process of a task; 0 if it is gone. */
static pid_t process_of(const struct listing *listing, pid_t tid)
{
	struct task leader = { .pid = tid, .tid = tid };
	char *value;
	pid_t pid;

	if (listing->known && tasks_has(listing->known, &leader))
		return tid;
	value = status_value(tid, "Tgid");
	pid = value ? atoi(value) : 0;
	free(value);
	return pid;
}

static int add(struct listing *listing, pid_t tid)
{
	struct task_list *list = &listing->list;
	size_t room = list->room ? list->room * 2 : 256;
	pid_t pid = process_of(listing, tid);
	struct task *grown;

	if (!pid)
		return 0;
	if (list->count == list->room) {
		grown = reallocarray(list->list, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		list->list = grown;
		list->room = room;
	}
	list->list[list->count++] = (struct task){ .pid = pid, .tid = tid };
	return 0;
}

/* A threaded cgroup does not tell its processes, but every cgroup its threads. */
static int visit(const char *path, uint64_t id, void *data)
{
	struct listing *listing = data;
	char file[PATH_MAX + 32], line[32];
	FILE *stream;
	int error = 0;

	snprintf(file, sizeof(file), "%s/cgroup.threads", path);
	stream = fopen(file, "re");
	if (!stream)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;
	while (!error && fgets(line, sizeof(line), stream)) {
		pid_t tid = atoi(line);

		if (tid > 0)
			error = add(listing, tid);
		else
			listing->list.hidden++;
	}
	fclose(stream);
	return error;
}

static int compare(const void *a, const void *b)
{
	const struct task *first = a, *second = b;

	if (first->pid != second->pid)
		return first->pid < second->pid ? -1 : 1;
	if (first->tid == second->tid)
		return 0;
	if (first->tid == first->pid || second->tid == second->pid)
		return first->tid == first->pid ? -1 : 1;
	return first->tid < second->tid ? -1 : 1;
}

int tasks_list(const char *path, const struct task_list *known, struct task_list *ret)
{
	struct listing listing = { .known = known };
	int error = cgroup_walk(path, visit, &listing);

	if (error) {
		tasks_done(&listing.list);
		return error;
	}
	if (listing.list.count)
		qsort(listing.list.list, listing.list.count, sizeof(struct task), compare);
	*ret = listing.list;
	return 0;
}

bool tasks_has(const struct task_list *list, const struct task *task)
{
	return list->count && bsearch(task, list->list, list->count, sizeof(*task), compare);
}

void tasks_done(struct task_list *list)
{
	free(list->list);
	*list = (struct task_list){ 0 };
}

bool task_is_numbered(pid_t pid, pid_t number, bool *ret_is_only)
{
	char *numbers = status_value(pid, "NStgid"), *rest = numbers, *word;
	bool is_found = false, is_only = true;

	while (rest && (word = strsep(&rest, "\t\n"))) {
		if (!*word)
			continue;
		if (atoi(word) == number)
			is_found = true;
		else
			is_only = false;
	}
	free(numbers);
	*ret_is_only = is_only;
	return is_found;
}
