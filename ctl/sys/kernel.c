// SPDX-License-Identifier: GPL-2.0
/* What the running kernel offers: its security modules, type information, the BPF file system. */
#include "ctl/sys/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static int read_line(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, text, size - 1);
	close(fd);
	if (len < 0)
		return -errno;
	text[len] = 0;
	text[strcspn(text, "\n")] = 0;
	return 0;
}

int kernel_modules(char *text, size_t size)
{
	int error = read_line(KERNEL_LSM_FILE, text, size);

	if (error == -ENOENT && !mount("securityfs", "/sys/kernel/security", "securityfs",
				       MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		error = read_line(KERNEL_LSM_FILE, text, size);
	return error;
}

bool kernel_has_module(const char *text, const char *name)
{
	size_t len = strlen(name);

	while (text && *text) {
		if (!strncmp(text, name, len) && (!text[len] || text[len] == ','))
			return true;
		text = strchr(text, ',');
		if (text)
			text++;
	}
	return false;
}

bool kernel_has_btf(void)
{
	return !access("/sys/kernel/btf/vmlinux", R_OK);
}

bool kernel_has_bpffs(void)
{
	struct statfs fs;

	return !statfs(BPFFS_MOUNT, &fs) && fs.f_type == BPF_FS_MAGIC;
}

int kernel_mount_bpffs(void)
{
	if (kernel_has_bpffs())
		return 0;
	if (mount("bpf", BPFFS_MOUNT, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=700"))
		return -errno;
	return 0;
}

void kernel_lockdown(char *text, size_t size)
{
	char line[128], *open, *close;

	snprintf(text, size, "none");
	if (read_line("/sys/kernel/security/lockdown", line, sizeof(line)))
		return;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		snprintf(text, size, "%.*s", (int)(close - open - 1), open + 1);
}

bool kernel_may_load(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	unsigned long long caps;

	if (syscall(SYS_capget, &header, data))
		return false;
	caps = data[0].effective | (unsigned long long)data[1].effective << 32;
	return caps >> CAP_SYS_ADMIN & 1 || (caps >> CAP_BPF & 1 && caps >> CAP_PERFMON & 1);
}
