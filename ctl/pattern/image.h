/* SPDX-License-Identifier: GPL-2.0 */
/* Asking a policy image, as the kernel does: what `test` and `explain` answer with. */
#ifndef AGENTCTL_IMAGE_H
#define AGENTCTL_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "../../kern/abi.h"
#include "../../kern/decide.h"

/*
 * The verdict word for OP on PATH, an absolute path without a slash at its end
 * ("/" is the root): the lowest over all lanes, or the operation's fallback.
 */
uint32_t image_match_path(const struct image_header *image, const char *path, size_t len, enum operation op);

/* The same for an address key; the fallback if the image has no address automaton. */
uint32_t image_match_address(const struct image_header *image, const struct address_key *key,
			     enum operation op);

#endif
