// SPDX-License-Identifier: GPL-2.0
/* The acts by which the self-check tries the hooks on the kernel's own surface. */
#include "ctl/enforce/kernel_trials.h"
#include "ctl/enforce/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#ifdef __x86_64__
#include <sys/io.h>
#endif
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_forbidden(long result)
{
	return result < 0 && errno == EPERM;
}

/* Without the hook these fail, too, or change nothing: none is about a real mount. */
bool refused_mount(const struct stage *stage)
{
	return is_forbidden(mount(NULL, STAGE_FOLDER, NULL, MS_REMOUNT, NULL));
}

bool refused_move_mount(const struct stage *stage)
{
	return is_forbidden(syscall(SYS_move_mount, AT_FDCWD, STAGE_FOLDER, AT_FDCWD, STAGE_FOLDER, 0));
}

bool refused_umount(const struct stage *stage)
{
	return is_forbidden(umount2("/", MNT_EXPIRE));
}

bool refused_pivot(const struct stage *stage)
{
	return is_forbidden(syscall(SYS_pivot_root, STAGE_FOLDER, STAGE_FOLDER));
}

bool refused_chroot(const struct stage *stage)
{
	return is_forbidden(chroot("."));
}

bool refused_userns(const struct stage *stage)
{
	return is_forbidden(unshare(CLONE_NEWUSER));
}

bool refused_open_tree(const struct stage *stage)
{
	return is_forbidden(syscall(SYS_open_tree, AT_FDCWD, ".", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
}

bool refused_bpf(const struct stage *stage)
{
	union bpf_attr attributes = { 0 };

	return is_forbidden(syscall(SYS_bpf, BPF_MAP_GET_NEXT_ID, &attributes, sizeof(attributes)));
}

bool refused_perf(const struct stage *stage)
{
	struct perf_event_attr attributes = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attributes) };

	return is_forbidden(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

bool refused_module_file(const struct stage *stage)
{
	return is_forbidden(syscall(SYS_finit_module, stage->exe, "", 0));
}

bool refused_module(const struct stage *stage)
{
	static const char nothing[256]; /* less than a header would not be looked at */

	return is_forbidden(syscall(SYS_init_module, nothing, sizeof(nothing), ""));
}

/* The kernel would have a module looked for that drives this device; it says just that there is none. */
bool refused_module_request(const struct stage *stage)
{
	struct ifreq request = { .ifr_name = "agentctl-none" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool refused = ioctl(fd, SIOCGIFINDEX, &request) < 0;

	close(fd);
	return refused;
}

bool refused_own_map(const struct stage *stage)
{
	union bpf_attr attributes = { .pathname = (uintptr_t)PIN_DIR "/attachments" };

	return is_forbidden(syscall(SYS_bpf, BPF_OBJ_GET, &attributes, sizeof(attributes)));
}

/* Where no session has one yet, it is the user's that cannot be found. */
bool refused_key(const struct stage *stage)
{
	return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0) < 0;
}

bool refused_clone_into(const struct stage *stage)
{
	struct clone_args arguments = { .flags = CLONE_INTO_CGROUP,
					.exit_signal = SIGCHLD,
					.cgroup = stage->cgroup };
	long pid = syscall(SYS_clone3, &arguments, sizeof(arguments));

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return is_forbidden(pid);
}

bool refused_cgroup(const struct stage *stage)
{
	int fd = openat(stage->cgroup, "cgroup.subtree_control", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return is_forbidden(fd);
}

#ifdef __x86_64__
bool refused_hardware(const struct stage *stage)
{
	return is_forbidden(ioperm(0x80, 1, 1));
}
#endif

bool refused_polling(const struct stage *stage)
{
	struct io_uring_params parameters = { .flags = IORING_SETUP_SQPOLL };

	return is_forbidden(syscall(SYS_io_uring_setup, 1, &parameters));
}

/* Is the act refused whoever tries it: by lockdown, a system control, or because the kernel was built without it? */
bool moot_anyway(const struct trial *trial, const struct stage *stage)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		errno = 0;
		_exit(trial->refused(stage) || errno == ENOSPC || errno == ENOSYS || errno == EPERM);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/* Nobody fetches modules where no program does. */
bool moot_module_request(const struct trial *trial, const struct stage *stage)
{
	int fd = open("/proc/sys/kernel/modprobe", O_RDONLY | O_CLOEXEC);
	char first = '\0';

	if (fd >= 0 && read(fd, &first, 1) < 0)
		first = '\0';
	if (fd >= 0)
		close(fd);
	return first != '/';
}
