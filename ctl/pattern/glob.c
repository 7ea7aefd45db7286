// SPDX-License-Identifier: GPL-2.0
// Path globs and argument globs: from words to automata, by what a path may look like.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../kern/abi.h"
#include "part.h"
#include "token.h"

#define NAME_LEN_MAX 255 /* NAME_MAX: no file system here has longer components */

/*
 * Braces are not expanded. Every place in the text is read in all the contexts
 * in which an expansion can arrive there: a pair of place and context is a node
 * of the automaton. So each expansion obeys the grammar, at a cost that is
 * linear in the text.
 */
enum context {
	AT_BEGIN,     /* nothing read */
	AT_ROOT,      /* after the leading slash */
	AT_NAME,      /* after another slash */
	AT_ANY_DEPTH, /* after the slash that follows a "**" */
	IN_DOT,	      /* the component is "." so far */
	IN_DOTS,      /* it is ".." */
	IN_NAME,
	IN_STAR,       /* its last word is a star */
	IN_EMPTY_STAR, /* and all its stars have matched nothing yet */
	IN_BARE_DOT,   /* the same five in a pattern without a slash */
	IN_BARE_DOTS,
	IN_BARE_NAME,
	IN_BARE_STAR,
	IN_BARE_EMPTY_STAR,
	AFTER_GLOBSTAR,
	/* DIR/ ** is DIR, too: the slash and the "**" are read without being matched. */
	SKIPPED_SLASH,
	SKIPPED_GLOBSTAR,
	CONTEXTS,
};

#define NO_NODE 0u /* NFA_NODE_FINAL has no place in the text */

struct place {
	uint32_t node[CONTEXTS];
	uint32_t start;	   /* offset of the component */
	uint16_t len;	   /* at least so many bytes of it are read */
	uint16_t depth;	   /* at least so many components are */
	bool leading;	   /* the star before it began the component */
	uint32_t globstar; /* offset of the "**" before it */
};

struct glob {
	struct nfa_builder builder;
	struct token *token;
	struct place *place; /* before each token */
	uint32_t bare;	     /* node of a name at any depth */
	uint8_t shape;
	bool floating;
	struct pattern_error *error;
};

static int glob_error(struct glob *glob, size_t offset, const char *what, const char *remedy)
{
	*glob->error = (struct pattern_error){ offset, what, remedy };
	return -EINVAL;
}

static int error_globstar(struct glob *glob, size_t offset)
{
	return glob_error(glob, offset, "'**' stands only as a whole component",
			  "write '*' within a name, or '/**/' for any depth");
}

static int error_relative(struct glob *glob, uint32_t i)
{
	return glob_error(glob, glob->place[i].start, "a relative path",
			  "begin it with '/', or with '**/' for any depth");
}

static int error_dots(struct glob *glob, uint32_t i)
{
	return glob_error(glob, glob->place[i].start, "no real path has a component '.' or '..'",
			  "write the path that it leads to");
}

static bool is_bare(int context)
{
	return context >= IN_BARE_DOT && context <= IN_BARE_EMPTY_STAR;
}

/* The same context in a pattern without a slash, if BARE. */
static int as_bare(int context, bool bare)
{
	return bare ? context - IN_DOT + IN_BARE_DOT : context;
}

static int as_rooted(int context)
{
	return is_bare(context) ? context - IN_BARE_DOT + IN_DOT : context;
}

static bool is_name_start(int context)
{
	return context == AT_ROOT || context == AT_NAME || context == AT_ANY_DEPTH;
}

static bool is_skipped(int context)
{
	return context == SKIPPED_SLASH || context == SKIPPED_GLOBSTAR;
}

/* The node of CONTEXT before token I. */
static uint32_t glob_node(struct glob *glob, uint32_t i, int context)
{
	uint32_t *node = &glob->place[i].node[context];

	if (*node == NO_NODE)
		*node = nfa_node(&glob->builder);
	return *node;
}

/* Any number of components, then the start of one: from NODE and back to it. */
static void glob_descend(struct glob *glob, uint32_t node)
{
	uint32_t loop = nfa_node(&glob->builder);

	nfa_empty_move(&glob->builder, node, loop);
	nfa_move(&glob->builder, loop, NFA_COMPONENT, loop);
	nfa_move(&glob->builder, loop, '/', node);
}

