/* SPDX-License-Identifier: GPL-2.0 */
/* Sockets of services that act for whoever connects to them, outside the attachment: kernel.deputies. */
#ifndef AGENTCTL_DEPUTY_H
#define AGENTCTL_DEPUTY_H

#include "ctl/pattern/pattern.h"

/* The one list, as patterns of paths, and of abstract names behind their '@'; NULL-ended. */
extern const char *const deputy_paths[];
extern const char *const deputy_names[];

/* Both as patterns, the names with a slash for the '@'; for the caller to free. 0 or -ENOMEM. */
int deputy_patterns(struct pattern **ret_paths, struct pattern **ret_names);

#endif
