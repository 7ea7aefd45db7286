/* SPDX-License-Identifier: GPL-2.0 */
/* The words of the policy language that stand for numbers of kern/abi.h. */
#ifndef AGENTCTL_WORDS_H
#define AGENTCTL_WORDS_H

#include <stdint.h>

#include "ctl/policy/policy.h"

/* "file.read" */
const char *operation_name(enum operation op);
#define OPERATION_NAME_MAX 32
/* "file.read", and "signal.TERM" where DETAIL is a signal; in SCRATCH if it has to be made. */
const char *operation_name_of(enum operation op, uint32_t detail, char scratch[OPERATION_NAME_MAX]);
/* "read" */
const char *operation_word(enum operation op);

/* The operation WORD of SECTION ("file", "read"), or -1. */
int operation_find(const char *section, const char *word);
/* The operation "file.read", or -1. The signal of "signal.TERM" goes to *ret_detail, 0 for "signal.*" and all others. */
int operation_parse(const char *name, uint32_t *ret_detail);

/* Operations that rules of SECTION may name. */
uint32_t section_operations(enum section section);
/* The same with those that its rules decide by what they match: of the net section those of Unix sockets. */
uint32_t section_decides(enum section section);
/* SECTION_COUNT if there is none of that name. */
enum section section_find(const char *name);

extern const char *const verb_words[];	   /* NULL-ended, indexed by enum verb */
extern const char *const severity_words[]; /* NULL-ended, index 0 is severity info */
extern const char *const reason_words[];   /* NULL-ended, indexed by enum reason */

/* Index of WORD in the NULL-ended WORDS, or -1. */
int word_find(const char *const *words, const char *word);

#endif
