/* SPDX-License-Identifier: GPL-2.0 */
/* Putting policies in force, for the verbs that do: all of them, or none. */
#ifndef AGENTCTL_LOAD_H
#define AGENTCTL_LOAD_H

#include "ctl/base/json_writer.h"
#include "ctl/cmd/cmd.h"
#include "ctl/enforce/replace.h"
#include "ctl/policy/policy.h"

#define WAIVED_MAX 64

struct load_options {
	struct cmd_defines defines;
	const char *waived[WAIVED_MAX];
	size_t waived_count;
	bool is_json;
};

/* Policies that were compiled, on their way into force. */
struct load_batch {
	struct policy_options options;
	struct compiled *compiled;
	struct replacement *replacements;
	size_t count;
};

/*
 * Compiles FILES and runs their tests; nothing changes yet. What is wrong has
 * been said, and the result is the exit code. Either way *ret_batch is for load_done.
 */
int load_prepare(char *const *files, size_t count, const struct load_options *load,
		 struct load_batch *ret_batch);

/* Puts the whole batch in force, or leaves everything as it was. The exit code. */
int load_commit(const struct load_batch *batch, const struct load_options *load);
void load_done(struct load_batch *batch);

/* Tells what was put in force: as text, or as members of the object that JSON writes. */
void load_show(const struct load_batch *batch, struct json_writer *json);

#endif
