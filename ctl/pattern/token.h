/* SPDX-License-Identifier: GPL-2.0 */
/* The words of a glob, in the order of the text, with its braces linked. */
#ifndef AGENTCTL_TOKEN_H
#define AGENTCTL_TOKEN_H

#include "nfa.h"
#include "pattern.h"

#define TOKEN_DEPTH_MAX 32 /* braces within braces */

enum token_kind {
	TOKEN_SET,	/* one byte out of a set */
	TOKEN_STAR,	/* any run */
	TOKEN_GLOBSTAR, /* ** */
	TOKEN_SLASH,
	TOKEN_OPEN, /* link: the first TOKEN_NEXT of these braces, or their TOKEN_CLOSE */
	TOKEN_NEXT, /* link: the following one, or the TOKEN_CLOSE */
	TOKEN_CLOSE,
	TOKEN_END,
};

struct token {
	uint8_t kind;
	uint32_t offset; /* in the text */
	uint32_t set;	 /* as nfa_move takes it */
	uint32_t link;
	uint32_t close; /* TOKEN_NEXT: the TOKEN_CLOSE */
};

/*
 * Splits TEXT into tokens that end with TOKEN_END; the sets of classes go into
 * BUILDER. CROSS: `?` and negated classes hold '/' too, as in arguments.
 * Returns 0, -EINVAL with *ret_error, or -ENOMEM. *ret_tokens is the caller's to free.
 */
int token_split(const char *text, size_t len, bool cross, struct nfa_builder *builder,
		struct token **ret_tokens, struct pattern_error *ret_error);

#endif
