// SPDX-License-Identifier: GPL-2.0
/* The acts by which the self-check tries each hook. */
#include "ctl/enforce/kernel_trials.h"
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

#define TRIAL_PORT 9

static bool is_refused(int result)
{
	return result < 0 && errno == EACCES;
}

static bool refused_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);
	bool refused = is_refused(fd);

	if (fd >= 0)
		close(fd);
	return refused;
}

static bool refused_read(const struct stage *stage)
{
	return refused_open("/", O_RDONLY | O_DIRECTORY);
}

static bool refused_write(const struct stage *stage)
{
	return refused_open("/dev/null", O_WRONLY);
}

static bool refused_create(const struct stage *stage)
{
	return refused_open(MADE_FILE, O_CREAT | O_EXCL | O_WRONLY);
}

static bool refused_mkdir(const struct stage *stage)
{
	return is_refused(mkdir(MADE_FOLDER, 0700));
}

static bool refused_symlink(const struct stage *stage)
{
	return is_refused(symlink(STAGE_FILE, MADE_LINK));
}

static bool refused_unlink(const struct stage *stage)
{
	return is_refused(unlink(STAGE_FILE));
}

static bool refused_rmdir(const struct stage *stage)
{
	return is_refused(rmdir(STAGE_FOLDER));
}

static bool refused_truncate(const struct stage *stage)
{
	return is_refused(truncate(STAGE_FILE, 0));
}

static bool refused_chmod(const struct stage *stage)
{
	return is_refused(chmod(STAGE_FILE, 0600));
}

static bool refused_chown(const struct stage *stage)
{
	return is_refused(chown(STAGE_FILE, -1, -1));
}

static bool refused_rename(const struct stage *stage)
{
	return is_refused(rename(STAGE_FILE, MADE_FILE));
}

static bool refused_link(const struct stage *stage)
{
	return is_refused(link(STAGE_FILE, MADE_FILE));
}

static bool refused_map(const struct stage *stage)
{
	void *memory = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, stage->exe, 0);

	if (memory == MAP_FAILED)
		return is_refused(-1);
	munmap(memory, 1);
	return false;
}

static bool refused_protect(const struct stage *stage)
{
	void *memory = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, stage->exe, 0);
	bool refused;

	if (memory == MAP_FAILED)
		return false;
	refused = is_refused(mprotect(memory, 1, PROT_READ | PROT_EXEC));
	munmap(memory, 1);
	return refused;
}

/* The hook's error is not the system call's: the message comes, and says that something is missing. */
static bool refused_receive(const struct stage *stage)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};

	return recvmsg(stage->mail, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) == 1 &&
	       message.msg_flags & MSG_CTRUNC;
}

static bool refused_watch(const struct stage *stage)
{
	int fd = inotify_init1(IN_CLOEXEC);
	bool refused = fd >= 0 && is_refused(inotify_add_watch(fd, "/", IN_CREATE));

	close(fd);
	return refused;
}

static bool refused_setxattr(const struct stage *stage)
{
	return is_refused(fsetxattr(stage->file, "user.agentctl", "", 0, 0));
}

static bool refused_times(const struct stage *stage)
{
	return is_refused(futimens(stage->file, NULL));
}

static bool refused_removexattr(const struct stage *stage)
{
	return is_refused(fremovexattr(stage->file, "user.agentctl"));
}

static bool refused_set_acl(const struct stage *stage)
{
	static const uint32_t empty = POSIX_ACL_XATTR_VERSION;

	return is_refused(fsetxattr(stage->file, "system.posix_acl_access", &empty, sizeof(empty), 0));
}

static bool refused_remove_acl(const struct stage *stage)
{
	return is_refused(fremovexattr(stage->file, "system.posix_acl_access"));
}

static bool refused_flags(const struct stage *stage)
{
	int flags = 0;

	return is_refused(ioctl(stage->file, FS_IOC_SETFLAGS, &flags));
}

/* On a file that knows nothing of it: the hook comes first. */
static bool refused_keystroke(const struct stage *stage)
{
	return ioctl(stage->file, TIOCSTI, "x") < 0 && errno == EPERM;
}

static bool refused_snapshot(const struct stage *stage)
{
	return ioctl(stage->file, BTRFS_IOC_SUBVOL_CREATE, NULL) < 0 && errno == EPERM;
}

static bool is_forbidden(long result)
{
	return result < 0 && errno == EPERM;
}

/* One that nobody waits for, and that does nothing if it arrives. */
static bool refused_signal(const struct stage *stage)
{
	return is_forbidden(kill(getpid(), SIGURG));
}

/*
 * The other process is the first: it is always there, and neither the self-check's
 * nor this tool's. What is not refused changes nothing about it.
 */
#define OTHER_PROCESS 1

static bool refused_owner(const struct stage *stage)
{
	return is_forbidden(fcntl(stage->mail, F_SETOWN, OTHER_PROCESS));
}

static bool refused_ioctl_owner(const struct stage *stage)
{
	int pid = OTHER_PROCESS;

	return is_forbidden(ioctl(stage->mail, FIOSETOWN, &pid));
}

