// SPDX-License-Identifier: GPL-2.0
/* The report as one JSON object, member by member. */
#include "ctl/report/json.h"

#include <string.h>

#include "ctl/base/json_writer.h"
#include "ctl/event/plain.h"

static void put_number(struct json_writer *json, const char *key, uint64_t number)
{
	json_key(json, key);
	json_unsigned(json, number);
}

static void put_string(struct json_writer *json, const char *key, const char *string)
{
	if (!string || !*string)
		return;
	json_key(json, key);
	json_string(json, string);
}

/* Names have their printable form already; one that was not kept whole says how long it was. */
static void put_name(struct json_writer *json, const char *key, const struct names *names, uint32_t number)
{
	struct span name = names_get(names, number);

	if (!name.len)
		return;
	json_key(json, key);
	json_text(json, name.data, name.len);
}

static void put_length(struct json_writer *json, const struct names *names, uint32_t number)
{
	if (names_length(names, number) > names_get(names, number).len)
		put_number(json, "bytes", names_length(names, number));
}

static void put_moment(struct json_writer *json, const char *key, const struct moment *moment)
{
	char scratch[MOMENT_TEXT];

	put_string(json, key, moment_text(moment, scratch));
}

static void put_acts(struct json_writer *json, const struct acts *acts)
{
	put_number(json, "allowed", acts->done);
	put_number(json, "noted", acts->noted);
	put_number(json, "blocked", acts->blocked);
}

static void put_summary(struct json_writer *json, const struct view *view)
{
	const struct collected *collected = view->collected;

	json_key(json, "summary");
	json_begin_object(json);
	put_moment(json, "first", &collected->first);
	put_moment(json, "last", &collected->last);
	if (collected->first.is_known) {
		json_key(json, "seconds");
		json_signed(json, view_seconds(view));
	}
	put_number(json, "acts", acts_sum(&collected->acts));
	put_acts(json, &collected->acts);
	put_number(json, "processes", collected->process_count);
	put_number(json, "programs", view_total(&view->run));
	put_number(json, "files_read", view_total(&view->read));
	put_number(json, "files_written", view_total(&view->written));
	put_number(json, "files_created", view_total(&view->created));
	put_number(json, "files_deleted", view_total(&view->deleted));
	put_number(json, "files_renamed", view->files_renamed);
	put_number(json, "files_attributes", view->files_changed_attributes);
	put_number(json, "hosts", names_count(collected->hosts));
	put_number(json, "addresses", view->addresses);
	json_end_object(json);
}

static void put_account(struct json_writer *json, const struct view *view)
{
	const struct collected *collected = view->collected;

	json_key(json, "account");
	json_begin_object(json);
	put_number(json, "lines", view->lines);
	put_number(json, "events", view->events);
	put_number(json, "unreadable", view->unreadable);
	put_number(json, "told", collected->told);
	put_number(json, "repeated_events", collected->repeated_events);
	put_number(json, "repeated", collected->merged);
	put_number(json, "lost_denials", collected->lost[RING_DENIALS]);
	put_number(json, "lost_observations", collected->lost[RING_OBSERVATIONS]);
	put_number(json, "missing", view->missing);
	put_number(json, "truncated", collected->truncated);
	json_key(json, "whole");
	json_bool(json, view_is_whole(view));
	json_key(json, "left_out");
	json_begin_object(json);
	put_number(json, "names", collected->left_out.objects);
	put_number(json, "directories", collected->left_out.folders);
	put_number(json, "hosts", collected->left_out.hosts);
	put_number(json, "denials", collected->left_out.groups);
	put_number(json, "processes", collected->left_out.processes);
	json_key(json, "pairs");
	json_bool(json, collected->left_out.has_couples);
	json_end_object(json);
	json_end_object(json);
}

