// SPDX-License-Identifier: GPL-2.0
/* The grammar of JSON, checked byte by byte, because jsmn accepts more than JSON. */
#include "ctl/base/json_syntax.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "ctl/base/json.h"
#include "ctl/base/text.h"

struct scanner {
	const char *text;
	size_t len;
	size_t at;
	unsigned int depth;
	char open[JSON_DEPTH_MAX]; /* '{' or '[' of each level */
	struct json_syntax_error *error;
};

static int refuse(struct scanner *scan, size_t offset, const char *what, const char *remedy)
{
	*scan->error = (struct json_syntax_error){ offset, what, remedy };
	return -EINVAL;
}

static char peek(const struct scanner *scan)
{
	return scan->at < scan->len ? scan->text[scan->at] : '\0';
}

static bool at_end(const struct scanner *scan)
{
	return scan->at >= scan->len;
}

static void skip_space(struct scanner *scan)
{
	while (!at_end(scan) && strchr(" \t\r\n", peek(scan)) && peek(scan))
		scan->at++;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The code unit of four hexadecimal digits, or -1. */
static int32_t code_unit(const char *digits, size_t len)
{
	int32_t unit = 0;

	if (len < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int value = hex_value(digits[i]);

		if (value < 0)
			return -1;
		unit = unit << 4 | value;
	}
	return unit;
}

static int check_unicode_escape(struct scanner *scan)
{
	const char *escape = scan->text + scan->at;
	size_t left = scan->len - scan->at;
	int32_t unit = code_unit(escape + 2, left - 2), low = -1;

	if (unit < 0)
		return refuse(scan, scan->at, "'\\u' without four hexadecimal digits",
			      "write them, as in \\u00e9");
	if (!unit)
		return refuse(scan, scan->at, "a NUL character", "remove it: no name or text can hold one");
	if (unit < 0xd800 || unit > 0xdfff) {
		scan->at += 6;
		return 0;
	}
	if (left >= 12 && escape[6] == '\\' && escape[7] == 'u')
		low = code_unit(escape + 8, left - 8);
	if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff)
		return refuse(scan, scan->at, "half of a surrogate pair",
			      "write the character itself, or both halves in order");
	scan->at += 12;
	return 0;
}

static int check_escape(struct scanner *scan)
{
	if (scan->len - scan->at < 2)
		return refuse(scan, scan->at, "the file ends inside a string", "close it with '\"'");
	if (scan->text[scan->at + 1] == 'u')
		return check_unicode_escape(scan);
	if (!scan->text[scan->at + 1] || !strchr("\"\\/bfnrt", scan->text[scan->at + 1]))
		return refuse(scan, scan->at, "an unknown escape in a string", "write \\\\ for a backslash");
	scan->at += 2;
	return 0;
}

static int check_string(struct scanner *scan)
{
	size_t start = scan->at++, size;

	while (!at_end(scan) && peek(scan) != '"') {
		if (peek(scan) == '\\') {
			if (check_escape(scan))
				return -EINVAL;
			continue;
		}
		if ((unsigned char)peek(scan) < 0x20)
			return refuse(scan, scan->at, "a control character in a string",
				      "close the string, or write it as an escape such as \\n");
		size = text_utf8(scan->text + scan->at, scan->len - scan->at, NULL);
		if (!size)
			return refuse(scan, scan->at, "bytes that are not UTF-8", "save the file as UTF-8");
		scan->at += size;
	}
	if (at_end(scan))
		return refuse(scan, start, "a string without its end", "close it with '\"'");
	scan->at++;
	return 0;
}

static void skip_digits(struct scanner *scan)
{
	while (is_digit(peek(scan)))
		scan->at++;
}

static int check_number(struct scanner *scan)
{
	size_t start = scan->at;

	if (peek(scan) == '-')
		scan->at++;
	if (!is_digit(peek(scan)))
		return refuse(scan, start, "'-' without a number", "write the digits after it");
	if (peek(scan) == '0' && scan->at + 1 < scan->len && is_digit(scan->text[scan->at + 1]))
		return refuse(scan, start, "a number with a leading zero", "remove the zero");
	skip_digits(scan);
	if (peek(scan) == '.') {
		scan->at++;
		if (!is_digit(peek(scan)))
			return refuse(scan, start, "a number that ends in '.'", "remove the point");
		skip_digits(scan);
	}
	if (peek(scan) == 'e' || peek(scan) == 'E') {
		scan->at++;
		if (peek(scan) == '+' || peek(scan) == '-')
			scan->at++;
		if (!is_digit(peek(scan)))
			return refuse(scan, start, "a number with an empty exponent", "write a whole number");
		skip_digits(scan);
	}
	return 0;
}

