// SPDX-License-Identifier: GPL-2.0
/* The one table of hooks: what is attached where, and which operation it decides. */
#include "ctl/enforce/hooks.h"

#include <string.h>

const struct hook hooks[] = {
#define X(hook, has_trusted, target, decides) { #hook, has_trusted, target, decides },
	HOOKS(X)
#undef X
		{ NULL, false, NULL, NULL },
};

const struct hook *hook_find(const char *name)
{
	for (const struct hook *hook = hooks; hook->name; hook++)
		if (!strcmp(hook->name, name))
			return hook;
	return NULL;
}
