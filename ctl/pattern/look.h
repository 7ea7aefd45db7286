/* SPDX-License-Identifier: GPL-2.0 */
/* What a string so far looks like as the name of a file: automata have states for strings that are no names. */
#ifndef AGENTCTL_LOOK_H
#define AGENTCTL_LOOK_H

#include <stdbool.h>

/* Empty components, a slash at the end, "." and ".." are in no name. */
enum look {
	LOOK_ROOT, /* nothing behind the first slash: the root itself */
	LOOK_SLASH,
	LOOK_DOT,
	LOOK_DOTS,
	LOOK_NAME,
	LOOKS,
	LOOK_INVALID,
};

static inline enum look look_after(enum look look, bool is_slash, bool is_dot)
{
	if (is_slash)
		return look == LOOK_NAME ? LOOK_SLASH : LOOK_INVALID;
	if (!is_dot)
		return LOOK_NAME;
	if (look == LOOK_ROOT || look == LOOK_SLASH)
		return LOOK_DOT;
	return look == LOOK_DOT ? LOOK_DOTS : LOOK_NAME;
}

static inline bool look_is_name(enum look look)
{
	return look == LOOK_ROOT || look == LOOK_NAME;
}

#endif
