// SPDX-License-Identifier: GPL-2.0
/* Maps BPF ring buffers and walks their records in place. */
#include "ctl/event/ringbuf.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUND_UP_8(len) (((len) + 7u) & ~7u)

int ringbuf_map(int fd, size_t size, struct ringbuf *ret_ring)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *consumer, *producer;

	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (consumer == MAP_FAILED)
		return -errno;
	producer = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, fd, page);
	if (producer == MAP_FAILED) {
		int error = -errno;

		munmap(consumer, page);
		return error;
	}
	*ret_ring = (struct ringbuf){ consumer, producer, (const uint8_t *)producer + page, size };
	return 0;
}

void ringbuf_unmap(struct ringbuf *ring)
{
	size_t page = sysconf(_SC_PAGESIZE);

	if (!ring->consumer)
		return;
	munmap(ring->consumer, page);
	munmap((void *)ring->producer, page + 2 * ring->size);
	memset(ring, 0, sizeof(*ring));
}

unsigned long ringbuf_end(const struct ringbuf *ring)
{
	return __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
}

/* Positions only grow and wrap, so their order is that of their difference. */
static int is_before(unsigned long position, unsigned long end)
{
	return (long)(end - position) > 0;
}

static const uint8_t *record_at(const struct ringbuf *ring, unsigned long position)
{
	return ring->data + (position & (ring->size - 1));
}

static uint32_t header_of(const uint8_t *record)
{
	return __atomic_load_n((const uint32_t *)record, __ATOMIC_ACQUIRE);
}

static unsigned long step_of(uint32_t header)
{
	return ROUND_UP_8((header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT)) + BPF_RINGBUF_HDR_SZ);
}

int ringbuf_peek(struct ringbuf *ring, unsigned long end, const void **ret_record, size_t *ret_size)
{
	unsigned long position = *ring->consumer;

	while (is_before(position, end)) {
		const uint8_t *record = record_at(ring, position);
		uint32_t header = header_of(record);
		uint32_t len = header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		/* What comes after a record that is being written waits for it, so that order is kept. */
		if (header & BPF_RINGBUF_BUSY_BIT)
			return 0;
		if (len > ring->size - BPF_RINGBUF_HDR_SZ)
			return -EBADMSG;
		if (!(header & BPF_RINGBUF_DISCARD_BIT)) {
			*ret_record = record + BPF_RINGBUF_HDR_SZ;
			*ret_size = len;
			return 1;
		}
		ringbuf_drop(ring);
		position = *ring->consumer;
	}
	return 0;
}

/* Release: the kernel may overwrite the record as soon as it sees the new position. */
void ringbuf_drop(struct ringbuf *ring)
{
	unsigned long position = *ring->consumer;
	unsigned long step = step_of(header_of(record_at(ring, position)));

	__atomic_store_n(ring->consumer, position + step, __ATOMIC_RELEASE);
}
