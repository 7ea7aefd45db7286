// SPDX-License-Identifier: GPL-2.0
/* The report as a page: its sections from top to bottom. */
#include "ctl/report/page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"

void page_printf(struct page *page, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	if (text)
		page->style->text(page, text);
	free(text);
}

const char *number_text(uint64_t number, char scratch[NUMBER_TEXT])
{
	char digits[NUMBER_TEXT], *out = scratch;
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, number);

	for (int i = 0; i < len; i++) {
		if (i && !((len - i) % 3))
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return scratch;
}

bool is_invisible(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0xad || code == 0x61c ||
	       code == 0x180e || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
	       (code >= 0xe0000 && code <= 0xe0fff);
}

size_t page_name_len(struct span name)
{
	size_t len = name.len;

	if (len <= PAGE_NAME_MAX)
		return len;
	len = PAGE_NAME_MAX;
	while (len && ((unsigned char)name.data[len] & 0xc0) == 0x80)
		len--;
	return len;
}

void page_put_more(struct page *page, uint64_t more, const char *what)
{
	char number[NUMBER_TEXT];

	if (!more)
		return;
	page->style->begin_item(page, 0);
	page_printf(page, "and %s more %s", number_text(more, number), what);
	page->style->end_item(page);
}

static void put_figure(struct page *page, const char *label, uint64_t number, enum mood mood)
{
	char text[NUMBER_TEXT];

	page->style->figure(page, label, number_text(number, text), mood);
}

static void put_duration(struct page *page, int64_t seconds)
{
	if (seconds >= 86400)
		page_printf(page, "%" PRId64 " d %" PRId64 " h", seconds / 86400, seconds % 86400 / 3600);
	else if (seconds >= 3600)
		page_printf(page, "%" PRId64 " h %" PRId64 " min", seconds / 3600, seconds % 3600 / 60);
	else if (seconds >= 60)
		page_printf(page, "%" PRId64 " min %" PRId64 " s", seconds / 60, seconds % 60);
	else
		page_printf(page, "%" PRId64 " s", seconds);
}

static void put_time(struct page *page, const struct view *view)
{
	const struct collected *collected = view->collected;
	char first[MOMENT_TEXT], last[MOMENT_TEXT];

	page->style->begin_text(page, MOOD_PLAIN);
	if (collected->first.is_known) {
		page_printf(page, "From %.19sZ to %.19sZ (", moment_text(&collected->first, first),
			    moment_text(&collected->last, last));
		put_duration(page, view_seconds(view));
		page->style->text(page, "). Times are in UTC.");
	} else {
		page->style->text(page, "No event with a time was read.");
	}
	page->style->end_text(page);
}

static void put_verdict(struct page *page, const struct view *view)
{
	uint64_t blocked = view->collected->acts.blocked, noted = view->collected->acts.noted;
	char number[NUMBER_TEXT];

	page->style->begin_text(page, blocked ? MOOD_BAD : MOOD_GOOD);
	if (blocked) {
		page->style->strong(page, "Refused acts: ");
		page->style->strong(page, number_text(blocked, number));
		page->style->text(page, ".");
	} else {
		page->style->strong(page, "Nothing was refused.");
	}
	if (noted)
		page_printf(page, " Noted ones, which a rule audits or would have refused: %s.",
			    number_text(noted, number));
	page->style->end_text(page);
	if (view_is_whole(view))
		return;
	page->style->begin_text(page, MOOD_WARN);
	page->style->text(
		page,
		"This report does not know everything that happened: see \"What is missing\" at its end.");
	page->style->end_text(page);
}

static void put_agents(struct page *page, const struct view *view)
{
	char processes[NUMBER_TEXT], acts[NUMBER_TEXT], blocked[NUMBER_TEXT];

	page->style->heading(page, "Who");
	page->style->begin_list(page);
	for (size_t i = 0; i < view->agent_count; i++) {
		const struct agent_tally *tally = &view->agents[i];

		page->style->begin_item(page, 0);
		page->style->strong(page, tally->agent ? tally->agent->title : "Other programs");
		page_printf(
			page, "%s: processes: %s, acts: %s, refused: %s",
			tally->agent ? " and what it started" : "", number_text(tally->processes, processes),
			number_text(acts_sum(&tally->acts), acts), number_text(tally->acts.blocked, blocked));
		page->style->end_item(page);
	}
	page->style->end_list(page);
	if (!view->collected->merged)
		return;
	page->style->begin_text(page, MOOD_PLAIN);
	page_printf(page, "Without %s acts that were too many a second to tell whose each was.",
		    number_text(view->collected->merged, acts));
	page->style->end_text(page);
}

