/* SPDX-License-Identifier: GPL-2.0 */
/* Bytes as people read them: UTF-8, the one printable form of names, and suggestions for misspelt words. */
#ifndef AGENTCTL_TEXT_H
#define AGENTCTL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Length of the valid UTF-8 sequence at the start of BYTES (RFC 3629), or 0. *ret_code may be NULL. */
size_t text_utf8(const void *bytes, size_t len, uint32_t *ret_code);

/* Writes a character to OUT, which has room for four bytes; returns how many it takes. */
size_t text_put_utf8(char *out, uint32_t code);
size_t text_utf8_size(uint32_t code);

/*
 * Writes a name in its printable form, from which the bytes can be told again:
 * valid UTF-8 without control characters as it is, any other byte \xNN, a
 * backslash doubled. So no name can look like two events, or like another name.
 */
void text_write_name(FILE *stream, const void *bytes, size_t len);

/* The same in memory, for the caller to free; NULL without memory. */
char *text_name(const void *bytes, size_t len);

/* Writes a sentence of ours with names in it: as text_write_name, but a backslash stays single. */
void text_write_line(FILE *stream, const char *line);

/* The word of the NULL-ended CANDIDATES that WORD is most likely a misspelling of, or NULL. */
const char *text_suggest(const char *word, const char *const *candidates);

/* asprintf that yields NULL without memory. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
