// SPDX-License-Identifier: GPL-2.0
/* What of the policy language this version does not enforce yet: the one list, and the refusals that follow from it. */
#include "ctl/policy/coverage.h"

#include "kern/abi.h"

/* A word goes from here when the programs that enforce it come. */
static const char *const missing_features[FEATURE_COUNT] = {
	[FEATURE_ASK] = "ask", [FEATURE_HOST] = "host",	    [FEATURE_ARGS] = "args",
	[FEATURE_ENV] = "env", [FEATURE_LIMITS] = "limits",
};

/* Of the kernel section the keys that are no operations. */
static const char *const missing_keys[] = { "kernel.caseless" };

#define MISSING_KEYS (sizeof(missing_keys) / sizeof(missing_keys[0]))

static const struct {
	const char *name;
	bool is_hooked;
} operations[] = {
#define X(id, section, word, hooked) { section "." word, hooked },
	OPERATIONS(X)
#undef X
};

bool coverage_has(enum feature feature)
{
	return !missing_features[feature];
}

const char *const *coverage_missing(size_t *ret_count)
{
	static const char *list[OP_COUNT + FEATURE_COUNT + MISSING_KEYS];
	size_t count = 0;

	for (size_t op = 0; op < OP_COUNT; op++)
		if (!operations[op].is_hooked)
			list[count++] = operations[op].name;
	for (size_t feature = 0; feature < FEATURE_COUNT; feature++)
		if (missing_features[feature])
			list[count++] = missing_features[feature];
	for (size_t i = 0; i < MISSING_KEYS; i++)
		list[count++] = missing_keys[i];
	*ret_count = count;
	return list;
}
