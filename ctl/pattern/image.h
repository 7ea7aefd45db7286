/* SPDX-License-Identifier: GPL-2.0 */
/* Asking a policy image, as the kernel does: what `test` and `explain` answer with. */
#ifndef AGENTCTL_IMAGE_H
#define AGENTCTL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../kern/abi.h"
#include "../../kern/decide.h"

/* Where a name, or the beginning of one, has led all lanes. */
struct image_state {
	uint32_t lane[LANES_MAX]; /* 0 where the image has none */
};

/* The state after PATH, which is absolute; a slash at its end counts: so ends the name of a directory to be looked below. */
void image_walk(const struct image_header *image, const char *path, size_t len, struct image_state *ret);
void image_step(const struct image_header *image, struct image_state *state, uint8_t byte);

/* The verdict word for OP in STATE: the lowest over all lanes, or the operation's fallback. */
uint32_t image_word(const struct image_header *image, const struct image_state *state, enum operation op);

/* What a name that ends in STATE permits, of the operations that the image enforces (decide_right). */
uint32_t image_rights(const struct image_header *image, const struct image_state *state);

/* May a directory, whose name and a slash led to FROM, get the one that leads to TO? As the kernel decides it. */
bool image_is_subtree(const struct image_header *image, const struct image_state *to,
		      const struct image_state *from);

/*
 * The verdict word for OP on PATH, an absolute path without a slash at its end
 * ("/" is the root): the lowest over all lanes, or the operation's fallback.
 */
uint32_t image_match_path(const struct image_header *image, const char *path, size_t len, enum operation op);

/* The same for an address key; the fallback if the image has no address automaton. */
uint32_t image_match_address(const struct image_header *image, const struct address_key *key,
			     enum operation op);

/*
 * The words of an abstract socket's NAME, which begins with '@': of OP, the operation's fallback
 * included, or of ROW_DEPUTY.
 */
uint32_t image_match_name(const struct image_header *image, const char *name, size_t len, unsigned int op);

/*
 * The verdict word for OP, one of the kernel section's, where the program PATH
 * asks: what its list says, else the operation's fallback.
 */
uint32_t image_match_program(const struct image_header *image, const char *path, size_t len,
			     enum operation op);

/* The verdict word of signal NUMBER to a target of KIND, by decide_signal_kind(). */
uint32_t image_match_signal(const struct image_header *image, uint32_t kind, uint32_t number);

#endif
