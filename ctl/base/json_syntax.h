/* SPDX-License-Identifier: GPL-2.0 */
/* The grammar of JSON, checked byte by byte, because jsmn accepts more than JSON. */
#ifndef AGENTCTL_JSON_SYNTAX_H
#define AGENTCTL_JSON_SYNTAX_H

#include <stddef.h>
#include <stdint.h>

struct json_syntax_error {
	size_t offset;
	const char *what;
	const char *remedy;
};

/* Is TEXT one JSON value (RFC 8259) in UTF-8, no deeper than JSON_DEPTH_MAX? 0, or -EINVAL with *ret_error. */
int json_check(const char *text, size_t len, struct json_syntax_error *ret_error);

/*
 * Decodes the escape at ESCAPE, a checked string's backslash: *ret_code is its
 * character; returns the bytes it takes (2, 6 or, for a surrogate pair, 12).
 */
size_t json_escape(const char *escape, uint32_t *ret_code);

#endif
