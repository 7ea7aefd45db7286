// SPDX-License-Identifier: GPL-2.0
/* The words of the policy language that stand for numbers of kern/abi.h. */
#include "ctl/policy/words.h"

#include <stdio.h>
#include <string.h>

#include "ctl/base/signal_name.h"

const char *const section_names[SECTION_COUNT] = {
	[SECTION_FILE] = "file",
	[SECTION_EXEC] = "exec",
	[SECTION_NET] = "net",
	[SECTION_SIGNAL] = "signal",
};

const char *const verb_words[] = {
	[VERB_DENY] = "deny", [VERB_ALLOW] = "allow", [VERB_AUDIT] = "audit", [VERB_ASK] = "ask", NULL,
};

const char *const severity_words[] = { "info", "low", "medium", "high", NULL };

const char *const reason_words[] = {
#define X(id, word) [REASON_##id] = word,
	REASONS(X)
#undef X
		NULL,
};

static const struct {
	const char *name;
	const char *section;
	const char *word;
} operations[OP_COUNT] = {
#define X(id, section, word, hooked) [OP_##id] = { section "." word, section, word },
	OPERATIONS(X)
#undef X
};

const char *operation_name(enum operation op)
{
	return operations[op].name;
}

const char *operation_name_of(enum operation op, uint32_t detail, char scratch[OPERATION_NAME_MAX])
{
	char name[SIGNAL_NAME_MAX];

	if (op != OP_SIGNAL_SEND)
		return operation_name(op);
	snprintf(scratch, OPERATION_NAME_MAX, "signal.%s", signal_name(detail, name));
	return scratch;
}

const char *operation_word(enum operation op)
{
	return operations[op].word;
}

int operation_find(const char *section, const char *word)
{
	for (int op = 0; op < OP_COUNT; op++)
		if (!strcmp(operations[op].section, section) && !strcmp(operations[op].word, word))
			return op;
	return -1;
}

int operation_parse(const char *name, uint32_t *ret_detail)
{
	int number = strncmp(name, "signal.", 7) ? -1 : signal_parse(name + 7);

	*ret_detail = number > 0 ? number : 0;
	if (number > 0)
		return OP_SIGNAL_SEND;
	for (int op = 0; op < OP_COUNT; op++)
		if (!strcmp(operations[op].name, name))
			return op;
	return -1;
}

uint32_t section_operations(enum section section)
{
	static const uint32_t masks[SECTION_COUNT] = {
		[SECTION_FILE] = OPS_FILE,
		[SECTION_EXEC] = OPS_EXEC,
		[SECTION_NET] = OPS_NET,
		[SECTION_SIGNAL] = OP_BIT(OP_SIGNAL_SEND),
	};

	return masks[section];
}

uint32_t section_decides(enum section section)
{
	return section_operations(section) | (section == SECTION_NET ? OPS_UNIX : 0);
}

enum section section_find(const char *name)
{
	int section = 0;

	while (section < SECTION_COUNT && strcmp(section_names[section], name))
		section++;
	return section;
}

int word_find(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}
