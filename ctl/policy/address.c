// SPDX-License-Identifier: GPL-2.0
/* Addresses, blocks and ports as the policy language writes them. */
#include "ctl/policy/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kern/decide.h"

#define BLOCK_TEXT_MAX 64

const char *const address_set_names[] = {
	"@loopback", "@private", "@linklocal", "@multicast", "@metadata", "@local", "@resolver", "@any", NULL,
};

static const struct {
	const char *set;
	const char *block;
} fixed_sets[] = {
	{ "@any", "0.0.0.0/0" },
	{ "@any", "::/0" },
	{ "@loopback", "127.0.0.0/8" },
	{ "@loopback", "::1/128" },
	/* RFC 1918 and RFC 4193 */
	{ "@private", "10.0.0.0/8" },
	{ "@private", "172.16.0.0/12" },
	{ "@private", "192.168.0.0/16" },
	{ "@private", "fc00::/7" },
	{ "@linklocal", "169.254.0.0/16" },
	{ "@linklocal", "fe80::/10" },
	{ "@multicast", "224.0.0.0/4" },
	{ "@multicast", "ff00::/8" },
	/* Where cloud machines get credentials and start-up data; each provider documents its own. */
	{ "@metadata", "169.254.169.254/32" }, /* most of them */
	{ "@metadata", "fd00:ec2::254/128" },  /* AWS */
	{ "@metadata", "169.254.170.2/32" },   /* AWS ECS task credentials */
	{ "@metadata", "169.254.170.23/32" },  /* AWS EKS pod identity */
	{ "@metadata", "fd00:ec2::23/128" },
	{ "@metadata", "fd20:ce::254/128" },   /* Google */
	{ "@metadata", "168.63.129.16/32" },   /* Azure's host agent */
	{ "@metadata", "100.100.100.200/32" }, /* Alibaba */
	{ "@metadata", "169.254.0.23/32" },    /* Tencent */
	{ "@metadata", "169.254.42.42/32" },   /* Scaleway */
	{ "@metadata", "fd00:42::42/128" },
	{ "@metadata", "192.0.0.192/32" }, /* Oracle Classic */
};

static int refuse(struct address_error *error, const char *what, const char *remedy)
{
	error->what = what;
	snprintf(error->remedy, sizeof(error->remedy), "%s", remedy);
	return -EINVAL;
}

/* A decimal number without sign or leading zeros, at most MAX; -1 for anything else. */
static int parse_number(const char *text, size_t len, int max)
{
	int value = 0;

	if (!len || len > 5 || (len > 1 && *text == '0'))
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = value * 10 + (text[i] - '0');
	}
	return value <= max ? value : -1;
}

static bool has_host_bits(const struct address_block *block)
{
	for (unsigned int bit = block->prefix; bit < (block->is_v6 ? 128u : 32u); bit++)
		if (block->address[bit / 8] & 0x80 >> bit % 8)
			return true;
	return false;
}

static int refuse_host_bits(const struct address_block *block, struct address_error *error)
{
	struct address_blocks cut = { 0 };
	char text[INET6_ADDRSTRLEN];

	if (addresses_add(&cut, block->is_v6, block->address, block->prefix))
		return -ENOMEM;
	error->what = "a block with host bits set";
	inet_ntop(block->is_v6 ? AF_INET6 : AF_INET, cut.list[0].address, text, sizeof(text));
	snprintf(error->remedy, sizeof(error->remedy), "write %s/%u, or the address alone", text,
		 block->prefix);
	free(cut.list);
	return -EINVAL;
}

/* What the kernel's key never holds is written as what it holds instead (kern/decide.h). */
static void normalise(struct address_block *block)
{
	if (block->is_v6 && block->prefix >= 96 && decide_is_mapped(block->address)) {
		memmove(block->address, block->address + 12, 4);
		memset(block->address + 4, 0, 12);
		block->is_v6 = false;
		block->prefix -= 96;
	}
}

/* All addresses to whoever binds to it, the loopback address to whoever connects: as such it counts, too. */
static int add_loopback(const struct address_block *block, struct address_blocks *blocks)
{
	static const uint8_t loopback4[16] = { 127, 0, 0, 1 }, loopback6[16] = { [15] = 1 };

	if (block->prefix != (block->is_v6 ? 128 : 32) ||
	    !(block->is_v6 ? decide_is_zero(block->address) : !decide_four(block->address)))
		return 0;
	return addresses_add(blocks, block->is_v6, block->is_v6 ? loopback6 : loopback4, block->prefix);
}

int address_parse_block(const char *text, struct address_blocks *blocks, struct address_error *ret_error)
{
	struct address_block block = { 0 };
	size_t len = strcspn(text, "/");
	char address[BLOCK_TEXT_MAX];
	int prefix, max;

	if (len >= sizeof(address))
		return refuse(ret_error, "no address",
			      "write one such as 10.0.0.0/8 or fd00::/8, or a set such as @private");
	memcpy(address, text, len);
	address[len] = '\0';
	block.is_v6 = strchr(address, ':') != NULL;
	if (inet_pton(block.is_v6 ? AF_INET6 : AF_INET, address, block.address) != 1)
		return refuse(ret_error, "no address",
			      "write one such as 10.0.0.0/8 or fd00::/8, or a set such as @private");
	max = block.is_v6 ? 128 : 32;
	prefix = text[len] ? parse_number(text + len + 1, strlen(text + len + 1), max) : max;
	if (prefix < 0)
		return refuse(ret_error, "no prefix length after '/'",
			      block.is_v6 ? "write a number from 0 to 128" : "write a number from 0 to 32");
	block.prefix = prefix;
	if (has_host_bits(&block))
		return refuse_host_bits(&block, ret_error);
	normalise(&block);
	if (add_loopback(&block, blocks))
		return -ENOMEM;
	return addresses_add(blocks, block.is_v6, block.address, block.prefix);
}

int address_named_set(const char *text, struct address_blocks *blocks, bool *ret_is_local)
{
	struct address_error error;
	int result = -ENOENT;

	*ret_is_local = true;
	if (!strcmp(text, "@local"))
		return addresses_local(blocks);
	if (!strcmp(text, "@resolver"))
		return addresses_resolver(RESOLV_CONF, blocks);
	*ret_is_local = false;
	for (size_t i = 0; i < sizeof(fixed_sets) / sizeof(fixed_sets[0]); i++) {
		if (strcmp(fixed_sets[i].set, text))
			continue;
		result = address_parse_block(fixed_sets[i].block, blocks, &error);
		if (result)
			break;
	}
	return result;
}

int address_parse_ports(const char *text, uint16_t *ret_low, uint16_t *ret_high,
			struct address_error *ret_error)
{
	size_t len = strcspn(text, "-");
	int low = parse_number(text, len, 65535), high = low;

	if (text[len])
		high = parse_number(text + len + 1, strlen(text + len + 1), 65535);
	if (low < 1 || high < 1)
		return refuse(ret_error, "no port",
			      "write a number from 1 to 65535, or a range such as \"1024-65535\"");
	if (low > high)
		return refuse(ret_error, "an inverted port range", "write the lower port first");
	*ret_low = low;
	*ret_high = high;
	return 0;
}
