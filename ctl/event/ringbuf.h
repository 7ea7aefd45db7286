/* SPDX-License-Identifier: GPL-2.0 */
/* A BPF ring buffer as user space maps it: look at the oldest record in place, and give its room back only when it is safe elsewhere. */
#ifndef AGENTCTL_EVENT_RINGBUF_H
#define AGENTCTL_EVENT_RINGBUF_H

#include <stddef.h>
#include <stdint.h>

/*
 * The layout is the kernel's interface (linux/bpf.h, BPF_RINGBUF_*): a page with
 * the consumer's position, a page with the producer's, and the data twice in a
 * row, so that no record is ever broken. libbpf's ring_buffer is not used: it
 * frees a record when its callback returns, and reads ring after ring, whereas
 * here a record must outlive a failed write and two rings are merged by time.
 */
struct ringbuf {
	unsigned long *consumer;
	const unsigned long *producer;
	const uint8_t *data;
	size_t size; /* of the data once, a power of two */
};

/* Map the ring buffer of FD, whose data is SIZE bytes. */
int ringbuf_map(int fd, size_t size, struct ringbuf *ret_ring);

/* Unmap what ringbuf_map made; takes a zeroed one. */
void ringbuf_unmap(struct ringbuf *ring);

/* The producer's position now: where to stop a round of reading. */
unsigned long ringbuf_end(const struct ringbuf *ring);

/*
 * The oldest record that lies before END: 1 with its bytes, which stay until
 * ringbuf_drop; 0 if there is none or it is still being written; -EBADMSG if the
 * ring is none.
 */
int ringbuf_peek(struct ringbuf *ring, unsigned long end, const void **ret_record, size_t *ret_size);

/* Give the room of the record that was peeked last back to the kernel. */
void ringbuf_drop(struct ringbuf *ring);

#endif
