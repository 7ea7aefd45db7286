// SPDX-License-Identifier: GPL-2.0
/* Checking the sections that are described but not enforced yet: env and limits. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/policy/rule.h"
#include "ctl/policy/sections.h"
#include "ctl/policy/words.h"

static void refuse_section(struct reader *reader, const struct json_node *node, enum feature feature)
{
	if (!coverage_has(feature))
		reader_refuse(reader, json_key_place(reader->document, node), node->key);
}

static void check_name_pattern(struct reader *reader, const struct json_node *node, void *data)
{
	struct pattern_error error;
	struct pattern *pattern;
	struct expansion expansion;
	int result;

	(void)data;
	if (!reader_expand(reader, node, EXPANSION_PATTERN, &expansion))
		return;
	result = pattern_argument(expansion.text, expansion.len, &pattern, &error);
	if (!result)
		pattern_free(pattern);
	else if (result == -EINVAL)
		reader_pattern_error(reader, node, &expansion, &error);
	else
		reader_no_memory(reader);
	expansion_done(&expansion);
}

static void check_setting(struct reader *reader, const struct json_node *node)
{
	struct expansion expansion;

	if (!*node->key || strchr(node->key, '='))
		reader_key_error(reader, node, "write the variable's name alone",
				 "no name of an environment variable");
	if (reader_is(reader, node, JSON_STRING) && reader_expand(reader, node, EXPANSION_PLAIN, &expansion))
		expansion_done(&expansion);
}

void env_check(struct reader *reader, const struct json_node *node)
{
	static const char *const keys[] = { "deny", "allow", "set", NULL };

	refuse_section(reader, node, FEATURE_ENV);
	if (!reader_is(reader, node, JSON_OBJECT))
		return;
	reader_check_keys(reader, node, keys, "'env'");
	for (const struct json_node *member = node->first; member; member = member->next) {
		if (!strcmp(member->key, "deny") || !strcmp(member->key, "allow"))
			reader_each(reader, member, check_name_pattern, NULL);
		if (strcmp(member->key, "set") || !reader_is(reader, member, JSON_OBJECT))
			continue;
		for (const struct json_node *setting = member->first; setting; setting = setting->next)
			check_setting(reader, setting);
	}
}

/* Digits, not all of them zero, and then one of SUFFIXES or nothing. */
static bool is_amount(const struct json_node *node, const char *suffixes)
{
	size_t digits;

	if (node->type == JSON_NUMBER)
		return node->is_integer && node->integer > 0;
	if (node->type != JSON_STRING)
		return false;
	digits = strspn(node->string, "0123456789");
	return digits && digits < 18 && strspn(node->string, "0") < digits &&
	       (!node->string[digits] ||
		(strchr(suffixes, node->string[digits]) && !node->string[digits + 1]));
}

static void check_io(struct reader *reader, const struct json_node *node, void *data)
{
	(void)reader;
	(void)node;
	(void)data;
}

static void check_limit(struct reader *reader, const struct json_node *node)
{
	static const struct {
		const char *key;
		const char *suffixes;
		const char *remedy;
	} amounts[] = {
		{ "memory", "KMGT", "write bytes, or a whole number with K, M, G or T, as in \"4G\"" },
		{ "cpu", "%", "write a share of one processor, as in \"200%\"" },
		{ "pids", "", "write a whole number, as in 512" },
	};

	if (!strcmp(node->key, "time"))
		reader_check_duration(reader, node);
	else if (!strcmp(node->key, "io"))
		reader_each(reader, node, check_io, NULL);
	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++)
		if (!strcmp(node->key, amounts[i].key) && !is_amount(node, amounts[i].suffixes))
			reader_error(reader, node, amounts[i].remedy, "'%s' is no amount", node->key);
}

void limits_check(struct reader *reader, const struct json_node *node)
{
	static const char *const keys[] = { "memory", "cpu", "pids", "io", "time", NULL };

	refuse_section(reader, node, FEATURE_LIMITS);
	if (!reader_is(reader, node, JSON_OBJECT))
		return;
	reader_check_keys(reader, node, keys, "'limits'");
	for (const struct json_node *member = node->first; member; member = member->next)
		check_limit(reader, member);
}
