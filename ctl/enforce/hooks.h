/* SPDX-License-Identifier: GPL-2.0 */
/* The one table of hooks: what is attached where, and which operation it decides. */
#ifndef AGENTCTL_HOOKS_H
#define AGENTCTL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "kern/abi.h"

#define HOOK_TRUSTED 1
#define HOOK_NEWER 2

/*
 * X(hook, flags, target, decides): HOOK names the program hook_HOOK; with
 * HOOK_TRUSTED, kernels from 6.18 get hook_HOOK_trusted (kern/file.bpf.c says why).
 * TARGET is what the kernel's type information must have for it to attach; with
 * HOOK_NEWER a kernel without it needs none: the act passes another hook there, or
 * does not exist. DECIDES is what `status` shows.
 */
#define HOOKS(X)                                                                                         \
	X(file_open, HOOK_TRUSTED, "bpf_lsm_file_open", "file.read file.write kernel.cgroup kernel.bpf") \
	X(path_mknod, 0, "bpf_lsm_path_mknod", "file.create")                                            \
	X(path_mkdir, 0, "bpf_lsm_path_mkdir", "file.create")                                            \
	X(path_symlink, 0, "bpf_lsm_path_symlink", "file.create")                                        \
	X(path_unlink, 0, "bpf_lsm_path_unlink", "file.delete")                                          \
	X(path_rmdir, 0, "bpf_lsm_path_rmdir", "file.delete")                                            \
	X(path_rename, 0, "bpf_lsm_path_rename", "file.delete file.create file.rename")                  \
	X(path_link, 0, "bpf_lsm_path_link", "file.create file.link")                                    \
	X(path_truncate, 0, "bpf_lsm_path_truncate", "file.write")                                       \
	X(path_chmod, 0, "bpf_lsm_path_chmod", "file.attr")                                              \
	X(path_chown, 0, "bpf_lsm_path_chown", "file.attr")                                              \
	X(bprm_check_security, HOOK_TRUSTED, "bpf_lsm_bprm_check_security", "exec.run")                  \
	X(mmap_file, HOOK_TRUSTED, "bpf_lsm_mmap_file", "exec.map")                                      \
	X(file_mprotect, HOOK_TRUSTED, "bpf_lsm_file_mprotect", "exec.map")                              \
	X(socket_connect, 0, "bpf_lsm_socket_connect", "net.connect")                                    \
	X(socket_sendmsg, 0, "bpf_lsm_socket_sendmsg", "net.connect")                                    \
	X(socket_bind, 0, "bpf_lsm_socket_bind", "net.bind")                                             \
	X(socket_listen, 0, "bpf_lsm_socket_listen", "net.bind")                                         \
	X(socket_accept, 0, "bpf_lsm_socket_accept", "net.accept")                                       \
	X(inet_conn_request, 0, "bpf_lsm_inet_conn_request", "net.accept")                               \
	X(unix_stream_connect, 0, "bpf_lsm_unix_stream_connect", "unix.connect kernel.deputies")         \
	X(unix_may_send, 0, "bpf_lsm_unix_may_send", "unix.connect kernel.deputies")                     \
	X(socket_create, 0, "bpf_lsm_socket_create", "kernel.families kernel.raw_socket")                \
	X(file_receive, HOOK_TRUSTED, "bpf_lsm_file_receive", "file.read file.write")                    \
	X(path_notify, 0, "bpf_lsm_path_notify", "file.read")                                            \
	X(inode_setxattr, 0, "bpf_lsm_inode_setxattr", "file.attr")                                      \
	X(inode_removexattr, 0, "bpf_lsm_inode_removexattr", "file.attr")                                \
	X(inode_setattr, 0, "bpf_lsm_inode_setattr", "file.attr")                                        \
	X(inode_set_acl, HOOK_NEWER, "bpf_lsm_inode_set_acl", "file.attr")                               \
	X(inode_remove_acl, HOOK_NEWER, "bpf_lsm_inode_remove_acl", "file.attr")                         \
	X(inode_file_setattr, HOOK_NEWER, "bpf_lsm_inode_file_setattr", "file.attr")                     \
	X(file_ioctl, HOOK_TRUSTED, "bpf_lsm_file_ioctl",                                                \
	  "kernel.tiocsti kernel.snapshot file.attr signal.*")                                           \
	X(file_ioctl_compat, HOOK_TRUSTED | HOOK_NEWER, "bpf_lsm_file_ioctl_compat",                     \
	  "kernel.tiocsti kernel.snapshot file.attr signal.*")                                           \
	X(task_kill, 0, "bpf_lsm_task_kill", "signal.*")                                                 \
	X(file_fcntl, 0, "bpf_lsm_file_fcntl", "signal.*")                                               \
	X(file_send_sigiotask, 0, "bpf_lsm_file_send_sigiotask", "signals to agentctl itself")           \
	X(ptrace_access_check, 0, "bpf_lsm_ptrace_access_check", "kernel.ptrace")                        \
	X(ptrace_traceme, 0, "bpf_lsm_ptrace_traceme", "kernel.ptrace")                                  \
	X(capable, HOOK_NEWER, "bpf_task_from_pid", "kernel.ptrace")                                     \
	X(task_setrlimit, 0, "bpf_lsm_task_setrlimit", "kernel.ptrace")                                  \
	X(task_setnice, 0, "bpf_lsm_task_setnice", "kernel.ptrace")                                      \
	X(task_setioprio, 0, "bpf_lsm_task_setioprio", "kernel.ptrace")                                  \
	X(task_setscheduler, 0, "bpf_lsm_task_setscheduler", "kernel.ptrace")                            \
	X(sb_mount, 0, "bpf_lsm_sb_mount", "kernel.mount")                                               \
	X(move_mount, 0, "bpf_lsm_move_mount", "kernel.mount")                                           \
	X(sb_umount, 0, "bpf_lsm_sb_umount", "kernel.mount")                                             \
	X(sb_pivotroot, 0, "bpf_lsm_sb_pivotroot", "kernel.mount")                                       \
	X(path_chroot, 0, "bpf_lsm_path_chroot", "kernel.chroot")                                        \
	X(userns_create, 0, "bpf_lsm_userns_create", "kernel.userns")                                    \
	X(capability, 0, "bpf_lsm_capable", "kernel.mount kernel.userns kernel.module")                  \
	X(bpf, 0, "bpf_lsm_bpf", "kernel.bpf")                                                           \
	X(perf_event_open, 0, "bpf_lsm_perf_event_open", "kernel.perf")                                  \
	X(kernel_read_file, 0, "bpf_lsm_kernel_read_file", "kernel.module")                              \
	X(kernel_load_data, 0, "bpf_lsm_kernel_load_data", "kernel.module")                              \
	X(kernel_module_request, 0, "bpf_lsm_kernel_module_request", "kernel.module")                    \
	X(locked_down, 0, "bpf_lsm_locked_down", "kernel.module")                                        \
	X(uring_sqpoll, 0, "bpf_lsm_uring_sqpoll", "kernel.io_uring")                                    \
	X(uring_override_creds, 0, "bpf_lsm_uring_override_creds", "kernel.io_uring")                    \
	X(uring_cmd, 0, "bpf_lsm_uring_cmd", "kernel.io_uring")                                          \
	X(bprm_creds_from_file, 0, "bpf_lsm_bprm_creds_from_file", "kernel.setuid")                      \
	X(bpf_map, 0, "bpf_lsm_bpf_map", "kernel.bpf")                                                   \
	X(bpf_prog, 0, "bpf_lsm_bpf_prog", "kernel.bpf")                                                 \
	X(key_alloc, 0, "bpf_lsm_key_alloc", "kernel.keyring")                                           \
	X(key_permission, 0, "bpf_lsm_key_permission", "kernel.keyring")                                 \
	X(task_alloc, 0, "bpf_lsm_task_alloc", "kernel.cgroup")                                          \
	X(cgroup_mkdir, 0, "btf_trace_cgroup_mkdir", "inheritance by new cgroups")                       \
	X(cgroup_rmdir, 0, "btf_trace_cgroup_rmdir", "cleaning up after old cgroups")                    \
	X(sched_process_fork, 0, "btf_trace_sched_process_fork", "events of new processes")              \
	X(taskstats_exit, HOOK_NEWER, "taskstats_exit", "events of processes that end")                  \
	X(d_move, 0, "__d_move", "renamed directories")

struct hook {
	const char *name;
	unsigned int flags;
	const char *target;
	const char *decides;
};

extern const struct hook hooks[]; /* ended by a NULL name */

/* The hook called NAME, or NULL. */
const struct hook *hook_find(const char *name);
/* Its place in the table, for masks of hooks; the table's length if it is not there. */
size_t hook_index(const char *name);

/* Is the hook at INDEX in the set? */
bool hook_mask_has(const struct hook_mask *mask, size_t index);
void hook_mask_add(struct hook_mask *mask, size_t index);

#endif
