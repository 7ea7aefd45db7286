// SPDX-License-Identifier: GPL-2.0
/* The one reader of the rings: opens the pins, merges by time, and keeps the account with the kernel's counters. */
#include "ctl/event/reader.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl/event/account.h"
#include "ctl/event/lock.h"
#include "ctl/event/ringbuf.h"

#define NS_PER_S 1000000000ull
#define TELL_EVERY_NS NS_PER_S
#define SWEEP_EVERY_NS (60 * NS_PER_S)

/* A bucket that was idle for this long is given back. */
#define BUCKET_IDLE_NS (60 * NS_PER_S)

#define WAIT_MS 1000
#define BUSY_PAUSE_US 1000

/* The first ones are the rings, in the order of enum event_ring. */
enum pin { PIN_DENIALS, PIN_OBSERVATIONS, PIN_ACCOUNT, PIN_READER, PIN_BUCKETS, PIN_TOLD, PIN_COUNT };

struct pin_want {
	const char *name;
	enum bpf_map_type type;
	uint32_t key_size;
	uint32_t value_size; /* at least */
};

static const struct pin_want wants[PIN_COUNT] = {
	[PIN_DENIALS] = { "denials", BPF_MAP_TYPE_RINGBUF, 0, 0 },
	[PIN_OBSERVATIONS] = { "observations", BPF_MAP_TYPE_RINGBUF, 0, 0 },
	[PIN_ACCOUNT] = { "account", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct accounts) },
	[PIN_READER] = { "reader", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct reader_state) },
	[PIN_BUCKETS] = { "buckets", BPF_MAP_TYPE_HASH, sizeof(struct bucket_key), sizeof(struct bucket) },
	[PIN_TOLD] = { "told", BPF_MAP_TYPE_HASH, sizeof(struct bucket_key), sizeof(struct told) },
};

struct reader {
	int lock_fd;
	int epoll_fd;
	int fd[PIN_COUNT];
	uint32_t entries[PIN_COUNT];
	struct ringbuf ring[RING_COUNT];
	const struct accounts *accounts;
	struct reader_state *state;
	struct account *account;
	struct bucket_key *keys; /* scratch for a walk */
	uint64_t told_ns;	 /* when the account was told last, CLOCK_BOOTTIME */
	uint64_t swept_ns;
	bool has_read; /* the last round found something */
};

static int pin_open(struct reader *reader, const char *dir, enum pin pin)
{
	const struct pin_want *want = &wants[pin];
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);
	char path[PATH_MAX];
	int error;

	if (snprintf(path, sizeof(path), "%s/%s", dir, want->name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	reader->fd[pin] = bpf_obj_get(path);
	if (reader->fd[pin] < 0)
		return -errno;
	error = bpf_obj_get_info_by_fd(reader->fd[pin], &info, &len);
	if (error)
		return error;
	if (info.type != want->type || info.key_size != want->key_size || info.value_size < want->value_size)
		return -EINVAL;
	reader->entries[pin] = info.max_entries;
	return 0;
}

static int pins_open(struct reader *reader, const char *dir)
{
	for (enum pin pin = 0; pin < PIN_COUNT; pin++) {
		int error = pin_open(reader, dir, pin);

		if (error)
			return error;
	}
	return 0;
}

static int memory_map(struct reader *reader)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *memory;

	memory = mmap(NULL, page, PROT_READ, MAP_SHARED, reader->fd[PIN_ACCOUNT], 0);
	if (memory == MAP_FAILED)
		return -errno;
	reader->accounts = memory;
	memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, reader->fd[PIN_READER], 0);
	if (memory == MAP_FAILED)
		return -errno;
	reader->state = memory;
	for (int i = 0; i < RING_COUNT; i++) {
		int error = ringbuf_map(reader->fd[i], reader->entries[i], &reader->ring[i]);

		if (error)
			return error;
	}
	return 0;
}

static int epoll_open(struct reader *reader)
{
	reader->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (reader->epoll_fd < 0)
		return -errno;
	for (int i = 0; i < RING_COUNT; i++) {
		struct epoll_event want = { .events = EPOLLIN };

		if (epoll_ctl(reader->epoll_fd, EPOLL_CTL_ADD, reader->fd[i], &want))
			return -errno;
	}
	return 0;
}

