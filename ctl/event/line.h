/* SPDX-License-Identifier: GPL-2.0 */
/* A growing buffer in which sinks build what they write; errors stick, so that only the end needs a check. */
#ifndef AGENTCTL_EVENT_LINE_H
#define AGENTCTL_EVENT_LINE_H

#include <stddef.h>

struct line {
	char *data;
	size_t len;
	size_t size;
	int error; /* 0 or -ENOMEM; what is appended after it is dropped */
};

/* A zeroed struct line is empty. line_done frees the bytes and makes it so. */
void line_done(struct line *line);

/* Empty again, keeping the memory and forgetting an error. */
void line_clear(struct line *line);

void line_put(struct line *line, const char *data, size_t len);
void line_puts(struct line *line, const char *text);
void line_printf(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
