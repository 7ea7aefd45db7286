// SPDX-License-Identifier: GPL-2.0
// Splitting a glob into its words: escapes, classes, braces.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "token.h"

/* Braces that are open: where, and how many ways their text can be read. */
struct level {
	uint32_t open; /* token */
	uint32_t last; /* token whose link awaits the next one */
	uint64_t outer_ways;
	uint64_t sum; /* of the alternatives that are complete */
};

struct lexer {
	const uint8_t *text;
	size_t len;
	size_t at;
	bool cross;
	struct nfa_builder *builder;
	struct token *token;
	uint32_t count;
	uint32_t depth;
	uint64_t ways; /* of the alternative being read */
	struct level level[TOKEN_DEPTH_MAX];
	struct pattern_error *error;
};

static int lexer_error(struct lexer *lexer, size_t offset, const char *what, const char *remedy)
{
	*lexer->error = (struct pattern_error){ offset, what, remedy };
	return -EINVAL;
}

static struct token *lexer_push(struct lexer *lexer, enum token_kind kind, size_t offset)
{
	struct token *token = &lexer->token[lexer->count++];

	*token = (struct token){ .kind = kind, .offset = offset };
	return token;
}

/* One member of a class, after a backslash if there is one. */
static int class_byte(struct lexer *lexer, size_t open, unsigned int *ret)
{
	size_t start = lexer->at;

	if (lexer->text[lexer->at] == '\\' && ++lexer->at == lexer->len)
		return lexer_error(lexer, open, "unclosed '['",
				   "close it, or write \\[ for the character itself");
	if (lexer->text[lexer->at] >= 0x80)
		return lexer_error(lexer, start, "a class holds ASCII only",
				   "write the characters as alternatives in braces");
	*ret = lexer->text[lexer->at++];
	return 0;
}

/* A member or a range of them. */
static int class_item(struct lexer *lexer, size_t open, struct byte_set *set)
{
	const uint8_t *text = lexer->text;
	size_t start = lexer->at;
	unsigned int low, high;
	int err;

	if (text[start] == '[' && start + 1 < lexer->len && strchr(":.=", text[start + 1]))
		return lexer_error(lexer, start, "named classes are not known",
				   "write a range such as [a-z], or \\[ for the character itself");
	err = class_byte(lexer, open, &low);
	if (err)
		return err;
	high = low;
	if (lexer->at + 1 < lexer->len && text[lexer->at] == '-' && text[lexer->at + 1] != ']') {
		lexer->at++;
		err = class_byte(lexer, open, &high);
		if (err)
			return err;
	}
	if (low > high)
		return lexer_error(lexer, start, "the range runs backwards", "write its lower end first");
	for (; low <= high; low++)
		byte_set_add(set, low);
	return 0;
}

/*
 * A class. gitignore and AppArmor know '^' as well as '!', and taking it for a
 * member would turn the rule's meaning round.
 */
static int lex_class(struct lexer *lexer)
{
	const uint8_t *text = lexer->text;
	size_t open = lexer->at++;
	struct byte_set set = { 0 };
	bool negated = lexer->at < lexer->len && (text[lexer->at] == '!' || text[lexer->at] == '^');
	size_t first = lexer->at += negated;

	while (lexer->at < lexer->len && (text[lexer->at] != ']' || lexer->at == first)) {
		int err = class_item(lexer, open, &set);

		if (err)
			return err;
	}
	if (lexer->at == lexer->len)
		return lexer_error(lexer, open, "unclosed '['",
				   "close it, or write \\[ for the character itself");
	lexer->at++;
	for (int i = 0; negated && i < 4; i++)
		set.bit[i] = ~set.bit[i];
	if (!lexer->cross)
		set.bit['/' / 64] &= ~(1ull << '/' % 64);
	if (!(set.bit[0] | set.bit[1] | set.bit[2] | set.bit[3]))
		return lexer_error(lexer, open, "the class matches nothing",
				   "a class never matches '/': write the slash outside of it");
	lexer_push(lexer, TOKEN_SET, open)->set = nfa_set(lexer->builder, &set);
	return 0;
}

static int lex_open(struct lexer *lexer)
{
	struct level *level = &lexer->level[lexer->depth];

	if (lexer->depth == TOKEN_DEPTH_MAX)
		return lexer_error(lexer, lexer->at, "braces nest too deeply",
				   "at most 32 levels; write several patterns");
	lexer->depth++;
	level->open = level->last = lexer->count;
	level->outer_ways = lexer->ways;
	level->sum = 0;
	lexer->ways = 1;
	lexer_push(lexer, TOKEN_OPEN, lexer->at++);
	return 0;
}

