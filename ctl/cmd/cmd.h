/* SPDX-License-Identifier: GPL-2.0 */
/* The verbs: their table, their functions, and the exit codes they share. */
#ifndef AGENTCTL_CMD_H
#define AGENTCTL_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/policy/policy.h"

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_POLICY = 3,  /* invalid, or its tests fail */
	EXIT_LACKING = 4, /* the kernel or privileges lack something */
};

/* One option of a verb, as --help, completion and the man page show it. */
struct cmd_option {
	const char *name;     /* long name without dashes */
	char letter;	      /* or 0 */
	const char *argument; /* its placeholder, or NULL if it takes none */
	const char *help;
};

struct cmd_verb {
	const char *name;
	const char *usage;		   /* what follows the verb */
	const char *help;		   /* one line */
	int (*run)(int argc, char **argv); /* argv[0] is the verb; the result is the exit code */
	const struct cmd_option *options;  /* ended by a NULL name; --help and --json stand in it, too */
};

extern const struct cmd_verb cmd_verbs[]; /* ended by a NULL name */

int cmd_load(int argc, char **argv);
int cmd_unload(int argc, char **argv);
int cmd_attach(int argc, char **argv);
int cmd_detach(int argc, char **argv);
int cmd_apply(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_log(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

/*
 * Parses the options of the verb argv[0] from its table entry, permuting argv
 * like getopt_long so that the operands come last. Calls SET for every option
 * but --help, which prints and ends with *ret_code = 0. Returns true when the
 * verb shall go on with operands from *ret_first; else *ret_code is its exit code.
 * SET returns false to refuse a value, having said why with cmd_usage_error.
 */
bool cmd_parse(int argc, char **argv, bool (*set)(const char *option, const char *value, void *data),
	       void *data, int *ret_first, int *ret_code);

/* "agentctl: …" and the verb's usage line on stderr; returns EXIT_USAGE. */
int cmd_usage_error(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "agentctl: …" on stderr; returns EXIT_FAILED. */
int cmd_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints every diagnostic on stderr as "agentctl: FILE:LINE:COLUMN: …". */
void cmd_tell(const struct diagnostics *diagnostics);

/* Gathers -D NAME=VALUE; `list` is policy_options' defines and goes with cmd_defines_done. */
struct cmd_defines {
	struct policy_define *list;
	size_t count;
};

/* Takes VALUE ("NAME=VALUE"); false after a usage error. */
bool cmd_define(const char *verb, struct cmd_defines *defines, const char *value);
void cmd_defines_done(struct cmd_defines *defines);

/*
 * Opens the policy in PATH with OPTIONS, reporting what is wrong with it.
 * Returns EXIT_DONE, EXIT_FAILED for an unreadable file, or EXIT_POLICY.
 */
int cmd_open_policy(const char *path, const struct policy_options *options, struct compiled *ret);

/* Is colour wanted on this stream? A terminal, and no NO_COLOR. */
bool cmd_has_colour(int fd);

#endif
