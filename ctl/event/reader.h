/* SPDX-License-Identifier: GPL-2.0 */
/* Reads both rings in order of time, with the account of what was merged and lost. */
#ifndef AGENTCTL_EVENT_READER_H
#define AGENTCTL_EVENT_READER_H

#include <stdbool.h>
#include <sys/types.h>

#include "ctl/event/sink.h"

#define READER_PIN_DIR "/sys/fs/bpf/agentctl"

/*
 * The pins below the directory: denials and observations (ring buffers), account
 * (struct accounts, memory-mappable), reader (struct reader_state, memory-mappable,
 * this reader's own), buckets (struct bucket_key to struct bucket), told (struct
 * bucket_key to struct told, this reader's own).
 */
struct reader;

/*
 * Open all pins, and take the reader's lock. Returns -ENOENT if nothing is
 * loaded, -EBUSY with the other reader's process id, -EPERM or -EACCES without
 * privileges, -EINVAL if a pin is of another version, or another -errno.
 */
int reader_open(const char *pin_dir, const char *lock_dir, struct reader **ret_reader, pid_t *ret_holder);
void reader_close(struct reader *reader);

/*
 * Give out what waited when it was called, oldest first, and once a second, or
 * if IS_LAST, what was merged and lost. An event leaves its ring only once the
 * sink took it. Returns the sink's error, which leaves that event the next one,
 * or -errno.
 */
int reader_read(struct reader *reader, const struct event_sink *sink, bool is_last);

/* Wait for events, or until the account is due again. 0 for either, -EINTR on a signal. */
int reader_wait(struct reader *reader);

#endif
