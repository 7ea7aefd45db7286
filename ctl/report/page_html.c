// SPDX-License-Identifier: GPL-2.0
/* A page as HTML: one file, without scripts or anything from outside, and names that are nothing but text. */
#include <inttypes.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/report/page.h"

#define CHART_HEIGHT 100

/*
 * All that is not ours goes through put_escaped. Should that ever fail, the
 * policy of the page lets nothing be fetched, run or sent.
 */
static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
	"base-uri 'none'; form-action 'none'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"referrer\" content=\"no-referrer\">\n";

static const char style[] =
	"<style>\n"
	":root{color-scheme:light dark;--fg:#1b1f24;--dim:#5b6470;--bg:#fff;--box:#f3f5f7;--line:#d5dae0;"
	"--red:#b3121d;--redbox:#fdecec;--amber:#8a5a00;--amberbox:#fff4dc;--green:#1a7037;--greenbox:#e7f6ec;"
	"--bar:#7d93ad}\n"
	"@media(prefers-color-scheme:dark){:root{--fg:#e4e8ec;--dim:#9aa5b1;--bg:#15181c;--box:#20252b;"
	"--line:#39414a;--red:#ff8a86;--redbox:#3a1b1d;--amber:#f0c060;--amberbox:#362a12;--green:#7fd69a;"
	"--greenbox:#163022;--bar:#6f88a6}}\n"
	"body{margin:0 auto;max-width:64rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--fg);"
	"background:var(--bg);overflow-wrap:anywhere}\n"
	"h1{font-size:1.6rem;margin:.3rem 0}h2{font-size:1.25rem;margin:2rem 0 .5rem;"
	"border-bottom:1px solid var(--line)}h3{font-size:1.05rem;margin:1rem 0 .3rem}p{margin:.4rem 0}\n"
	"p.bad,p.warn,p.good{padding:.6rem .8rem;border-radius:.4rem}\n"
	".bad{background:var(--redbox)}p.bad,p.bad b,.bad h3{color:var(--red)}\n"
	".warn{background:var(--amberbox)}p.warn,.warn h3{color:var(--amber)}\n"
	".good{background:var(--greenbox);color:var(--green)}\n"
	"section{border-left:.3rem solid var(--line);border-radius:.3rem;padding:.3rem .9rem .6rem;"
	"margin:.8rem 0}section.bad{border-color:var(--red)}section.warn{border-color:var(--amber)}"
	"section h3{margin-top:.3rem}\n"
	"ul{margin:.3rem 0;padding:0;list-style:none}li{padding:.15rem 0 .15rem calc(var(--d,0)*1rem);"
	"border-bottom:1px solid var(--line)}section li{border:0}li:last-child{border:0}\n"
	"code{font:.9em/1.4 ui-monospace,monospace;unicode-bidi:isolate;direction:ltr;white-space:pre-wrap}\n"
	"code i{font-style:normal;color:var(--red);border:1px solid;border-radius:.2rem;padding:0 .15rem}\n"
	"dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(8rem,1fr));gap:.5rem;margin:1rem 0}\n"
	"dl div{background:var(--box);border-radius:.4rem;padding:.5rem .7rem;display:flex;"
	"flex-direction:column-reverse}dt{color:var(--dim);font-size:.85rem}"
	"dd{margin:0;font-size:1.3rem;font-variant-numeric:tabular-nums}\n"
	"dl .bad dd{color:var(--red);font-weight:bold}dl .bad{background:var(--redbox)}"
	"dl .warn{background:var(--amberbox)}\n"
	"svg{width:100%;height:8rem;background:var(--box);border-radius:.3rem;display:block}"
	".a{fill:var(--bar)}.r{fill:var(--red)}\n"
	".ends{display:flex;justify-content:space-between;color:var(--dim);font-size:.85rem;gap:1rem}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%}"
	"td,th{text-align:right;padding:.1rem .5rem;border-bottom:1px solid var(--line)}"
	"td:first-child,th:first-child{text-align:left}\n"
	"summary{cursor:pointer;color:var(--dim)}\n"
	"@media print{body{max-width:none}}\n"
	"</style>\n";

static void put_escaped(FILE *stream, struct span text, bool has_marks)
{
	uint32_t code;

	for (size_t i = 0; i < text.len;) {
		size_t size = text_utf8(text.data + i, text.len - i, &code);

		if (!size)
			fprintf(stream, "\\x%02x", (unsigned char)text.data[i]);
		else if (is_invisible(code))
			fprintf(stream, has_marks ? "<i>\\u{%04x}</i>" : "\\u{%04x}", code);
		else if (strchr("&<>\"'", (int)code) && code < 0x80)
			fprintf(stream, "&#%u;", code);
		else
			fwrite(text.data + i, 1, size, stream);
		i += size ? size : 1;
	}
}

static void put_text(FILE *stream, const char *text)
{
	put_escaped(stream, (struct span){ text, strlen(text) }, false);
}

static void put_element(FILE *stream, const char *tag, const char *text)
{
	fprintf(stream, "<%s>", tag);
	put_text(stream, text);
	fprintf(stream, "</%s>", tag);
}

static const char *class_of(enum mood mood)
{
	static const char *const classes[] = { "", " class=\"good\"", " class=\"bad\"", " class=\"warn\"" };

	return classes[mood];
}

static void begin(struct page *page, const char *title)
{
	fputs(head, page->stream);
	put_element(page->stream, "title", title);
	fputc('\n', page->stream);
	fputs(style, page->stream);
	fputs("</head>\n<body>\n", page->stream);
	put_element(page->stream, "h1", title);
	fputc('\n', page->stream);
}