/* A name without a slash stands for that name at any depth. */
static uint32_t glob_bare(struct glob *glob, uint32_t begin)
{
	if (glob->bare == NO_NODE) {
		glob->bare = nfa_node(&glob->builder);
		glob_descend(glob, glob->bare);
	}
	nfa_move(&glob->builder, begin, '/', glob->bare);
	glob->floating = true;
	glob->shape |= SHAPE_FLOATS;
	return glob->bare;
}

/* The context after one byte of SET. */
static int after_byte(int context, uint32_t set)
{
	bool dot = set == '.';

	switch (context) {
	case AT_BEGIN:
		return dot ? IN_BARE_DOT : IN_BARE_NAME;
	case AT_ROOT:
	case AT_NAME:
	case AT_ANY_DEPTH:
		return dot ? IN_DOT : IN_NAME;
	case IN_DOT:
	case IN_BARE_DOT:
		return as_bare(dot ? IN_DOTS : IN_NAME, is_bare(context));
	default:
		return as_bare(IN_NAME, is_bare(context));
	}
}

static int read_set(struct glob *glob, uint32_t i, int context, uint32_t node)
{
	int plain = as_rooted(context);
	uint32_t set = glob->token[i].set;

	if (context == AFTER_GLOBSTAR)
		return error_globstar(glob, glob->place[i].globstar);
	if (is_skipped(context))
		return 0;
	if (context == AT_BEGIN)
		node = glob_bare(glob, node);
	if (plain == IN_STAR || plain == IN_EMPTY_STAR)
		glob->shape |= glob->place[i].leading ? SHAPE_SUFFIX : SHAPE_INFIX;
	nfa_move(&glob->builder, node, set, glob_node(glob, i + 1, after_byte(context, set)));
	return 0;
}

/*
 * A star that begins a component matches at least one byte if nothing else
 * follows: no component is empty.
 */
static int read_star(struct glob *glob, uint32_t i, int context, uint32_t node)
{
	struct nfa_builder *builder = &glob->builder;
	int plain = as_rooted(context);
	bool begins = is_name_start(context) || context == AT_BEGIN;
	bool bare = is_bare(context) || context == AT_BEGIN;
	uint32_t star;

	if (plain == IN_STAR || plain == IN_EMPTY_STAR || context == AFTER_GLOBSTAR)
		return error_globstar(glob, context == AFTER_GLOBSTAR ? glob->place[i].globstar
								      : glob->token[i].offset);
	if (is_skipped(context))
		return 0;
	if (context == AT_BEGIN)
		node = glob_bare(glob, node);
	star = glob_node(glob, i + 1, as_bare(IN_STAR, bare));
	nfa_move(builder, star, NFA_COMPONENT, star);
	if (begins) {
		nfa_move(builder, node, NFA_COMPONENT, star);
		nfa_empty_move(builder, node, glob_node(glob, i + 1, as_bare(IN_EMPTY_STAR, bare)));
	} else {
		nfa_empty_move(builder, node, star);
	}
	glob->place[i + 1].leading |= begins;
	return 0;
}

static int read_globstar(struct glob *glob, uint32_t i, int context, uint32_t node)
{
	struct nfa_builder *builder = &glob->builder;
	uint32_t root;

	if (context == SKIPPED_SLASH) {
		nfa_empty_move(builder, node, glob_node(glob, i + 1, SKIPPED_GLOBSTAR));
		return 0;
	}
	if (context == SKIPPED_GLOBSTAR)
		return 0;
	if (context != AT_BEGIN && !is_name_start(context))
		return error_globstar(glob, glob->token[i].offset);
	if (context == AT_BEGIN) {
		root = nfa_node(builder);
		nfa_move(builder, node, '/', root);
		node = root;
	}
	if (context == AT_BEGIN || context == AT_ROOT)
		glob->floating = true;
	nfa_empty_move(builder, node, glob_node(glob, i + 1, AFTER_GLOBSTAR));
	glob->place[i + 1].globstar = glob->token[i].offset;
	return 0;
}

