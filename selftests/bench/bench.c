// SPDX-License-Identifier: GPL-2.0
/*
 * Measures one operation: bench [-p NAME] OPERATION OBJECT COUNT [CGROUP [HOOK...]].
 * Prints what one costs, in instructions under the counting clock: the least of
 * several rounds. Enters CGROUP before ("-" for none); with HOOKs, an LSM program
 * that does nothing is attached to each meanwhile. With -p it prints instead what
 * programs take for it whose names begin with NAME, by the kernel's own account:
 * what the kernel does besides, and does differently each time, is not in that.
 *
 * OPERATION: open OBJECT; cold (opens OBJECT/N/file.txt for each N, once); exec
 * OBJECT; mkdir and symlink (makes OBJECT and removes it); rename OBJECT there and back;
 * fork (and wait); capable (a call that asks for CAP_SYS_ADMIN);
 * any other by the do_ function of its name, to OBJECT if it has one.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 8

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void do_open(const char *object, long i)
{
	int fd = open(object, O_RDONLY);

	if (fd < 0)
		fail(object);
	close(fd);
}

static void do_cold(const char *object, long i)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%05ld/file.txt", object, i);
	do_open(path, i);
}

static void do_exec(const char *object, long i)
{
	char *arguments[] = { (char *)object, NULL }, *environment[] = { NULL };
	pid_t pid;
	int status;

	errno = posix_spawn(&pid, object, NULL, NULL, arguments, environment);
	if (errno || waitpid(pid, &status, 0) != pid || status)
		fail(object);
}

static void do_fork(const char *object, long i)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail("fork");
}

/* Asks for CAP_SYS_ADMIN and does nothing. */
static void do_capable(const char *object, long i)
{
	if (!syscall(SYS_sethostname, "", -1) || errno != EINVAL)
		fail("sethostname");
}

/* Loopback, port 9, where nobody need be. */
static void connect_to(int domain)
{
	static int fd = -1;
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int error;

	six.sin6_port = four.sin_port = htons(9);
	if (fd < 0)
		fd = socket(domain, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	error = domain == AF_INET6 ? connect(fd, (struct sockaddr *)&six, sizeof(six))
				   : connect(fd, (struct sockaddr *)&four, sizeof(four));
	if (error)
		fail("connect");
}

static void do_connect4(const char *object, long i)
{
	connect_to(AF_INET);
}

static void do_connect6(const char *object, long i)
{
	connect_to(AF_INET6);
}

static void do_send(const char *object, long i)
{
	static int fd = -1;
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	four.sin_port = htons(9);
	if (fd < 0)
		fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sendto(fd, "", 1, 0, (struct sockaddr *)&four, sizeof(four)) != 1)
		fail("sendto");
}

static void do_create(const char *object, long i)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fail("socket");
	close(fd);
}

/* Makes a socket and lets the kernel choose its port. */
static void do_bind(const char *object, long i)
{
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&four, sizeof(four)))
		fail("bind");
	close(fd);
}

/* Sends a datagram to OBJECT, a socket of its own. */
static void do_unix(const char *object, long i)
{
	static int fd = -1;
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	char byte;

	strcpy(name.sun_path, object);
	if (fd < 0) {
		unlink(object);
		fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof(name)))
			fail(object);
	}
	if (sendto(fd, "", 1, 0, (struct sockaddr *)&name, sizeof(name)) != 1 || recv(fd, &byte, 1, 0) != 1)
		fail(object);
}

static void do_mkdir(const char *object, long i)
{
	if (mkdir(object, 0755) || rmdir(object))
		fail(object);
}

static void do_symlink(const char *object, long i)
{
	if (symlink("target", object) || unlink(object))
		fail(object);
}

static void do_chmod(const char *object, long i)
{
	if (chmod(object, 0640))
		fail(object);
}

static void do_setxattr(const char *object, long i)
{
	if (setxattr(object, "trusted.bench", "value", 5, 0))
		fail(object);
}

static void do_utimes(const char *object, long i)
{
	if (utimensat(AT_FDCWD, object, NULL, 0))
		fail(object);
}

/* Watches one and the same object, which asks each time. */
static void do_watch(const char *object, long i)
{
	static int watcher = -1;

	if (watcher < 0)
		watcher = inotify_init1(IN_CLOEXEC);
	if (inotify_add_watch(watcher, object, IN_ATTRIB) < 0)
		fail(object);
}

/* A request that no policy is about. */
static void do_ioctl(const char *object, long i)
{
	static int fd = -1;
	int bytes;

	if (fd < 0)
		fd = open(object, O_RDONLY | O_CLOEXEC);
	if (ioctl(fd, FIONREAD, &bytes))
		fail(object);
}

/* Sends itself a descriptor. */
static void do_receive(const char *object, long i)
{
	static int ends[2] = { -1 }, fd;
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	char byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};

	if (ends[0] < 0) {
		fd = open(object, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends))
			fail(object);
	}
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	if (sendmsg(ends[0], &message, 0) != 1 || recvmsg(ends[1], &message, 0) != 1 ||
	    message.msg_flags & MSG_CTRUNC)
		fail("descriptor");
	close(*(int *)CMSG_DATA(&control.header));
}

