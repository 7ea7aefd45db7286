/* SPDX-License-Identifier: GPL-2.0 */
/* Where the text of policy files comes from: the file system, or the bundle of a loaded policy. */
#ifndef AGENTCTL_SOURCE_H
#define AGENTCTL_SOURCE_H

#include "ctl/base/json.h"
#include "ctl/policy/policy.h"

/* The files and -D values of a bundle. */
struct policy_bundle {
	struct json_document *document;
	char *text;
	struct policy_define *defines; /* strings of the document */
	size_t define_count;
};

/*
 * Reads the file PATH of BUNDLE, or of the system if that is NULL. -EFBIG: it is
 * larger than MAX; -EPERM: REFUSE_WRITABLE is set and anybody may write it; else
 * what the system says. The text ends in a NUL beyond its length.
 */
int source_read(const struct policy_bundle *bundle, const char *path, size_t max, bool refuse_writable,
		char **ret_text, size_t *ret_len);

/* -EBADMSG if PATH holds no bundle. */
int bundle_read(const char *path, struct policy_bundle *ret);
void bundle_done(struct policy_bundle *bundle);

/* The name of the policy's own file in a bundle. */
const char *bundle_main(const struct policy_bundle *bundle);

/* policy_read with files from BUNDLE, or from the system if that is NULL. */
int policy_read_from(const char *path, const struct policy_bundle *bundle,
		     const struct policy_options *options, struct diagnostics *diagnostics,
		     struct policy **ret);

#endif