static int read_slash(struct glob *glob, uint32_t i, int context, uint32_t node)
{
	struct nfa_builder *builder = &glob->builder;
	bool fresh = glob->place[i + 1].node[AT_ANY_DEPTH] == NO_NODE;

	if (is_bare(context))
		return error_relative(glob, i);
	switch (context) {
	case AT_BEGIN:
		nfa_move(builder, node, '/', glob_node(glob, i + 1, AT_ROOT));
		return 0;
	case AT_ROOT:
	case AT_NAME:
	case AT_ANY_DEPTH:
		return glob_error(glob, glob->token[i].offset, "an empty component", "write one '/'");
	case IN_DOT:
	case IN_DOTS:
		return error_dots(glob, i);
	case IN_NAME:
	case IN_STAR:
		nfa_move(builder, node, '/', glob_node(glob, i + 1, AT_NAME));
		nfa_empty_move(builder, node, glob_node(glob, i + 1, SKIPPED_SLASH));
		return 0;
	case AFTER_GLOBSTAR:
		nfa_empty_move(builder, node, glob_node(glob, i + 1, AT_ANY_DEPTH));
		if (fresh)
			glob_descend(glob, glob->place[i + 1].node[AT_ANY_DEPTH]);
		glob->shape |= SHAPE_FLOATS | (glob->place[i].depth ? SHAPE_SCOPED : 0);
		return 0;
	case SKIPPED_GLOBSTAR:
		nfa_empty_move(builder, node, glob_node(glob, i + 1, SKIPPED_SLASH));
		return 0;
	default:
		return 0;
	}
}

static int read_end(struct glob *glob, uint32_t i, int context, uint32_t node)
{
	switch (as_rooted(context)) {
	case AT_BEGIN:
		return glob_error(glob, glob->token[i].offset, "an empty pattern",
				  "write '/' for the root, '**' for everything");
	case AT_NAME:
	case AT_ANY_DEPTH:
		return glob_error(glob, glob->token[i].offset - 1, "a slash at the end",
				  "take it away, or write '/**' for all that is below");
	case IN_DOT:
	case IN_DOTS:
		return error_dots(glob, i);
	case AFTER_GLOBSTAR:
		nfa_empty_move(&glob->builder, node, NFA_NODE_EVERYTHING);
		glob->shape |= SHAPE_DEEP;
		return 0;
	case AT_ROOT:
	case IN_NAME:
	case IN_STAR:
	case SKIPPED_GLOBSTAR:
		nfa_empty_move(&glob->builder, node, NFA_NODE_FINAL);
		return 0;
	default:
		return 0;
	}
}

/* Everything that holds before token FROM holds before token TO, too. */
static void glob_carry(struct glob *glob, uint32_t from, uint32_t to)
{
	struct place *source = &glob->place[from], *place = &glob->place[to];

	for (int context = 0; context < CONTEXTS; context++)
		if (source->node[context] != NO_NODE)
			nfa_empty_move(&glob->builder, source->node[context], glob_node(glob, to, context));
	if (source->len >= place->len) {
		place->len = source->len;
		place->start = source->start;
	}
	if (source->depth > place->depth)
		place->depth = source->depth;
	place->leading |= source->leading;
	if (source->globstar > place->globstar)
		place->globstar = source->globstar;
}

static void read_open(struct glob *glob, uint32_t i)
{
	uint32_t next = glob->token[i].link;

	glob_carry(glob, i, i + 1);
	for (; glob->token[next].kind == TOKEN_NEXT; next = glob->token[next].link)
		glob_carry(glob, i, next + 1);
}

/* What is known of the component behind token I. */
static int glob_advance(struct glob *glob, uint32_t i)
{
	struct place *place = &glob->place[i], *next = place + 1;
	bool names = false;

	next->len = place->len + (glob->token[i].kind == TOKEN_SET);
	next->depth = place->depth;
	next->start = place->start;
	if (next->len > NAME_LEN_MAX)
		return glob_error(glob, place->start, "a component longer than 255 bytes",
				  "no file can have that name");
	if (glob->token[i].kind == TOKEN_SLASH) {
		for (int context = IN_DOT; context < AFTER_GLOBSTAR; context++)
			names |= place->node[context] != NO_NODE;
		next->depth += names;
		next->len = 0;
		next->start = glob->token[i].offset + 1;
	} else if (glob->token[i].kind != TOKEN_GLOBSTAR && next->depth >= DEPTH_MAX) {
		return glob_error(glob, place->start, "more than 128 components",
				  "deeper names are always denied");
	}
	return 0;
}

static int read_token(struct glob *glob, uint32_t i, int context, uint32_t node)
{
	switch (glob->token[i].kind) {
	case TOKEN_SET:
		return read_set(glob, i, context, node);
	case TOKEN_STAR:
		return read_star(glob, i, context, node);
	case TOKEN_GLOBSTAR:
		return read_globstar(glob, i, context, node);
	case TOKEN_SLASH:
		return read_slash(glob, i, context, node);
	default:
		return read_end(glob, i, context, node);
	}
}