static void do_truncate(const char *object, long i)
{
	if (truncate(object, 1))
		fail(object);
}

/* There and back: two renames, four names. */
static void do_rename(const char *object, long i)
{
	char other[256];

	snprintf(other, sizeof(other), "%s.x", object);
	if (rename(object, other) || rename(other, object))
		fail(object);
}

/* The program of two instructions: the cost of being hooked at all. */
static void attach_empty(const char *hook)
{
	struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_LSM_MAC);
	int program;

	options.attach_btf_id = libbpf_find_vmlinux_btf_id(hook, BPF_LSM_MAC);
	program = bpf_prog_load(BPF_PROG_TYPE_LSM, "empty", "GPL", code, sizeof(code) / sizeof(code[0]),
				&options);
	if (program < 0 || bpf_raw_tracepoint_open(NULL, program) < 0)
		fail(hook);
}

static void enter(const char *cgroup)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		fail(path);
	close(fd);
}

static long long measure(void (*operation)(const char *, long), const char *object, long count)
{
	long long best = -1;

	operation(object, 0);
	for (int round = 0; round < ROUNDS; round++) {
		long long start = now(), cost;

		for (long i = 0; i < count; i++)
			operation(object, i);
		cost = (now() - start) / count;
		if (best < 0 || cost < best)
			best = cost;
	}
	return best;
}

#define PROGRAMS_MAX 64

/* Descriptors of the programs that are measured: a governed task would not get them. */
static int programs[PROGRAMS_MAX], program_count;

/* Opens those whose names begin with NAME, and has the kernel keep account, as long as this process lives. */
static void programs_open(const char *name)
{
	__u32 id = 0;

	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0)
		fail("run time of programs");
	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0 && program_count < PROGRAMS_MAX && !bpf_obj_get_info_by_fd(fd, &info, &size) &&
		    !strncmp(info.name, name, strlen(name)))
			programs[program_count++] = fd;
		else
			close(fd);
	}
}

static void program_time(unsigned long long *ret_ns, unsigned long long *ret_runs)
{
	*ret_ns = *ret_runs = 0;
	for (int i = 0; i < program_count; i++) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);

		if (bpf_obj_get_info_by_fd(programs[i], &info, &size))
			fail("what programs took (a policy has to allow bpf)");
		*ret_ns += info.run_time_ns;
		*ret_runs += info.run_cnt;
	}
}

static long long measure_program(const char *name, void (*operation)(const char *, long), const char *object,
				 long count)
{
	unsigned long long ns, runs, ns_before, runs_before;

	operation(object, 0);
	program_time(&ns_before, &runs_before);
	for (long i = 0; i < count; i++)
		operation(object, i);
	program_time(&ns, &runs);
	if (runs - runs_before < (unsigned long long)count)
		fail(name);
	return (ns - ns_before + count / 2) / count;
}

/* Each is cold only once: no rounds. */
static long long measure_cold(const char *object, long count)
{
	long long start = now();

	for (long i = 0; i < count; i++)
		do_cold(object, i);
	return (now() - start) / count;
}

static void (*find_file_operation(const char *name))(const char *, long)
{
	static const struct {
		const char *name;
		void (*operation)(const char *, long);
	} table[] = {
		{ "open", do_open },	     { "mkdir", do_mkdir },	{ "symlink", do_symlink },
		{ "setxattr", do_setxattr }, { "utimes", do_utimes },	{ "watch", do_watch },
		{ "ioctl", do_ioctl },	     { "receive", do_receive }, { "chmod", do_chmod },
		{ "truncate", do_truncate }, { "rename", do_rename },	{ "connect4", do_connect4 },
		{ "connect6", do_connect6 }, { "send", do_send },	{ "bind", do_bind },
		{ "create", do_create },     { "unix", do_unix },	{ "fork", do_fork },
		{ "capable", do_capable },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].name, name))
			return table[i].operation;
	fail(name);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *name, *object, *program = NULL;
	long count;

	if (argc > 2 && !strcmp(argv[1], "-p")) {
		program = argv[2];
		argc -= 2;
		argv += 2;
	}
	if (argc < 4)
		return 2;
	name = argv[1];
	object = argv[2];
	count = strtol(argv[3], NULL, 10);
	for (int i = 5; i < argc; i++)
		attach_empty(argv[i]);
	if (program)
		programs_open(program);
	if (argc > 4 && strcmp(argv[4], "-"))
		enter(argv[4]);
	if (program)
		printf("%lld\n", measure_program(program, find_file_operation(name), object, count));
	else if (!strcmp(name, "cold"))
		printf("%lld\n", measure_cold(object, count));
	else if (!strcmp(name, "exec"))
		printf("%lld\n", measure(do_exec, object, count));
	else
		printf("%lld\n", measure(find_file_operation(name), object, count));
	return 0;
}
