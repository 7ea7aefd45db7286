// SPDX-License-Identifier: GPL-2.0
/* Who started whom, and which agent's processes are whose; the last step of collecting. */
#include <errno.h>
#include <stdlib.h>

#include "ctl/report/collect.h"

/* The process that PPID meant when PROCESS was first seen: the newest one that was seen before it, else the first after. */
static uint32_t parent_of(const struct collected *collected, const uint32_t *newest, uint32_t number)
{
	uint32_t ppid = collected->process[number].ppid, at;

	if (!ppid)
		return NO_PROCESS;
	at = names_find(collected->pids, (struct span){ (const char *)&ppid, sizeof(ppid) });
	return at == NAME_NONE || newest[at] == number ? NO_PROCESS : newest[at];
}

static int find_parents(struct collected *collected)
{
	uint32_t count = names_count(collected->pids);
	uint32_t *newest = malloc((count + 1ul) * sizeof(*newest));

	if (!newest)
		return -ENOMEM;
	/* One whose parent was seen later only: to begin with, each pid means its last process. */
	for (uint32_t i = 0; i < count; i++)
		newest[i] = collected->pid_process[i];
	for (uint32_t i = 0; i < collected->process_count; i++) {
		struct process *process = &collected->process[i];
		uint32_t at = names_find(collected->pids,
					 (struct span){ (const char *)&process->pid, sizeof(process->pid) });

		process->parent = parent_of(collected, newest, i);
		if (at != NAME_NONE)
			newest[at] = i;
	}
	free(newest);
	return 0;
}

/* Made-up events may say that two are each other's parents: then one of them has none. */
static int cut_circles(struct collected *collected)
{
	uint32_t *walk = calloc(collected->process_count + 1ul, sizeof(*walk));

	if (!walk)
		return -ENOMEM;
	for (uint32_t i = 0; i < collected->process_count; i++) {
		uint32_t at = i, last = i;

		while (at != NO_PROCESS && !walk[at]) {
			walk[at] = i + 1;
			last = at;
			at = collected->process[at].parent;
		}
		if (at != NO_PROCESS && walk[at] == i + 1)
			collected->process[last].parent = NO_PROCESS;
	}
	free(walk);
	return 0;
}

/* From each process up to the first whose agent is decided, and that one's agent all the way back. */
static void find_agents(struct collected *collected)
{
	for (uint32_t i = 0; i < collected->process_count; i++) {
		const struct agent *agent = NULL;
		uint32_t at = i;

		while (at != NO_PROCESS && !collected->process[at].own_agent &&
		       !collected->process[at].has_agent)
			at = collected->process[at].parent;
		if (at != NO_PROCESS)
			agent = collected->process[at].own_agent ? collected->process[at].own_agent
								 : collected->process[at].agent;
		for (at = i; at != NO_PROCESS && !collected->process[at].has_agent;
		     at = collected->process[at].parent) {
			bool is_own = collected->process[at].own_agent;

			collected->process[at].agent = is_own ? collected->process[at].own_agent : agent;
			collected->process[at].has_agent = true;
			if (is_own)
				break;
		}
	}
}

int collected_finish(struct collected *collected)
{
	int result;

	collected->left_out.has_couples = collected->group_objects.is_full ||
					  collected->group_processes.is_full ||
					  collected->host_objects.is_full || collected->renames.is_full;
	couples_sort(&collected->group_objects);
	couples_sort(&collected->group_processes);
	couples_sort(&collected->host_objects);
	couples_sort(&collected->renames);
	result = find_parents(collected);
	if (!result)
		result = cut_circles(collected);
	if (!result)
		find_agents(collected);
	return result;
}
