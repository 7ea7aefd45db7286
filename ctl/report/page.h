/* SPDX-License-Identifier: GPL-2.0 */
/* A page for people, written once for Markdown and HTML: each style knows how its pieces look and how names are made harmless. */
#ifndef AGENTCTL_REPORT_PAGE_H
#define AGENTCTL_REPORT_PAGE_H

#include <stdio.h>

#include "ctl/report/view.h"

/* Bytes of a name that a page shows; the report as JSON has more of it. */
#define PAGE_NAME_MAX 240
#define PAGE_DEPTH_MAX 16 /* steps of indentation of the tree */

struct page {
	FILE *stream; /* whose errors the caller asks for at the end */
	const struct page_style *style;
};

enum mood { MOOD_PLAIN, MOOD_GOOD, MOOD_BAD, MOOD_WARN };

struct page_style {
	void (*begin)(struct page *page, const char *title);
	void (*end)(struct page *page);
	void (*heading)(struct page *page, const char *text);
	void (*subheading)(struct page *page, const char *text);
	void (*begin_text)(struct page *page, enum mood mood);
	void (*end_text)(struct page *page);
	void (*text)(struct page *page, const char *text);
	void (*strong)(struct page *page, const char *text);
	/* Text that an agent or a file of events chose; LENGTH is that of the whole name. */
	void (*name)(struct page *page, struct span name, size_t length);
	void (*begin_figures)(struct page *page);
	void (*figure)(struct page *page, const char *label, const char *value, enum mood mood);
	void (*end_figures)(struct page *page);
	void (*begin_block)(struct page *page, enum mood mood); /* one refusal with all about it */
	void (*end_block)(struct page *page);
	void (*begin_list)(struct page *page);
	void (*begin_item)(struct page *page, unsigned int depth);
	void (*end_item)(struct page *page);
	void (*end_list)(struct page *page);
	void (*chart)(struct page *page, const struct timeline *timeline);
};

extern const struct page_style page_markdown, page_html;

/* The whole report. */
void page_put(FILE *stream, const struct page_style *style, const struct view *view);

/* For the page's parts: formatted text of ours. */
void page_printf(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define NUMBER_TEXT 32

/* "1,234,567" */
const char *number_text(uint64_t number, char scratch[NUMBER_TEXT]);

/* A character that changes how others are shown without being seen itself: bidirectional controls and their like. */
bool is_invisible(uint32_t code);

/* The length of NAME's part that a page shows: whole characters. */
size_t page_name_len(struct span name);

/* The parts of a page. */
void page_put_groups(struct page *page, const struct view *view, const struct top *top, const char *heading,
		     uint64_t acts);
void page_put_tree(struct page *page, const struct view *view);
void page_put_missing(struct page *page, const struct view *view);
void page_put_more(struct page *page, uint64_t more, const char *what);

#endif
