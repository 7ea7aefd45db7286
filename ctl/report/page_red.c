// SPDX-License-Identifier: GPL-2.0
/* The red part of a page: what was refused, by which rule, what that means, and what to do about it. */
#include <string.h>

#include "ctl/event/plain.h"
#include "ctl/report/page.h"

static void put_word(struct page *page, const struct view *view, uint32_t word)
{
	const struct names *words = view->collected->words;

	page->style->name(page, names_get(words, word), names_length(words, word));
}

static void put_rule(struct page *page, const struct view *view, const struct group *group)
{
	char number[NUMBER_TEXT];

	page->style->begin_text(page, MOOD_PLAIN);
	page->style->text(page, "Operation ");
	put_word(page, view, group->op_text);
	if (names_get(view->collected->words, group->policy).len) {
		page->style->text(page, ", policy ");
		put_word(page, view, group->policy);
	}
	if (group->rule != UINT64_MAX)
		page_printf(page, ", rule %s", number_text(group->rule, number));
	if (names_get(view->collected->words, group->tag).len) {
		page->style->text(page, ", tag ");
		put_word(page, view, group->tag);
	}
	if (group->severity != SEVERITY_NONE)
		page_printf(page, ", severity %s", event_severity_word(group->severity));
	if (names_get(view->collected->words, group->error).len) {
		page->style->text(page, ", error ");
		put_word(page, view, group->error);
	}
	page->style->end_text(page);
}

/* The policy's message is its operator's own words; else ours say why. */
static void put_explanation(struct page *page, const struct view *view, const struct group *group)
{
	const struct plain_reason *reason = plain_reason(group->reason);
	const struct plain_operation *operation = plain_operation(group->op);

	page->style->begin_text(page, MOOD_PLAIN);
	if (names_get(view->collected->words, group->message).len) {
		page->style->text(page, "The policy says: ");
		put_word(page, view, group->message);
		page->style->text(page, " ");
	}
	page_printf(page, "%s %s", group->reason < REASON_COUNT ? reason->cause : "", operation->why);
	page->style->end_text(page);
	page->style->begin_text(page, MOOD_PLAIN);
	page->style->strong(page, "If it should be allowed: ");
	page->style->text(page, reason->remedy && group->reason < REASON_COUNT ? reason->remedy
									       : operation->remedy);
	page->style->end_text(page);
}

static void put_process(struct page *page, const struct view *view, const struct process *process)
{
	const struct collected *collected = view->collected;

	if (process->program != NAME_NONE)
		page->style->name(page, names_get(collected->programs, process->program),
				  names_length(collected->programs, process->program));
	else
		put_word(page, view, process->comm);
	page_printf(page, " (process %u%s%s)", process->pid, process->agent ? ", of " : "",
		    process->agent ? process->agent->title : "");
}

static void put_processes(struct page *page, const struct view *view, uint32_t number)
{
	size_t count, shown = view->limits->group_processes;
	const struct couple *pair = couples_of(&view->collected->group_processes, number, &count);
	char text[NUMBER_TEXT];

	if (!count)
		return;
	page->style->begin_text(page, MOOD_PLAIN);
	page->style->text(page, "By ");
	for (size_t i = 0; i < count && i < shown; i++) {
		page->style->text(page, i ? "; " : "");
		put_process(page, view, &view->collected->process[pair[i].right]);
		if (pair[i].count > 1)
			page_printf(page, " %s times", number_text(pair[i].count, text));
	}
	if (count > shown)
		page_printf(page, "; and %s more processes", number_text(count - shown, text));
	page->style->end_text(page);
}

static void put_objects(struct page *page, const struct view *view, uint32_t number)
{
	const struct collected *collected = view->collected;
	size_t count, shown = view->limits->group_objects;
	const struct couple *pair = couples_of(&collected->group_objects, number, &count);
	uint64_t merged = collected->group[number].merged;
	char text[NUMBER_TEXT];

	if (!count && !merged)
		return;
	page->style->begin_list(page);
	for (size_t i = 0; i < count && i < shown; i++) {
		page->style->begin_item(page, 0);
		page->style->name(page, names_get(collected->objects, pair[i].right),
				  names_length(collected->objects, pair[i].right));
		if (pair[i].count > 1)
			page_printf(page, " \xc3\x97 %s", number_text(pair[i].count, text));
		page->style->end_item(page);
	}
	page_put_more(page, count > shown ? count - shown : 0, "names");
	page_put_more(page, merged, "times, too fast to tell each: counted, without names");
	page->style->end_list(page);
}

static void put_when(struct page *page, const struct group *group)
{
	char first[MOMENT_TEXT], last[MOMENT_TEXT];

	if (!group->first.is_known)
		return;
	page->style->begin_text(page, MOOD_PLAIN);
	page_printf(page, "First at %.19sZ, last at %.19sZ.", moment_text(&group->first, first),
		    moment_text(&group->last, last));
	page->style->end_text(page);
}

static void put_group(struct page *page, const struct view *view, uint32_t number)
{
	const struct group *group = &view->collected->group[number];
	bool is_blocked = group->verdict == VERDICT_BLOCKED;
	char text[NUMBER_TEXT], deed[256];

	page->style->begin_block(page, is_blocked ? MOOD_BAD : MOOD_WARN);
	snprintf(deed, sizeof(deed), "%s \xc3\x97 %s to %.*s", number_text(group_acts(group), text),
		 is_blocked			  ? "not allowed"
		 : group->verdict == VERDICT_HELD ? "waited for leave"
						  : "allowed but noted:",
		 (int)plain_deed_len(group->op), plain_operation(group->op)->deed);
	page->style->subheading(page, deed);
	put_objects(page, view, number);
	put_processes(page, view, number);
	put_explanation(page, view, group);
	put_rule(page, view, group);
	put_when(page, group);
	page->style->end_block(page);
}

void page_put_groups(struct page *page, const struct view *view, const struct top *top, const char *heading,
		     uint64_t acts)
{
	char number[NUMBER_TEXT], left[NUMBER_TEXT];

	if (!top->count)
		return;
	page->style->heading(page, heading);
	for (size_t i = 0; i < top->count; i++)
		put_group(page, view, top->list[i].number);
	if (!top->more)
		return;
	page->style->begin_text(page, MOOD_PLAIN);
	page_printf(page, "And %s more kinds, of together %s acts.", number_text(top->more, number),
		    number_text(view_acts_left(view, top, acts), left));
	page->style->end_text(page);
}
