/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses that this machine has or uses: its connected subnets and its name servers. */
#ifndef AGENTCTL_ADDRESSES_H
#define AGENTCTL_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDRESSES_MAX 4096 /* of one list */
#define RESOLV_CONF "/etc/resolv.conf"

/* A block of addresses. */
struct address_block {
	bool is_v6;
	uint8_t address[16]; /* network order; IPv4 in the first four; no bits beyond the prefix */
	unsigned int prefix;
};

/* A growing list of blocks; free(list) ends it. */
struct address_blocks {
	struct address_block *list;
	size_t count;
};

/* Appends a block, cutting what is beyond its prefix. -ENOMEM, -ENOSPC. */
int addresses_add(struct address_blocks *blocks, bool is_v6, const void *address, unsigned int prefix);

/* Appends the connected subnets of this machine but loopback (rtnetlink). 0 or -errno. */
int addresses_local(struct address_blocks *blocks);

/* Appends the name servers that the resolv.conf in PATH names; none there means the local one, as resolv.conf(5) has it. */
int addresses_resolver(const char *path, struct address_blocks *blocks);

#endif
