// SPDX-License-Identifier: GPL-2.0
/* Globs over operations and verdicts. */
#include "ctl/event/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#define GLOB_MAX 64

/* Operations whose second part is not in the table. */
static const char *const open_sections[] = { "signal.", "kernel." };

static bool glob_matches(struct span glob, const char *word)
{
	char pattern[GLOB_MAX];

	if (glob.len >= sizeof(pattern))
		return false;
	memcpy(pattern, glob.data, glob.len);
	pattern[glob.len] = '\0';
	return !fnmatch(pattern, word, FNM_NOESCAPE);
}

static bool is_op_glob(struct span glob)
{
	for (unsigned int op = 0; op < OP_COUNT; op++) {
		if (glob_matches(glob, event_op_word(op)))
			return true;
	}
	for (unsigned int life = EVENT_LIFE + 1; life < EVENT_LIFE_END; life++) {
		if (glob_matches(glob, event_op_word(life)))
			return true;
	}
	for (size_t i = 0; i < sizeof(open_sections) / sizeof(*open_sections); i++) {
		size_t len = strlen(open_sections[i]);

		if (glob.len >= len && glob.len < GLOB_MAX && !memcmp(glob.data, open_sections[i], len))
			return true;
	}
	return false;
}

static bool is_verdict_glob(struct span glob)
{
	for (unsigned int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
		if (glob_matches(glob, event_verdict_word(verdict)))
			return true;
	}
	return false;
}

static int add(struct span *globs, int *count, const char *list, bool (*is_known)(struct span),
	       struct span *ret_glob)
{
	for (const char *at = list;; at++) {
		struct span glob = { at, strcspn(at, ",") };

		*ret_glob = glob;
		if (!is_known(glob))
			return -ENOENT;
		if (*count == FILTER_GLOBS_MAX)
			return -E2BIG;
		globs[(*count)++] = glob;
		at += glob.len;
		if (!*at)
			return 0;
	}
}

int filter_add_ops(struct filter *filter, const char *list, struct span *ret_glob)
{
	return add(filter->op, &filter->op_count, list, is_op_glob, ret_glob);
}

int filter_add_verdicts(struct filter *filter, const char *list, struct span *ret_glob)
{
	return add(filter->verdict, &filter->verdict_count, list, is_verdict_glob, ret_glob);
}

static bool any_matches(const struct span *globs, int count, const char *word)
{
	for (int i = 0; i < count; i++) {
		if (glob_matches(globs[i], word))
			return true;
	}
	return false;
}

bool filter_matches(const struct filter *filter, enum verdict verdict, enum verdict repeated, const char *op)
{
	const struct span *globs = filter->verdict;
	int count = filter->verdict_count;

	if (verdict == VERDICT_LOST)
		return true;
	if (count && !any_matches(globs, count, event_verdict_word(verdict)) &&
	    !any_matches(globs, count, event_verdict_word(repeated)))
		return false;
	return !filter->op_count || any_matches(filter->op, filter->op_count, op);
}
