/* SPDX-License-Identifier: GPL-2.0 */
/* Completion of command lines in bash, made from the table of verbs. */
#ifndef AGENTCTL_COMPLETION_H
#define AGENTCTL_COMPLETION_H

#include <stdio.h>

/* Writes the script that bash reads. */
void completion_write(FILE *stream);

#endif