static void put_summary(struct page *page, const struct view *view)
{
	const struct collected *collected = view->collected;
	uint64_t agents = 0;

	for (size_t i = 0; i < view->agent_count; i++)
		agents += !!view->agents[i].agent;
	page->style->begin_figures(page);
	put_figure(page, "refused", collected->acts.blocked, collected->acts.blocked ? MOOD_BAD : MOOD_PLAIN);
	put_figure(page, "noted", collected->acts.noted, MOOD_PLAIN);
	put_figure(page, "allowed", collected->acts.done, MOOD_PLAIN);
	put_figure(page, "agents known", agents, MOOD_PLAIN);
	put_figure(page, "processes", collected->process_count, MOOD_PLAIN);
	put_figure(page, "programs started", view_total(&view->run), MOOD_PLAIN);
	put_figure(page, "files read", view_total(&view->read), MOOD_PLAIN);
	put_figure(page, "files changed", view_total(&view->written), MOOD_PLAIN);
	put_figure(page, "files created", view_total(&view->created), MOOD_PLAIN);
	put_figure(page, "files deleted", view_total(&view->deleted), MOOD_PLAIN);
	put_figure(page, "files renamed", view->files_renamed, MOOD_PLAIN);
	put_figure(page, "hosts", names_count(collected->hosts), MOOD_PLAIN);
	put_figure(page, "addresses reached", view->addresses, MOOD_PLAIN);
	put_figure(page, "events lost", count_plus(collected->lost[0], collected->lost[1]),
		   collected->lost[0] || collected->lost[1] ? MOOD_WARN : MOOD_PLAIN);
	page->style->end_figures(page);
}

static void put_object(struct page *page, const struct collected *collected, uint32_t object)
{
	page->style->name(page, names_get(collected->objects, object),
			  names_length(collected->objects, object));
}

static void put_files(struct page *page, const struct view *view, const struct top *top, const char *heading,
		      const char *what)
{
	char number[NUMBER_TEXT];

	if (!top->count)
		return;
	page->style->subheading(page, heading);
	page->style->begin_list(page);
	for (size_t i = 0; i < top->count; i++) {
		page->style->begin_item(page, 0);
		put_object(page, view->collected, top->list[i].number);
		if (top->list[i].score > 1)
			page_printf(page, " \xc3\x97 %s", number_text(top->list[i].score, number));
		page->style->end_item(page);
	}
	page_put_more(page, top->more, what);
	page->style->end_list(page);
}

static void put_renames(struct page *page, const struct view *view)
{
	const struct top *top = &view->renames;
	char number[NUMBER_TEXT];

	if (!top->count)
		return;
	page->style->subheading(page, "Files renamed");
	page->style->begin_list(page);
	for (size_t i = 0; i < top->count; i++) {
		const struct couple *pair = &view->collected->renames.list[top->list[i].number];

		page->style->begin_item(page, 0);
		put_object(page, view->collected, pair->left);
		if (names_get(view->collected->objects, pair->right).len) {
			page->style->text(page, " to ");
			put_object(page, view->collected, pair->right);
		}
		if (pair->count > 1)
			page_printf(page, " \xc3\x97 %s", number_text(pair->count, number));
		page->style->end_item(page);
	}
	page_put_more(page, top->more, "renames");
	page->style->end_list(page);
}

