// SPDX-License-Identifier: GPL-2.0
/* Name servers and subnets of this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>

#include "ctl/sys/addresses.h"
#include "selftests/unit/policy_sample.h"

static const char *block_text(const struct address_block *block)
{
	static char text[INET6_ADDRSTRLEN + 8];

	inet_ntop(block->is_v6 ? AF_INET6 : AF_INET, block->address, text, INET6_ADDRSTRLEN);
	sprintf(text + strlen(text), "/%u", block->prefix);
	return text;
}

static void assert_servers(const char *conf, const char *const *wanted)
{
	struct address_blocks blocks = { 0 };
	size_t i = 0;

	scratch_write("resolv.conf", conf, strlen(conf));
	assert_int_equal(addresses_resolver(scratch_path("resolv.conf"), &blocks), 0);
	for (; i < blocks.count && wanted[i]; i++)
		assert_string_equal(block_text(&blocks.list[i]), wanted[i]);
	assert_int_equal(i, blocks.count);
	assert_null(wanted[i]);
	free(blocks.list);
}

static void test_resolver(void **state)
{
	static const char *const local[] = { "127.0.0.1/32", NULL };
	static const char *const several[] = { "127.0.0.11/32", "::1/128", "fe80::1/128", "192.0.2.1/32",
					       NULL };
	struct address_blocks blocks = { 0 };

	(void)state;
	assert_servers(
		"# nameserver 192.0.2.9\nnameserver 127.0.0.11\nnameserver\t::1\nsearch x\nnameserver fe80::1%eth0\n"
		"nameserver nonsense\nnameserverx 192.0.2.8\nnameserver 192.0.2.1 # last",
		several);
	/* resolv.conf(5): without any, the server is the local one. */
	assert_servers("", local);
	assert_int_equal(addresses_resolver(scratch_path("none"), &blocks), 0);
	assert_int_equal(blocks.count, 1);
	free(blocks.list);
	blocks = (struct address_blocks){ 0 };
	assert_int_equal(addresses_resolver(scratch, &blocks), 0);
	free(blocks.list);
}

static void test_add(void **state)
{
	static const uint8_t address[16] = { 255, 255, 255, 255, 255 };
	struct address_blocks blocks = { 0 };

	(void)state;
	assert_int_equal(addresses_add(&blocks, false, address, 9), 0);
	assert_string_equal(block_text(&blocks.list[0]), "255.128.0.0/9");
	assert_int_equal(addresses_add(&blocks, true, address, 0), 0);
	assert_string_equal(block_text(&blocks.list[1]), "::/0");
	while (blocks.count < ADDRESSES_MAX)
		assert_int_equal(addresses_add(&blocks, false, address, 32), 0);
	assert_int_equal(addresses_add(&blocks, false, address, 32), -ENOSPC);
	free(blocks.list);
}

/* Whatever subnets this machine has, loopback is none of them, and all have been cut. */
static void test_local(void **state)
{
	struct address_blocks blocks = { 0 };
	int result = addresses_local(&blocks);

	(void)state;
	if (result == -EIO) {
		skip();
		return;
	}
	assert_int_equal(result, 0);
	for (size_t i = 0; i < blocks.count; i++) {
		const struct address_block *block = &blocks.list[i];

		assert_true(block->is_v6 || block->address[0] != 127);
		assert_string_not_equal(block_text(block), "::1/128");
		for (unsigned int bit = block->prefix; bit < (block->is_v6 ? 128u : 32u); bit++)
			assert_false(block->address[bit / 8] & 0x80 >> bit % 8);
	}
	free(blocks.list);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_resolver),
		TEST(test_add),
		TEST(test_local),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
