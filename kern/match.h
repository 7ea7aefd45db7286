/* SPDX-License-Identifier: GPL-2.0 */
/* Walking an image's automata: the same code decides in the kernel and in `agentctl test` and `explain`. */
#ifndef AGENTCTL_MATCH_H
#define AGENTCTL_MATCH_H

#include "abi.h"

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/*
 * What each byte of each name costs is made of these two: the kernel's side says
 * how, the compiler's own way takes half as many instructions again. The cells
 * stand behind the header, so that its address serves both.
 */
#ifdef __bpf__
static __always_inline __u64 match_cell(const __u64 *cell, __u64 index)
{
	index <<= 3;
	asm("%0 += %1" : "+r"(index) : "r"((const char *)cell - sizeof(struct image_header)));
	return *(const __u64 *)(index + sizeof(struct image_header));
}

#define MATCH_UNLESS_OWNER(entry, state, label) \
	asm goto("if %0 != %1 goto %l2" ::"w"((__u32)(entry)), "w"((__u32)(state))::label)
#else
static __always_inline __u64 match_cell(const __u64 *cell, __u64 index)
{
	return cell[index];
}

#define MATCH_UNLESS_OWNER(entry, state, label)       \
	do {                                          \
		if ((__u32)(entry) != (__u32)(state)) \
			goto label;                   \
	} while (0)
#endif

/*
 * One step of an automaton from STATE on CLASS. MASK is the number of cells
 * less one: whatever an image holds, no index leaves it. States are below 2^32
 * and handed on as 64 bits, which saves the kernel's side conversions.
 */
static __always_inline __u64 match_step(const __u64 *cell, __u32 mask, __u64 state, __u64 class)
{
	__u64 entry = match_cell(cell, (state + class) & mask);

	MATCH_UNLESS_OWNER(entry, state, other);
	return entry >> 32;
other:
	entry = match_cell(cell, state & mask);
	return match_cell(cell, (entry + class) & mask) >> 32;
}

/* The verdict row of STATE: the same number for equal rows, ROW_NONE if no rule of the lane matches. */
static __always_inline __u32 match_row(const __u64 *cell, __u32 mask, __u32 state)
{
	return cell[state & mask] >> 32;
}

/* The verdict word of operation OP in a row. */
static __always_inline __u32 match_row_word(const __u64 *cell, __u32 mask, __u32 row, __u32 op)
{
	__u64 pair = cell[((row + op) >> 1) & mask];

	return (row + op) & 1 ? pair >> 32 : (__u32)pair;
}

/* The verdict word of operation OP in STATE of one lane: WORD_NONE if no rule of the lane matches. */
static __always_inline __u32 match_word(const __u64 *cell, __u32 mask, __u32 state, __u32 op)
{
	return match_row_word(cell, mask, match_row(cell, mask, state), op);
}

#endif
