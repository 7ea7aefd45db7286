// SPDX-License-Identifier: GPL-2.0
/* What this machine has of what enforcement needs: the facts that `doctor` prints and `load` insists on. */
#include "ctl/sys/facts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "ctl/sys/cgroup.h"
#include "ctl/sys/kernel.h"

static void look_kernel(struct fact *fact)
{
	struct utsname name;
	unsigned int major = 0, minor = 0;

	uname(&name);
	sscanf(name.release, "%u.%u", &major, &minor);
	fact->is_there = major > 6 || (major == 6 && minor >= 1);
	snprintf(fact->detail, sizeof(fact->detail), "%.100s on %.60s", name.release, name.machine);
}

static void look_bpf_lsm(struct fact *fact)
{
	char modules[FACT_TEXT_MAX - 16];
	int error = kernel_modules(modules, sizeof(modules));

	fact->is_there = !error && kernel_has_module(modules, "bpf");
	if (error)
		snprintf(fact->detail, sizeof(fact->detail), "cannot read %s: %s", KERNEL_LSM_FILE,
			 strerror(-error));
	else
		snprintf(fact->detail, sizeof(fact->detail), "lsm=%s", modules);
}

static void look_btf(struct fact *fact)
{
	fact->is_there = kernel_has_btf();
	snprintf(fact->detail, sizeof(fact->detail), "/sys/kernel/btf/vmlinux is %s",
		 fact->is_there ? "there" : "missing");
}

static void look_cgroup(struct fact *fact)
{
	const char *mount;

	fact->is_there = !cgroup_mount(&mount);
	snprintf(fact->detail, sizeof(fact->detail), "%s",
		 fact->is_there ? mount : "no cgroup version 2 hierarchy is mounted");
}

static void look_bpffs(struct fact *fact)
{
	fact->is_there = kernel_has_bpffs();
	snprintf(fact->detail, sizeof(fact->detail), "%s is %s", BPFFS_MOUNT,
		 fact->is_there ? "mounted" : "not mounted; load mounts it");
}

static void look_privileges(struct fact *fact)
{
	fact->is_there = kernel_may_load();
	snprintf(fact->detail, sizeof(fact->detail), "%s",
		 fact->is_there ? "programs may be loaded" : "no CAP_BPF and CAP_PERFMON here");
}

static void look_lockdown(struct fact *fact)
{
	char mode[32];

	kernel_lockdown(mode, sizeof(mode));
	fact->is_there = strcmp(mode, "confidentiality") != 0;
	snprintf(fact->detail, sizeof(fact->detail), "%s", mode);
}

static const struct {
	const char *name;
	bool is_needed;
	void (*look)(struct fact *fact);
	const char *mend;
} looks[] = {
	{ "kernel", true, look_kernel, "run Linux 6.1 or newer" },
	{ "bpf-lsm", true, look_bpf_lsm,
	  "add bpf to the list of lsm= on the kernel command line, for example "
	  "lsm=landlock,lockdown,yama,integrity,apparmor,bpf in /etc/default/grub, then update-grub and reboot" },
	{ "btf", true, look_btf, "run a kernel built with CONFIG_DEBUG_INFO_BTF=y, such as Debian's" },
	{ "cgroup2", true, look_cgroup,
	  "boot with systemd.unified_cgroup_hierarchy=1, or mount -t cgroup2 none /sys/fs/cgroup" },
	{ "lockdown", true, look_lockdown,
	  "boot without lockdown=confidentiality: it forbids programs to read kernel memory" },
	{ "privileges", true, look_privileges, "run agentctl as root of the host, outside of containers" },
	{ "bpffs", false, look_bpffs, NULL },
};

size_t facts_gather(struct fact *facts)
{
	size_t count = sizeof(looks) / sizeof(looks[0]);

	for (size_t i = 0; i < count; i++) {
		facts[i] = (struct fact){ .name = looks[i].name,
					  .is_needed = looks[i].is_needed,
					  .mend = looks[i].mend };
		looks[i].look(&facts[i]);
	}
	return count;
}

const struct fact *facts_lacking(const struct fact *facts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (facts[i].is_needed && !facts[i].is_there)
			return &facts[i];
	return NULL;
}