static void end(struct page *page)
{
	fputs("</body>\n</html>\n", page->stream);
}

static void heading(struct page *page, const char *text)
{
	put_element(page->stream, "h2", text);
	fputc('\n', page->stream);
}

static void subheading(struct page *page, const char *text)
{
	put_element(page->stream, "h3", text);
	fputc('\n', page->stream);
}

static void begin_text(struct page *page, enum mood mood)
{
	fprintf(page->stream, "<p%s>", class_of(mood));
}

static void end_text(struct page *page)
{
	fputs("</p>\n", page->stream);
}

static void text(struct page *page, const char *text)
{
	put_text(page->stream, text);
}

static void strong(struct page *page, const char *text)
{
	put_element(page->stream, "b", text);
}

static void put_name(struct page *page, struct span name, size_t length)
{
	struct span shown = { name.data, page_name_len(name) };

	if (!shown.len) {
		fputs("(no name)", page->stream);
		return;
	}
	fputs("<code>", page->stream);
	put_escaped(page->stream, shown, true);
	fputs("</code>", page->stream);
	if (shown.len < length)
		fprintf(page->stream, "... (%zu bytes)", length);
}

static void begin_figures(struct page *page)
{
	fputs("<dl>\n", page->stream);
}

static void figure(struct page *page, const char *label, const char *value, enum mood mood)
{
	fprintf(page->stream, "<div%s>", class_of(mood));
	put_element(page->stream, "dt", label);
	put_element(page->stream, "dd", value);
	fputs("</div>\n", page->stream);
}

static void end_figures(struct page *page)
{
	fputs("</dl>\n", page->stream);
}

static void begin_block(struct page *page, enum mood mood)
{
	fprintf(page->stream, "<section%s>\n", class_of(mood));
}

static void end_block(struct page *page)
{
	fputs("</section>\n", page->stream);
}

static void begin_list(struct page *page)
{
	fputs("<ul>\n", page->stream);
}

static void begin_item(struct page *page, unsigned int depth)
{
	if (depth)
		fprintf(page->stream, "<li style=\"--d:%u\">", depth);
	else
		fputs("<li>", page->stream);
}

static void end_item(struct page *page)
{
	fputs("</li>\n", page->stream);
}

static void end_list(struct page *page)
{
	fputs("</ul>\n", page->stream);
}

/* In whole units, and never nothing for something. */
static unsigned int height_of(uint64_t count, uint64_t most)
{
	unsigned int height = most ? (unsigned int)((double)count / most * CHART_HEIGHT) : 0;

	return count && height < 2 ? 2 : height;
}

static void put_bars(FILE *stream, const struct timeline *timeline, uint64_t most)
{
	fprintf(stream,
		"<svg viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"acts over "
		"time; the table below has the numbers\">\n",
		10 * timeline->count, CHART_HEIGHT);
	for (size_t i = 0; i < timeline->count; i++) {
		unsigned int all = height_of(acts_sum(&timeline->bucket[i]), most);
		unsigned int red = height_of(timeline->bucket[i].blocked, most);

		if (all)
			fprintf(stream, "<rect class=\"a\" x=\"%zu\" y=\"%u\" width=\"9\" height=\"%u\"/>\n",
				10 * i, CHART_HEIGHT - all, all);
		if (red)
			fprintf(stream, "<rect class=\"r\" x=\"%zu\" y=\"%u\" width=\"9\" height=\"%u\"/>\n",
				10 * i, CHART_HEIGHT - red, red);
	}
	fputs("</svg>\n", stream);
}

static const char *start_of(const struct timeline *timeline, size_t bucket, char scratch[MOMENT_TEXT])
{
	struct moment start = { (timeline->first + (int64_t)bucket) * timeline->width, 0, true };

	moment_text(&start, scratch);
	/* A year beyond the usual ones is longer; the seconds are enough. */
	if (strchr(scratch, '.'))
		*strchr(scratch, '.') = '\0';
	return scratch;
}

static void put_rows(FILE *stream, const struct timeline *timeline)
{
	char scratch[MOMENT_TEXT];

	fputs("<details><summary>Numbers</summary>\n<table>\n<tr><th>from</th><th>acts</th><th>refused</th></tr>\n",
	      stream);
	for (size_t i = 0; i < timeline->count; i++)
		if (acts_sum(&timeline->bucket[i]))
			fprintf(stream, "<tr><td>%sZ</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td></tr>\n",
				start_of(timeline, i, scratch), acts_sum(&timeline->bucket[i]),
				timeline->bucket[i].blocked);
	fputs("</table>\n</details>\n", stream);
}

static void chart(struct page *page, const struct timeline *timeline)
{
	char first[MOMENT_TEXT], last[MOMENT_TEXT];
	uint64_t most = 0;

	for (size_t i = 0; i < timeline->count; i++)
		most = acts_sum(&timeline->bucket[i]) > most ? acts_sum(&timeline->bucket[i]) : most;
	fprintf(page->stream, "<p>Acts in each %" PRId64 " s; red ones were refused.</p>\n", timeline->width);
	put_bars(page->stream, timeline, most);
	fprintf(page->stream, "<div class=\"ends\"><span>%sZ</span><span>%sZ</span></div>\n",
		start_of(timeline, 0, first), start_of(timeline, timeline->count, last));
	put_rows(page->stream, timeline);
}

const struct page_style page_html = {
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
	.end_block = end_block,
	.begin_list = begin_list,
	.begin_item = begin_item,
	.end_item = end_item,
	.end_list = end_list,
	.chart = chart,
};
