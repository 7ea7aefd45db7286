/* SPDX-License-Identifier: GPL-2.0 */
/* A policy as read from its file and everything it includes, and its compilation to an image. */
#ifndef AGENTCTL_POLICY_H
#define AGENTCTL_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/diagnostic.h"
#include "kern/abi.h"

#define POLICY_FILE_MAX (1u << 20) /* bytes of one policy file */
#define POLICY_FILES_MAX 64	   /* files of one policy with all it includes */
#define POLICY_TEXT_MAX (4u << 20) /* bytes of all of them */
#define POLICY_INCLUDE_DEPTH_MAX 16
#define POLICY_RULES_MAX (RULES_MAX - 1)

/* Sections whose rules decide operations, in the order in which their rules are numbered. */
enum section {
	SECTION_FILE,
	SECTION_EXEC,
	SECTION_NET,
	SECTION_SIGNAL,
	SECTION_COUNT,
};

extern const char *const section_names[SECTION_COUNT];

/* One NAME=VALUE: a -D, or what `run` knows of the invoking user ("HOME", "env.PATH"). */
struct policy_define {
	const char *name;
	const char *value;
};

struct policy_options {
	const struct policy_define *defines; /* -D, the first of a name wins */
	size_t define_count;
	const struct policy_define *user; /* for `run` alone: HOME, USER, UID, PWD, env.NAME…; else NULL */
	size_t user_count;
	bool is_run;		    /* `user` is meant, and words an error about ${env.X} */
	bool refuse_writable;	    /* `load`: a file that anybody may write is no policy */
	bool wants_notes;	    /* `load`: warn of symbolic links on this machine that shape rules */
	const char *shipped_folder; /* NULL: DATADIR/policies */
};

struct pattern;

struct policy_rule {
	struct place place; /* of its '{' */
	enum section section;
	uint32_t index; /* in its section; included rules come after own ones */
	bool is_included;
	uint32_t depth; /* of inclusion: 0 for own rules, 1 for those of a file that the policy includes */
	enum verb verb;
	uint32_t operations; /* those it names that this version enforces */
	enum severity severity;
	char *tag;		 /* or NULL */
	char *message;		 /* or NULL */
	uint32_t targets;	 /* signal: mask of enum target, */
	uint64_t signals;	 /* and of the signals, bit 0 for signal 1 */
	bool names_anonymous;	 /* exec: one of its paths is anon: */
	bool is_unix;		 /* net: it is about Unix sockets, */
	bool names_session;	 /* also those of its own attachment, */
	struct pattern *names;	 /* and these abstract ones, with a slash for the '@'; or NULL */
	struct pattern *pattern; /* what it matches; NULL if nothing that has a name or address */
	struct pattern
		*written; /* the same without this machine's links, addresses and -D, where that differs */
	bool is_local;	  /* this machine or a -D has shaped it: `written` holds (NULL: matches nothing) */
};

struct policy_section {
	bool is_present;
	enum verb fallback;
	struct place place; /* of the default, or of the section if it names none */
};

/* What the kernel section says of one operation. */
struct policy_surface {
	struct place place; /* of the value; no file if nothing says anything */
	bool is_allowed;
	bool is_session;	  /* allowed on what is under the same attachment */
	struct pattern *programs; /* the ones that may, or NULL */
};

struct policy_test {
	struct place place; /* of its object */
	enum operation op;
	uint32_t detail; /* the signal */
	char *object;
	char *target; /* new name of a rename or link, else NULL */
	enum verb expect;
	char *tag;  /* or NULL: any */
	int reason; /* enum reason, or -1 for any */
};

/* One file of the policy as it was read. */
struct policy_file {
	char *path; /* as errors name it */
	char *text;
	size_t len_bytes;
	char *real;   /* what tells it from other files */
	bool is_open; /* while it and what it includes are being read */
};

struct policy {
	char name[POLICY_NAME_MAX];
	char *description; /* or NULL */
	bool is_audit;
	uint32_t observed;			 /* mask of operations, */
	uint64_t signals_observed;		 /* and of the signals among them, bit 0 for signal 1 */
	struct policy_surface surface[OP_COUNT]; /* of the kernel section's operations */
	uint64_t families; /* that sockets may have beside those that are judged, by family_find() */
	struct policy_section section[SECTION_COUNT];
	struct policy_rule *rules; /* rule r of the image is rules[r] */
	size_t rule_count;
	struct policy_test *tests;
	size_t test_count;
	struct policy_file *files; /* the policy's own file first */
	size_t file_count;
};

/*
 * Reads the policy in PATH. Returns 0; -EINVAL with all that is wrong in
 * DIAGNOSTICS; or another -errno if PATH itself could not be read. Warnings are
 * added on success, too. *ret is freed with policy_free.
 */
int policy_read(const char *path, const struct policy_options *options, struct diagnostics *diagnostics,
		struct policy **ret);

void policy_free(struct policy *policy);

/*
 * Compiles POLICY to an image with generation 0. Returns 0; -EINVAL for rules
 * that can never win, and -E2BIG for rules too many or too complex, both named
 * in DIAGNOSTICS; or -ENOMEM. *ret is one block of *ret_bytes, freed with free().
 */
int policy_compile(const struct policy *policy, struct diagnostics *diagnostics, struct image_header **ret,
		   size_t *ret_bytes);

/* A policy with its image: what load, test and explain work on. */
struct compiled {
	struct policy *policy;
	struct image_header *image;
	size_t image_bytes;
};

/* Reads and compiles; errors as of the two. DIAGNOSTICS are sorted. *ret is emptied on failure. */
int policy_open(const char *path, const struct policy_options *options, struct diagnostics *diagnostics,
		struct compiled *ret);
void compiled_done(struct compiled *compiled);

/*
 * Runs the policy's own tests; each failure is an error in DIAGNOSTICS at the
 * test's place. Returns 0, -EINVAL if one failed, or -ENOMEM.
 */
int policy_run_tests(const struct compiled *compiled, struct diagnostics *diagnostics);

/*
 * A bundle keeps what `load` compiled, so that `explain NAME` still finds it:
 * the text of each file with the name that errors give it, and the -D values.
 */
int policy_write_bundle(const struct policy *policy, const struct policy_options *options, int fd);

/* policy_open for the bundle in PATH. -EBADMSG if it is none. */
int policy_open_bundle(const char *path, struct diagnostics *diagnostics, struct compiled *ret);

#endif
