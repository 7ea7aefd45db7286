/* SPDX-License-Identifier: GPL-2.0 */
/* What is wrong with a text and where: errors and warnings with file, line and column, gathered as data. */
#ifndef AGENTCTL_DIAGNOSTIC_H
#define AGENTCTL_DIAGNOSTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in a text. FILE is borrowed from whoever holds the text; lines and byte columns count from 1. */
struct place {
	const char *file;
	uint32_t line;
	uint32_t column;
};

struct diagnostic {
	bool is_warning;
	char *file; /* NULL when it is about no file, as a -D that nothing uses */
	uint32_t line;
	uint32_t column;
	char *what;
	char *remedy; /* how to mend it; may be NULL for a warning */
};

struct diagnostics {
	struct diagnostic *list;
	size_t count;
	size_t error_count;
	bool is_incomplete; /* memory ran out while adding: counts as an error */
};

void diagnostics_init(struct diagnostics *diagnostics);
void diagnostics_done(struct diagnostics *diagnostics);

/* Adds an error at PLACE (NULL for none); REMEDY says how to mend it. Copies all it is given. */
void diagnostics_error(struct diagnostics *diagnostics, const struct place *place, const char *remedy,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));
void diagnostics_warning(struct diagnostics *diagnostics, const struct place *place, const char *remedy,
			 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* 0, or -EINVAL if there is any error, or -ENOMEM. */
int diagnostics_result(const struct diagnostics *diagnostics);

/* By file in order of appearance, then line, then column. */
void diagnostics_sort(struct diagnostics *diagnostics);

/* "FILE:LINE:COLUMN: what: remedy", for the caller to free; NULL without memory. */
char *diagnostic_text(const struct diagnostic *diagnostic);

#endif