/* All keys of a hash, into the scratch; one that changes meanwhile may show a key twice, which does no harm. */
static uint32_t keys_list(struct reader *reader, enum pin pin)
{
	uint32_t count = 0;

	while (count < reader->entries[pin]) {
		struct bucket_key *last = count ? &reader->keys[count - 1] : NULL;

		if (bpf_map_get_next_key(reader->fd[pin], last, &reader->keys[count]))
			break;
		count++;
	}
	return count;
}

/*
 * What was told of a bucket that is no more would be taken off the next bucket
 * of that key: a reader that was killed between the two deletions left it.
 */
static void told_reconcile(struct reader *reader)
{
	uint32_t count = keys_list(reader, PIN_TOLD);

	for (uint32_t i = 0; i < count; i++) {
		struct bucket bucket;

		if (bpf_map_lookup_elem(reader->fd[PIN_BUCKETS], &reader->keys[i], &bucket) == -ENOENT)
			bpf_map_delete_elem(reader->fd[PIN_TOLD], &reader->keys[i]);
	}
}

static uint32_t keys_max(const struct reader *reader)
{
	uint32_t buckets = reader->entries[PIN_BUCKETS], told = reader->entries[PIN_TOLD];

	uint32_t most = buckets > told ? buckets : told;

	return most > ACCOUNT_KEYS_MAX ? most : ACCOUNT_KEYS_MAX;
}

static int reader_init(struct reader *reader, const char *pin_dir, const char *lock_dir, pid_t *ret_holder)
{
	int error;

	error = pins_open(reader, pin_dir);
	if (error)
		return error;
	error = reader_lock(lock_dir, &reader->lock_fd, ret_holder);
	if (error)
		return error;
	error = memory_map(reader);
	if (error)
		return error;
	error = epoll_open(reader);
	if (error)
		return error;
	reader->keys = calloc(keys_max(reader), sizeof(*reader->keys));
	if (!reader->keys)
		return -ENOMEM;
	error = account_new(reader->state, &reader->account);
	if (error)
		return error;
	told_reconcile(reader);
	return 0;
}

int reader_open(const char *pin_dir, const char *lock_dir, struct reader **ret_reader, pid_t *ret_holder)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int error;

	if (!reader)
		return -ENOMEM;
	reader->lock_fd = reader->epoll_fd = -1;
	for (int i = 0; i < PIN_COUNT; i++)
		reader->fd[i] = -1;
	error = reader_init(reader, pin_dir, lock_dir, ret_holder);
	if (error) {
		reader_close(reader);
		return error;
	}
	*ret_reader = reader;
	return 0;
}

