// SPDX-License-Identifier: GPL-2.0
/* Writing JSON to a stream: commas, quotes and escapes come by themselves. */
#include "ctl/base/json_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"

void json_writer_init(struct json_writer *writer, FILE *stream)
{
	memset(writer, 0, sizeof(*writer));
	writer->stream = stream;
}

/* What separates a value or key from the one before it. */
static void begin_value(struct json_writer *writer)
{
	if (!writer->is_after_key && writer->depth && writer->has_member[writer->depth])
		fputc(',', writer->stream);
	writer->has_member[writer->depth] = true;
	writer->is_after_key = false;
}

static void begin_level(struct json_writer *writer, char open)
{
	begin_value(writer);
	fputc(open, writer->stream);
	if (writer->depth < JSON_WRITER_DEPTH_MAX)
		writer->depth++;
	writer->has_member[writer->depth] = false;
}

static void end_level(struct json_writer *writer, char close)
{
	fputc(close, writer->stream);
	if (writer->depth)
		writer->depth--;
}

void json_begin_object(struct json_writer *writer)
{
	begin_level(writer, '{');
}

void json_end_object(struct json_writer *writer)
{
	end_level(writer, '}');
}

void json_begin_array(struct json_writer *writer)
{
	begin_level(writer, '[');
}

void json_end_array(struct json_writer *writer)
{
	end_level(writer, ']');
}

static void write_character(FILE *stream, const char *bytes, size_t size, uint32_t code)
{
	if (code == '"' || code == '\\')
		fprintf(stream, "\\%c", (int)code);
	else if (code == '\n')
		fputs("\\n", stream);
	else if (code == '\t')
		fputs("\\t", stream);
	else if (code < 0x20 || (code >= 0x7f && code <= 0x9f))
		/* DEL and what follows need no escape in JSON, but act on terminals. */
		fprintf(stream, "\\u%04x", code);
	else
		fwrite(bytes, 1, size, stream);
}

static void write_string(FILE *stream, const char *string, size_t len)
{
	uint32_t code;

	fputc('"', stream);
	for (size_t i = 0; i < len;) {
		size_t size = text_utf8(string + i, len - i, &code);

		if (size) {
			write_character(stream, string + i, size, code);
			i += size;
		} else {
			fputs("\xef\xbf\xbd", stream);
			i++;
		}
	}
	fputc('"', stream);
}

void json_key(struct json_writer *writer, const char *key)
{
	begin_value(writer);
	write_string(writer->stream, key, strlen(key));
	fputc(':', writer->stream);
	writer->is_after_key = true;
}

void json_string(struct json_writer *writer, const char *string)
{
	begin_value(writer);
	if (string)
		write_string(writer->stream, string, strlen(string));
	else
		fputs("null", writer->stream);
}

void json_text(struct json_writer *writer, const char *bytes, size_t len)
{
	begin_value(writer);
	write_string(writer->stream, bytes, len);
}

void json_name(struct json_writer *writer, const void *bytes, size_t len)
{
	char *name = text_name(bytes, len);

	json_string(writer, name);
	free(name);
}

void json_signed(struct json_writer *writer, int64_t number)
{
	begin_value(writer);
	fprintf(writer->stream, "%" PRId64, number);
}

void json_unsigned(struct json_writer *writer, uint64_t number)
{
	begin_value(writer);
	fprintf(writer->stream, "%" PRIu64, number);
}

void json_seconds(struct json_writer *writer, uint64_t ns)
{
	begin_value(writer);
	fprintf(writer->stream, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

void json_bool(struct json_writer *writer, bool value)
{
	begin_value(writer);
	fputs(value ? "true" : "false", writer->stream);
}

void json_null(struct json_writer *writer)
{
	json_string(writer, NULL);
}

void json_newline(struct json_writer *writer)
{
	fputc('\n', writer->stream);
	fflush(writer->stream);
	writer->has_member[0] = false;
}
