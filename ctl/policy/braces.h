/* SPDX-License-Identifier: GPL-2.0 */
/* Writing out the braces in the leading part of a pattern, so that its links can be followed. */
#ifndef AGENTCTL_BRACES_H
#define AGENTCTL_BRACES_H

#include <stddef.h>

#define BRACES_MAX 256 /* patterns that one is written out to; what has more stays as it is */

/*
 * Calls EACH for PATTERN, a checked one, with every brace written out that
 * stands before its first star, question mark or class: "/{a,b/{c,d}}/x*" is
 * /a/x*, /b/c/x* and /b/d/x*. Returns what EACH returns if that is not 0, or
 * -ENOMEM.
 */
int braces_expand(const char *pattern, int (*each)(const char *pattern, void *data), void *data);

#endif