/* Nobody is told of the refusal but the program itself. */
static bool refused_bell(const struct stage *stage)
{
	return send(stage->bell, "", 1, MSG_NOSIGNAL) == 1;
}

static bool refused_reach(const struct stage *stage)
{
	char byte;
	struct iovec local = { &byte, 1 }, remote = { NULL, 1 };

	return is_forbidden(process_vm_readv(OTHER_PROCESS, &local, 1, &remote, 1, 0));
}

static bool refused_traceme(const struct stage *stage)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(!is_forbidden(ptrace(PTRACE_TRACEME, 0, NULL, NULL)));
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static bool refused_limit(const struct stage *stage)
{
	struct rlimit limit;

	return !prlimit(OTHER_PROCESS, RLIMIT_CORE, NULL, &limit) &&
	       is_forbidden(prlimit(OTHER_PROCESS, RLIMIT_CORE, &limit, NULL));
}

static bool refused_nice(const struct stage *stage)
{
	int nice = getpriority(PRIO_PROCESS, OTHER_PROCESS);

	return is_forbidden(setpriority(PRIO_PROCESS, OTHER_PROCESS, nice));
}

static bool refused_io_priority(const struct stage *stage)
{
	return is_forbidden(syscall(SYS_ioprio_set, 1, OTHER_PROCESS, 0));
}

static bool refused_scheduler(const struct stage *stage)
{
	struct sched_param parameters;

	return !sched_getparam(OTHER_PROCESS, &parameters) &&
	       is_forbidden(sched_setparam(OTHER_PROCESS, &parameters));
}

static bool refused_run(const struct stage *stage)
{
	char *argv[] = { "agentctl", "--version", NULL }, *envp[] = { NULL };

	return is_refused(execve("/proc/self/exe", argv, envp));
}

static bool refused_connect(const struct stage *stage)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(TRIAL_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool refused;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	refused = is_refused(connect(fd, (struct sockaddr *)&address, sizeof(address)));
	close(fd);
	return refused;
}

static bool refused_send(const struct stage *stage)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(TRIAL_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool refused;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	refused = is_refused(sendto(fd, "", 0, 0, (struct sockaddr *)&address, sizeof(address)));
	close(fd);
	return refused;
}

static bool refused_bind(const struct stage *stage)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool refused = is_refused(bind(fd, (struct sockaddr *)&address, sizeof(address)));

	close(fd);
	return refused;
}

static bool refused_listen(const struct stage *stage)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool refused = is_refused(listen(fd, 1));

	close(fd);
	return refused;
}

static bool refused_accept(const struct stage *stage)
{
	return is_refused(accept4(stage->listener, NULL, NULL, SOCK_CLOEXEC));
}

static bool refused_family(const struct stage *stage)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	bool refused = fd < 0 && errno == EPERM;

	if (fd >= 0)
		close(fd);
	return refused;
}

static bool refused_raw(const struct stage *stage)
{
	int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	bool refused = fd < 0 && errno == EPERM;

	if (fd >= 0)
		close(fd);
	return refused;
}

static bool refused_stream(const struct stage *stage)
{
	struct sockaddr_un address;
	socklen_t len = stage_name(&address, stage->stream_name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool refused = is_refused(connect(fd, (struct sockaddr *)&address, len));

	close(fd);
	return refused;
}

static bool refused_datagram(const struct stage *stage)
{
	struct sockaddr_un address;
	socklen_t len = stage_name(&address, stage->mail_name);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool refused = is_refused(sendto(fd, "", 0, MSG_DONTWAIT, (struct sockaddr *)&address, len));

	close(fd);
	return refused;
}

/*
 * Who may not listen has nothing that could be connected to. So the clerk outside
 * does both with a socket that was made here; that the kernel refused the connection
 * shows in the control variable, since nobody is told.
 */
static bool refused_peer(const struct stage *stage)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char done = 0;
	bool sent = fd >= 0 && !stage_send(stage->desk, fd);

	close(fd);
	return sent && read(stage->desk, &done, 1) == 1 && done;
}

