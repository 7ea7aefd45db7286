/* SPDX-License-Identifier: GPL-2.0 */
/* Objects of operations as `explain` and tests write them. */
#ifndef AGENTCTL_OBJECT_H
#define AGENTCTL_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "kern/abi.h"

struct object {
	bool is_anonymous; /* memory without a file */
	int nameless;	   /* REASON_TOO_DEEP or REASON_TOO_LONG, for which any name is denied; else 0 */
	char *path;	   /* as the kernel names it; NULL for an address */
	char *spelling; /* the path as it was given, where links on this machine lead elsewhere; else NULL */
	bool is_v6;
	uint8_t address[16];
	uint8_t protocol; /* as in the address key */
	uint16_t port;
	uint32_t signal_kind; /* what the target of a signal is, by decide_signal_kind(), */
	uint32_t signal;      /* and which signal; set by whoever knows it */
	bool is_unix;	      /* a Unix socket: path or name */
	char *name;	      /* of an abstract one, with its '@'; else NULL */
	int family;	      /* of kernel.families: its bit in an image's families */
};

/*
 * Reads TEXT, what OP is done to: a path, a command line for exec.run (its first
 * word), ADDR:PORT with /udp behind it for udp, or unix:PATH or unix:@NAME. Symbolic links are followed
 * as the kernel does. 0; -EINVAL with what is wrong in *ret_error, which is
 * the caller's; or -ENOMEM.
 */
int object_parse(enum operation op, const char *text, struct object *ret, char **ret_error);
void object_done(struct object *object);

/* Why the kernel finds no name for what is called PATH, an absolute one: a reason as in struct object; 0 if it finds one. */
int object_nameless(const char *path);

/* What OP is called where it is done to OBJECT: of a Unix socket, the operations of these. */
enum operation object_operation(enum operation op, const struct object *object);

#endif
