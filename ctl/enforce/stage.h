/* SPDX-License-Identifier: GPL-2.0 */
/* What the trials of the self-check and their stage share: names, and descriptors that are handed over. */
#ifndef AGENTCTL_STAGE_H
#define AGENTCTL_STAGE_H

#include <sys/socket.h>
#include <sys/un.h>

#include "ctl/enforce/trials.h"

/* In the stage's folder, which is the working directory. */
#define STAGE_FILE "file"
#define STAGE_FOLDER "folder"
/* What should not be made; a name each, so that one hook's lack is not taken for another's. */
#define MADE_FILE "made-file"
#define MADE_FOLDER "made-folder"
#define MADE_LINK "made-link"

/* Makes ADDRESS the abstract one called NAME; returns its length. */
socklen_t stage_name(struct sockaddr_un *address, const char *name);

/* Sends the descriptor FD through the socket DESK. 0 or -errno. */
int stage_send(int desk, int fd);

#endif