static int read_place(struct glob *glob, uint32_t i)
{
	int err = 0;

	switch (glob->token[i].kind) {
	case TOKEN_OPEN:
		read_open(glob, i);
		return 0;
	case TOKEN_NEXT:
		glob_carry(glob, i, glob->token[i].close + 1);
		return 0;
	case TOKEN_CLOSE:
		glob_carry(glob, i, i + 1);
		return 0;
	}
	for (int context = 0; !err && context < CONTEXTS; context++)
		if (glob->place[i].node[context] != NO_NODE)
			err = read_token(glob, i, context, glob->place[i].node[context]);
	if (!err && glob->token[i].kind != TOKEN_END)
		err = glob_advance(glob, i);
	return err;
}

/* All places, in the order of the text: moves only ever lead forward. */
static int read_places(struct glob *glob, struct pattern **ret)
{
	uint32_t begin, i = 0;
	int err;

	while (glob->token[i].kind != TOKEN_END)
		i++;
	glob->place = calloc(i + 1, sizeof(*glob->place));
	if (!glob->place)
		return -ENOMEM;
	begin = glob_node(glob, 0, AT_BEGIN);
	i = 0;
	do {
		err = read_place(glob, i);
	} while (!err && glob->token[i++].kind != TOKEN_END);
	if (err)
		return err;
	err = part_new(&glob->builder, begin, ret);
	if (err)
		return err;
	(*ret)->shape = glob->shape;
	(*ret)->floating = glob->floating;
	return 0;
}

static void builder_drop(struct nfa_builder *builder)
{
	free(builder->move);
	free(builder->set);
}

int pattern_path(const char *text, size_t len, struct pattern **ret, struct pattern_error *ret_error)
{
	struct glob glob = { .error = ret_error };
	int err = nfa_begin(&glob.builder);

	if (err)
		return err;
	err = token_split(text, len, false, &glob.builder, &glob.token, ret_error);
	if (!err)
		err = read_places(&glob, ret);
	builder_drop(&glob.builder);
	free(glob.token);
	free(glob.place);
	return err;
}

/* NODE[i] is where an argument's text stands before token I. */
static int argument_token(struct nfa_builder *builder, const struct token *token, uint32_t i, uint32_t *node)
{
	uint32_t next = token[i].link;

	switch (token[i].kind) {
	case TOKEN_OPEN:
		nfa_empty_move(builder, node[i], node[i + 1]);
		for (; token[next].kind == TOKEN_NEXT; next = token[next].link)
			nfa_empty_move(builder, node[i], node[next + 1]);
		return 0;
	case TOKEN_NEXT:
		nfa_empty_move(builder, node[i], node[token[i].close + 1]);
		return 0;
	case TOKEN_CLOSE:
		nfa_empty_move(builder, node[i], node[i + 1]);
		return 0;
	case TOKEN_STAR:
		nfa_move(builder, node[i + 1], NFA_ANY, node[i + 1]);
		nfa_empty_move(builder, node[i], node[i + 1]);
		return 0;
	case TOKEN_GLOBSTAR:
		return -EINVAL;
	case TOKEN_END:
		nfa_empty_move(builder, node[i], NFA_NODE_FINAL);
		return 0;
	default:
		nfa_move(builder, node[i], token[i].set, node[i + 1]);
		return 0;
	}
}

static int argument_tokens(struct nfa_builder *builder, const struct token *token, struct pattern **ret,
			   struct pattern_error *ret_error)
{
	uint32_t count = 0, *node;
	int err = 0;

	while (token[count++].kind != TOKEN_END)
		;
	node = malloc(count * sizeof(*node));
	if (!node)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		node[i] = nfa_node(builder);
	for (uint32_t i = 0; !err && i < count; i++) {
		err = argument_token(builder, token, i, node);
		if (err)
			*ret_error = (struct pattern_error){ token[i].offset, "an argument knows no '**'",
							     "write '*', which crosses slashes here" };
	}
	if (!err)
		err = part_new(builder, node[0], ret);
	free(node);
	return err;
}

int pattern_argument(const char *text, size_t len, struct pattern **ret, struct pattern_error *ret_error)
{
	struct nfa_builder builder;
	struct token *token = NULL;
	int err = nfa_begin(&builder);

	if (err)
		return err;
	err = token_split(text, len, true, &builder, &token, ret_error);
	if (!err)
		err = argument_tokens(&builder, token, ret, ret_error);
	builder_drop(&builder);
	free(token);
	return err;
}
