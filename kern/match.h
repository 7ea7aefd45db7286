/* SPDX-License-Identifier: GPL-2.0 */
/* Walking an image's automata: the same code decides in the kernel and in `agentctl test` and `explain`. */
#ifndef AGENTCTL_MATCH_H
#define AGENTCTL_MATCH_H

#include "abi.h"

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* Keeps the compiler from comparing the low half as 64 bits, which costs two shifts a byte. */
#ifdef __bpf__
#define MATCH_LOW_HALF(x) asm volatile("" : "+w"(x))
#else
#define MATCH_LOW_HALF(x) ((void)0)
#endif

/*
 * One step of an automaton from STATE on CLASS. MASK is the number of cells
 * less one: whatever an image holds, no index leaves it. States are below 2^32
 * and handed on as 64 bits, which saves the kernel's side conversions.
 */
static __always_inline __u64 match_step(const __u64 *cell, __u32 mask, __u64 state, __u64 class)
{
	__u64 entry = cell[(state + class) & mask];
	__u32 owner = entry;

	MATCH_LOW_HALF(owner);
	if (owner == (__u32)state)
		return entry >> 32;
	entry = cell[state & mask];
	return cell[(entry + class) & mask] >> 32;
}

/* The verdict word of operation OP in STATE of one lane: WORD_NONE if no rule of the lane matches. */
static __always_inline __u32 match_word(const __u64 *cell, __u32 mask, __u32 state, __u32 op)
{
	__u32 row = cell[state & mask] >> 32;
	__u64 pair = cell[((row + op) >> 1) & mask];

	return (row + op) & 1 ? pair >> 32 : (__u32)pair;
}

#endif