static int check_word(struct scanner *scan)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i]);

		if (scan->len - scan->at >= len && !memcmp(scan->text + scan->at, words[i], len)) {
			scan->at += len;
			return 0;
		}
	}
	if (peek(scan) == '/')
		return refuse(scan, scan->at, "a comment", "remove it: JSON has none");
	if (peek(scan) == '\'')
		return refuse(scan, scan->at, "a single quote", "write strings in double quotes");
	if (peek(scan) == ']' || peek(scan) == '}')
		return refuse(scan, scan->at, "a closing bracket where a value belongs",
			      "remove the comma before it, or write the value");
	if (at_end(scan))
		return refuse(scan, scan->at, "the file ends where a value belongs",
			      "write it, and close what is open");
	return refuse(scan, scan->at, "no value where one belongs",
		      "write a string in double quotes, a number, an array or an object");
}

/* The key and colon before a member's value. */
static int check_key(struct scanner *scan)
{
	skip_space(scan);
	if (peek(scan) == '/')
		return refuse(scan, scan->at, "a comment", "remove it: JSON has none");
	if (peek(scan) == '}')
		return refuse(scan, scan->at, "a '}' after a comma", "remove the comma before it");
	if (at_end(scan))
		return refuse(scan, scan->at, "the file ends inside an object", "close it with '}'");
	if (peek(scan) != '"')
		return refuse(scan, scan->at, "no key where one belongs", "write keys in double quotes");
	if (check_string(scan))
		return -EINVAL;
	skip_space(scan);
	if (peek(scan) != ':')
		return refuse(scan, scan->at, "no ':' after a key", "write ':' and the value");
	scan->at++;
	return 0;
}

/* Opens a level; *ret_is_empty says that it was closed at once. */
static int check_opening(struct scanner *scan, bool *ret_is_empty)
{
	char open = peek(scan);

	if (scan->depth == JSON_DEPTH_MAX)
		return refuse(scan, scan->at, "arrays and objects are nested too deeply",
			      "remove some of the brackets");
	scan->at++;
	skip_space(scan);
	*ret_is_empty = peek(scan) == (open == '{' ? '}' : ']');
	if (*ret_is_empty) {
		scan->at++;
		return 0;
	}
	scan->open[scan->depth++] = open;
	return open == '{' ? check_key(scan) : 0;
}

/* After a value: closes levels until a comma asks for another value or the text is done. */
static int check_closing(struct scanner *scan)
{
	while (scan->depth) {
		bool is_object = scan->open[scan->depth - 1] == '{';

		skip_space(scan);
		if (peek(scan) == ',') {
			scan->at++;
			return is_object ? check_key(scan) : 0;
		}
		if (peek(scan) == '/')
			return refuse(scan, scan->at, "a comment", "remove it: JSON has none");
		if (peek(scan) != (is_object ? '}' : ']') || at_end(scan))
			return is_object ? refuse(scan, scan->at, "no ',' or '}' after a member",
						  "separate members with ',', or close the object with '}'")
					 : refuse(scan, scan->at, "no ',' or ']' after an element",
						  "separate elements with ',', or close the array with ']'");
		scan->at++;
		scan->depth--;
	}
	return 0;
}

static int check_value(struct scanner *scan)
{
	bool is_empty = false;
	char c;

	for (;;) {
		skip_space(scan);
		c = peek(scan);
		if (c != '{' && c != '[')
			break;
		if (check_opening(scan, &is_empty))
			return -EINVAL;
		if (is_empty)
			return 0;
	}
	if (c == '"')
		return check_string(scan);
	if (c == '-' || is_digit(c))
		return check_number(scan);
	return check_word(scan);
}

int json_check(const char *text, size_t len, struct json_syntax_error *ret_error)
{
	struct scanner scan = { .text = text, .len = len, .error = ret_error };

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		return refuse(&scan, 0, "a byte order mark", "save the file as UTF-8 without one");
	skip_space(&scan);
	if (at_end(&scan))
		return refuse(&scan, 0, "the file is empty", "write an object: { \"name\": … }");
	do {
		if (check_value(&scan) || check_closing(&scan))
			return -EINVAL;
	} while (scan.depth);
	skip_space(&scan);
	if (!at_end(&scan))
		return refuse(&scan, scan.at, "text after the end",
			      "remove it, or the bracket too many before it");
	return 0;
}

size_t json_escape(const char *escape, uint32_t *ret_code)
{
	static const char letters[] = "bfnrt", values[] = "\b\f\n\r\t";
	const char *letter;
	int32_t unit;

	if (escape[1] != 'u') {
		letter = strchr(letters, escape[1]);
		*ret_code = letter ? values[letter - letters] : escape[1];
		return 2;
	}
	unit = code_unit(escape + 2, 4);
	if (unit < 0xd800 || unit > 0xdfff) {
		*ret_code = unit;
		return 6;
	}
	*ret_code = 0x10000 + ((unit - 0xd800) << 10) + (code_unit(escape + 8, 4) - 0xdc00);
	return 12;
}
