// SPDX-License-Identifier: GPL-2.0
/* Adding events up. Every limit has a count of what it left out. */
#include "ctl/report/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/report/read.h"

#define OBJECTS_MAX (1u << 20)
#define OBJECT_BYTES_MAX (80u << 20)
#define FOLDERS_MAX (1u << 15)
#define HOSTS_MAX (1u << 15)
#define PROGRAMS_MAX (1u << 14)
#define WORDS_MAX (1u << 14)
#define GROUPS_MAX (1u << 12)
#define PROCESSES_MAX (1u << 17)
#define SMALL_BYTES_MAX (4u << 20) /* of each of the other tables */

#define FOLDER_DEPTH 6

static int open_names(struct collected *collected)
{
	int result;

	result = names_new(OBJECTS_MAX, OBJECT_BYTES_MAX, &collected->objects);
	if (!result)
		result = names_new(FOLDERS_MAX, SMALL_BYTES_MAX, &collected->folders);
	if (!result)
		result = names_new(HOSTS_MAX, SMALL_BYTES_MAX, &collected->hosts);
	if (!result)
		result = names_new(PROGRAMS_MAX, SMALL_BYTES_MAX, &collected->programs);
	if (!result)
		result = names_new(WORDS_MAX, SMALL_BYTES_MAX, &collected->words);
	if (!result)
		result = names_new(GROUPS_MAX, SMALL_BYTES_MAX, &collected->group_keys);
	if (!result)
		result = names_new(PROCESSES_MAX, SMALL_BYTES_MAX, &collected->pids);
	return result;
}

int collected_new(struct collected **ret)
{
	struct collected *collected = calloc(1, sizeof(*collected));

	if (!collected)
		return -ENOMEM;
	collected->scratch = malloc(SCRATCH_BYTES);
	collected->buffer = malloc(LINE_BYTES_MAX + 1);
	if (!collected->scratch || !collected->buffer || json_line_new(&collected->line) ||
	    open_names(collected)) {
		collected_free(collected);
		return -ENOMEM;
	}
	*ret = collected;
	return 0;
}

void collected_free(struct collected *collected)
{
	if (!collected)
		return;
	names_free(collected->objects);
	names_free(collected->folders);
	names_free(collected->hosts);
	names_free(collected->programs);
	names_free(collected->words);
	names_free(collected->group_keys);
	names_free(collected->pids);
	free(collected->object);
	free(collected->folder);
	free(collected->host);
	free(collected->program_agent);
	free(collected->group);
	free(collected->pid_process);
	free(collected->process);
	couples_done(&collected->group_objects);
	couples_done(&collected->group_processes);
	couples_done(&collected->host_objects);
	couples_done(&collected->renames);
	for (size_t i = 0; i < collected->source_count; i++)
		free(collected->source[i].name);
	free(collected->source);
	free(collected->scratch);
	free(collected->buffer);
	json_line_free(collected->line);
	free(collected);
}

/* LIST, with zeroed room for element NUMBER; NULL without memory, and LIST stays. */
static void *with_room(void *list, size_t *room, size_t number, size_t size)
{
	size_t wanted = *room ? *room : 64;
	char *grown;

	if (number < *room)
		return list;
	while (wanted <= number)
		wanted *= 2;
	grown = realloc(list, wanted * size);
	if (!grown)
		return NULL;
	memset(grown + *room * size, 0, (wanted - *room) * size);
	*room = wanted;
	return grown;
}

/* Makes room in a member that is a list by number; false without memory. */
#define ROOM(collected, list, list_room, number)                                                   \
	({                                                                                         \
		void *grown_list = with_room((collected)->list, &(collected)->list_room, (number), \
					     sizeof(*(collected)->list));                          \
		if (grown_list)                                                                    \
			(collected)->list = grown_list;                                            \
		grown_list != NULL;                                                                \
	})

static void spread(struct moment *first, struct moment *last, const struct moment *time)
{
	if (!time->is_known)
		return;
	if (!first->is_known || moment_compare(time, first) < 0)
		*first = *time;
	if (!last->is_known || moment_compare(time, last) > 0)
		*last = *time;
}

