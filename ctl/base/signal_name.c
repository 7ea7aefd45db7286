// SPDX-License-Identifier: GPL-2.0
/* Signals by name: as policies and events write them, without SIG. */
#include "ctl/base/signal_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kern/abi.h"

/* As the C library has them: it keeps the kernel's first two realtime signals to itself. */
#define REALTIME_MIN 34
#define REALTIME_MAX SIGNAL_MAX

const char *const signal_names[] = {
	"HUP",	"INT",	"QUIT", "ILL",	  "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1", "SEGV",
	"USR2", "PIPE", "ALRM", "TERM",	  "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN", "TTOU",
	"URG",	"XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "IO",   "PWR",  "SYS",  NULL,
};

#define NAMED (sizeof(signal_names) / sizeof(signal_names[0]) - 1)

/* Digits alone, and not more than any signal has; -1 otherwise. */
static int parse_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits <= 2 && !text[digits] && (*text != '0' || digits == 1) ? atoi(text) : -1;
}

static int parse_realtime(const char *text)
{
	int offset;

	if (!strcmp(text, "RTMIN"))
		return REALTIME_MIN;
	if (!strcmp(text, "RTMAX"))
		return REALTIME_MAX;
	if (strncmp(text, "RTMIN+", 6) && strncmp(text, "RTMAX-", 6))
		return -1;
	offset = parse_number(text + 6);
	if (offset < 0 || offset > REALTIME_MAX - REALTIME_MIN)
		return -1;
	return text[5] == '+' ? REALTIME_MIN + offset : REALTIME_MAX - offset;
}

int signal_parse(const char *text)
{
	int number = parse_number(text);

	if (number > 0 && number <= SIGNAL_MAX)
		return number;
	for (size_t i = 0; i < NAMED; i++)
		if (!strcmp(signal_names[i], text))
			return i + 1;
	return parse_realtime(text);
}

const char *signal_name(unsigned int number, char scratch[SIGNAL_NAME_MAX])
{
	if (number >= 1 && number <= NAMED)
		return signal_names[number - 1];
	if (number < REALTIME_MIN || number > REALTIME_MAX)
		snprintf(scratch, SIGNAL_NAME_MAX, "%u", number);
	else if (number == REALTIME_MIN)
		strcpy(scratch, "RTMIN");
	else
		snprintf(scratch, SIGNAL_NAME_MAX, "RTMIN+%u", number - REALTIME_MIN);
	return scratch;
}
