// SPDX-License-Identifier: GPL-2.0
/* Telling what went wrong, and opening a policy on a verb's behalf. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"

int cmd_fail(const char *format, ...)
{
	va_list arguments;

	fputs("agentctl: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return EXIT_FAILED;
}

void cmd_tell(const struct diagnostics *diagnostics)
{
	for (size_t i = 0; i < diagnostics->count; i++) {
		char *text = diagnostic_text(&diagnostics->list[i]);

		fprintf(stderr, "agentctl: %s\n", text ? text : diagnostics->list[i].what);
		free(text);
	}
	if (diagnostics->is_incomplete)
		fputs("agentctl: out of memory: there may be more errors\n", stderr);
}

int cmd_open_policy(const char *path, const struct policy_options *options, struct compiled *ret)
{
	struct diagnostics diagnostics;
	char *shown;
	int result;

	diagnostics_init(&diagnostics);
	result = policy_open(path, options, &diagnostics, ret);
	cmd_tell(&diagnostics);
	diagnostics_done(&diagnostics);
	if (!result)
		return EXIT_DONE;
	if (result == -EINVAL || result == -E2BIG)
		return EXIT_POLICY;
	shown = text_name(path, strlen(path));
	cmd_fail("%s: %s", shown ? shown : path, strerror(-result));
	free(shown);
	return EXIT_FAILED;
}

bool cmd_has_colour(int fd)
{
	const char *no_colour = getenv("NO_COLOR");

	return isatty(fd) && !(no_colour && *no_colour);
}
