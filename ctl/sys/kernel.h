/* SPDX-License-Identifier: GPL-2.0 */
/* What the running kernel offers: its security modules, type information, the BPF file system. */
#ifndef AGENTCTL_KERNEL_H
#define AGENTCTL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#define BPFFS_MOUNT "/sys/fs/bpf"
#define KERNEL_LSM_FILE "/sys/kernel/security/lsm"

/* The active security modules, comma separated, into TEXT; securityfs is mounted if it must be. 0 or -errno. */
int kernel_modules(char *text, size_t size);

/* Is NAME one of the comma separated modules in TEXT? */
bool kernel_has_module(const char *text, const char *name);

/* Has the kernel type information for CO-RE? */
bool kernel_has_btf(void);

/* Mounts bpffs on BPFFS_MOUNT unless it is there. 0 or -errno. */
int kernel_mount_bpffs(void);
bool kernel_has_bpffs(void);

/* The lockdown mode in force ("none", "integrity", "confidentiality"), "none" if there is no lockdown. */
void kernel_lockdown(char *text, size_t size);

/* May this process load programs (CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN, in effect)? */
bool kernel_may_load(void);

#endif