static void put_sources(struct json_writer *json, const struct collected *collected)
{
	json_key(json, "sources");
	json_begin_array(json);
	for (size_t i = 0; i < collected->source_count; i++) {
		const struct source *source = &collected->source[i];

		json_begin_object(json);
		json_key(json, "name");
		json_name(json, source->name, strlen(source->name));
		put_number(json, "lines", source->lines);
		put_number(json, "events", source->events);
		put_number(json, "unreadable", source->unreadable);
		put_number(json, "too_long", source->too_long);
		put_number(json, "missing", source->missing);
		json_key(json, "cut");
		json_bool(json, source->is_cut);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_group_objects(struct json_writer *json, const struct view *view, uint32_t number)
{
	const struct collected *collected = view->collected;
	size_t count, shown = view->limits->group_objects;
	const struct couple *pair = couples_of(&collected->group_objects, number, &count);

	json_key(json, "objects");
	json_begin_array(json);
	for (size_t i = 0; i < count && i < shown; i++) {
		json_begin_object(json);
		put_name(json, "name", collected->objects, pair[i].right);
		put_length(json, collected->objects, pair[i].right);
		put_number(json, "count", pair[i].count);
		json_end_object(json);
	}
	json_end_array(json);
	put_number(json, "objects_more", count > shown ? count - shown : 0);
}

static void put_group_processes(struct json_writer *json, const struct view *view, uint32_t number)
{
	size_t count, shown = view->limits->group_processes;
	const struct couple *pair = couples_of(&view->collected->group_processes, number, &count);

	json_key(json, "processes");
	json_begin_array(json);
	for (size_t i = 0; i < count && i < shown; i++) {
		const struct process *process = &view->collected->process[pair[i].right];

		json_begin_object(json);
		put_number(json, "id", pair[i].right);
		put_number(json, "pid", process->pid);
		put_name(json, "exe", view->collected->programs, process->program);
		put_string(json, "agent", process->agent ? process->agent->id : NULL);
		put_number(json, "count", pair[i].count);
		json_end_object(json);
	}
	json_end_array(json);
	put_number(json, "processes_more", count > shown ? count - shown : 0);
}

static void put_explanation(struct json_writer *json, const struct group *group)
{
	const struct plain_operation *operation = plain_operation(group->op);
	const struct plain_reason *reason = plain_reason(group->reason);
	bool is_known = group->reason < REASON_COUNT;

	json_key(json, "deed");
	json_text(json, operation->deed, plain_deed_len(group->op));
	put_string(json, "cause", is_known ? reason->cause : NULL);
	put_string(json, "why", operation->why);
	put_string(json, "remedy", is_known && reason->remedy ? reason->remedy : operation->remedy);
}

static void put_group(struct json_writer *json, const struct view *view, uint32_t number)
{
	const struct group *group = &view->collected->group[number];
	const struct names *words = view->collected->words;

	json_begin_object(json);
	put_string(json, "verdict", event_verdict_word(group->verdict));
	put_name(json, "op", words, group->op_text);
	put_name(json, "policy", words, group->policy);
	json_key(json, "rule");
	if (group->rule == UINT64_MAX)
		json_null(json);
	else
		json_unsigned(json, group->rule);
	put_name(json, "tag", words, group->tag);
	put_string(json, "severity", event_severity_word(group->severity));
	put_name(json, "reason", words, group->reason_text);
	put_name(json, "errno", words, group->error);
	put_name(json, "message", words, group->message);
	put_number(json, "count", group_acts(group));
	put_number(json, "repeated", group->merged);
	put_moment(json, "first", &group->first);
	put_moment(json, "last", &group->last);
	put_explanation(json, group);
	put_group_objects(json, view, number);
	put_group_processes(json, view, number);
	json_end_object(json);
}

static void put_groups(struct json_writer *json, const struct view *view, const struct top *top,
		       const char *key, const char *more)
{
	json_key(json, key);
	json_begin_array(json);
	for (size_t i = 0; i < top->count; i++)
		put_group(json, view, top->list[i].number);
	json_end_array(json);
	put_number(json, more, top->more);
}

static void put_agents(struct json_writer *json, const struct view *view)
{
	json_key(json, "agents");
	json_begin_array(json);
	for (size_t i = 0; i < view->agent_count; i++) {
		const struct agent_tally *tally = &view->agents[i];

		json_begin_object(json);
		json_key(json, "agent");
		json_string(json, tally->agent ? tally->agent->id : NULL);
		put_string(json, "title", tally->agent ? tally->agent->title : NULL);
		put_number(json, "processes", tally->processes);
		put_acts(json, &tally->acts);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_process(struct json_writer *json, const struct view *view, uint32_t number)
{
	const struct collected *collected = view->collected;
	const struct process *process = &collected->process[number];

	json_begin_object(json);
	put_number(json, "id", number);
	json_key(json, "parent");
	if (process->parent == NO_PROCESS)
		json_null(json);
	else
		json_unsigned(json, process->parent);
	put_number(json, "pid", process->pid);
	put_number(json, "ppid", process->ppid);
	put_number(json, "uid", process->uid);
	put_name(json, "comm", collected->words, process->comm);
	put_name(json, "exe", collected->programs, process->program);
	if (process->program_changes)
		put_name(json, "first_exe", collected->programs, process->first_program);
	put_number(json, "exe_changes", process->program_changes);
	put_string(json, "agent", process->agent ? process->agent->id : NULL);
	put_acts(json, &process->acts);
	json_key(json, "ended");
	json_bool(json, process->is_gone);
	json_end_object(json);
}

static void put_processes(struct json_writer *json, const struct view *view)
{
	json_key(json, "processes");
	json_begin_array(json);
	for (uint32_t i = 0; i < view->collected->process_count; i++)
		if (view->is_shown[i])
			put_process(json, view, i);
	json_end_array(json);
	put_number(json, "processes_more", view->collected->process_count - view->shown_count);
}

static void put_timeline(struct json_writer *json, const struct timeline *timeline)
{
	json_key(json, "timeline");
	json_begin_object(json);
	put_number(json, "bucket_seconds", timeline->width);
	json_key(json, "buckets");
	json_begin_array(json);
	for (size_t i = 0; i < timeline->count; i++) {
		struct moment start = { (timeline->first + (int64_t)i) * timeline->width, 0, true };

		if (!acts_sum(&timeline->bucket[i]))
			continue;
		json_begin_object(json);
		put_moment(json, "from", &start);
		put_acts(json, &timeline->bucket[i]);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
}

static void put_files(struct json_writer *json, const struct view *view, const struct top *top,
		      const char *key)
{
	const struct names *objects = view->collected->objects;

	json_key(json, key);
	json_begin_object(json);
	json_key(json, "list");
	json_begin_array(json);
	for (size_t i = 0; i < top->count; i++) {
		json_begin_object(json);
		put_name(json, "name", objects, top->list[i].number);
		put_length(json, objects, top->list[i].number);
		put_number(json, "acts", top->list[i].score);
		json_end_object(json);
	}
	json_end_array(json);
	put_number(json, "more", top->more);
	json_end_object(json);
}

static void put_renames(struct json_writer *json, const struct view *view)
{
	const struct collected *collected = view->collected;

	json_key(json, "renamed");
	json_begin_object(json);
	json_key(json, "list");
	json_begin_array(json);
	for (size_t i = 0; i < view->renames.count; i++) {
		const struct couple *pair = &collected->renames.list[view->renames.list[i].number];

		json_begin_object(json);
		put_name(json, "name", collected->objects, pair->left);
		put_name(json, "target", collected->objects, pair->right);
		put_number(json, "acts", pair->count);
		json_end_object(json);
	}
	json_end_array(json);
	put_number(json, "more", view->renames.more);
	json_end_object(json);
}

static void put_all_files(struct json_writer *json, const struct view *view)
{
	json_key(json, "files");
	json_begin_object(json);
	put_files(json, view, &view->created, "created");
	put_files(json, view, &view->written, "written");
	put_files(json, view, &view->deleted, "deleted");
	put_renames(json, view);
	put_files(json, view, &view->read, "read");
	json_end_object(json);
	put_files(json, view, &view->run, "programs");
}

static void put_folders(struct json_writer *json, const struct view *view)
{
	static const char *const words[FOLDER_USES] = { "read", "written", "created", "deleted", "other" };

	json_key(json, "directories");
	json_begin_array(json);
	for (size_t i = 0; i < view->folders.count; i++) {
		uint32_t number = view->folders.list[i].number;
		const struct folder_tally *folder = &view->collected->folder[number];

		json_begin_object(json);
		put_name(json, "name", view->collected->folders, number);
		put_acts(json, &folder->acts);
		for (int use = 0; use < FOLDER_USES; use++)
			put_number(json, words[use], folder->use[use]);
		json_end_object(json);
	}
	json_end_array(json);
	put_number(json, "directories_more", view->folders.more);
}

static void put_host(struct json_writer *json, const struct view *view, uint32_t number)
{
	const struct collected *collected = view->collected;
	size_t count, shown = view->limits->host_objects;
	const struct couple *pair = couples_of(&collected->host_objects, number, &count);

	json_begin_object(json);
	put_name(json, "name", collected->hosts, number);
	put_acts(json, &collected->host[number]);
	json_key(json, "addresses");
	json_begin_array(json);
	for (size_t i = 0; i < count && i < shown; i++) {
		struct span address = names_get(collected->objects, pair[i].right);

		json_text(json, address.data, address.len);
	}
	json_end_array(json);
	put_number(json, "addresses_more", count > shown ? count - shown : 0);
	json_end_object(json);
}

void report_json_put(FILE *stream, const struct view *view)
{
	struct json_writer json;

	json_writer_init(&json, stream);
	json_begin_object(&json);
	put_number(&json, "report", REPORT_VERSION);
	put_summary(&json, view);
	put_groups(&json, view, &view->blocked, "denials", "denials_more");
	put_groups(&json, view, &view->noted, "noted", "noted_more");
	put_agents(&json, view);
	put_processes(&json, view);
	put_timeline(&json, &view->collected->timeline);
	put_all_files(&json, view);
	put_folders(&json, view);
	json_key(&json, "hosts");
	json_begin_array(&json);
	for (size_t i = 0; i < view->hosts.count; i++)
		put_host(&json, view, view->hosts.list[i].number);
	json_end_array(&json);
	put_number(&json, "hosts_more", view->hosts.more);
	put_account(&json, view);
	put_sources(&json, view->collected);
	json_end_object(&json);
	json_newline(&json);
}
