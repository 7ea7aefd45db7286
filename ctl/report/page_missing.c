// SPDX-License-Identifier: GPL-2.0
/* The end of a page: what it was made from, and what it cannot know, counted. */
#include "ctl/report/page.h"

#include <string.h>

static void put_count(struct page *page, uint64_t count, const char *what)
{
	char number[NUMBER_TEXT];

	if (!count)
		return;
	page->style->begin_item(page, 0);
	page->style->strong(page, number_text(count, number));
	page_printf(page, " %s", what);
	page->style->end_item(page);
}

static void put_source(struct page *page, const struct source *source)
{
	char lines[NUMBER_TEXT], events[NUMBER_TEXT], unreadable[NUMBER_TEXT];

	page->style->begin_item(page, 0);
	page->style->name(page, (struct span){ source->name, strlen(source->name) }, strlen(source->name));
	page_printf(page, ": lines: %s, events: %s", number_text(source->lines, lines),
		    number_text(source->events, events));
	if (source->unreadable)
		page_printf(page, ", unreadable: %s", number_text(source->unreadable, unreadable));
	if (source->is_cut)
		page->style->text(page, ", the last of which is cut off in the middle");
	page->style->end_item(page);
}

static void put_left_out(struct page *page, const struct left_out *left_out)
{
	put_count(page, left_out->objects,
		  "acts are in the sums, but in no list by name: there were more names than are kept.");
	put_count(page, left_out->folders,
		  "acts are in no directory's sum: there were more directories than are kept.");
	put_count(page, left_out->hosts, "acts are in no host's sum: there were more hosts than are kept.");
	put_count(
		page, left_out->groups,
		"refused or noted acts are in the sums, but not explained: there were more kinds than are kept.");
	put_count(page, left_out->processes,
		  "acts are in no process's sum: there were more processes than are kept.");
	if (!left_out->has_couples)
		return;
	page->style->begin_item(page, 0);
	page->style->text(page,
			  "Lists of names and processes of refusals, of addresses of hosts, and of renames "
			  "are incomplete: there were more than are kept. Their sums are not.");
	page->style->end_item(page);
}

void page_put_missing(struct page *page, const struct view *view)
{
	const struct collected *collected = view->collected;

	page->style->heading(page, "What is missing");
	page->style->begin_list(page);
	put_count(page, collected->lost[RING_DENIALS],
		  "events about refusals or noted acts were lost: they came faster than they were read. The "
		  "kernel refused what it had to; only the record is missing.");
	put_count(page, collected->lost[RING_OBSERVATIONS],
		  "events about allowed acts were lost: they came faster than they were read.");
	put_count(
		page, collected->merged,
		"acts were too many a second to be told each: they are counted with their rule, without their "
		"names.");
	put_count(
		page, view->missing,
		"events have numbers that are not in these files: a filter hid them when they were recorded, "
		"or somebody cut them out.");
	put_count(page, view->unreadable, "lines are no events and were passed over.");
	put_count(page, collected->truncated, "events have a name that was cut when it was recorded.");
	put_left_out(page, &collected->left_out);
	if (view_is_whole(view) && !collected->merged && !collected->truncated) {
		page->style->begin_item(page, 0);
		page->style->text(page, "Nothing: every line was read, and no event was lost.");
		page->style->end_item(page);
	}
	page->style->end_list(page);
	page->style->subheading(page, "Read");
	page->style->begin_list(page);
	for (size_t i = 0; i < collected->source_count; i++)
		put_source(page, &collected->source[i]);
	page->style->end_list(page);
}
