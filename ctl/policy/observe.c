// SPDX-License-Identifier: GPL-2.0
/* Which operations a policy observes, and the tests that it brings along. */
#include <stdlib.h>
#include <string.h>

#include "ctl/policy/sections.h"
#include "ctl/policy/signal.h"
#include "ctl/policy/words.h"

/* Sections of the language whose operations come from no rule table of ours yet. */
static bool is_unenforced_section(const char *word, size_t len)
{
	return len == 6 && !strncmp(word, "kernel", len) && OPS_KERNEL & ~OPS_HOOKED;
}

static void unknown_operation(struct reader *reader, const struct place *place, const char *word)
{
	const char *words[SECTION_COUNT + OP_COUNT + 1];
	size_t count = 0;

	for (int section = 0; section < SECTION_COUNT; section++)
		words[count++] = section_names[section];
	for (int op = 0; op < OP_COUNT; op++)
		words[count++] = operation_name(op);
	words[count] = NULL;
	reader_unknown(reader, place, "operation", word, words);
}

/* The operation that WORD names at PLACE, or -1 after an error. */
static int hooked_operation(struct reader *reader, struct place place, const char *word, uint32_t *ret_detail)
{
	int op = operation_parse(word, ret_detail);

	if (op < 0 && !strncmp(word, "signal.", 7))
		signal_read(reader, place, word + 7);
	else if (op < 0 && is_unenforced_section(word, strcspn(word, ".")))
		reader_refuse(reader, place, word);
	else if (op < 0)
		unknown_operation(reader, &place, word);
	else if (!(OP_BIT(op) & OPS_HOOKED))
		reader_refuse(reader, place, word);
	else
		return op;
	return -1;
}

static void read_observed(struct reader *reader, const struct json_node *node, void *data)
{
	const bool *is_list = data;
	enum section section = section_find(node->string);
	uint32_t detail;
	int op;

	if (!strcmp(node->string, "*")) {
		if (*is_list)
			reader_error(reader, node, "write \"*\" instead of the list",
				     "'*' in a list of operations");
		reader->policy->observed |= OPS_HOOKED;
		reader->policy->signals_observed = SIGNALS_ALL;
	} else if (section < SECTION_COUNT) {
		reader->policy->observed |= section_decides(section) & OPS_HOOKED;
		if (section == SECTION_SIGNAL)
			reader->policy->signals_observed = SIGNALS_ALL;
	} else if (!strcmp(node->string, "unix")) {
		reader->policy->observed |= OPS_UNIX & OPS_HOOKED;
	} else if (!strcmp(node->string, "kernel") && !(OPS_KERNEL & ~OPS_HOOKED)) {
		reader->policy->observed |= OPS_KERNEL;
	} else {
		op = hooked_operation(reader, json_place(reader->document, node), node->string, &detail);
		if (op >= 0)
			reader->policy->observed |= OP_BIT(op);
		if (op == OP_SIGNAL_SEND)
			reader->policy->signals_observed |= detail ? signal_bit(detail) : SIGNALS_ALL;
	}
}

void observe_read(struct reader *reader, const struct json_node *node)
{
	bool is_list = node->type == JSON_ARRAY;

	reader_each(reader, node, read_observed, &is_list);
}

static void read_object(struct reader *reader, const struct json_node *node, char **ret)
{
	struct expansion expansion;

	if (!reader_is(reader, node, JSON_STRING) ||
	    !reader_expand(reader, node, EXPANSION_PLAIN, &expansion))
		return;
	if (!expansion.len)
		reader_error(reader, node, "write what the operation is done to", "an empty object");
	*ret = expansion.text;
	expansion.text = NULL;
	expansion_done(&expansion);
}

static void read_objects(struct reader *reader, const struct json_node *node, struct policy_test *test)
{
	bool has_two = test->op == OP_FILE_RENAME || test->op == OP_FILE_LINK;

	test->place = json_place(reader->document, node);
	if (!has_two) {
		read_object(reader, node, &test->object);
	} else if (node->type != JSON_ARRAY || node->len != 2) {
		reader_error(reader, node, "write them as [\"OLD\", \"NEW\"]",
			     "'%s' without an old and a new name", node->key);
	} else {
		read_object(reader, node->first, &test->object);
		read_object(reader, node->first->next, &test->target);
	}
}

static bool is_test_key(const char *key)
{
	return !strcmp(key, "expect") || !strcmp(key, "tag") || !strcmp(key, "reason");
}

/* A key without a dot can only have meant one of these. */
static void unknown_key(struct reader *reader, const struct json_node *member)
{
	static const char *const words[] = { "expect", "tag", "reason", NULL };
	struct place place = json_key_place(reader->document, member);

	reader_unknown(reader, &place, "key", member->key, words);
}

/* Finds the operation among the members of a test; false if there is none that counts. */
static bool read_operation(struct reader *reader, const struct json_node *node, struct policy_test *test)
{
	const struct json_node *found = NULL;
	uint32_t detail = 0;
	int op = -1;

	for (const struct json_node *member = node->first; member; member = member->next) {
		if (is_test_key(member->key))
			continue;
		if (!strchr(member->key, '.')) {
			unknown_key(reader, member);
			continue;
		}
		if (found) {
			reader_key_error(reader, member, "split the test in two",
					 "a second operation '%s' in a test", member->key);
			continue;
		}
		found = member;
		op = hooked_operation(reader, json_key_place(reader->document, member), member->key, &detail);
		if (op == OP_SIGNAL_SEND && !detail) {
			reader_key_error(reader, member, "write one signal, as in \"signal.TERM\"",
					 "a test of all signals");
		} else if (op >= 0) {
			test->op = op;
			test->detail = detail;
			read_objects(reader, member, test);
		}
	}
	if (!found)
		reader_error(reader, node, "add one, as in \"file.read\": \"/etc/passwd\"",
			     "a test without an operation");
	return op >= 0;
}

static void read_expectation(struct reader *reader, const struct json_node *node, struct policy_test *test)
{
	const struct json_node *expect = json_member(node, "expect"), *tag = json_member(node, "tag");
	const struct json_node *reason = json_member(node, "reason");

	test->reason = reason ? reader_word(reader, reason, reason_words, "reason") : -1;
	if (tag)
		reader_line(reader, tag, RULE_TAG_MAX, &test->tag);
	if (!expect)
		reader_error(reader, node, "add it with a verb", "a test without 'expect'");
	else
		test->expect = reader_word(reader, expect, verb_words, "verb");
}

static void append_test(struct reader *reader, struct policy_test *test)
{
	struct policy *policy = reader->policy;
	size_t count = policy->test_count;
	struct policy_test *tests = policy->tests;

	if (!(count & (count - 1)))
		tests = realloc(tests, (count ? 2 * count : 1) * sizeof(*tests));
	if (!tests) {
		free(test->object);
		free(test->target);
		free(test->tag);
		reader_no_memory(reader);
		return;
	}
	policy->tests = tests;
	tests[policy->test_count++] = *test;
}

void tests_read(struct reader *reader, const struct json_node *node)
{
	if (!reader_is(reader, node, JSON_ARRAY))
		return;
	if (!node->len)
		reader_error(reader, node, "write a test in it, or remove it", "an empty list");
	for (const struct json_node *member = node->first; member; member = member->next) {
		struct policy_test test = { .place = json_place(reader->document, member), .reason = -1 };

		if (!reader_is(reader, member, JSON_OBJECT))
			continue;
		read_operation(reader, member, &test);
		read_expectation(reader, member, &test);
		append_test(reader, &test);
	}
}
