// SPDX-License-Identifier: GPL-2.0
/* A page as Markdown (CommonMark): names stand in code spans, which nothing in them can end. */
#include <inttypes.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/report/page.h"

#define BAR_CELLS 30

static void begin(struct page *page, const char *title)
{
	fprintf(page->stream, "# %s\n", title);
}

static void end(struct page *page)
{
	(void)page;
}

static void heading(struct page *page, const char *text)
{
	fprintf(page->stream, "\n## %s\n", text);
}

static void subheading(struct page *page, const char *text)
{
	fprintf(page->stream, "\n### %s\n", text);
}

static void begin_text(struct page *page, enum mood mood)
{
	(void)mood;
	fputc('\n', page->stream);
}

static void end_text(struct page *page)
{
	fputc('\n', page->stream);
}

static void text(struct page *page, const char *text)
{
	fputs(text, page->stream);
}

/* Spaces have to stand outside of the stars. */
static void strong(struct page *page, const char *text)
{
	size_t before = strspn(text, " ,"), len = strlen(text);

	while (len > before && text[len - 1] == ' ')
		len--;
	fprintf(page->stream, "%.*s**%.*s**%s", (int)before, text, (int)(len - before), text + before,
		text + len);
}

/* A fence longer than every run of backticks inside; a space on each side, which CommonMark takes away again. */
static size_t fence_of(struct span name)
{
	size_t longest = 0, run = 0;

	for (size_t i = 0; i < name.len; i++) {
		run = name.data[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest + 1;
}

static void put_visible(FILE *stream, struct span name)
{
	uint32_t code;

	for (size_t i = 0; i < name.len;) {
		size_t size = text_utf8(name.data + i, name.len - i, &code);

		if (!size) {
			fprintf(stream, "\\x%02x", (unsigned char)name.data[i]);
			i++;
			continue;
		}
		if (is_invisible(code))
			fprintf(stream, "\\u{%04x}", code);
		else
			fwrite(name.data + i, 1, size, stream);
		i += size;
	}
}

static void put_name(struct page *page, struct span name, size_t length)
{
	struct span shown = { name.data, page_name_len(name) };
	size_t fence = fence_of(shown);
	const char *pad;

	/* An empty code span does not exist, and one of spaces keeps them all. */
	if (!shown.len) {
		fputs("(no name)", page->stream);
		return;
	}
	pad = fence > 1 || shown.data[0] == ' ' || shown.data[shown.len - 1] == ' ' ? " " : "";
	for (size_t i = 0; i < fence; i++)
		fputc('`', page->stream);
	fputs(pad, page->stream);
	put_visible(page->stream, shown);
	fputs(pad, page->stream);
	for (size_t i = 0; i < fence; i++)
		fputc('`', page->stream);
	if (shown.len < length)
		fprintf(page->stream, "... (%zu bytes)", length);
}

static void begin_figures(struct page *page)
{
	fputs("\n| | |\n| --- | ---: |\n", page->stream);
}

static void figure(struct page *page, const char *label, const char *value, enum mood mood)
{
	const char *stars = mood == MOOD_BAD || mood == MOOD_WARN ? "**" : "";

	fprintf(page->stream, "| %s | %s%s%s |\n", label, stars, value, stars);
}

static void end_figures(struct page *page)
{
	(void)page;
}

static void begin_block(struct page *page, enum mood mood)
{
	(void)page;
	(void)mood;
}

static void begin_list(struct page *page)
{
	fputc('\n', page->stream);
}

static void begin_item(struct page *page, unsigned int depth)
{
	fprintf(page->stream, "%*s- ", (int)(2 * depth), "");
}

static void end_item(struct page *page)
{
	fputc('\n', page->stream);
}

static void put_bar(FILE *stream, const struct acts *acts, uint64_t most)
{
	uint64_t sum = acts_sum(acts), cells = most ? (uint64_t)((double)sum / most * BAR_CELLS) : 0;

	if (sum && !cells)
		cells = 1;
	for (uint64_t i = 0; i < BAR_CELLS; i++)
		fputs(i < cells ? "#" : " ", stream);
	fprintf(stream, " %" PRIu64, sum);
	if (acts->blocked)
		fprintf(stream, ", refused %" PRIu64, acts->blocked);
	fputc('\n', stream);
}

static void chart(struct page *page, const struct timeline *timeline)
{
	uint64_t most = 0;

	for (size_t i = 0; i < timeline->count; i++)
		most = acts_sum(&timeline->bucket[i]) > most ? acts_sum(&timeline->bucket[i]) : most;
	fprintf(page->stream, "\nActs in each %" PRId64 " s:\n\n", timeline->width);
	for (size_t i = 0; i < timeline->count; i++) {
		struct moment start = { (timeline->first + (int64_t)i) * timeline->width, 0, true };
		char scratch[MOMENT_TEXT];

		if (!acts_sum(&timeline->bucket[i]))
			continue;
		fprintf(page->stream, "    %.19sZ ", moment_text(&start, scratch));
		put_bar(page->stream, &timeline->bucket[i], most);
	}
}

const struct page_style page_markdown = {
	.begin = begin,
	.end = end,
	.heading = heading,
	.subheading = subheading,
	.begin_text = begin_text,
	.end_text = end_text,
	.text = text,
	.strong = strong,
	.name = put_name,
	.begin_figures = begin_figures,
	.figure = figure,
	.end_figures = end_figures,
	.begin_block = begin_block,
	.end_block = end,
	.begin_list = begin_list,
	.begin_item = begin_item,
	.end_item = end_item,
	.end_list = end,
	.chart = chart,
};
