// SPDX-License-Identifier: GPL-2.0
/* OpenMetrics text (openmetrics.io, version 1.0), or the same as JSON. */
#include "ctl/base/metrics_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"

#define NS_PER_S UINT64_C(1000000000)

static const char *const type_words[] = { [METRIC_COUNTER] = "counter", [METRIC_GAUGE] = "gauge" };

/* A name that ends in its unit says so. */
static const char *const units[] = { "bytes", "seconds" };

void metrics_init(struct metrics_writer *writer, FILE *stream, bool is_json)
{
	memset(writer, 0, sizeof(*writer));
	writer->stream = stream;
	writer->is_json = is_json;
	json_writer_init(&writer->json, stream);
	if (is_json)
		json_begin_array(&writer->json);
}

/* A backslash, a quotation mark and the end of a line are all that needs an escape; quotes do in values alone. */
static void put_escaped(FILE *stream, const char *text, bool is_value)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", stream);
		else if (*text == '\\' || (is_value && *text == '"'))
			fprintf(stream, "\\%c", *text);
		else
			fputc(*text, stream);
	}
}

static bool ends_in(const char *name, const char *unit)
{
	size_t len = strlen(name), unit_len = strlen(unit);

	return len > unit_len && name[len - unit_len - 1] == '_' && !strcmp(name + len - unit_len, unit);
}

static void put_head(struct metrics_writer *writer)
{
	fprintf(writer->stream, "# TYPE %s %s\n", writer->name, type_words[writer->type]);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (ends_in(writer->name, units[i]))
			fprintf(writer->stream, "# UNIT %s %s\n", writer->name, units[i]);
	fprintf(writer->stream, "# HELP %s ", writer->name);
	put_escaped(writer->stream, writer->help, false);
	fputc('\n', writer->stream);
}

static void begin_head(struct metrics_writer *writer)
{
	if (!writer->is_json) {
		put_head(writer);
		return;
	}
	json_begin_object(&writer->json);
	json_key(&writer->json, "name");
	json_string(&writer->json, writer->name);
	json_key(&writer->json, "type");
	json_string(&writer->json, type_words[writer->type]);
	json_key(&writer->json, "help");
	json_string(&writer->json, writer->help);
	json_key(&writer->json, "samples");
	json_begin_array(&writer->json);
}

static void end_family(struct metrics_writer *writer)
{
	if (writer->is_told && writer->is_json) {
		json_end_array(&writer->json);
		json_end_object(&writer->json);
	}
	writer->is_told = false;
}

void metrics_family(struct metrics_writer *writer, enum metric_type type, const char *name, const char *help)
{
	end_family(writer);
	writer->type = type;
	writer->name = name;
	writer->help = help;
}

static void put_labels(FILE *stream, const struct metric_label *labels)
{
	for (const struct metric_label *label = labels; label && label->name; label++) {
		char *shown = text_name(label->value, strlen(label->value));

		fprintf(stream, "%s%s=\"", label == labels ? "{" : ",", label->name);
		put_escaped(stream, shown ? shown : "", true);
		fputc('"', stream);
		free(shown);
	}
	if (labels && labels->name)
		fputc('}', stream);
}

static void json_labels(struct json_writer *json, const struct metric_label *labels)
{
	json_begin_object(json);
	json_key(json, "labels");
	json_begin_object(json);
	for (; labels && labels->name; labels++) {
		json_key(json, labels->name);
		json_name(json, labels->value, strlen(labels->value));
	}
	json_end_object(json);
	json_key(json, "value");
}

static void put_start(struct metrics_writer *writer, const struct metric_label *labels)
{
	if (!writer->is_told)
		begin_head(writer);
	writer->is_told = true;
	if (writer->is_json) {
		json_labels(&writer->json, labels);
		return;
	}
	fprintf(writer->stream, "%s%s", writer->name, writer->type == METRIC_COUNTER ? "_total" : "");
	put_labels(writer->stream, labels);
}

void metrics_sample(struct metrics_writer *writer, const struct metric_label *labels, uint64_t value)
{
	put_start(writer, labels);
	if (writer->is_json) {
		json_unsigned(&writer->json, value);
		json_end_object(&writer->json);
	} else {
		fprintf(writer->stream, " %" PRIu64 "\n", value);
	}
}

void metrics_sample_ns(struct metrics_writer *writer, const struct metric_label *labels, uint64_t ns)
{
	put_start(writer, labels);
	if (writer->is_json) {
		json_seconds(&writer->json, ns);
		json_end_object(&writer->json);
	} else {
		fprintf(writer->stream, " %" PRIu64 ".%09" PRIu64 "\n", ns / NS_PER_S, ns % NS_PER_S);
	}
}

void metrics_end(struct metrics_writer *writer)
{
	end_family(writer);
	if (writer->is_json) {
		json_end_array(&writer->json);
		json_newline(&writer->json);
	} else {
		fputs("# EOF\n", writer->stream);
	}
}
