/* SPDX-License-Identifier: GPL-2.0 */
/* What the readers of a policy's parts share: the state of the reading, and checks that report what is wrong. */
#ifndef AGENTCTL_READER_H
#define AGENTCTL_READER_H

#include "ctl/base/json.h"
#include "ctl/pattern/pattern.h"
#include "ctl/policy/coverage.h"
#include "ctl/policy/policy.h"
#include "ctl/policy/variables.h"

#define LIST_MAX 4096 /* members of one list in a rule */

struct reader {
	const struct policy_options *options;
	struct diagnostics *diagnostics;
	struct policy *policy;
	struct variables variables;
	const struct json_document *document; /* of the file being read */
	bool is_included;
	uint32_t depth;			    /* of inclusion */
	const struct policy_bundle *bundle; /* files come from it, not from the system; or NULL */
};

/* An error at the value (or key) of NODE. */
void reader_error(struct reader *reader, const struct json_node *node, const char *remedy, const char *format,
		  ...) __attribute__((format(printf, 4, 5)));
void reader_key_error(struct reader *reader, const struct json_node *node, const char *remedy,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Memory has run out: the reading goes on and fails in the end. */
void reader_no_memory(struct reader *reader);

/* Reports members of OBJECT that are not in the NULL-ended KNOWN; WHERE is "a rule of 'file'". */
void reader_check_keys(struct reader *reader, const struct json_node *object, const char *const *known,
		       const char *where);

/* Is NODE of TYPE? Reports it if not. */
bool reader_is(struct reader *reader, const struct json_node *node, enum json_type type);

/*
 * Calls EACH for the string NODE, or for each string of a list of them; reports
 * other types, empty lists and empty strings. Returns how many were called.
 */
typedef void reader_string_function(struct reader *reader, const struct json_node *string, void *data);
size_t reader_each(struct reader *reader, const struct json_node *node, reader_string_function *each,
		   void *data);

/* Index of the string NODE in WORDS, or -1 after "unknown WHAT 'x' (did you mean 'y'?)". */
int reader_word(struct reader *reader, const struct json_node *node, const char *const *words,
		const char *what);

/* "unknown WHAT 'word' (did you mean 'y'?)" at PLACE, with the WORDS in the remedy. */
void reader_unknown(struct reader *reader, const struct place *place, const char *what, const char *word,
		    const char *const *words);

/* "'WORD' is not enforced by this version yet: …" at PLACE. */
void reader_refuse(struct reader *reader, struct place place, const char *word);

/* Expands the string NODE; false after an error. */
bool reader_expand(struct reader *reader, const struct json_node *node, enum expansion_kind kind,
		   struct expansion *ret);

/* Reports a pattern's error, found in EXPANSION of NODE. */
void reader_pattern_error(struct reader *reader, const struct json_node *node,
			  const struct expansion *expansion, const struct pattern_error *error);

/* "a tag", "a message": a string of one line and at most MAX - 1 bytes; *ret is the caller's. */
void reader_line(struct reader *reader, const struct json_node *node, size_t max, char **ret);

/* A duration such as "90s", "2h" or a number of seconds. */
void reader_check_duration(struct reader *reader, const struct json_node *node);

/* Patterns of one rule while they are gathered. */
struct pattern_list {
	struct pattern **list;
	size_t count;
};

/* Takes ownership of PATTERN also on failure. */
int pattern_list_add(struct pattern_list *patterns, struct pattern *pattern);

/* The union of all, leaving the list empty; *ret is NULL for none. */
int pattern_list_union(struct pattern_list *patterns, struct pattern **ret);
void pattern_list_done(struct pattern_list *patterns);

#endif
