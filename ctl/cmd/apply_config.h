/* SPDX-License-Identifier: GPL-2.0 */
/* What a machine's configuration wants in force: the JSON files of policies.d, and the conf files of attach.d with lines "CGROUP POLICY". */
#ifndef AGENTCTL_APPLY_CONFIG_H
#define AGENTCTL_APPLY_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#define APPLY_FOLDER "/etc/agentctl"

/* One line of attach.d. */
struct apply_entry {
	char *cgroup;
	char *policy;
	char *file; /* where it stands */
	unsigned int line;
	uint64_t id; /* of the cgroup; the reader leaves it 0 */
};

struct apply_config {
	char **files; /* the policies' paths, in order of their names */
	size_t file_count;
	struct apply_entry *entries; /* in order of their files' names, then of lines */
	size_t entry_count;
};

/* Reads FOLDER. What is wrong has been said; the result is the exit code. *ret_config is for apply_config_done either way. */
int apply_config_read(const char *folder, struct apply_config *ret_config);
void apply_config_done(struct apply_config *config);

#endif
