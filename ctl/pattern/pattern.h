/* SPDX-License-Identifier: GPL-2.0 */
/* Patterns of the policy language as byte automata: globs over paths and arguments, addresses with ports. */
#ifndef AGENTCTL_PATTERN_H
#define AGENTCTL_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATTERN_LEN_MAX 4096	      /* bytes of one written pattern */
#define PATTERN_ALTERNATIVES_MAX 1024 /* what the braces of one pattern may expand to */

/*
 * A parsed pattern: a nondeterministic automaton over bytes. Opaque; owned by
 * the caller of the parser, freed with pattern_free (which takes NULL).
 */
struct pattern;

struct pattern_error {
	size_t offset;	    /* byte of the pattern text where it went wrong */
	const char *what;   /* static text: "unclosed '['" */
	const char *remedy; /* static text: "close it, or write \\[ for the character itself" */
};

/*
 * A path glob as policy.md writes it: absolute, or beginning with a component
 * "**", or a bare name without a slash (short for that name at any depth).
 * DIR/ ** is DIR itself and everything below. Returns 0, -EINVAL with *ret_error
 * filled, or -ENOMEM.
 */
int pattern_path(const char *text, size_t len, struct pattern **ret, struct pattern_error *ret_error);

/* A literal string, as in an already expanded variable or a symlink's target. */
int pattern_literal(const char *text, size_t len, struct pattern **ret);

/*
 * An argument glob: as a path glob, but `*` and `?` cross slashes, there is no `**`, and
 * nothing needs to be absolute.
 */
int pattern_argument(const char *text, size_t len, struct pattern **ret, struct pattern_error *ret_error);

struct pattern_address {
	bool is_v6;
	uint8_t address[16]; /* network order; IPv4 in the first four */
	unsigned int prefix; /* bits, 0 to 32 or 128 */
	int protocol;	     /* as kern/abi.h's address key, -1 for any */
	uint16_t port_low;   /* inclusive */
	uint16_t port_high;
};

/* A block of addresses with ports, over the address key of kern/abi.h. -ENOMEM only. */
int pattern_address(const struct pattern_address *address, struct pattern **ret);

/* The pattern that matches what either matches; takes ownership of both also on failure (-ENOMEM). */
int pattern_union(struct pattern *a, struct pattern *b, struct pattern **ret);

/* Does it match at any depth (begin with a component "**")? */
bool pattern_is_floating(const struct pattern *pattern);

/* Does PATTERN match the whole string? By simulating the pattern itself: the reference that tests hold automata against. */
bool pattern_matches(const struct pattern *pattern, const uint8_t *bytes, size_t len);

void pattern_free(struct pattern *pattern);

#endif
