// SPDX-License-Identifier: GPL-2.0
/* Reading files of events: line by line, and past what is none. */
#include "ctl/report/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/report/collect.h"

static int add_source(struct collected *collected, const char *name)
{
	struct source *list;

	list = realloc(collected->source, (collected->source_count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	collected->source = list;
	list[collected->source_count] = (struct source){ .name = strdup(name) };
	if (!list[collected->source_count].name)
		return -ENOMEM;
	collected->source_count++;
	return 0;
}

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!memchr(" \t\r", text[i], 3))
			return false;
	return true;
}

/* IS_CUT: the file ended before the line did. It may be whole nevertheless. */
static int take_line(struct collected *collected, const char *text, size_t len, bool is_cut)
{
	struct source *source = &collected->source[collected->source_count - 1];
	struct record record;
	int result;

	if (is_blank(text, len))
		return 0;
	source->lines++;
	result = record_read(collected->line, text, len, &record);
	if (result == -EINVAL) {
		source->unreadable++;
		source->is_cut = is_cut;
		return 0;
	}
	if (result)
		return result;
	source->events++;
	return collected_add(collected, &record);
}

/* Takes the whole lines of the buffer's first *LEN bytes and moves the rest to its front. */
static int take_lines(struct collected *collected, size_t *len, bool *is_skipping)
{
	char *at = collected->buffer, *end = at + *len, *newline;
	int result = 0;

	while (!result && (newline = memchr(at, '\n', end - at))) {
		if (!*is_skipping)
			result = take_line(collected, at, newline - at, false);
		*is_skipping = false;
		at = newline + 1;
	}
	*len = end - at;
	memmove(collected->buffer, at, *len);
	return result;
}

/* A line that fills the buffer is counted once, and passed over up to its end. */
static void skip_line(struct collected *collected, size_t *len, bool *is_skipping)
{
	struct source *source = &collected->source[collected->source_count - 1];

	if (*len < LINE_BYTES_MAX && !*is_skipping)
		return;
	*len = 0;
	if (*is_skipping)
		return;
	*is_skipping = true;
	source->lines++;
	source->unreadable++;
	source->too_long++;
}

int collected_read(struct collected *collected, int fd, const char *name)
{
	bool is_skipping = false;
	size_t len = 0;
	int result = add_source(collected, name);

	while (!result) {
		ssize_t got = read(fd, collected->buffer + len, LINE_BYTES_MAX - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		len += got;
		result = take_lines(collected, &len, &is_skipping);
		skip_line(collected, &len, &is_skipping);
	}
	if (!result && len && !is_skipping)
		result = take_line(collected, collected->buffer, len, true);
	return result;
}
