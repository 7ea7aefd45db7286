// SPDX-License-Identifier: GPL-2.0
/* Fuzz target: any bytes as a file of events make a report whose sums agree and whose page holds no markup but its own. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl/base/json_line.h"
#include "ctl/base/text.h"
#include "ctl/report/json.h"
#include "ctl/report/page.h"

static int open_input(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("events", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET))
		return -1;
	return fd;
}

static void check_sums(const struct collected *collected)
{
	const struct source *source = &collected->source[0];
	uint64_t sum = 0;

	if (source->lines != source->events + source->unreadable)
		abort();
	for (size_t i = 0; i < collected->timeline.count; i++)
		sum = count_plus(sum, acts_sum(&collected->timeline.bucket[i]));
	if (sum > acts_sum(&collected->acts))
		abort();
	sum = 0;
	for (uint32_t i = 0; i < names_count(collected->group_keys); i++)
		sum = count_plus(sum, group_acts(&collected->group[i]));
	if (sum != count_plus(collected->acts.blocked, collected->acts.noted))
		abort();
}

/* Every tag is one of ours, and nothing in the text acts on whoever sees it. */
static void check_page(const char *page, size_t len)
{
	static const char tags[] =
		" !DOCTYPE html head meta title style body h1 h2 h3 p b code i dl div dt dd section "
		"ul li svg rect span table tr th td details summary ";

	for (size_t i = 0; i < len;) {
		uint32_t code;
		size_t size = text_utf8(page + i, len - i, &code);
		char tag[32];
		size_t tag_len;

		if (!size || (is_invisible(code) && code != '\n'))
			abort();
		if (code == '<') {
			const char *at = page + i + 1 + (page[i + 1] == '/');

			tag_len = strcspn(at, " >/");
			if (tag_len > 20)
				abort();
			snprintf(tag, sizeof(tag), " %.*s ", (int)tag_len, at);
			if (!strstr(tags, tag))
				abort();
		}
		i += size;
	}
}

static void check_report(const struct collected *collected, const struct page_style *style)
{
	struct view view;
	char *text = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&text, &len);
	struct json_line *line;

	if (!stream || view_init(&view, collected, style ? &limits_page : &limits_json))
		abort();
	if (style)
		page_put(stream, style, &view);
	else
		report_json_put(stream, &view);
	view_done(&view);
	fclose(stream);
	if (style == &page_html)
		check_page(text, len);
	if (!style) {
		if (json_line_new(&line) || json_line_read(line, text, len))
			abort();
		json_line_free(line);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct collected *collected;
	int fd = open_input(data, size);

	if (fd < 0 || collected_new(&collected))
		return 0;
	if (collected_read(collected, fd, "events") || collected_finish(collected))
		abort();
	check_sums(collected);
	check_report(collected, NULL);
	check_report(collected, &page_html);
	check_report(collected, &page_markdown);
	collected_free(collected);
	return 0;
}