/* The folder of a path, at most so deep that there are few of them. */
static struct span folder_of(struct span path)
{
	size_t end = 0;
	int depth = 0;

	for (size_t i = 1; i < path.len && depth < FOLDER_DEPTH; i++) {
		if (path.data[i] != '/')
			continue;
		end = i;
		depth++;
	}
	return (struct span){ path.data, end ? end : 1 };
}

static enum folder_use use_of(uint32_t op)
{
	switch (op) {
	case OP_FILE_READ:
		return FOLDER_READ;
	case OP_FILE_WRITE:
		return FOLDER_WRITTEN;
	case OP_FILE_CREATE:
		return FOLDER_CREATED;
	case OP_FILE_DELETE:
		return FOLDER_DELETED;
	}
	return FOLDER_OTHER;
}

static int add_folder(struct collected *collected, const struct record *record)
{
	uint32_t number;

	if (!record->object.len || record->object.data[0] != '/')
		return 0;
	number = names_add(collected->folders, folder_of(record->object));
	if (number == NAME_NONE) {
		collected->left_out.folders++;
		return 0;
	}
	if (!ROOM(collected, folder, folder_room, number))
		return -ENOMEM;
	acts_add(&collected->folder[number].acts, record->repeated, 1);
	if (record->repeated != VERDICT_BLOCKED)
		collected->folder[number].use[use_of(record->op)]++;
	return 0;
}

/* The host's name if it is known, else the address without its port. */
static struct span host_of(const struct record *record)
{
	const char *colon = record->object.len ? memrchr(record->object.data, ':', record->object.len) : NULL;

	if (record->host.len)
		return record->host;
	if (colon)
		return (struct span){ record->object.data, colon - record->object.data };
	return record->object;
}

static int add_host(struct collected *collected, const struct record *record, uint32_t object)
{
	uint32_t number;

	if (record->op >= OP_COUNT || !(OP_BIT(record->op) & OPS_NET) || !record->object.len)
		return 0;
	number = names_add(collected->hosts, host_of(record));
	if (number == NAME_NONE) {
		collected->left_out.hosts++;
		return 0;
	}
	if (!ROOM(collected, host, host_room, number))
		return -ENOMEM;
	acts_add(&collected->host[number], record->repeated, 1);
	if (object != NAME_NONE)
		couples_add(&collected->host_objects, number, object, 1);
	return 0;
}

static int add_object(struct collected *collected, const struct record *record, uint32_t *ret_number)
{
	uint32_t number;

	*ret_number = NAME_NONE;
	if (!record->object.len)
		return 0;
	*ret_number = number = names_add(collected->objects, record->object);
	if (number == NAME_NONE) {
		collected->left_out.objects++;
		return 0;
	}
	if (!ROOM(collected, object, object_room, number))
		return -ENOMEM;
	acts_add(&collected->object[number].acts, record->repeated, 1);
	if (record->repeated != VERDICT_BLOCKED && record->op < OP_COUNT)
		collected->object[number].done |= OP_BIT(record->op);
	return 0;
}

/* Joins what tells groups apart, in memory that a whole line fits into. */
static struct span group_key(struct collected *collected, const struct record *record)
{
	const struct span parts[] = { record->op_text, record->policy, record->tag,
				      record->message, record->error,  record->reason_text };
	uint64_t numbers[] = { record->repeated, record->rule, record->severity };
	char *out = collected->scratch;

	memcpy(out, numbers, sizeof(numbers));
	out += sizeof(numbers);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		/* An absent part is no memory at all; and no string of JSON holds a NUL. */
		out = parts[i].len ? mempcpy(out, parts[i].data, parts[i].len) : out;
		*out++ = '\0';
	}
	return (struct span){ collected->scratch, out - collected->scratch };
}

static void start_group(struct collected *collected, const struct record *record, struct group *group)
{
	*group = (struct group){
		.verdict = record->repeated,
		.op = record->op,
		.reason = record->reason,
		.severity = record->severity,
		.rule = record->rule,
		.op_text = names_add(collected->words, record->op_text),
		.reason_text = names_add(collected->words, record->reason_text),
		.policy = names_add(collected->words, record->policy),
		.tag = names_add(collected->words, record->tag),
		.message = names_add(collected->words, record->message),
		.error = names_add(collected->words, record->error),
	};
}

