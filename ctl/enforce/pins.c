// SPDX-License-Identifier: GPL-2.0
/* What is pinned in the BPF file system: the maps and links that outlive every process. */
#include "ctl/enforce/pins.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADS_SIZE (POLICIES_MAX * sizeof(struct policy_head))

void pin_link_path(char *path, size_t size, const char *hook)
{
	snprintf(path, size, PIN_DIR "/links/%s", hook);
}

void pin_map_path(char *path, size_t size, const char *map)
{
	snprintf(path, size, PIN_DIR "/%s", map);
}

bool pin_has_link(const char *hook)
{
	char path[256];

	pin_link_path(path, sizeof(path), hook);
	return !access(path, F_OK);
}

static int open_map(const char *name, int *ret_fd)
{
	char path[256];

	pin_map_path(path, sizeof(path), name);
	*ret_fd = bpf_obj_get(path);
	return *ret_fd < 0 ? -errno : 0;
}

static int map_memory(int fd, size_t size, void *ret_memory)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	memcpy(ret_memory, &memory, sizeof(memory));
	return 0;
}

int pins_open(struct pins *pins)
{
	int error = 0;

	memset(pins, 0, sizeof(*pins));
#define X(name) pins->name = -1;
	PINNED_MAPS(X)
#undef X
#define X(name)     \
	if (!error) \
		error = open_map(#name, &pins->name);
	PINNED_MAPS(X)
#undef X
	if (!error)
		error = map_memory(pins->governed, sizeof(*pins->governed_memory), &pins->governed_memory);
	if (!error)
		error = map_memory(pins->heads, HEADS_SIZE, &pins->heads_memory);
	if (!error)
		error = map_memory(pins->control, sizeof(*pins->control_memory), &pins->control_memory);
	if (!error)
		error = map_memory(pins->account, sizeof(*pins->account_memory), &pins->account_memory);
	if (error)
		pins_close(pins);
	return error;
}

void pins_close(struct pins *pins)
{
	if (pins->governed_memory)
		munmap(pins->governed_memory, sizeof(*pins->governed_memory));
	if (pins->heads_memory)
		munmap(pins->heads_memory, HEADS_SIZE);
	if (pins->control_memory)
		munmap(pins->control_memory, sizeof(*pins->control_memory));
	if (pins->account_memory)
		munmap(pins->account_memory, sizeof(*pins->account_memory));
#define X(name)              \
	if (pins->name >= 0) \
		close(pins->name);
	PINNED_MAPS(X)
#undef X
	memset(pins, 0, sizeof(*pins));
#define X(name) pins->name = -1;
	PINNED_MAPS(X)
#undef X
}

int pins_lock(void)
{
	int fd;

	if (mkdir(RUN_DIR, 0700) && errno != EEXIST)
		return -errno;
	fd = open(RUN_DIR "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX)) {
		int error = -errno;

		close(fd);
		return error;
	}
	return fd;
}
