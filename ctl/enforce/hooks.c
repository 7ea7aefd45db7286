// SPDX-License-Identifier: GPL-2.0
/* The one table of hooks: what is attached where, and which operation it decides. */
#include "ctl/enforce/hooks.h"

#include <string.h>

const struct hook hooks[] = {
#define X(hook, flags, target, decides) { #hook, flags, target, decides },
	HOOKS(X)
#undef X
		{ NULL, 0, NULL, NULL },
};

const struct hook *hook_find(const char *name)
{
	const struct hook *hook = &hooks[hook_index(name)];

	return hook->name ? hook : NULL;
}

size_t hook_index(const char *name)
{
	size_t index = 0;

	while (hooks[index].name && strcmp(hooks[index].name, name))
		index++;
	return index;
}

_Static_assert(sizeof(hooks) / sizeof(hooks[0]) <= HOOKS_MAX,
	       "a set of hooks has a bit for each, and one more");

bool hook_mask_has(const struct hook_mask *mask, size_t index)
{
	return mask->word[index / 64] >> index % 64 & 1;
}

void hook_mask_add(struct hook_mask *mask, size_t index)
{
	mask->word[index / 64] |= 1ull << index % 64;
}