/* "OBJECT -> TARGET" where there is a target. */
static uint32_t whole_object(struct collected *collected, const struct record *record, uint32_t object)
{
	char *out = collected->scratch;

	if (!record->target.len || !record->object.len)
		return object;
	out = mempcpy(out, record->object.data, record->object.len);
	out = mempcpy(out, " -> ", 4);
	out = mempcpy(out, record->target.data, record->target.len);
	return names_add(collected->objects, (struct span){ collected->scratch, out - collected->scratch });
}

static int add_group(struct collected *collected, const struct record *record, uint32_t object,
		     uint32_t process)
{
	struct group *group;
	uint32_t number, before;

	if (record->repeated == VERDICT_ALLOWED)
		return 0;
	before = names_count(collected->group_keys);
	number = names_add(collected->group_keys, group_key(collected, record));
	if (number == NAME_NONE) {
		collected->left_out.groups = count_plus(collected->left_out.groups,
							record->count ? record->count : 1);
		return 0;
	}
	if (!ROOM(collected, group, group_room, number))
		return -ENOMEM;
	group = &collected->group[number];
	if (number == before)
		start_group(collected, record, group);
	spread(&group->first, &group->last, &record->time);
	if (record->verdict == VERDICT_REPEATED) {
		group->merged = count_plus(group->merged, record->count);
		return 0;
	}
	group->told++;
	object = whole_object(collected, record, object);
	if (object != NAME_NONE && !ROOM(collected, object, object_room, object))
		return -ENOMEM;
	if (object != NAME_NONE)
		couples_add(&collected->group_objects, number, object, 1);
	if (process != NO_PROCESS)
		couples_add(&collected->group_processes, number, process, 1);
	return 0;
}

static int set_program(struct collected *collected, struct process *process, struct span exe)
{
	uint32_t before = names_count(collected->programs);
	uint32_t number = exe.len ? names_add(collected->programs, exe) : NAME_NONE;

	if (number == NAME_NONE)
		return 0;
	if (!ROOM(collected, program_agent, program_room, number))
		return -ENOMEM;
	if (number == before)
		collected->program_agent[number] = agent_of_file(exe);
	if (process->program == number)
		return 0;
	if (process->program == NAME_NONE)
		process->first_program = number;
	else
		process->program_changes++;
	process->program = number;
	if (!process->own_agent)
		process->own_agent = collected->program_agent[number];
	return 0;
}

/* What a process runs from now on; the script of an interpreter may be what tells the agent. */
static int follow_exec(struct collected *collected, const struct record *record, struct process *process)
{
	const struct agent *agent;

	if (record->op != OP_EXEC_RUN || record->repeated == VERDICT_BLOCKED ||
	    record->verdict == VERDICT_REPEATED)
		return 0;
	agent = agent_of_command(record->object, record->args, record->arg_count);
	if (agent && !process->own_agent)
		process->own_agent = agent;
	return 0;
}

static int start_process(struct collected *collected, const struct record *record, uint32_t *ret)
{
	struct process *process;

	if (collected->process_count >= PROCESSES_MAX) {
		*ret = NO_PROCESS;
		return 0;
	}
	if (!ROOM(collected, process, process_room, collected->process_count))
		return -ENOMEM;
	process = &collected->process[collected->process_count];
	*process = (struct process){
		.pid = record->pid,
		.ppid = record->ppid,
		.uid = record->uid,
		.program = NAME_NONE,
		.first_program = NAME_NONE,
		.parent = NO_PROCESS,
		.comm = names_add(collected->words, record->comm),
		.first = record->time.seconds,
	};
	*ret = collected->process_count++;
	return 0;
}

