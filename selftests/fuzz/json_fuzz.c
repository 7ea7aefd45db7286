// SPDX-License-Identifier: GPL-2.0
/* Fuzz target: any bytes as a policy file are refused or compiled, with each error in its place, and decide as their patterns do. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl/pattern/pattern.h"
#include "ctl/policy/decision.h"

/* What the input is read back as: a file in memory, so that the reading itself is part of what is tested. */
static char path[64];
static int fd = -1;

static int open_input(const uint8_t *data, size_t size)
{
	if (fd < 0) {
		fd = memfd_create("policy", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return -1;
	return 0;
}

/* Lines and columns of errors lie inside the text that they are about. */
static void check_places(const struct diagnostics *diagnostics, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < diagnostics->count; i++) {
		const struct diagnostic *entry = &diagnostics->list[i];
		const uint8_t *line = data, *end = data + size;
		char *text;

		if (!entry->is_warning && !entry->remedy)
			abort();
		if (!entry->file || strcmp(entry->file, path))
			continue;
		for (uint32_t n = 1; n < entry->line; n++) {
			line = memchr(line, '\n', end - line);
			if (!line)
				abort();
			line++;
		}
		if (!entry->line || !entry->column || entry->column > (size_t)(end - line) + 1)
			abort();
		text = diagnostic_text(entry);
		if (!text)
			abort();
		free(text);
	}
}

static void check_path(const struct compiled *compiled, const char *name)
{
	static const enum operation operations[] = { OP_FILE_READ, OP_FILE_WRITE, OP_FILE_CREATE, OP_EXEC_RUN,
						     OP_EXEC_MAP };

	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		enum operation op = operations[i];
		struct object object = { .path = (char *)name };
		uint32_t word = decision_word(compiled->image, op, &object),
			 wanted = compiled->image->fallback[op];

		if (!(compiled->image->enforced & OP_BIT(op)))
			continue;
		for (uint32_t rule = 0; rule < compiled->policy->rule_count; rule++) {
			const struct policy_rule *entry = &compiled->policy->rules[rule];

			if (!entry->pattern || !(entry->operations & OP_BIT(op)) ||
			    entry->section == SECTION_NET ||
			    !pattern_matches(entry->pattern, (const uint8_t *)name, strlen(name)))
				continue;
			wanted = WORD(rule, entry->verb);
			break;
		}
		if (word != wanted)
			abort();
	}
}

/* Without an error the policy decides, and the image says what the patterns one by one say. */
static void check_compiled(const struct compiled *compiled)
{
	static const char *const names[] = { "/",	    "/a",	    "/a/b",
					     "/a/b/c.d",    "/usr/bin/git", "/home/u/.ssh/id",
					     "/proc/self/x" };
	struct diagnostics diagnostics;

	if (compiled->image->magic != IMAGE_MAGIC ||
	    compiled->image_bytes != sizeof(*compiled->image) + 8ul * compiled->image->cells)
		abort();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_path(compiled, names[i]);
	diagnostics_init(&diagnostics);
	policy_run_tests(compiled, &diagnostics);
	diagnostics_done(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct policy_options options = { .shipped_folder = "policies", .wants_notes = true };
	struct diagnostics diagnostics;
	struct compiled compiled;
	int result;

	if (open_input(data, size))
		return 0;
	diagnostics_init(&diagnostics);
	result = policy_open(path, &options, &diagnostics, &compiled);
	if (!result == (diagnostics.error_count != 0) && result != -ENOMEM)
		abort();
	check_places(&diagnostics, data, size);
	if (!result)
		check_compiled(&compiled);
	compiled_done(&compiled);
	diagnostics_done(&diagnostics);
	return 0;
}
