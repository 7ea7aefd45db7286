// SPDX-License-Identifier: GPL-2.0
/* The processes of a page as a tree, as far as the events tell who started whom. */
#include <stdlib.h>

#include "ctl/report/page.h"

/* Links from each process to its first child and to its next sibling, in the order of appearance. */
struct links {
	uint32_t *child, *sibling;
	uint32_t root;
};

static int link_processes(const struct view *view, struct links *links)
{
	uint32_t count = view->collected->process_count;

	links->root = NO_PROCESS;
	links->child = malloc((count + 1ul) * sizeof(*links->child));
	links->sibling = malloc((count + 1ul) * sizeof(*links->sibling));
	if (!links->child || !links->sibling)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		links->child[i] = links->sibling[i] = NO_PROCESS;
	for (uint32_t i = count; i--;) {
		uint32_t parent = view->collected->process[i].parent;
		uint32_t *list;

		if (!view->is_shown[i])
			continue;
		/* A parent beyond the ancestors that are shown. */
		if (parent != NO_PROCESS && !view->is_shown[parent])
			parent = NO_PROCESS;
		list = parent == NO_PROCESS ? &links->root : &links->child[parent];
		links->sibling[i] = *list;
		*list = i;
	}
	return 0;
}

static void put_programs(struct page *page, const struct view *view, const struct process *process)
{
	const struct collected *collected = view->collected;

	if (process->program == NAME_NONE) {
		page->style->name(page, names_get(collected->words, process->comm),
				  names_length(collected->words, process->comm));
		return;
	}
	page->style->name(page, names_get(collected->programs, process->first_program),
			  names_length(collected->programs, process->first_program));
	if (process->program_changes > 1)
		page_printf(page, ", then %u others, last", process->program_changes - 1);
	else if (process->program_changes)
		page->style->text(page, ", then");
	if (!process->program_changes)
		return;
	page->style->text(page, " ");
	page->style->name(page, names_get(collected->programs, process->program),
			  names_length(collected->programs, process->program));
}

static void put_process(struct page *page, const struct view *view, const struct process *process,
			unsigned int depth)
{
	char acts[NUMBER_TEXT], blocked[NUMBER_TEXT];

	page->style->begin_item(page, depth < PAGE_DEPTH_MAX ? depth : PAGE_DEPTH_MAX);
	if (process->own_agent) {
		page->style->strong(page, process->own_agent->title);
		page->style->text(page, " ");
	}
	put_programs(page, view, process);
	page_printf(page, " process %u, ", process->pid);
	if (process->parent == NO_PROCESS && process->ppid)
		page_printf(page, "started by %u, ", process->ppid);
	page_printf(page, "user %u, acts: %s", process->uid, number_text(acts_sum(&process->acts), acts));
	if (process->acts.blocked) {
		page->style->strong(page, ", refused: ");
		page->style->strong(page, number_text(process->acts.blocked, blocked));
	}
	if (process->is_gone)
		page->style->text(page, ", ended");
	page->style->end_item(page);
}

static void walk(struct page *page, const struct view *view, const struct links *links)
{
	uint32_t at = links->root;
	unsigned int depth = 0;

	while (at != NO_PROCESS) {
		put_process(page, view, &view->collected->process[at], depth);
		if (links->child[at] != NO_PROCESS) {
			at = links->child[at];
			depth++;
			continue;
		}
		while (at != NO_PROCESS && links->sibling[at] == NO_PROCESS && depth) {
			at = view->collected->process[at].parent;
			depth--;
		}
		at = links->sibling[at];
	}
}

void page_put_tree(struct page *page, const struct view *view)
{
	struct links links;

	if (!view->collected->process_count)
		return;
	page->style->heading(page, "Processes");
	page->style->begin_list(page);
	if (!link_processes(view, &links))
		walk(page, view, &links);
	page_put_more(page, view->collected->process_count - view->shown_count, "processes");
	page->style->end_list(page);
	free(links.child);
	free(links.sibling);
}
