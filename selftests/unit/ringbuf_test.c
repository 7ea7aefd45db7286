// SPDX-License-Identifier: GPL-2.0
/* The layout of a BPF ring buffer, in plain memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include "ctl/event/ringbuf.h"

#define RING_SIZE 256

struct fake_ring {
	unsigned long consumer, producer;
	_Alignas(8) uint8_t data[2 * RING_SIZE];
	struct ringbuf ring;
};

static void fake_init(struct fake_ring *fake, unsigned long position)
{
	memset(fake, 0, sizeof(*fake));
	fake->consumer = fake->producer = position;
	fake->ring = (struct ringbuf){ &fake->consumer, &fake->producer, fake->data, RING_SIZE };
}

static uint8_t *fake_at(struct fake_ring *fake, unsigned long position)
{
	return fake->data + position % RING_SIZE;
}

static void fake_put(struct fake_ring *fake, const char *text, uint32_t bits)
{
	uint32_t len = strlen(text), header = len | bits;
	uint8_t *record = fake_at(fake, fake->producer);

	memcpy(record, &header, sizeof(header));
	memcpy(record + BPF_RINGBUF_HDR_SZ, text, len);
	fake->producer += (BPF_RINGBUF_HDR_SZ + len + 7) / 8 * 8;
}

static void assert_peek(struct fake_ring *fake, const char *text)
{
	const void *record;
	size_t size;
	int found = ringbuf_peek(&fake->ring, ringbuf_end(&fake->ring), &record, &size);

	assert_int_equal(found, text ? 1 : 0);
	if (!text)
		return;
	assert_int_equal(size, strlen(text));
	assert_memory_equal(record, text, size);
}

static void test_ring_keeps_until_dropped(void **state)
{
	struct fake_ring fake;

	(void)state;
	fake_init(&fake, 0);
	assert_peek(&fake, NULL);
	fake_put(&fake, "one", 0);
	fake_put(&fake, "the second", 0);
	assert_peek(&fake, "one");
	assert_peek(&fake, "one");
	ringbuf_drop(&fake.ring);
	assert_peek(&fake, "the second");
	ringbuf_drop(&fake.ring);
	assert_peek(&fake, NULL);
	assert_int_equal(fake.consumer, fake.producer);
}

static void test_ring_busy_and_discarded(void **state)
{
	struct fake_ring fake;
	uint32_t header = 4;

	(void)state;
	fake_init(&fake, 0);
	fake_put(&fake, "gone", BPF_RINGBUF_DISCARD_BIT);
	fake_put(&fake, "busy", BPF_RINGBUF_BUSY_BIT);
	fake_put(&fake, "next", 0);
	assert_peek(&fake, NULL);
	assert_int_equal(fake.consumer, 16);
	memcpy(fake_at(&fake, 16), &header, sizeof(header));
	assert_peek(&fake, "busy");
	ringbuf_drop(&fake.ring);
	assert_peek(&fake, "next");
}

/* Positions grow without end and wrap; a round ends where it was told to. */
static void test_ring_wraps(void **state)
{
	struct fake_ring fake;
	const void *record;
	unsigned long end;
	size_t size;

	(void)state;
	fake_init(&fake, -8ul);
	end = ringbuf_end(&fake.ring);
	fake_put(&fake, "across the end", 0);
	assert_int_equal(ringbuf_peek(&fake.ring, end, &record, &size), 0);
	assert_peek(&fake, "across the end");
	ringbuf_drop(&fake.ring);
	assert_int_equal(fake.consumer, 16);
	assert_peek(&fake, NULL);
}

static void test_ring_refuses_nonsense(void **state)
{
	struct fake_ring fake;
	uint32_t header = RING_SIZE;
	const void *record;
	size_t size;

	(void)state;
	fake_init(&fake, 0);
	fake_put(&fake, "x", 0);
	memcpy(fake.data, &header, sizeof(header));
	assert_int_equal(ringbuf_peek(&fake.ring, fake.producer, &record, &size), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring_keeps_until_dropped),
		cmocka_unit_test(test_ring_busy_and_discarded),
		cmocka_unit_test(test_ring_wraps),
		cmocka_unit_test(test_ring_refuses_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
