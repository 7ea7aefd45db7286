// SPDX-License-Identifier: GPL-2.0
/* Addresses that this machine has or uses: its connected subnets and its name servers. */
#include "ctl/sys/addresses.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int addresses_add(struct address_blocks *blocks, bool is_v6, const void *address, unsigned int prefix)
{
	struct address_block block = { .is_v6 = is_v6, .prefix = prefix };
	struct address_block *list;

	if (blocks->count >= ADDRESSES_MAX)
		return -ENOSPC;
	memcpy(block.address, address, is_v6 ? 16 : 4);
	for (unsigned int bit = prefix; bit < (is_v6 ? 128u : 32u); bit++)
		block.address[bit / 8] &= ~(0x80 >> bit % 8);
	list = realloc(blocks->list, (blocks->count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	blocks->list = list;
	list[blocks->count++] = block;
	return 0;
}

static int add_netlink(struct address_blocks *blocks, const struct nl_addr *address, unsigned int prefix)
{
	int family = nl_addr_get_family(address);

	if ((family != AF_INET || nl_addr_get_len(address) != 4) &&
	    (family != AF_INET6 || nl_addr_get_len(address) != 16))
		return 0;
	return addresses_add(blocks, family == AF_INET6, nl_addr_get_binary_addr(address), prefix);
}

/* A point-to-point address has a peer, whose subnet it is that is connected. */
static int add_subnet(struct address_blocks *blocks, struct rtnl_addr *entry)
{
	struct nl_addr *own = rtnl_addr_get_local(entry), *peer = rtnl_addr_get_peer(entry);
	int prefix = rtnl_addr_get_prefixlen(entry), result;

	if (!own || prefix < 0)
		return 0;
	if (!peer)
		return add_netlink(blocks, own, prefix);
	result = add_netlink(blocks, peer, prefix);
	return result ? result : add_netlink(blocks, own, nl_addr_get_len(own) * 8);
}

static bool is_loopback(struct nl_cache *links, int index)
{
	struct rtnl_link *link = rtnl_link_get(links, index);
	bool is_loopback = link && rtnl_link_get_flags(link) & IFF_LOOPBACK;

	rtnl_link_put(link);
	return is_loopback;
}

int addresses_local(struct address_blocks *blocks)
{
	struct nl_sock *socket = nl_socket_alloc();
	struct nl_cache *links = NULL, *addresses = NULL;
	int result = -ENOMEM;

	if (!socket)
		return result;
	/* libnl has error numbers of its own; all of them mean that rtnetlink did not answer. */
	result = -EIO;
	if (nl_connect(socket, NETLINK_ROUTE) || rtnl_link_alloc_cache(socket, AF_UNSPEC, &links) ||
	    rtnl_addr_alloc_cache(socket, &addresses))
		goto out;
	result = 0;
	for (struct nl_object *object = nl_cache_get_first(addresses); object && !result;
	     object = nl_cache_get_next(object)) {
		struct rtnl_addr *entry = (struct rtnl_addr *)object;

		if (!is_loopback(links, rtnl_addr_get_ifindex(entry)))
			result = add_subnet(blocks, entry);
	}
out:
	if (addresses)
		nl_cache_free(addresses);
	if (links)
		nl_cache_free(links);
	nl_socket_free(socket);
	return result;
}

/* The address of a "nameserver" line, or what is no address and is passed over as libc does. */
static int add_server(struct address_blocks *blocks, char *text)
{
	uint8_t address[16];

	text[strcspn(text, " \t\r\n%#;")] = '\0'; /* a zone only says by which interface */
	if (inet_pton(AF_INET, text, address) == 1)
		return addresses_add(blocks, false, address, 32);
	if (inet_pton(AF_INET6, text, address) == 1)
		return addresses_add(blocks, true, address, 128);
	return 0;
}

int addresses_resolver(const char *path, struct address_blocks *blocks)
{
	static const char word[] = "nameserver";
	static const uint8_t loopback[4] = { 127, 0, 0, 1 };
	size_t before = blocks->count;
	FILE *file = fopen(path, "re");
	char line[1024];
	int result = 0;

	if (!file && errno != ENOENT)
		return -errno;
	while (file && !result && fgets(line, sizeof(line), file)) {
		char *value = line + sizeof(word) - 1;

		if (strncmp(line, word, sizeof(word) - 1) || (*value != ' ' && *value != '\t'))
			continue;
		result = add_server(blocks, value + strspn(value, " \t"));
	}
	if (file)
		fclose(file);
	if (!result && blocks->count == before)
		result = addresses_add(blocks, false, loopback, 32);
	return result;
}
