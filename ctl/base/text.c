// SPDX-License-Identifier: GPL-2.0
/* Bytes as people read them: UTF-8, the one printable form of names, and suggestions for misspelt words. */
#include "ctl/base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Longer words are no misspelling of anything. */
#define SUGGEST_LEN_MAX 64

size_t text_utf8(const void *bytes, size_t len, uint32_t *ret_code)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *byte = bytes;
	uint32_t code;
	size_t size;

	if (!len)
		return 0;
	size = byte[0] < 0x80	    ? 1
	       : byte[0] >> 5 == 6  ? 2
	       : byte[0] >> 4 == 14 ? 3
	       : byte[0] >> 3 == 30 ? 4
				    : 0;
	if (!size || size > len)
		return 0;
	code = size == 1 ? byte[0] : byte[0] & (0x7fu >> size);
	for (size_t i = 1; i < size; i++) {
		if (byte[i] >> 6 != 2)
			return 0;
		code = code << 6 | (byte[i] & 0x3f);
	}
	if (code < smallest[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	if (ret_code)
		*ret_code = code;
	return size;
}

size_t text_utf8_size(uint32_t code)
{
	return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

size_t text_put_utf8(char *out, uint32_t code)
{
	size_t size = text_utf8_size(code);

	if (size == 1) {
		out[0] = code;
		return 1;
	}
	for (size_t i = size - 1; i; i--) {
		out[i] = 0x80 | (code & 0x3f);
		code >>= 6;
	}
	out[0] = (0xf00u >> size) | code;
	return size;
}

static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

static void write_printable(FILE *stream, const void *bytes, size_t len, bool doubles_backslash)
{
	const uint8_t *byte = bytes;
	uint32_t code;

	for (size_t i = 0; i < len;) {
		size_t size = text_utf8(byte + i, len - i, &code);

		if (!size || is_control(code)) {
			/* A control character of two bytes (U+0080 to U+009F) comes here once for each. */
			fprintf(stream, "\\x%02x", byte[i]);
			i++;
			continue;
		}
		if (code == '\\' && doubles_backslash)
			fputc('\\', stream);
		fwrite(byte + i, 1, size, stream);
		i += size;
	}
}

void text_write_name(FILE *stream, const void *bytes, size_t len)
{
	write_printable(stream, bytes, len, true);
}

void text_write_line(FILE *stream, const char *line)
{
	write_printable(stream, line, strlen(line), false);
}

char *text_name(const void *bytes, size_t len)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	text_write_name(stream, bytes, len);
	if (fclose(stream)) {
		free(text);
		return NULL;
	}
	return text;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Edits (insert, delete, replace, swap neighbours) from A to B, both at most SUGGEST_LEN_MAX long. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[3][SUGGEST_LEN_MAX + 1];
	size_t a_len = strlen(a), b_len = strlen(b);

	for (size_t j = 0; j <= b_len; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *now = row[i % 3], *above = row[(i + 2) % 3], *two_above = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			now[j] = smaller(smaller(above[j], now[j - 1]) + 1,
					 above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = smaller(now[j], two_above[j - 2] + 1);
		}
	}
	return row[a_len % 3][b_len];
}

const char *text_suggest(const char *word, const char *const *candidates)
{
	size_t len = strlen(word), best = len / 3 + 1;
	const char *found = NULL;

	if (!len || len > SUGGEST_LEN_MAX)
		return NULL;
	for (; *candidates; candidates++) {
		size_t distance;

		if (strlen(*candidates) > SUGGEST_LEN_MAX)
			continue;
		distance = edit_distance(word, *candidates);
		if (distance <= best && distance < strlen(*candidates)) {
			/* The first of equals stays: tables list the commoner word first. */
			if (found && distance == best)
				continue;
			best = distance;
			found = *candidates;
		}
	}
	return found;
}

char *text_format(const char *format, ...)
{
	va_list arguments;
	char *text;
	int len;

	va_start(arguments, format);
	len = vasprintf(&text, format, arguments);
	va_end(arguments);
	return len < 0 ? NULL : text;
}