const struct trial trials[] = {
	{ "file_open", OP_FILE_READ, refused_read },
	{ "file_open", OP_FILE_WRITE, refused_write },
	{ "path_mknod", OP_FILE_CREATE, refused_create },
	{ "path_mkdir", OP_FILE_CREATE, refused_mkdir },
	{ "path_symlink", OP_FILE_CREATE, refused_symlink },
	{ "path_truncate", OP_FILE_WRITE, refused_truncate },
	{ "path_chmod", OP_FILE_ATTR, refused_chmod },
	{ "path_chown", OP_FILE_ATTR, refused_chown },
	{ "path_unlink", OP_FILE_DELETE, refused_unlink },
	{ "path_rmdir", OP_FILE_DELETE, refused_rmdir },
	{ "path_rename", OP_FILE_DELETE, refused_rename },
	{ "path_link", OP_FILE_LINK, refused_link },
	{ "mmap_file", OP_EXEC_MAP, refused_map },
	{ "file_mprotect", OP_EXEC_MAP, refused_protect },
	{ "file_receive", OP_FILE_READ, refused_receive },
	{ "path_notify", OP_FILE_READ, refused_watch },
	{ "inode_setxattr", OP_FILE_ATTR, refused_setxattr },
	{ "inode_removexattr", OP_FILE_ATTR, refused_removexattr },
	{ "inode_setattr", OP_FILE_ATTR, refused_times },
	{ "inode_set_acl", OP_FILE_ATTR, refused_set_acl },
	{ "inode_remove_acl", OP_FILE_ATTR, refused_remove_acl },
	{ "inode_file_setattr", OP_FILE_ATTR, refused_flags },
	{ "file_ioctl", OP_KERNEL_TIOCSTI, refused_keystroke },
	{ "file_ioctl", OP_KERNEL_SNAPSHOT, refused_snapshot },
	{ "task_kill", OP_SIGNAL_SEND, refused_signal },
	{ "file_fcntl", OP_SIGNAL_SEND, refused_owner },
	{ "file_ioctl", OP_SIGNAL_SEND, refused_ioctl_owner },
	{ "file_send_sigiotask", OP_SIGNAL_SEND, refused_bell },
	{ "ptrace_access_check", OP_KERNEL_PTRACE, refused_reach },
	{ "ptrace_traceme", OP_KERNEL_PTRACE, refused_traceme },
	{ "task_setrlimit", OP_KERNEL_PTRACE, refused_limit },
	{ "task_setnice", OP_KERNEL_PTRACE, refused_nice },
	{ "task_setioprio", OP_KERNEL_PTRACE, refused_io_priority },
	{ "task_setscheduler", OP_KERNEL_PTRACE, refused_scheduler },
	{ "socket_connect", OP_NET_CONNECT, refused_connect },
	{ "socket_sendmsg", OP_NET_CONNECT, refused_send },
	{ "socket_bind", OP_NET_BIND, refused_bind },
	{ "socket_listen", OP_NET_BIND, refused_listen },
	{ "socket_accept", OP_NET_ACCEPT, refused_accept },
	{ "inet_conn_request", OP_NET_ACCEPT, refused_peer },
	{ "unix_stream_connect", OP_UNIX_CONNECT, refused_stream },
	{ "unix_may_send", OP_UNIX_CONNECT, refused_datagram },
	{ "socket_create", OP_KERNEL_FAMILIES, refused_family },
	{ "socket_create", OP_KERNEL_RAW_SOCKET, refused_raw },
	{ "sb_mount", OP_KERNEL_MOUNT, refused_mount },
	{ "move_mount", OP_KERNEL_MOUNT, refused_move_mount },
	{ "sb_umount", OP_KERNEL_MOUNT, refused_umount },
	{ "sb_pivotroot", OP_KERNEL_MOUNT, refused_pivot },
	{ "path_chroot", OP_KERNEL_CHROOT, refused_chroot },
	{ "userns_create", OP_KERNEL_USERNS, refused_userns, moot_anyway },
	{ "capability", OP_KERNEL_MOUNT, refused_open_tree },
	{ "bpf", OP_KERNEL_BPF, refused_bpf },
	{ "perf_event_open", OP_KERNEL_PERF, refused_perf, moot_anyway },
	{ "kernel_read_file", OP_KERNEL_MODULE, refused_module_file, moot_anyway },
	{ "kernel_load_data", OP_KERNEL_MODULE, refused_module, moot_anyway },
	{ "kernel_module_request", OP_KERNEL_MODULE, refused_module_request, moot_module_request },
#ifdef __x86_64__
	{ "locked_down", OP_KERNEL_MODULE, refused_hardware, moot_anyway },
#endif
	{ "uring_sqpoll", OP_KERNEL_IO_URING, refused_polling, moot_anyway },
	{ "bpf_map", OP_KERNEL_BPF, refused_own_map },
	{ "key_permission", OP_KERNEL_KEYRING, refused_key, moot_anyway },
	{ "task_alloc", OP_KERNEL_CGROUP, refused_clone_into },
	{ "file_open", OP_KERNEL_CGROUP, refused_cgroup },
	{ "bprm_check_security", OP_EXEC_RUN, refused_run },
	{ NULL, 0, NULL, NULL },
};

_Static_assert(sizeof(trials) / sizeof(trials[0]) <= TRIALS_MAX, "the canary's answer has room for all");

bool trial_is_moot(const struct trial *trial, const struct stage *stage)
{
	return trial->is_moot && trial->is_moot(trial, stage);
}

bool trial_passes(const struct trial *trial, const struct stage *stage)
{
	__atomic_store_n(&stage->control->canary_hits, 0, __ATOMIC_SEQ_CST);
	return trial->refused(stage) &&
	       __atomic_load_n(&stage->control->canary_hits, __ATOMIC_SEQ_CST) & OP_BIT(trial->op);
}