static void put_all_files(struct page *page, const struct view *view)
{
	if (!view_total(&view->created) && !view_total(&view->written) && !view_total(&view->deleted) &&
	    !view_total(&view->read) && !view_total(&view->renames))
		return;
	page->style->heading(page, "Files");
	page->style->begin_text(page, MOOD_PLAIN);
	page->style->text(
		page,
		"What went through; the number counts all acts on the file. Only what the policy observes is known.");
	page->style->end_text(page);
	put_files(page, view, &view->created, "Files created", "files created");
	put_files(page, view, &view->written, "Files changed", "files changed");
	put_files(page, view, &view->deleted, "Files deleted", "files deleted");
	put_renames(page, view);
	put_files(page, view, &view->read, "Files read", "files read");
}

static void put_uses(struct page *page, const struct folder_tally *folder)
{
	static const char *const words[FOLDER_USES] = { "read", "changed", "created", "deleted",
							"other acts" };
	const char *separator = ": ";
	char number[NUMBER_TEXT];

	if (folder->acts.blocked) {
		page->style->text(page, separator);
		page->style->strong(page, "refused ");
		page->style->strong(page, number_text(folder->acts.blocked, number));
		separator = ", ";
	}
	for (int i = 0; i < FOLDER_USES; i++) {
		if (!folder->use[i])
			continue;
		page_printf(page, "%s%s %s", separator, words[i], number_text(folder->use[i], number));
		separator = ", ";
	}
}

static void put_folders(struct page *page, const struct view *view)
{
	if (!view->folders.count)
		return;
	page->style->heading(page, "By directory");
	page->style->begin_list(page);
	for (size_t i = 0; i < view->folders.count; i++) {
		uint32_t number = view->folders.list[i].number;

		page->style->begin_item(page, 0);
		page->style->name(page, names_get(view->collected->folders, number),
				  names_length(view->collected->folders, number));
		put_uses(page, &view->collected->folder[number]);
		page->style->end_item(page);
	}
	page_put_more(page, view->folders.more, "directories");
	page->style->end_list(page);
}

static void put_addresses(struct page *page, const struct view *view, uint32_t host)
{
	size_t count, shown = view->limits->host_objects;
	const struct couple *pair = couples_of(&view->collected->host_objects, host, &count);
	char number[NUMBER_TEXT];

	for (size_t i = 0; i < count && i < shown; i++) {
		page->style->text(page, i ? ", " : ": ");
		put_object(page, view->collected, pair[i].right);
	}
	if (count > shown)
		page_printf(page, " and %s more addresses", number_text(count - shown, number));
}

static void put_hosts(struct page *page, const struct view *view)
{
	char number[NUMBER_TEXT];

	if (!view->hosts.count)
		return;
	page->style->heading(page, "By host");
	page->style->begin_list(page);
	for (size_t i = 0; i < view->hosts.count; i++) {
		uint32_t host = view->hosts.list[i].number;
		const struct acts *acts = &view->collected->host[host];

		page->style->begin_item(page, 0);
		page->style->name(page, names_get(view->collected->hosts, host),
				  names_length(view->collected->hosts, host));
		page_printf(page, " \xc3\x97 %s", number_text(acts_sum(acts), number));
		if (acts->blocked) {
			page->style->strong(page, ", refused ");
			page->style->strong(page, number_text(acts->blocked, number));
		}
		put_addresses(page, view, host);
		page->style->end_item(page);
	}
	page_put_more(page, view->hosts.more, "hosts");
	page->style->end_list(page);
}

void page_put(FILE *stream, const struct page_style *style, const struct view *view)
{
	const struct collected *collected = view->collected;
	struct page page = { stream, style };

	style->begin(&page, "agentctl session report");
	put_time(&page, view);
	put_verdict(&page, view);
	put_summary(&page, view);
	page_put_groups(&page, view, &view->blocked, "Refused", collected->acts.blocked);
	page_put_groups(&page, view, &view->noted, "Noted", collected->acts.noted);
	put_agents(&page, view);
	page_put_tree(&page, view);
	if (collected->timeline.count) {
		style->heading(&page, "Over time");
		style->chart(&page, &collected->timeline);
	}
	if (view->run.count) {
		style->heading(&page, "Programs");
		put_files(&page, view, &view->run, "Programs started", "programs");
	}
	put_all_files(&page, view);
	put_folders(&page, view);
	put_hosts(&page, view);
	page_put_missing(&page, view);
	style->end(&page);
}
