// SPDX-License-Identifier: GPL-2.0
/* What is wrong with a text and where: errors and warnings with file, line and column, gathered as data. */
#include "ctl/base/diagnostic.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"

void diagnostics_init(struct diagnostics *diagnostics)
{
	memset(diagnostics, 0, sizeof(*diagnostics));
}

static void diagnostic_done(struct diagnostic *diagnostic)
{
	free(diagnostic->file);
	free(diagnostic->what);
	free(diagnostic->remedy);
}

void diagnostics_done(struct diagnostics *diagnostics)
{
	for (size_t i = 0; i < diagnostics->count; i++)
		diagnostic_done(&diagnostics->list[i]);
	free(diagnostics->list);
	diagnostics_init(diagnostics);
}

/* Room for one more: capacities are powers of two. */
static struct diagnostic *next_entry(struct diagnostics *diagnostics)
{
	size_t count = diagnostics->count;
	struct diagnostic *list;

	if (count & (count - 1))
		return &diagnostics->list[count];
	list = realloc(diagnostics->list, (count ? count * 2 : 1) * sizeof(*list));
	if (!list)
		return NULL;
	diagnostics->list = list;
	return &list[count];
}

static void diagnostics_add(struct diagnostics *diagnostics, bool is_warning, const struct place *place,
			    const char *remedy, const char *format, va_list arguments)
{
	struct diagnostic entry = { .is_warning = is_warning };
	struct diagnostic *slot = next_entry(diagnostics);
	bool has_file = place && place->file;

	if (vasprintf(&entry.what, format, arguments) < 0)
		entry.what = NULL;
	entry.remedy = remedy ? strdup(remedy) : NULL;
	entry.file = has_file ? strdup(place->file) : NULL;
	entry.line = place ? place->line : 0;
	entry.column = place ? place->column : 0;
	if (!slot || !entry.what || (remedy && !entry.remedy) || (has_file && !entry.file)) {
		/* An error that cannot be told is still an error. */
		diagnostics->is_incomplete = true;
		diagnostic_done(&entry);
		return;
	}
	*slot = entry;
	diagnostics->count++;
	diagnostics->error_count += !is_warning;
}

void diagnostics_error(struct diagnostics *diagnostics, const struct place *place, const char *remedy,
		       const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	diagnostics_add(diagnostics, false, place, remedy, format, arguments);
	va_end(arguments);
}

void diagnostics_warning(struct diagnostics *diagnostics, const struct place *place, const char *remedy,
			 const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	diagnostics_add(diagnostics, true, place, remedy, format, arguments);
	va_end(arguments);
}

int diagnostics_result(const struct diagnostics *diagnostics)
{
	if (diagnostics->is_incomplete)
		return -ENOMEM;
	return diagnostics->error_count ? -EINVAL : 0;
}

struct sort_key {
	struct diagnostic entry;
	size_t file; /* order of its file among those named so far, 0 for none */
	size_t position;
};

/* Numbers the files by their first appearance. FIRST has room for one entry of each file. */
static void number_files(struct sort_key *keys, size_t count, size_t *first)
{
	size_t files = 0;

	for (size_t i = 0; i < count; i++) {
		const char *file = keys[i].entry.file;
		size_t number = 0;

		if (!file)
			continue;
		while (number < files && strcmp(keys[first[number]].entry.file, file))
			number++;
		if (number == files)
			first[files++] = i;
		keys[i].file = number + 1;
	}
}

static int compare_keys(const void *left, const void *right)
{
	const struct sort_key *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->entry.line != b->entry.line)
		return a->entry.line < b->entry.line ? -1 : 1;
	if (a->entry.column != b->entry.column)
		return a->entry.column < b->entry.column ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

void diagnostics_sort(struct diagnostics *diagnostics)
{
	size_t count = diagnostics->count;
	struct sort_key *keys = calloc(count + 1, sizeof(*keys));
	size_t *first = calloc(count + 1, sizeof(*first));

	/* Without memory they stay in the order in which they were found. */
	if (!keys || !first)
		goto out;
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct sort_key){ diagnostics->list[i], 0, i };
	number_files(keys, count, first);
	qsort(keys, count, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < count; i++)
		diagnostics->list[i] = keys[i].entry;
out:
	free(first);
	free(keys);
}

char *diagnostic_text(const struct diagnostic *diagnostic)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	if (diagnostic->file) {
		text_write_name(stream, diagnostic->file, strlen(diagnostic->file));
		fprintf(stream, ":%u:%u: ", diagnostic->line, diagnostic->column);
	}
	if (diagnostic->is_warning)
		fputs("warning: ", stream);
	/* Names from policies and file systems are in it: none may act on a terminal or begin a line. */
	text_write_line(stream, diagnostic->what);
	if (diagnostic->remedy) {
		fputs(": ", stream);
		text_write_line(stream, diagnostic->remedy);
	}
	if (fclose(stream)) {
		free(text);
		return NULL;
	}
	return text;
}
