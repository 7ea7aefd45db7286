/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel types that the programs touch, and of each only the fields that
 * they touch: libbpf relocates every access to the running kernel (CO-RE), so
 * neither order nor offsets matter and building needs no kernel's headers.
 *
 * Written by hand from the kernel's own declarations. A name that ends in
 * ___flavour is a second shape of the same type where kernels differ; the
 * programs ask bpf_core_field_exists() which one they run on.
 */
#ifndef VMLINUX_H
#define VMLINUX_H

#include <linux/types.h>
#include <linux/bpf.h>
#include <stdbool.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef __u16 umode_t;
typedef unsigned int fmode_t;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct iattr {
	unsigned int ia_valid;
};

struct list_head {
	struct list_head *next;
};

struct super_block {
	unsigned long s_flags;
	unsigned long s_magic;
	struct dentry *s_root;
	unsigned int s_dev;
};

/* To 6.17: the mounts of a file system are a ring. */
struct super_block___ring {
	struct list_head s_mounts;
};

/* From 6.18: they are a chain. */
struct super_block___chain {
	struct mount *s_mounts;
};

struct inode {
	umode_t i_mode;
	unsigned int i_flags;
	unsigned long i_ino;
	struct super_block *i_sb;
};

/* From 6.14; before, they were macros that type information does not know. */
enum dentry_flags {
	DCACHE_MOUNTED = 1 << 15,
	DCACHE_PAR_LOOKUP = 1 << 24,
};

struct qstr {
	u32 len;
	u64 hash_len;
	const unsigned char *name;
};

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};

struct seqcount {
	unsigned int sequence;
};

struct seqcount_spinlock {
	struct seqcount seqcount;
};

struct dentry {
	unsigned int d_flags;
	struct seqcount_spinlock d_seq;
	unsigned char d_iname[32];
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	struct super_block *d_sb;
};

/* From 6.15 the name within the dentry is called so. */
union shortname_store {
	unsigned char string[40];
};

struct dentry___short {
	union shortname_store d_shortname;
};

struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb;
	int mnt_flags;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct mnt_namespace {
	struct mount *root;
	u64 event;
};

/* To 6.17: the namespace's number is its own field, 0 in an anonymous one. */
struct mnt_namespace___seq {
	u64 seq;
};

struct ns_common___id {
	u64 ns_id;
};

/* From 6.18: the number is the namespace header's, anonymous ones are marked. */
struct mnt_namespace___id {
	struct ns_common___id ns;
	bool is_anon;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	struct mnt_namespace *mnt_ns;
};

struct mount___ring {
	struct list_head mnt_instance;
};

struct mount___chain {
	struct mount *mnt_next_for_sb;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
	unsigned int f_flags;
	fmode_t f_mode;
};

struct upid {
	int nr;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct fown_struct {
	struct pid *pid;
};

/* To 6.11 within the file, from 6.12 apart. */
struct file___owner {
	struct fown_struct f_owner;
};

struct file___owner_pointer {
	struct fown_struct *f_owner;
};

struct proc_inode {
	struct pid *pid;
	struct inode vfs_inode;
};

struct kernfs_node {
	const char *name;
	u64 id;
};

struct kernfs_node___parent {
	struct kernfs_node *parent;
};

/* From 6.15. */
struct kernfs_node___rcu_parent {
	struct kernfs_node *__parent;
};

struct cgroup_root {
	int hierarchy_id;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
};

struct mm_struct {
	struct file *exe_file;
};

struct signal_struct {
	struct pid *pids[4];
	int group_exit_code;
};

typedef struct {
	u32 val;
} kuid_t;

typedef struct {
	u32 val;
} kgid_t;

struct uid_gid_extent {
	u32 first;
	u32 lower_first;
};

struct uid_gid_map {
	u32 nr_extents;
	struct uid_gid_extent extent[5];
};

struct user_namespace {
	struct uid_gid_map uid_map;
	int level;
};

/* Two words of 32 bits to 6.2, one of 64 from then on: read as eight bytes. */
typedef struct {
	u64 val;
} kernel_cap_t;

struct key;

struct cred {
	kuid_t uid;
	kuid_t euid;
	kgid_t egid;
	kernel_cap_t cap_permitted;
	struct key *process_keyring;
	struct key *thread_keyring;
	struct user_namespace *user_ns;
};

struct io_wq_work {};

struct io_worker {
	struct io_wq_work *cur_work;
};

struct io_kiocb {
	const struct cred *creds;
	struct io_wq_work work;
};

struct task_struct {
	void *stack;
	unsigned int flags;
	void *worker_private;
	const struct cred *real_cred;
	const struct cred *cred;
	int pid;
	int tgid;
	u64 start_boottime;
	u64 parent_exec_id;
	u64 self_exec_id;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct mm_struct *mm;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	struct css_set *cgroups;
	char comm[16];
};

struct linux_binprm {
	struct file *file;
	struct cred *cred;
};

/* The registers with which user space entered the kernel, by architecture. */
struct pt_regs___x86 {
	unsigned long bx;
	unsigned long cx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
};

struct pt_regs___arm64 {
	u64 regs[31];
	u64 orig_x0;
	s32 syscallno;
};

struct bpf_map {
	char name[16];
};

struct bpf_prog_aux {
	char name[16];
};

struct bpf_prog {
	struct bpf_prog_aux *aux;
};

/* Only those that are asked for: their numbers are relocated. */
enum lockdown_reason {
	LOCKDOWN_NONE,
	LOCKDOWN_MODULE_SIGNATURE,
	LOCKDOWN_KEXEC = 4,
	LOCKDOWN_BPF_WRITE_USER = 17,
	LOCKDOWN_INTEGRITY_MAX = 21,
	LOCKDOWN_KCORE = 22,
	LOCKDOWN_KPROBES = 23,
	LOCKDOWN_DBG_READ_KERNEL = 25,
	LOCKDOWN_TRACEFS = 27,
};

struct vm_area_struct {
	struct file *vm_file;
};

struct in6_addr {
	union {
		u8 u6_addr8[16];
	} in6_u;
};

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	u16 skc_num;
	unsigned short skc_family;
	unsigned char skc_ipv6only : 1;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock_cgroup_data {
	struct cgroup *cgroup;
};

struct sock {
	struct sock_common __sk_common;
	u8 sk_kern_sock : 1;
	u8 sk_userlocks : 4;
	u16 sk_type;
	u16 sk_protocol;
	struct sock_cgroup_data sk_cgrp_data;
};

struct socket {
	short type;
	struct sock *sk;
};

struct sockaddr {
	unsigned short sa_family;
};

struct msghdr {
	void *msg_name;
	int msg_namelen;
	unsigned int msg_flags;
};

struct sockaddr_un {
	char sun_path[108];
};

struct unix_address {
	int len;
	struct sockaddr_un name[1];
};

struct unix_sock {
	struct sock sk;
	struct unix_address *addr;
	struct path path;
};

struct request_sock {
	struct sock_common __req_common;
};

struct sk_buff {
	__be16 protocol;
	u16 transport_header;
	unsigned char *head;
};

#pragma clang attribute pop

#endif
