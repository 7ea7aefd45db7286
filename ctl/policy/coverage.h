/* SPDX-License-Identifier: GPL-2.0 */
/* What of the policy language this version does not enforce yet: the one list, and the refusals that follow from it. */
#ifndef AGENTCTL_COVERAGE_H
#define AGENTCTL_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Words of the language beside operations; those of operations come from kern/abi.h's table. */
enum feature {
	FEATURE_ASK,
	FEATURE_HOST,
	FEATURE_ARGS,
	FEATURE_ENV,
	FEATURE_LIMITS,
	FEATURE_COUNT,
};

bool coverage_has(enum feature feature);

/* Every word that is refused, as `load` and `status` show it ("net.bind", "ask", "kernel.caseless"); static. */
const char *const *coverage_missing(size_t *ret_count);

#endif