/* Leave to the next reader what this one knows of buckets that may go on. */
static void leave_knowledge(struct reader *reader)
{
	size_t count = account_keys(reader->account, reader->keys);

	for (size_t i = 0; i < count; i++) {
		const struct bucket_key *key = &reader->keys[i];
		struct told told = { 0 };
		struct bucket bucket;

		if (bpf_map_lookup_elem(reader->fd[PIN_BUCKETS], key, &bucket))
			continue;
		bpf_map_lookup_elem(reader->fd[PIN_TOLD], key, &told);
		if (account_describe(reader->account, key, &told))
			bpf_map_update_elem(reader->fd[PIN_TOLD], key, &told, BPF_ANY);
	}
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void reader_close(struct reader *reader)
{
	size_t page = sysconf(_SC_PAGESIZE);

	if (!reader)
		return;
	if (reader->account)
		leave_knowledge(reader);
	account_free(reader->account);
	free(reader->keys);
	for (int i = 0; i < RING_COUNT; i++)
		ringbuf_unmap(&reader->ring[i]);
	if (reader->accounts)
		munmap((void *)reader->accounts, page);
	if (reader->state)
		munmap(reader->state, page);
	for (int i = 0; i < PIN_COUNT; i++)
		close_fd(reader->fd[i]);
	close_fd(reader->epoll_fd);
	close_fd(reader->lock_fd);
	free(reader);
}

/* The oldest record of a ring, if there is one. */
struct peek {
	const void *record;
	size_t size;
	uint64_t time_ns;
};

static int peek(struct reader *reader, enum event_ring ring, unsigned long end, struct peek *ret_peek)
{
	int found = ringbuf_peek(&reader->ring[ring], end, &ret_peek->record, &ret_peek->size);

	ret_peek->time_ns = UINT64_MAX;
	if (found <= 0)
		return found;
	/* What is too short for a time is no event, and is best got rid of first. */
	ret_peek->time_ns = 0;
	if (ret_peek->size >= sizeof(ret_peek->time_ns))
		memcpy(&ret_peek->time_ns, ret_peek->record, sizeof(ret_peek->time_ns));
	return 1;
}

/* The ring whose oldest record before END is the oldest: 1, or 0 if all are empty. */
static int peek_oldest(struct reader *reader, const unsigned long end[RING_COUNT], enum event_ring *ret_ring,
		       struct peek *ret_peek)
{
	int found = 0;

	for (enum event_ring ring = 0; ring < RING_COUNT; ring++) {
		struct peek head;
		int has_head = peek(reader, ring, end[ring], &head);

		if (has_head < 0)
			return has_head;
		if (!has_head || (found && head.time_ns >= ret_peek->time_ns))
			continue;
		*ret_ring = ring;
		*ret_peek = head;
		found = 1;
	}
	return found;
}

static void find_ends(const struct reader *reader, unsigned long ret_end[RING_COUNT])
{
	for (int i = 0; i < RING_COUNT; i++)
		ret_end[i] = ringbuf_end(&reader->ring[i]);
}

/* Only what was there at the start, so that a flood cannot keep the account from being told. */
static int drain(struct reader *reader, const struct event_sink *sink, int64_t clock_offset)
{
	unsigned long end[RING_COUNT];
	struct peek head;
	enum event_ring ring;
	int found;

	reader->has_read = false;
	find_ends(reader, end);
	while ((found = peek_oldest(reader, end, &ring, &head)) > 0) {
		int error = account_record(reader->account, ring, head.record, head.size, clock_offset, sink);

		if (error)
			return error;
		ringbuf_drop(&reader->ring[ring]);
		reader->has_read = true;
	}
	return found;
}

/* The time at which the account is told: now, but before whatever still waits, for the order of time. */
static uint64_t tell_time(struct reader *reader, uint64_t now_ns)
{
	unsigned long end[RING_COUNT];
	struct peek head;
	enum event_ring ring;

	find_ends(reader, end);
	if (peek_oldest(reader, end, &ring, &head) > 0 && head.time_ns && head.time_ns < now_ns)
		return head.time_ns;
	return now_ns;
}

static int tell_lost(struct reader *reader, const struct event_sink *sink, uint64_t now_ns,
		     int64_t clock_offset)
{
	for (enum event_ring ring = 0; ring < RING_COUNT; ring++) {
		uint64_t lost = __atomic_load_n(&reader->accounts->ring[ring].lost, __ATOMIC_ACQUIRE);
		int error = account_lost(reader->account, ring, lost, now_ns, clock_offset, sink);

		if (error)
			return error;
	}
	return 0;
}

static int tell_bucket(struct reader *reader, const struct bucket_key *key, const struct bucket *bucket,
		       const struct event_sink *sink, uint64_t now_ns, int64_t clock_offset)
{
	struct told told = { 0 };
	uint64_t before;
	int error;

	error = bpf_map_lookup_elem(reader->fd[PIN_TOLD], key, &told);
	if (error && error != -ENOENT)
		return error;
	before = told.count;
	error = account_bucket(reader->account, key, bucket->merged, now_ns, clock_offset, sink, &told);
	if (error || told.count == before)
		return error;
	return bpf_map_update_elem(reader->fd[PIN_TOLD], key, &told, BPF_ANY);
}

static uint64_t told_of(const struct reader *reader, const struct bucket_key *key)
{
	struct told told = { 0 };

	bpf_map_lookup_elem(reader->fd[PIN_TOLD], key, &told);
	return told.count;
}

/*
 * Give an idle bucket back. A program that found it just before may still count
 * in it, so what it swallowed up to its deletion is read with the deletion, in one
 * step. After that only programs that held it already can reach it, and those
 * begin a new second: BUCKET_BURST of them would have to be held up at this very
 * point before one would merge anything unseen.
 */
static int forget_bucket(struct reader *reader, const struct bucket_key *key, const struct event_sink *sink,
			 uint64_t now_ns, int64_t clock_offset)
{
	struct bucket bucket;
	uint64_t repeated;
	int error;

	error = bpf_map_lookup_and_delete_elem(reader->fd[PIN_BUCKETS], key, &bucket);
	if (error)
		return error == -ENOENT ? 0 : error;
	repeated = reader->state->repeated;
	error = tell_bucket(reader, key, &bucket, sink, now_ns, clock_offset);
	/* Its bucket is gone, so what the sink did not take can only be owed as lost. */
	if (error && reader->state->repeated == repeated)
		reader->state->rejected[RING_DENIALS] += bucket.merged - told_of(reader, key);
	bpf_map_delete_elem(reader->fd[PIN_TOLD], key);
	return error;
}

static bool is_idle(const struct bucket *bucket, uint64_t now_ns)
{
	return bucket->window_ns < now_ns && now_ns - bucket->window_ns > BUCKET_IDLE_NS;
}

static int tell_buckets(struct reader *reader, const struct event_sink *sink, uint64_t now_ns,
			int64_t clock_offset, bool is_sweep)
{
	uint32_t count = keys_list(reader, PIN_BUCKETS);

	for (uint32_t i = 0; i < count; i++) {
		struct bucket_key key = reader->keys[i];
		struct bucket bucket;
		int error;

		error = bpf_map_lookup_elem(reader->fd[PIN_BUCKETS], &key, &bucket);
		if (error == -ENOENT)
			continue;
		if (!error)
			error = tell_bucket(reader, &key, &bucket, sink, now_ns, clock_offset);
		if (!error && is_sweep && is_idle(&bucket, now_ns))
			error = forget_bucket(reader, &key, sink, now_ns, clock_offset);
		if (error)
			return error;
	}
	return 0;
}

/* Is anything merged that was not told? Spares the walk over all buckets in quiet times. */
static bool has_merged(const struct reader *reader)
{
	uint64_t merged = 0;

	for (int i = 0; i < RING_COUNT; i++)
		merged += __atomic_load_n(&reader->accounts->ring[i].merged, __ATOMIC_ACQUIRE);
	return merged != reader->state->repeated;
}

static int tell(struct reader *reader, const struct event_sink *sink, int64_t clock_offset, bool is_last)
{
	uint64_t now_ns = event_clock_now();
	bool is_sweep = is_last || now_ns - reader->swept_ns >= SWEEP_EVERY_NS;
	int error;

	if (!is_last && now_ns - reader->told_ns < TELL_EVERY_NS)
		return 0;
	reader->told_ns = now_ns;
	if (is_sweep)
		reader->swept_ns = now_ns;
	now_ns = tell_time(reader, now_ns);
	error = tell_lost(reader, sink, now_ns, clock_offset);
	if (!error && (is_sweep || has_merged(reader)))
		error = tell_buckets(reader, sink, now_ns, clock_offset, is_sweep);
	return error;
}

int reader_read(struct reader *reader, const struct event_sink *sink, bool is_last)
{
	/* Anew each time, for the wall clock may have been set. */
	int64_t clock_offset = event_clock_offset();
	int error;

	error = drain(reader, sink, clock_offset);
	if (error)
		return error;
	return tell(reader, sink, clock_offset, is_last);
}

int reader_wait(struct reader *reader)
{
	struct epoll_event event;
	int ready = epoll_wait(reader->epoll_fd, &event, 1, WAIT_MS);

	if (ready < 0)
		return -errno;
	/* Ready, but nothing to read: the oldest record is still being written. */
	if (ready && !reader->has_read)
		usleep(BUSY_PAUSE_US);
	return 0;
}
