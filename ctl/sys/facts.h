/* SPDX-License-Identifier: GPL-2.0 */
/* What this machine has of what enforcement needs: the facts that `doctor` prints and `load` insists on. */
#ifndef AGENTCTL_FACTS_H
#define AGENTCTL_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#define FACT_TEXT_MAX 256
#define FACTS_MAX 16

struct fact {
	const char *name; /* static: "bpf-lsm" */
	bool is_there;
	bool is_needed;		    /* nothing can be enforced without */
	char detail[FACT_TEXT_MAX]; /* what was found */
	const char *mend;	    /* static: what to do about it; NULL where nothing is to do */
};

/* Looks at the machine; changes nothing. Returns how many facts were written, at most FACTS_MAX. */
size_t facts_gather(struct fact *facts);

/* The first fact that is needed and not there, or NULL. */
const struct fact *facts_lacking(const struct fact *facts, size_t count);

#endif
