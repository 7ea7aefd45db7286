// SPDX-License-Identifier: GPL-2.0
/* What the pinned maps hold, and what the kernel counted of the programs. */
#include "ctl/enforce/usage.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEY_MAX 64

/*
 * Keys that come and go while they are counted may be met twice or not at all,
 * and a walk that lost its place starts anew: so it is bounded, and the count is
 * that of a moment.
 */
static uint64_t count_keys(int fd, uint64_t room)
{
	char key[2][KEY_MAX];
	uint64_t count = 0;
	int end = bpf_map_get_next_key(fd, NULL, key[0]);

	while (!end && count < room) {
		count++;
		end = bpf_map_get_next_key(fd, key[(count - 1) & 1], key[count & 1]);
	}
	return count;
}

/* The first two pages of a ring are its consumer's and its producer's positions, which only grow (linux/bpf.h). */
static int ring_position(int fd, size_t offset, unsigned long *ret_position)
{
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned long *memory = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, offset);

	if (memory == MAP_FAILED)
		return -errno;
	*ret_position = __atomic_load_n(memory, __ATOMIC_ACQUIRE);
	munmap(memory, page);
	return 0;
}

static int ring_usage(int fd, struct map_usage *usage)
{
	unsigned long consumer = 0, producer = 0;
	int error = ring_position(fd, 0, &consumer);

	if (!error)
		error = ring_position(fd, sysconf(_SC_PAGESIZE), &producer);
	/* The consumer's was read first, so that it is not ahead. */
	usage->used = producer - consumer;
	usage->is_ring = true;
	return error;
}

static int map_usage(const char *name, int fd, struct map_usage *usage)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	*usage = (struct map_usage){ .name = name, .room = info.max_entries };
	if (info.type == BPF_MAP_TYPE_RINGBUF)
		return ring_usage(fd, usage);
	if (info.key_size > KEY_MAX)
		return -EINVAL;
	usage->used = count_keys(fd, usage->room);
	return 0;
}

int usage_maps(const struct pins *pins, struct map_usage *ret_list, size_t *ret_count)
{
	const struct {
		const char *name;
		int fd;
	} maps[] = {
		{ "attachments", pins->attachments }, { "buckets", pins->buckets },
		{ "pendings", pins->pendings },	      { "told", pins->told },
		{ "denials", pins->denials },	      { "observations", pins->observations },
	};
	size_t count = sizeof(maps) / sizeof(maps[0]);

	_Static_assert(sizeof(maps) / sizeof(maps[0]) <= USAGE_MAPS_MAX, "the caller's list holds them");
	for (size_t i = 0; i < count; i++) {
		int error = map_usage(maps[i].name, maps[i].fd, &ret_list[i]);

		if (error)
			return error;
	}
	*ret_count = count;
	return 0;
}

static int program_of_link(int link, int *ret_fd)
{
	struct bpf_link_info info = {};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(link, &info, &len))
		return -errno;
	*ret_fd = bpf_prog_get_fd_by_id(info.prog_id);
	return *ret_fd < 0 ? -errno : 0;
}

int usage_hook(const char *hook, struct hook_usage *ret_usage)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);
	char path[256];
	int link, program = -1, error;

	pin_link_path(path, sizeof(path), hook);
	link = bpf_obj_get(path);
	if (link < 0)
		return -errno;
	error = program_of_link(link, &program);
	close(link);
	if (error)
		return error;
	if (bpf_obj_get_info_by_fd(program, &info, &len))
		error = -errno;
	close(program);
	if (!error)
		*ret_usage = (struct hook_usage){ info.recursion_misses, info.run_cnt, info.run_time_ns };
	return error;
}

bool usage_is_timed(void)
{
	FILE *file = fopen("/proc/sys/kernel/bpf_stats_enabled", "re");
	int value = file ? fgetc(file) : EOF;

	if (file)
		fclose(file);
	return value == '1';
}
