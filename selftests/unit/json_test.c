// SPDX-License-Identifier: GPL-2.0
/* JSON: what the reader takes, refuses and where; what the writer writes; the printable form of names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json.h"
#include "ctl/base/json_writer.h"
#include "ctl/base/text.h"

static struct json_document *read_good(const char *text)
{
	struct json_document *document = NULL;
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics);
	assert_int_equal(json_read(text, strlen(text), "f", &diagnostics, &document), 0);
	assert_int_equal(diagnostics.count, 0);
	diagnostics_done(&diagnostics);
	return document;
}

static void test_values(void **state)
{
	struct json_document *document = read_good(
		"{\"a\": [1, -2, true, false, null], \"b\": {}, \"c\": \"x\\n\\u00e9\\ud83d\\ude00\"}");
	const struct json_node *root = json_root(document), *node = json_member(root, "a");

	(void)state;
	assert_int_equal(root->type, JSON_OBJECT);
	assert_int_equal(root->len, 3);
	assert_int_equal(node->len, 5);
	node = node->first;
	assert_true(node->is_integer && node->integer == 1);
	node = node->next;
	assert_true(node->is_integer && node->integer == -2);
	node = node->next;
	assert_true(node->type == JSON_BOOL && node->boolean);
	node = node->next;
	assert_true(node->type == JSON_BOOL && !node->boolean);
	node = node->next;
	assert_int_equal(node->type, JSON_NULL);
	assert_null(node->next);
	assert_null(json_member(root, "b")->first);
	assert_string_equal(json_member(root, "c")->string, "x\n\xc3\xa9\xf0\x9f\x98\x80");
	assert_null(json_member(root, "d"));
	json_free(document);
}

/* A value alone is JSON, too, whatever stands around it. */
static void test_roots(void **state)
{
	static const struct {
		const char *text;
		enum json_type type;
	} roots[] = {
		{ "1", JSON_NUMBER },	 { " true\n", JSON_BOOL }, { "null", JSON_NULL },
		{ "\"\"", JSON_STRING }, { "[]", JSON_ARRAY },	   { "\t{ }\r\n", JSON_OBJECT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		struct json_document *document = read_good(roots[i].text);

		assert_int_equal(json_root(document)->type, roots[i].type);
		json_free(document);
	}
}

static void test_integers(void **state)
{
	static const struct {
		const char *text;
		bool is_integer;
		int64_t value;
	} numbers[] = {
		{ "0", true, 0 },
		{ "65535", true, 65535 },
		{ "9007199254740993", true, 9007199254740993 },
		{ "-9", true, -9 },
		{ "-0", false, 0 },
		{ "1.0", false, 0 },
		{ "1e2", false, 0 },
		{ "1E400", false, 0 },
		{ "18446744073709551616", false, 0 },
		{ "9223372036854775808", false, 0 },
		{ "99999999999999999999999999999999999999", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct json_document *document = read_good(numbers[i].text);

		assert_int_equal(json_root(document)->type, JSON_NUMBER);
		assert_int_equal(json_root(document)->is_integer, numbers[i].is_integer);
		if (numbers[i].is_integer)
			assert_int_equal(json_root(document)->integer, numbers[i].value);
		json_free(document);
	}
}

static void assert_place(struct place place, uint32_t line, uint32_t column)
{
	assert_string_equal(place.file, "f");
	assert_int_equal(place.line, line);
	assert_int_equal(place.column, column);
}

/* Columns count bytes, and strings are found again behind their escapes. */
static void test_places(void **state)
{
	struct json_document *document = read_good("{\n  \"é\": [1,\n\t\"a\\u00e9\\nb\"] }");
	const struct json_node *list = json_member(json_root(document), "é"), *string = list->first->next;

	(void)state;
	assert_place(json_place(document, json_root(document)), 1, 1);
	assert_place(json_key_place(document, list), 2, 3);
	assert_place(json_place(document, list), 2, 9);
	assert_place(json_place(document, list->first), 2, 10);
	assert_place(json_place(document, string), 3, 2);
	assert_place(json_string_place(document, string, 0), 3, 3);
	assert_place(json_string_place(document, string, 1), 3, 4);
	assert_place(json_string_place(document, string, 3), 3, 10);
	assert_place(json_string_place(document, string, 4), 3, 12);
	assert_place(json_string_place(document, string, 99), 3, 13);
	json_free(document);
}

static void assert_refused(const char *text, size_t len, uint32_t line, uint32_t column, const char *what)
{
	struct json_document *document = NULL;
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics);
	assert_int_equal(json_read(text, len, "f", &diagnostics, &document), -EINVAL);
	assert_int_equal(diagnostics.error_count, 1);
	assert_non_null(strstr(diagnostics.list[0].what, what));
	assert_non_null(diagnostics.list[0].remedy);
	assert_int_equal(diagnostics.list[0].line, line);
	assert_int_equal(diagnostics.list[0].column, column);
	diagnostics_done(&diagnostics);
}

static const struct {
	const char *text;
	uint32_t line;
	uint32_t column;
	const char *what;
} refused[] = {
	{ "", 1, 1, "empty" },
	{ "\xef\xbb\xbf{}", 1, 1, "byte order mark" },
	{ "{} {}", 1, 4, "text after the end" },
	{ "{}\n]", 2, 1, "text after the end" },
	{ "{\"a\":1,}", 1, 8, "'}' after a comma" },
	{ "[1,]", 1, 4, "closing bracket" },
	{ "[1 2]", 1, 4, "no ',' or ']'" },
	{ "{\"a\" 1}", 1, 6, "no ':'" },
	{ "{a:1}", 1, 2, "no key" },
	{ "{\"a\":1 \"b\":2}", 1, 8, "no ',' or '}'" },
	{ "[}", 1, 2, "closing bracket" },
	{ "[1}", 1, 3, "no ',' or ']'" },
	{ "[", 1, 2, "ends" },
	{ "{", 1, 2, "ends" },
	{ "{\"a\"", 1, 5, "no ':'" },
	{ "\"a", 1, 1, "without its end" },
	{ "\"a\\", 1, 3, "ends inside a string" },
	{ "\"a\nb\"", 1, 3, "control character" },
	{ "\"\\q\"", 1, 2, "unknown escape" },
	{ "\"\\u00g0\"", 1, 2, "four hexadecimal digits" },
	{ "\"\\u00\"", 1, 2, "four hexadecimal digits" },
	{ "\"\\u0000\"", 1, 2, "NUL" },
	{ "\"\\ud800\"", 1, 2, "surrogate" },
	{ "\"\\ud800\\u0041\"", 1, 2, "surrogate" },
	{ "\"\\udc00\"", 1, 2, "surrogate" },
	{ "\"\\ud83d\\ud83d\"", 1, 2, "surrogate" },
	{ "\"\x80\"", 1, 2, "not UTF-8" },
	{ "\"\xc0\x80\"", 1, 2, "not UTF-8" },
	{ "\"\xe0\x80\x80\"", 1, 2, "not UTF-8" },
	{ "\"\xed\xa0\x80\"", 1, 2, "not UTF-8" },
	{ "\"\xf4\x90\x80\x80\"", 1, 2, "not UTF-8" },
	{ "\"\xf8\x88\x80\x80\x80\"", 1, 2, "not UTF-8" },
	{ "\"\xc3\"", 1, 2, "not UTF-8" },
	{ "01", 1, 1, "leading zero" },
	{ "-", 1, 1, "'-' without a number" },
	{ "+1", 1, 1, "no value" },
	{ ".5", 1, 1, "no value" },
	{ "1.", 1, 1, "ends in '.'" },
	{ "1e", 1, 1, "empty exponent" },
	{ "1x", 1, 2, "text after the end" },
	{ "tru", 1, 1, "no value" },
	{ "truex", 1, 5, "text after the end" },
	{ "NaN", 1, 1, "no value" },
	{ "'a'", 1, 1, "single quote" },
	{ "// x\n1", 1, 1, "comment" },
	{ "[1, /* x */ 2]", 1, 5, "comment" },
	{ "[1 /* x */]", 1, 4, "comment" },
	{ "\f1", 1, 1, "no value" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_refused(refused[i].text, strlen(refused[i].text), refused[i].line, refused[i].column,
			       refused[i].what);
	assert_refused("\"a\0\"", 4, 1, 3, "control character");
	assert_refused("1\0", 2, 1, 2, "text after the end");
	assert_refused("[1,\0 2]", 7, 1, 4, "no value");
}

static void nest(char *text, size_t depth)
{
	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	text[2 * depth] = '\0';
}

static void test_depth(void **state)
{
	char text[2 * JSON_DEPTH_MAX + 3];

	(void)state;
	nest(text, JSON_DEPTH_MAX);
	json_free(read_good(text));
	nest(text, JSON_DEPTH_MAX + 1);
	assert_refused(text, strlen(text), 1, JSON_DEPTH_MAX + 1, "too deeply");
}

/* Duplicates are told, but what else there is can still be read. */
static void test_duplicates(void **state)
{
	static const char text[] = "{\"a\":1,\"b\":{\"x\":1,\"y\":2,\"x\":3},\"\\u0061\":2,\"a\":3}";
	struct json_document *document = NULL;
	struct diagnostics diagnostics;

	(void)state;
	diagnostics_init(&diagnostics);
	assert_int_equal(json_read(text, strlen(text), "f", &diagnostics, &document), 0);
	assert_non_null(document);
	assert_int_equal(diagnostics.error_count, 3);
	diagnostics_sort(&diagnostics);
	assert_string_equal(diagnostics.list[0].what, "duplicate key 'x' (first at 1:13)");
	assert_int_equal(diagnostics.list[0].column, 25);
	assert_string_equal(diagnostics.list[1].what, "duplicate key 'a' (first at 1:2)");
	assert_int_equal(diagnostics.list[1].column, 32);
	assert_int_equal(diagnostics.list[2].column, 43);
	diagnostics_done(&diagnostics);
	json_free(document);
}

static void test_too_long(void **state)
{
	struct json_document *document = NULL;
	struct diagnostics diagnostics;

	(void)state;
	diagnostics_init(&diagnostics);
	assert_int_equal(json_read("", JSON_LEN_MAX + 1, "f", &diagnostics, &document), -EFBIG);
	diagnostics_done(&diagnostics);
}

/* What the writer wrote of VALUES. */
static char *written(void (*write)(struct json_writer *writer))
{
	struct json_writer writer;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	json_writer_init(&writer, stream);
	write(&writer);
	assert_int_equal(fclose(stream), 0);
	return text;
}

static void write_sample(struct json_writer *writer)
{
	json_begin_object(writer);
	json_key(writer, "a\"b");
	json_begin_array(writer);
	json_signed(writer, -1);
	json_unsigned(writer, UINT64_MAX);
	json_bool(writer, true);
	json_null(writer);
	json_begin_object(writer);
	json_end_object(writer);
	json_end_array(writer);
	json_key(writer, "s");
	json_string(writer, "q\"\\\n\t\x01\x7f\xc2\x9b\xc3\xa9\xff");
	json_key(writer, "n");
	json_name(writer, "a\nb\\c\xff", 6);
	json_end_object(writer);
	json_newline(writer);
	json_begin_array(writer);
	json_end_array(writer);
	json_newline(writer);
}

static void test_writer(void **state)
{
	char *text = written(write_sample);

	(void)state;
	assert_string_equal(text, "{\"a\\\"b\":[-1,18446744073709551615,true,null,{}],"
				  "\"s\":\"q\\\"\\\\\\n\\t\\u0001\\u007f\\u009b\xc3\xa9\xef\xbf\xbd\","
				  "\"n\":\"a\\\\x0ab\\\\\\\\c\\\\xff\"}\n[]\n");
	free(text);
}

static void test_names(void **state)
{
	static const struct {
		const char *name;
		const char *shown;
	} names[] = {
		{ "/srv/é ü", "/srv/é ü" },
		{ "a\\b", "a\\\\b" },
		{ "a\nMESSAGE=x", "a\\x0aMESSAGE=x" },
		{ "\x1b[2J", "\\x1b[2J" },
		{ "\x7f", "\\x7f" },
		{ "\xc2\x9b", "\\xc2\\x9b" },
		{ "\xff\xfe", "\\xff\\xfe" },
		{ "\xe2\x82", "\\xe2\\x82" },
		{ "\\x0a", "\\\\x0a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *shown = text_name(names[i].name, strlen(names[i].name));

		assert_string_equal(shown, names[i].shown);
		free(shown);
	}
}

static void test_suggestions(void **state)
{
	static const char *const words[] = { "read", "write", "create", "delete", "attr", NULL };

	(void)state;
	assert_string_equal(text_suggest("raed", words), "read");
	assert_string_equal(text_suggest("wirte", words), "write");
	assert_string_equal(text_suggest("creat", words), "create");
	assert_string_equal(text_suggest("Read", words), "read");
	assert_null(text_suggest("execute", words));
	assert_null(text_suggest("", words));
	assert_null(text_suggest(
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", words));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	    cmocka_unit_test(test_roots),
		cmocka_unit_test(test_integers),    cmocka_unit_test(test_places),
		cmocka_unit_test(test_refused),	    cmocka_unit_test(test_depth),
		cmocka_unit_test(test_duplicates),  cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_writer),	    cmocka_unit_test(test_names),
		cmocka_unit_test(test_suggestions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