static int find_process(struct collected *collected, const struct record *record, uint32_t *ret)
{
	uint32_t before = names_count(collected->pids);
	uint32_t number = names_add(collected->pids,
				    (struct span){ (const char *)&record->pid, sizeof(record->pid) });
	int result;

	*ret = NO_PROCESS;
	if (number == NAME_NONE)
		return 0;
	if (!ROOM(collected, pid_process, pid_room, number))
		return -ENOMEM;
	if (number < before && collected->pid_process[number] != NO_PROCESS &&
	    !collected->process[collected->pid_process[number]].is_gone) {
		*ret = collected->pid_process[number];
		return 0;
	}
	result = start_process(collected, record, ret);
	if (!result)
		collected->pid_process[number] = *ret;
	return result;
}

static bool is_word(struct span text, const char *word)
{
	return text.len == strlen(word) && !memcmp(text.data, word, text.len);
}

static int add_process(struct collected *collected, const struct record *record, uint32_t *ret_number)
{
	struct process *process;
	int result;

	*ret_number = NO_PROCESS;
	if (!record->has_process)
		return 0;
	result = find_process(collected, record, ret_number);
	if (result)
		return result;
	if (*ret_number == NO_PROCESS) {
		collected->left_out.processes++;
		return 0;
	}
	process = &collected->process[*ret_number];
	if (record->verdict != VERDICT_REPEATED)
		acts_add(&process->acts, record->repeated, 1);
	process->last = record->time.seconds;
	process->is_gone = is_word(record->op_text, "exit");
	if (!process->own_agent && record->agent.len)
		process->own_agent = agent_by_id(record->agent);
	result = set_program(collected, process, record->exe);
	return result ? result : follow_exec(collected, record, process);
}

/* They complete the tree, and are no acts that anything decided about. */
static bool is_life(const struct record *record)
{
	return is_word(record->op_text, "fork") || is_word(record->op_text, "exec") ||
	       is_word(record->op_text, "exit");
}

static void count_seq(struct source *source, const struct record *record)
{
	uint64_t hole;

	if (record->verdict == VERDICT_LOST) {
		source->lost_since = count_plus(source->lost_since, record->count);
		return;
	}
	if (!record->seq)
		return;
	if (source->last_seq && record->seq > source->last_seq) {
		hole = record->seq - source->last_seq - 1;
		if (hole > source->lost_since)
			source->missing = count_plus(source->missing, hole - source->lost_since);
	}
	source->last_seq = record->seq;
	source->lost_since = 0;
}

static void add_sums(struct collected *collected, const struct record *record)
{
	uint64_t count = record->verdict == VERDICT_REPEATED ? record->count : 1;

	acts_add(&collected->acts, record->repeated, count);
	if (record->time.is_known)
		timeline_add(&collected->timeline, record->time.seconds, record->repeated, count);
	if (record->is_truncated)
		collected->truncated++;
	if (record->verdict == VERDICT_REPEATED) {
		collected->repeated_events++;
		collected->merged = count_plus(collected->merged, count);
	} else {
		collected->told++;
	}
}

/* A repeated event has the object of the last act before it, which was counted then. */
static int add_act(struct collected *collected, const struct record *record)
{
	uint32_t object = NAME_NONE, process = NO_PROCESS;
	int result = add_process(collected, record, &process);

	if (result || is_life(record))
		return result;
	add_sums(collected, record);
	if (record->verdict != VERDICT_REPEATED) {
		result = add_object(collected, record, &object);
		if (!result)
			result = add_folder(collected, record);
		if (!result)
			result = add_host(collected, record, object);
		if (!result && record->op == OP_FILE_RENAME && record->repeated != VERDICT_BLOCKED &&
		    object != NAME_NONE)
			couples_add(&collected->renames, object,
				    names_add(collected->objects, record->target), 1);
	}
	return result ? result : add_group(collected, record, object, process);
}

int collected_add(struct collected *collected, const struct record *record)
{
	if (collected->source_count)
		count_seq(&collected->source[collected->source_count - 1], record);
	spread(&collected->first, &collected->last, &record->time);
	if (record->verdict != VERDICT_LOST)
		return add_act(collected, record);
	collected->lost[record->ring] = count_plus(collected->lost[record->ring], record->count);
	return 0;
}
