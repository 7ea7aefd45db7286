// SPDX-License-Identifier: GPL-2.0
// Patterns as lists of parts: making, joining, matching and freeing them.
#include <errno.h>
#include <stdlib.h>

#include "part.h"

int part_new(struct nfa_builder *builder, uint32_t start, struct pattern **ret)
{
	struct pattern *pattern;
	struct nfa nfa;
	int err = nfa_finish(builder, start, &nfa);

	if (err)
		return err;
	pattern = calloc(1, sizeof(*pattern));
	if (!pattern) {
		nfa_done(&nfa);
		return -ENOMEM;
	}
	pattern->nfa = nfa;
	*ret = pattern;
	return 0;
}

int pattern_literal(const char *text, size_t len, struct pattern **ret)
{
	struct nfa_builder builder;
	uint32_t start, node;
	int err = nfa_begin(&builder);

	if (err)
		return err;
	start = node = nfa_node(&builder);
	for (size_t i = 0; i < len; i++) {
		uint32_t next = nfa_node(&builder);

		nfa_move(&builder, node, (uint8_t)text[i], next);
		node = next;
	}
	nfa_empty_move(&builder, node, NFA_NODE_FINAL);
	return part_new(&builder, start, ret);
}

int pattern_union(struct pattern *a, struct pattern *b, struct pattern **ret)
{
	struct pattern *last = a;

	while (last->next)
		last = last->next;
	last->next = b;
	*ret = a;
	return 0;
}

bool pattern_is_floating(const struct pattern *pattern)
{
	for (; pattern; pattern = pattern->next)
		if (pattern->floating)
			return true;
	return false;
}

bool pattern_matches(const struct pattern *pattern, const uint8_t *bytes, size_t len)
{
	for (; pattern; pattern = pattern->next)
		if (nfa_matches(&pattern->nfa, bytes, len))
			return true;
	return false;
}

void pattern_free(struct pattern *pattern)
{
	while (pattern) {
		struct pattern *next = pattern->next;

		nfa_done(&pattern->nfa);
		free(pattern);
		pattern = next;
	}
}
