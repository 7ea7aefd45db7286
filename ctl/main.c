// SPDX-License-Identifier: GPL-2.0
/* agentctl: finds the verb of a command line and runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"
#include "ctl/cmd/completion.h"

#ifndef VERSION
#define VERSION "unreleased"
#endif

/* Described, but not built yet: told from words that never meant anything. */
static const char *const later_verbs[] = { "run", "watch", "learn", "pending", "approve", "deny", NULL };

static void print_help(FILE *stream)
{
	fputs("usage: agentctl COMMAND …\n\n", stream);
	for (const struct cmd_verb *verb = cmd_verbs; verb->name; verb++)
		fprintf(stream, "  %-8s %s\n", verb->name, verb->help);
	fputs("\n  --version     print the version\n  --completion  print what completes command lines in bash\n"
	      "  --help        show this; COMMAND --help shows its options\n",
	      stream);
}

static const struct cmd_verb *find_verb(const char *name)
{
	for (const struct cmd_verb *verb = cmd_verbs; verb->name; verb++)
		if (!strcmp(verb->name, name))
			return verb;
	return NULL;
}

static int refuse_verb(const char *name)
{
	const char *names[64];
	size_t count = 0;
	const char *near;
	char *shown;

	for (const struct cmd_verb *verb = cmd_verbs; verb->name && count < 63; verb++)
		names[count++] = verb->name;
	names[count] = NULL;
	for (size_t i = 0; later_verbs[i]; i++) {
		if (!strcmp(later_verbs[i], name)) {
			fprintf(stderr, "agentctl: %s: not in this version\n", name);
			return EXIT_USAGE;
		}
	}
	near = text_suggest(name, names);
	shown = text_name(name, strlen(name));
	fprintf(stderr, "agentctl: unknown command '%s'", shown ? shown : "");
	if (near)
		fprintf(stderr, " (did you mean '%s'?)", near);
	fputs(": see agentctl --help\n", stderr);
	free(shown);
	return EXIT_USAGE;
}

/* Output that did not get out is a failure, whatever the verb did. */
static int finish(int code)
{
	if (fflush(stdout) || ferror(stdout)) {
		perror("agentctl: standard output");
		return code ? code : EXIT_FAILED;
	}
	return code;
}

int main(int argc, char **argv)
{
	const struct cmd_verb *verb;

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help(stdout);
		return finish(EXIT_DONE);
	}
	if (!strcmp(argv[1], "--version")) {
		puts("agentctl " VERSION);
		return finish(EXIT_DONE);
	}
	if (!strcmp(argv[1], "--completion")) {
		completion_write(stdout);
		return finish(EXIT_DONE);
	}
	verb = find_verb(argv[1]);
	if (!verb)
		return refuse_verb(argv[1]);
	return finish(verb->run(argc - 1, argv + 1));
}
