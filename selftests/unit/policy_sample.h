/* SPDX-License-Identifier: GPL-2.0 */
/* Policies written into a scratch folder, opened, and asked, for the tests of the policy compiler. */
#ifndef AGENTCTL_POLICY_SAMPLE_H
#define AGENTCTL_POLICY_SAMPLE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/text.h"
#include "ctl/policy/decision.h"
#include "ctl/policy/words.h"

static char scratch[64];

static int scratch_make(void **state)
{
	(void)state;
	strcpy(scratch, "/tmp/agentctl-test-XXXXXX");
	return mkdtemp(scratch) ? 0 : -1;
}

static int scratch_remove(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	return system(command);
}

/* The path of NAME in the scratch folder, in a buffer that the next four calls keep. */
static inline const char *scratch_path(const char *name)
{
	static char paths[4][256];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
	return path;
}

static inline void scratch_write(const char *name, const char *text, size_t len)
{
	FILE *file = fopen(scratch_path(name), "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

/* All diagnostics as lines, without the scratch folder's name; the caller frees them. */
static inline char *diagnostic_lines(const struct diagnostics *diagnostics)
{
	char *lines = NULL;
	size_t size, len = strlen(scratch) + 1;
	FILE *stream = open_memstream(&lines, &size);

	assert_non_null(stream);
	for (size_t i = 0; i < diagnostics->count; i++) {
		char *text = diagnostic_text(&diagnostics->list[i]);

		fprintf(stream, "%s\n", strncmp(text, scratch, len - 1) ? text : text + len);
		free(text);
	}
	assert_int_equal(fclose(stream), 0);
	return lines;
}

/* Opens the policy FILE with OPTIONS (or none), which must work and say just LINES. */
static inline void open_saying(const char *file, const struct policy_options *options, const char *lines,
			       struct compiled *ret)
{
	struct diagnostics diagnostics;
	char *said;
	int result;

	diagnostics_init(&diagnostics);
	result = policy_open(scratch_path(file), options, &diagnostics, ret);
	said = diagnostic_lines(&diagnostics);
	assert_string_equal(said, lines);
	assert_int_equal(result, 0);
	free(said);
	diagnostics_done(&diagnostics);
}

static inline void open_text(const char *text, struct compiled *ret)
{
	scratch_write("p.json", text, strlen(text));
	open_saying("p.json", NULL, "", ret);
}

/* Opening FILE must fail with RESULT and say just LINES. */
static inline void refused_saying(const char *file, const struct policy_options *options, int wanted,
				  const char *lines)
{
	struct diagnostics diagnostics;
	struct compiled compiled;
	char *said;
	int result;

	diagnostics_init(&diagnostics);
	result = policy_open(scratch_path(file), options, &diagnostics, &compiled);
	said = diagnostic_lines(&diagnostics);
	assert_string_equal(said, lines);
	assert_int_equal(result, wanted);
	assert_null(compiled.policy);
	assert_null(compiled.image);
	free(said);
	diagnostics_done(&diagnostics);
}

static inline void refused_text(const char *text, const char *lines)
{
	scratch_write("p.json", text, strlen(text));
	refused_saying("p.json", NULL, -EINVAL, lines);
}

/* "deny 0", "allow default"…: what COMPILED says of an operation. */
static inline const char *verdict_of(const struct compiled *compiled, const char *operation,
				     const char *object)
{
	static char verdict[64];
	struct decision decision;
	char *error = NULL;
	uint32_t detail;
	int op = operation_parse(operation, &detail);

	assert_int_equal(decision_make(compiled, op, detail, object, NULL, &decision, &error), 0);
	if (decision.rule)
		snprintf(verdict, sizeof(verdict), "%s %u", verb_words[decision.verb], decision.rule->index);
	else
		snprintf(verdict, sizeof(verdict), "%s %s", verb_words[decision.verb],
			 reason_words[decision.reason]);
	decision_done(&decision);
	return verdict;
}

#define assert_verdict(compiled, operation, object, wanted) \
	assert_string_equal(verdict_of(compiled, operation, object), wanted)

#endif
