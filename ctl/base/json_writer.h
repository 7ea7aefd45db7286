/* SPDX-License-Identifier: GPL-2.0 */
/* Writing JSON to a stream: commas, quotes and escapes come by themselves. */
#ifndef AGENTCTL_JSON_WRITER_H
#define AGENTCTL_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_WRITER_DEPTH_MAX 32

struct json_writer {
	FILE *stream; /* borrowed */
	unsigned int depth;
	bool has_member[JSON_WRITER_DEPTH_MAX + 1];
	bool is_after_key;
};

void json_writer_init(struct json_writer *writer, FILE *stream);

void json_begin_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);

void json_key(struct json_writer *writer, const char *key);

/* A text of ours or of a policy, in UTF-8 (what is not becomes U+FFFD); NULL becomes null. */
void json_string(struct json_writer *writer, const char *string);

/* The same, not terminated. */
void json_text(struct json_writer *writer, const char *bytes, size_t len);

/* A name from the system, in its printable form (text_write_name), so that any bytes come through. */
void json_name(struct json_writer *writer, const void *bytes, size_t len);

void json_signed(struct json_writer *writer, int64_t number);
void json_unsigned(struct json_writer *writer, uint64_t number);
/* A time, written in seconds. */
void json_seconds(struct json_writer *writer, uint64_t ns);
void json_bool(struct json_writer *writer, bool value);
void json_null(struct json_writer *writer);

/* The value is done: ends the line. Streams put one value a line. */
void json_newline(struct json_writer *writer);

#endif
