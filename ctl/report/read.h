/* SPDX-License-Identifier: GPL-2.0 */
/* How long a line may be, and what is put together from one. */
#ifndef AGENTCTL_REPORT_READ_H
#define AGENTCTL_REPORT_READ_H

/* An event's longest line is a tenth of it: 16 KiB of names, six bytes for each. */
#define LINE_BYTES_MAX (1u << 20)

/* All strings of a line together are shorter than the line; their ends and some numbers come on top. */
#define SCRATCH_BYTES (LINE_BYTES_MAX + 256)

#endif
