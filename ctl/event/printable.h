/* SPDX-License-Identifier: GPL-2.0 */
/* The one printable form of names, in text and in JSON strings alike. */
#ifndef AGENTCTL_EVENT_PRINTABLE_H
#define AGENTCTL_EVENT_PRINTABLE_H

#include <stddef.h>

#include "ctl/event/line.h"

/*
 * Append the printable form of LEN bytes: valid UTF-8 without control
 * characters (C0, DEL, C1) as it is, a backslash as \\, any other byte as \xNN
 * with lower-case digits. It can be undone, and never holds a line break or an
 * escape sequence.
 */
void printable_put(struct line *line, const char *data, size_t len);

/* The same inside a JSON string, without its quotes: the printable form with its quotes and backslashes escaped. */
void printable_put_json(struct line *line, const char *data, size_t len);

#endif
