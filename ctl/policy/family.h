/* SPDX-License-Identifier: GPL-2.0 */
/* Names of socket families, and of protocols of the internet families, that a policy can allow beside those it judges. */
#ifndef AGENTCTL_FAMILY_H
#define AGENTCTL_FAMILY_H

#include <stdint.h>

/* The names that kernel.families takes; NULL-ended. */
const char *const *family_words(void);

/* The bit of NAME in an image's families, or -1. */
int family_find(const char *name);

/* What a socket of struct event's DETAIL is called: "vsock", "sctp"; NULL if it has no name here. */
const char *family_name(uint32_t detail);

#endif
