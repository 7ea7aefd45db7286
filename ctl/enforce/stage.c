// SPDX-License-Identifier: GPL-2.0
/* What the self-check's process finds at hand: files, sockets of the outside, and a process that connects from there. */
#include "ctl/enforce/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/posix_acl_xattr.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

socklen_t stage_name(struct sockaddr_un *address, const char *name)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address->sun_path + 1, name, strlen(name));
	return offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name);
}

int stage_send(int desk, int fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .header = {
			      .cmsg_len = CMSG_LEN(sizeof(int)),
			      .cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS,
		      } };
	struct iovec part = { .iov_base = "", .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return sendmsg(desk, &message, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

/* Sends the descriptor FD to the other end of *RET_MAIL. */
static int post(int fd, int *ret_mail)
{
	int ends[2], error;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	error = stage_send(ends[0], fd);
	close(ends[0]);
	*ret_mail = ends[1];
	return error;
}

/* Receives a socket, listens and tries to connect to it; false at the end. Without a loopback device that fails. */
static bool clerk_serve(int desk)
{
	char control[CMSG_SPACE(sizeof(int))], byte, done;
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t len = sizeof(address);
	int fd = -1, peer;

	if (recvmsg(desk, &message, MSG_CMSG_CLOEXEC) != 1)
		return false;
	if (CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	done = !bind(fd, (struct sockaddr *)&address, len) && !listen(fd, 1) &&
	       !getsockname(fd, (struct sockaddr *)&address, &len) &&
	       connect(peer, (struct sockaddr *)&address, len) < 0 && errno == EINPROGRESS;
	close(peer);
	close(fd);
	return write(desk, &done, 1) == 1;
}

static int hire(struct stage *stage)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	stage->clerk = fork();
	if (!stage->clerk) {
		close(ends[0]);
		while (clerk_serve(ends[1]))
			continue;
		_exit(0);
	}
	close(ends[1]);
	stage->desk = ends[0];
	return stage->clerk < 0 ? -errno : 0;
}

/* Sockets of the outside with abstract names, which nobody has to clean up. */
static int bind_names(struct stage *stage)
{
	struct sockaddr_un address;
	socklen_t len;

	snprintf(stage->stream_name, sizeof(stage->stream_name), "agentctl-stream.%d", getpid());
	snprintf(stage->mail_name, sizeof(stage->mail_name), "agentctl-mail.%d", getpid());
	stage->stream = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	stage->mailbox = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	len = stage_name(&address, stage->stream_name);
	if (bind(stage->stream, (struct sockaddr *)&address, len) || listen(stage->stream, 1))
		return -errno;
	len = stage_name(&address, stage->mail_name);
	return bind(stage->mailbox, (struct sockaddr *)&address, len) ? -errno : 0;
}

static int listen_anywhere(int *ret_listener)
{
	struct sockaddr_in address = { .sin_family = AF_INET };

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*ret_listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*ret_listener < 0 || bind(*ret_listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(*ret_listener, 1))
		return -errno;
	return 0;
}

static int furnish(const char *path)
{
	int folder, file = -1, error = 0;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0)
		file = openat(folder, STAGE_FILE, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (file < 0 || (mkdirat(folder, STAGE_FOLDER, 0700) && errno != EEXIST))
		error = -errno;
	close(file);
	close(folder);
	return error;
}

static void clear(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		return;
	unlinkat(folder, STAGE_FILE, 0);
	unlinkat(folder, STAGE_FOLDER, AT_REMOVEDIR);
	unlinkat(folder, MADE_FILE, 0);
	unlinkat(folder, MADE_FOLDER, AT_REMOVEDIR);
	unlinkat(folder, MADE_LINK, 0);
	close(folder);
	rmdir(path);
}

/* A socket pair of which one end rings for this process, with a signal that does nothing; the other is *RET_BELL. */
static int hang_bell(struct stage *stage)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	stage->bell = ends[0];
	stage->clapper = ends[1];
	if (fcntl(ends[1], F_SETOWN, getpid()) || fcntl(ends[1], F_SETSIG, SIGURG) ||
	    fcntl(ends[1], F_SETFL, O_ASYNC))
		return -errno;
	return 0;
}

int stage_init(struct stage *stage, struct control *control, const char *cgroup)
{
	int error;

	stage->control = control;
	stage->mail = stage->bell = stage->clapper = -1;
	stage->listener = stage->desk = stage->clerk = stage->stream = stage->mailbox = -1;
	snprintf(stage->folder, sizeof(stage->folder), RUN_DIR "/self-check.%d", getpid());
	stage->file = open(RUN_DIR, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	stage->exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	stage->cgroup = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (stage->exe < 0 || stage->file < 0 || stage->cgroup < 0)
		return -errno;
	error = furnish(stage->folder);
	if (!error)
		error = hang_bell(stage);
	if (!error)
		error = post(stage->exe, &stage->mail);
	if (!error)
		error = listen_anywhere(&stage->listener);
	if (!error)
		error = bind_names(stage);
	return error ? error : hire(stage);
}

void stage_done(struct stage *stage)
{
	clear(stage->folder);
	if (stage->exe >= 0)
		close(stage->exe);
	if (stage->file >= 0)
		close(stage->file);
	if (stage->cgroup >= 0)
		close(stage->cgroup);
	if (stage->mail >= 0)
		close(stage->mail);
	if (stage->bell >= 0)
		close(stage->bell);
	if (stage->clapper >= 0)
		close(stage->clapper);
	if (stage->listener >= 0)
		close(stage->listener);
	if (stage->stream >= 0)
		close(stage->stream);
	if (stage->mailbox >= 0)
		close(stage->mailbox);
	/* Its end of the desk tells the clerk to go. */
	if (stage->desk >= 0)
		close(stage->desk);
	if (stage->clerk > 0)
		waitpid(stage->clerk, NULL, 0);
}
