/* SPDX-License-Identifier: GPL-2.0 */
/* Which families and protocols of sockets a policy allows beside those that it judges by address. */
#ifndef AGENTCTL_FAMILY_BPF_H
#define AGENTCTL_FAMILY_BPF_H

#include "image.bpf.h"

struct families {
	__u64 allowed;
	__u32 is_enforced;
};

IMAGE_FUNCTION families_read(const struct image_header *header, const __u64 *cell, __u32 mask,
			     struct families *families)
{
	families->is_enforced = header->enforced & OP_BIT(OP_NET_CONNECT);
	families->allowed = (__u64)header->families[1] << 32 | header->families[0];
	return 0;
}

static __always_inline int families_find(__u32 policy, struct families *ret_families)
{
	IMAGE_CALL(policy, families_read, ret_families);
	return -ESTALE;
}

#endif
