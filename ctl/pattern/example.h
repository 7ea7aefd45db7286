/* SPDX-License-Identifier: GPL-2.0 */
/* Searching an image for a name below a directory that would gain rights by the directory's new name. */
#ifndef AGENTCTL_EXAMPLE_H
#define AGENTCTL_EXAMPLE_H

#include "image.h"

#define EXAMPLE_MAX 256u /* bytes of a name, with its NUL */

/*
 * The shortest name that goes on from TO and from FROM, both behind a slash, and
 * is not contained. Returns 1 with it in RET; 0 if there is none, or none that a
 * short search finds; or -ENOMEM.
 */
int example_find(const struct image_header *image, const struct image_state *to,
		 const struct image_state *from, char ret[EXAMPLE_MAX]);

#endif
