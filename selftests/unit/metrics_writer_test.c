// SPDX-License-Identifier: GPL-2.0
/* Metrics as OpenMetrics text and as JSON, with names that try to forge lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "ctl/base/metrics_writer.h"

static char *written(bool is_json, void (*put)(struct metrics_writer *writer))
{
	struct metrics_writer writer;
	char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	assert_non_null(stream);
	metrics_init(&writer, stream, is_json);
	put(&writer);
	metrics_end(&writer);
	assert_int_equal(fclose(stream), 0);
	return text;
}

static void put_nothing(struct metrics_writer *writer)
{
	metrics_family(writer, METRIC_GAUGE, "none", "It has no samples.");
}

static void put_some(struct metrics_writer *writer)
{
	const struct metric_label labels[] = { { "a", "x" }, { "b", "" }, { 0 } };
	const struct metric_label forged[] = { { "a", "q\"} 1\n# EOF\\\xff" }, { 0 } };

	metrics_family(writer, METRIC_COUNTER, "acts", "One \\ two\nthree \"four\".");
	metrics_sample(writer, NULL, UINT64_MAX);
	metrics_sample(writer, labels, 0);
	put_nothing(writer);
	metrics_family(writer, METRIC_GAUGE, "age_seconds", "Age.");
	metrics_sample_ns(writer, forged, 12000000034ull);
}

static void test_text(void **state)
{
	char *text = written(false, put_some);

	(void)state;
	assert_string_equal(text, "# TYPE acts counter\n"
				  "# HELP acts One \\\\ two\\nthree \"four\".\n"
				  "acts_total 18446744073709551615\n"
				  "acts_total{a=\"x\",b=\"\"} 0\n"
				  "# TYPE age_seconds gauge\n"
				  "# UNIT age_seconds seconds\n"
				  "# HELP age_seconds Age.\n"
				  "age_seconds{a=\"q\\\"} 1\\\\x0a# EOF\\\\\\\\\\\\xff\"} 12.000000034\n"
				  "# EOF\n");
	free(text);
	text = written(false, put_nothing);
	assert_string_equal(text, "# EOF\n");
	free(text);
}

static void test_json(void **state)
{
	char *text = written(true, put_some);

	(void)state;
	assert_string_equal(
		text,
		"[{\"name\":\"acts\",\"type\":\"counter\",\"help\":\"One \\\\ two\\nthree \\\"four\\\".\","
		"\"samples\":[{\"labels\":{},\"value\":18446744073709551615},"
		"{\"labels\":{\"a\":\"x\",\"b\":\"\"},\"value\":0}]},"
		"{\"name\":\"age_seconds\",\"type\":\"gauge\",\"help\":\"Age.\","
		"\"samples\":[{\"labels\":{\"a\":\"q\\\"} 1\\\\x0a# EOF\\\\\\\\\\\\xff\"},\"value\":12.000000034}]}]\n");
	free(text);
	text = written(true, put_nothing);
	assert_string_equal(text, "[]\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
