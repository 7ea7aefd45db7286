// SPDX-License-Identifier: GPL-2.0
/* Choosing what a report shows. */
#include "ctl/report/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCORE_COUNT ((1ull << 56) - 1) /* below the severity */
#define ANCESTORS_SHOWN 32

const struct limits limits_page = {
	.groups = 40,
	.group_objects = 8,
	.group_processes = 4,
	.processes = 120,
	.files = 25,
	.folders = 40,
	.hosts = 40,
	.host_objects = 4,
};

const struct limits limits_json = {
	.groups = 1000,
	.group_objects = 100,
	.group_processes = 100,
	.processes = 10000,
	.files = 5000,
	.folders = 5000,
	.hosts = 5000,
	.host_objects = 50,
};

uint64_t group_acts(const struct group *group)
{
	return count_plus(group->told, group->merged);
}

static void add_groups(struct view *view)
{
	const struct collected *collected = view->collected;

	for (uint32_t i = 0; i < names_count(collected->group_keys); i++) {
		const struct group *group = &collected->group[i];
		uint64_t count = group_acts(group);

		count = count < SCORE_COUNT ? count : SCORE_COUNT;
		top_add(group->verdict == VERDICT_BLOCKED ? &view->blocked : &view->noted,
			(uint64_t)group->severity << 56 | count, i);
	}
}

static void add_objects(struct view *view)
{
	const struct collected *collected = view->collected;

	for (uint32_t i = 0; i < names_count(collected->objects) && i < collected->object_room; i++) {
		const struct object_tally *object = &collected->object[i];
		uint64_t score = count_plus(object->acts.done, object->acts.noted);

		if (object->done & OP_BIT(OP_FILE_READ))
			top_add(&view->read, score, i);
		if (object->done & OP_BIT(OP_FILE_WRITE))
			top_add(&view->written, score, i);
		if (object->done & OP_BIT(OP_FILE_CREATE))
			top_add(&view->created, score, i);
		if (object->done & OP_BIT(OP_FILE_DELETE))
			top_add(&view->deleted, score, i);
		if (object->done & OP_BIT(OP_EXEC_RUN))
			top_add(&view->run, score, i);
		view->files_renamed += !!(object->done & OP_BIT(OP_FILE_RENAME));
		view->files_changed_attributes += !!(object->done & OP_BIT(OP_FILE_ATTR));
		view->addresses += !!(object->done & OPS_NET);
	}
}

/* Refusals before everything else. */
static uint64_t red_score(const struct acts *acts)
{
	uint64_t sum = acts_sum(acts);

	return (acts->blocked ? SCORE_COUNT + 1 : 0) + (sum < SCORE_COUNT ? sum : SCORE_COUNT);
}

static void add_places(struct view *view)
{
	const struct collected *collected = view->collected;

	for (uint32_t i = 0; i < names_count(collected->folders); i++)
		top_add(&view->folders, red_score(&collected->folder[i].acts), i);
	for (uint32_t i = 0; i < names_count(collected->hosts); i++)
		top_add(&view->hosts, red_score(&collected->host[i]), i);
	for (size_t i = 0; i < collected->renames.used; i++)
		top_add(&view->renames, collected->renames.list[i].count, i);
}

/* A process is shown with those that it comes from, or nobody would know where it stands. */
static int add_processes(struct view *view)
{
	const struct collected *collected = view->collected;

	view->is_shown = calloc(collected->process_count + 1ul, 1);
	if (!view->is_shown)
		return -ENOMEM;
	for (uint32_t i = 0; i < collected->process_count; i++)
		top_add(&view->processes, red_score(&collected->process[i].acts), i);
	top_sort(&view->processes);
	for (size_t i = 0; i < view->processes.count; i++) {
		uint32_t at = view->processes.list[i].number;

		for (int up = 0; up < ANCESTORS_SHOWN && at != NO_PROCESS && !view->is_shown[at]; up++) {
			view->is_shown[at] = 1;
			view->shown_count++;
			at = collected->process[at].parent;
		}
	}
	return 0;
}

