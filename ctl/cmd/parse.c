// SPDX-License-Identifier: GPL-2.0
/* Options of a verb, from its table entry; its --help and usage errors. */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"
#include "ctl/policy/variables.h"

#define OPTIONS_MAX 32

static const struct cmd_verb *find_verb(const char *name)
{
	const struct cmd_verb *verb = cmd_verbs;

	while (verb->name && strcmp(verb->name, name))
		verb++;
	return verb;
}

static void print_usage(FILE *stream, const struct cmd_verb *verb)
{
	if (verb->name)
		fprintf(stream, "usage: agentctl %s%s%s [--json]\n", verb->name, *verb->usage ? " " : "",
			verb->usage);
}

static void print_help(const struct cmd_verb *verb)
{
	print_usage(stdout, verb);
	printf("\n%s\n\n", verb->help);
	for (const struct cmd_option *option = verb->options; option->name; option++) {
		char letter[8] = "    ", left[64];

		if (option->letter)
			snprintf(letter, sizeof(letter), "-%c, ", option->letter);
		snprintf(left, sizeof(left), "%s--%s %s", letter, option->name,
			 option->argument ? option->argument : "");
		printf("  %-28s %s\n", left, option->help);
	}
}

int cmd_usage_error(const char *verb, const char *format, ...)
{
	va_list arguments;

	fputs("agentctl: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	print_usage(stderr, find_verb(verb));
	return EXIT_USAGE;
}

/* getopt's tables, made from ours. */
struct getopt_tables {
	struct option options[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 2];
};

static void fill_tables(const struct cmd_verb *verb, struct getopt_tables *tables)
{
	char *letter = tables->letters;

	memset(tables, 0, sizeof(*tables));
	*letter++ = ':'; /* a missing argument is told apart from an unknown option */
	for (size_t i = 0; verb->options[i].name && i < OPTIONS_MAX; i++) {
		const struct cmd_option *option = &verb->options[i];

		tables->options[i] = (struct option){ option->name,
						      option->argument ? required_argument : no_argument,
						      NULL, 0 };
		if (!option->letter)
			continue;
		*letter++ = option->letter;
		if (option->argument)
			*letter++ = ':';
	}
}

static const struct cmd_option *by_letter(const struct cmd_verb *verb, int letter)
{
	for (const struct cmd_option *option = verb->options; option->name; option++)
		if (option->letter && option->letter == letter)
			return option;
	return NULL;
}

static int refuse_option(const struct cmd_verb *verb, int result, char **argv)
{
	const char *names[OPTIONS_MAX + 1], *near = NULL, *given = argv[optind - 1];
	size_t count = 0;

	if (result == ':')
		return cmd_usage_error(verb->name, "%s: option '%s' needs a value", verb->name, given);
	if (optopt && strncmp(given, "--", 2))
		return cmd_usage_error(verb->name, "%s: unknown option '-%c'", verb->name, optopt);
	for (const struct cmd_option *option = verb->options; option->name && count < OPTIONS_MAX; option++)
		names[count++] = option->name;
	names[count] = NULL;
	near = text_suggest(given + 2, names);
	if (near)
		return cmd_usage_error(verb->name, "%s: unknown option '%s' (did you mean '--%s'?)",
				       verb->name, given, near);
	return cmd_usage_error(verb->name, "%s: unknown option '%s'", verb->name, given);
}

bool cmd_parse(int argc, char **argv, bool (*set)(const char *option, const char *value, void *data),
	       void *data, int *ret_first, int *ret_code)
{
	const struct cmd_verb *verb = find_verb(argv[0]);
	const struct cmd_option *option;
	struct getopt_tables tables;
	int result, index;

	fill_tables(verb, &tables);
	opterr = 0;
	optind = 0;
	while ((result = getopt_long(argc, argv, tables.letters, tables.options, &index)) != -1) {
		option = result ? by_letter(verb, result) : &verb->options[index];
		if (!option || result == '?' || result == ':') {
			*ret_code = refuse_option(verb, result, argv);
			return false;
		}
		if (!strcmp(option->name, "help")) {
			print_help(verb);
			*ret_code = EXIT_DONE;
			return false;
		}
		if (!set(option->name, optarg, data)) {
			*ret_code = EXIT_USAGE;
			return false;
		}
	}
	*ret_first = optind;
	return true;
}

bool cmd_define(const char *verb, struct cmd_defines *defines, const char *value)
{
	const char *equals = strchr(value, '=');
	char *name = strndup(value, equals ? (size_t)(equals - value) : strlen(value));
	struct policy_define *list;
	size_t len = 0, size;

	if (!equals || !name || !variable_name_is_valid(name)) {
		cmd_usage_error(verb, "%s: -D '%s' is not NAME=VALUE", verb, value);
		free(name);
		return false;
	}
	while (equals[1 + len] && (size = text_utf8(equals + 1 + len, strlen(equals + 1 + len), NULL)))
		len += size;
	list = equals[1 + len] ? NULL : realloc(defines->list, (defines->count + 1) * sizeof(*list));
	if (!list) {
		cmd_usage_error(verb, "%s: -D %s: the value is not UTF-8", verb, name);
		free(name);
		return false;
	}
	defines->list = list;
	list[defines->count++] = (struct policy_define){ name, equals + 1 };
	return true;
}

void cmd_defines_done(struct cmd_defines *defines)
{
	for (size_t i = 0; i < defines->count; i++)
		free((char *)defines->list[i].name);
	free(defines->list);
	*defines = (struct cmd_defines){ 0 };
}