static int lex_next(struct lexer *lexer)
{
	struct level *level = &lexer->level[lexer->depth - 1];

	lexer->token[level->last].link = lexer->count;
	level->last = lexer->count;
	level->sum += lexer->ways;
	lexer->ways = 1;
	lexer_push(lexer, TOKEN_NEXT, lexer->at++);
	return 0;
}

static int lex_close(struct lexer *lexer)
{
	struct level *level;
	uint64_t ways;

	if (!lexer->depth)
		return lexer_error(lexer, lexer->at, "'}' without its '{'",
				   "write \\} for the character itself");
	level = &lexer->level[--lexer->depth];
	ways = level->outer_ways * (level->sum + lexer->ways);
	if (ways > PATTERN_ALTERNATIVES_MAX)
		return lexer_error(lexer, lexer->token[level->open].offset,
				   "the braces stand for more than 1024 patterns", "write several patterns");
	lexer->token[level->last].link = lexer->count;
	for (uint32_t i = lexer->token[level->open].link; i != lexer->count; i = lexer->token[i].link)
		lexer->token[i].close = lexer->count;
	lexer->ways = ways;
	lexer_push(lexer, TOKEN_CLOSE, lexer->at++);
	return 0;
}

static int lex_escape(struct lexer *lexer)
{
	size_t start = lexer->at++;

	if (lexer->at == lexer->len)
		return lexer_error(lexer, start, "nothing follows the '\\'",
				   "write \\\\ for the character itself");
	if (lexer->text[lexer->at] == '/' && !lexer->cross)
		lexer_push(lexer, TOKEN_SLASH, start);
	else
		lexer_push(lexer, TOKEN_SET, start)->set = lexer->text[lexer->at];
	lexer->at++;
	return 0;
}

static void lex_plain(struct lexer *lexer)
{
	const uint8_t *text = lexer->text;
	size_t at = lexer->at++;

	if (text[at] == '*' && lexer->at < lexer->len && text[lexer->at] == '*') {
		lexer->at++;
		lexer_push(lexer, TOKEN_GLOBSTAR, at);
	} else if (text[at] == '*') {
		lexer_push(lexer, TOKEN_STAR, at);
	} else if (text[at] == '/' && !lexer->cross) {
		lexer_push(lexer, TOKEN_SLASH, at);
	} else if (text[at] == '?') {
		lexer_push(lexer, TOKEN_SET, at)->set = lexer->cross ? NFA_ANY : NFA_COMPONENT;
	} else {
		lexer_push(lexer, TOKEN_SET, at)->set = text[at];
	}
}

static int lex_one(struct lexer *lexer)
{
	switch (lexer->text[lexer->at]) {
	case '[':
		return lex_class(lexer);
	case '{':
		return lex_open(lexer);
	case '}':
		return lex_close(lexer);
	case '\\':
		return lex_escape(lexer);
	case ',':
		if (lexer->depth)
			return lex_next(lexer);
		/* fall through */
	default:
		lex_plain(lexer);
		return 0;
	}
}

int token_split(const char *text, size_t len, bool cross, struct nfa_builder *builder,
		struct token **ret_tokens, struct pattern_error *ret_error)
{
	struct lexer lexer = {
		.text = (const uint8_t *)text,
		.len = len,
		.cross = cross,
		.builder = builder,
		.ways = 1,
		.error = ret_error,
	};
	const char *nul = memchr(text, '\0', len);
	int err = 0;

	if (len > PATTERN_LEN_MAX)
		return lexer_error(&lexer, PATTERN_LEN_MAX, "the pattern is longer than 4096 bytes",
				   "shorten it");
	if (nul)
		return lexer_error(&lexer, nul - text, "a NUL byte", "no name holds one: take it out");
	lexer.token = malloc((len + 1) * sizeof(*lexer.token));
	if (!lexer.token)
		return -ENOMEM;
	while (!err && lexer.at < len)
		err = lex_one(&lexer);
	if (!err && lexer.depth)
		err = lexer_error(&lexer, lexer.token[lexer.level[lexer.depth - 1].open].offset,
				  "unclosed '{'", "close it, or write \\{ for the character itself");
	if (err) {
		free(lexer.token);
		return err;
	}
	lexer_push(&lexer, TOKEN_END, len);
	*ret_tokens = lexer.token;
	return 0;
}