static void add_agent(struct view *view, const struct process *process)
{
	struct agent_tally *tally = view->agents;
	size_t i = 0;

	while (i < view->agent_count && tally[i].agent != process->agent)
		i++;
	if (i == VIEW_AGENTS_MAX)
		return;
	if (i == view->agent_count)
		view->agents[view->agent_count++] = (struct agent_tally){ .agent = process->agent };
	tally[i].processes++;
	tally[i].acts.done = count_plus(tally[i].acts.done, process->acts.done);
	tally[i].acts.noted = count_plus(tally[i].acts.noted, process->acts.noted);
	tally[i].acts.blocked = count_plus(tally[i].acts.blocked, process->acts.blocked);
}

static int init_lists(struct view *view)
{
	const struct limits *limits = view->limits;
	struct top *const files[] = { &view->created, &view->written, &view->deleted,
				      &view->read,    &view->run,     &view->renames };
	int result = 0;

	for (size_t i = 0; !result && i < sizeof(files) / sizeof(*files); i++)
		result = top_init(files[i], limits->files);
	if (!result)
		result = top_init(&view->blocked, limits->groups);
	if (!result)
		result = top_init(&view->noted, limits->groups);
	if (!result)
		result = top_init(&view->processes, limits->processes);
	if (!result)
		result = top_init(&view->folders, limits->folders);
	if (!result)
		result = top_init(&view->hosts, limits->hosts);
	return result;
}

static void sort_lists(struct view *view)
{
	top_sort(&view->blocked);
	top_sort(&view->noted);
	top_sort(&view->created);
	top_sort(&view->written);
	top_sort(&view->deleted);
	top_sort(&view->read);
	top_sort(&view->run);
	top_sort(&view->renames);
	top_sort(&view->folders);
	top_sort(&view->hosts);
}

static void add_sources(struct view *view)
{
	for (size_t i = 0; i < view->collected->source_count; i++) {
		const struct source *source = &view->collected->source[i];

		view->lines += source->lines;
		view->events += source->events;
		view->unreadable += source->unreadable;
		view->missing = count_plus(view->missing, source->missing);
	}
}

int view_init(struct view *view, const struct collected *collected, const struct limits *limits)
{
	int result;

	memset(view, 0, sizeof(*view));
	view->collected = collected;
	view->limits = limits;
	result = init_lists(view);
	if (result)
		return result;
	add_groups(view);
	add_objects(view);
	add_places(view);
	add_sources(view);
	sort_lists(view);
	for (uint32_t i = 0; i < collected->process_count; i++)
		add_agent(view, &collected->process[i]);
	return add_processes(view);
}

void view_done(struct view *view)
{
	top_done(&view->blocked);
	top_done(&view->noted);
	top_done(&view->processes);
	top_done(&view->created);
	top_done(&view->written);
	top_done(&view->deleted);
	top_done(&view->read);
	top_done(&view->run);
	top_done(&view->renames);
	top_done(&view->folders);
	top_done(&view->hosts);
	free(view->is_shown);
}

uint64_t view_total(const struct top *top)
{
	return top->count + top->more;
}

uint64_t view_acts_left(const struct view *view, const struct top *top, uint64_t all)
{
	for (size_t i = 0; i < top->count; i++) {
		uint64_t acts = group_acts(&view->collected->group[top->list[i].number]);

		all -= acts < all ? acts : all;
	}
	return all;
}

int64_t view_seconds(const struct view *view)
{
	return view->collected->last.seconds - view->collected->first.seconds;
}

bool view_is_whole(const struct view *view)
{
	const struct collected *collected = view->collected;
	const struct left_out *left_out = &collected->left_out;

	return !view->unreadable && !view->missing && !collected->lost[0] && !collected->lost[1] &&
	       !left_out->objects && !left_out->folders && !left_out->hosts && !left_out->groups &&
	       !left_out->processes && !left_out->has_couples;
}
