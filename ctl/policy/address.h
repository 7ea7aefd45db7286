/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses, blocks and ports as the policy language writes them. */
#ifndef AGENTCTL_ADDRESS_H
#define AGENTCTL_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/sys/addresses.h"

struct address_error {
	const char *what;
	char remedy[96];
};

/*
 * Appends the block TEXT ("10.0.0.0/8", "::1") to BLOCKS. A v4-mapped one is
 * IPv4; 0.0.0.0 and :: alone are the loopback address, as the kernel connects
 * them. 0, -EINVAL with *ret_error, or -ENOMEM.
 */
int address_parse_block(const char *text, struct address_blocks *blocks, struct address_error *ret_error);

/*
 * Appends the named set TEXT ("@private"). *ret_is_local: it depends on this
 * machine. -ENOENT: there is no such set; else 0 or what reading the system gave.
 */
int address_named_set(const char *text, struct address_blocks *blocks, bool *ret_is_local);

/* "@any" and the others, NULL-ended. */
extern const char *const address_set_names[];

/* "443" or "1024-65535". 0 or -EINVAL with *ret_error. */
int address_parse_ports(const char *text, uint16_t *ret_low, uint16_t *ret_high,
			struct address_error *ret_error);

#endif
