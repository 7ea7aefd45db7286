// SPDX-License-Identifier: GPL-2.0
/* The kernel's own surface: mounts, namespaces, BPF, perf, modules, io_uring's extras, set-id programs. */
#include "special.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define EPERM_IF(x) ((x) ? -EPERM : 0)

/* A constant as what an event is about. */
#define TEXT(id, string) static const volatile char text_##id[] = string

/* What no file names. */
static __always_inline int guard_judge_text(__u32 policy, __u32 op, __u64 text)
{
	struct act act = { .policy = policy, .op = op, .text = text };

	return EPERM_IF(surface_judge(&act, false));
}

static __always_inline int guard_judge(__u32 op, __u64 text)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());

	return policy ? guard_judge_text(policy, op, text) : 0;
}

static __always_inline int guard_judge_path(const struct path *path, __u32 op)
{
	struct act act = { .policy = subject_policy(bpf_get_current_task_btf()), .op = op };

	if (!act.policy)
		return 0;
	act.dentry = (__u64)BPF_CORE_READ(path, dentry);
	act.mnt = (__u64)BPF_CORE_READ(path, mnt);
	return EPERM_IF(surface_judge(&act, false));
}

/*
 * A place to mount on. What hides a BPF file system hides the tool's pins from
 * the tool, and what takes it away ends enforcement: no policy allows that.
 */
static __always_inline int guard_judge_place(const struct path *path)
{
	struct act act = { .policy = subject_policy(bpf_get_current_task_btf()), .op = OP_KERNEL_MOUNT };

	if (!act.policy)
		return 0;
	act.dentry = (__u64)BPF_CORE_READ(path, dentry);
	act.mnt = (__u64)BPF_CORE_READ(path, mnt);
	if (BPF_CORE_READ(path, dentry, d_sb, s_magic) == BPFFS_MAGIC)
		return EPERM_IF(surface_refuse(&act));
	return EPERM_IF(surface_judge(&act, false));
}

/* All that mount(2) does: new mounts, binds, moves, remounts, propagation. */
SEC("lsm/sb_mount")
int BPF_PROG(hook_sb_mount, const char *source, const struct path *path)
{
	return guard_judge_place(path);
}

/* What was made detached gets its place. */
SEC("lsm/move_mount")
int BPF_PROG(hook_move_mount, const struct path *from, const struct path *to)
{
	return guard_judge_place(to);
}

SEC("lsm/sb_umount")
int BPF_PROG(hook_sb_umount, struct vfsmount *mnt)
{
	struct act act = { .policy = subject_policy(bpf_get_current_task_btf()), .op = OP_KERNEL_MOUNT };

	if (!act.policy)
		return 0;
	act.dentry = (__u64)BPF_CORE_READ(mnt, mnt_root);
	act.mnt = (__u64)mnt;
	if (BPF_CORE_READ(mnt, mnt_sb, s_magic) == BPFFS_MAGIC)
		return EPERM_IF(surface_refuse(&act));
	return EPERM_IF(surface_judge(&act, false));
}

SEC("lsm/sb_pivotroot")
int BPF_PROG(hook_sb_pivotroot, const struct path *old, const struct path *fresh)
{
	return guard_judge_path(fresh, OP_KERNEL_MOUNT);
}

/*
 * A browser goes into an empty root once it is in its user namespace: who may make
 * one may do that in it. No name depends on it.
 */
SEC("lsm/path_chroot")
int BPF_PROG(hook_path_chroot, const struct path *path)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 policy = subject_policy(task);

	if (policy && BPF_CORE_READ(task, cred, user_ns, level) > 0 &&
	    surface_allows(policy, OP_KERNEL_USERNS))
		return 0;
	return guard_judge_path(path, OP_KERNEL_CHROOT);
}

TEXT(userns, "user namespace");

SEC("lsm/userns_create")
int BPF_PROG(hook_userns_create)
{
	return guard_judge(OP_KERNEL_USERNS, POINTER_NUMBER(text_userns));
}

/*
 * What has no hook of its own, but asks for a capability on its way: the new mount
 * API (open_tree, fsopen and so on, mount_setattr, which only then can make a
 * mount or a namespace of mounts that no name leads to, or change one in place),
 * entering the mounts of others and user namespaces, removing modules, restarting
 * the machine, and changing what program the kernel says is run. Who lacks the
 * capability is refused before this.
 *
 * The number of the system call tells them apart. It is the one that the kernel
 * acts on: another thread cannot change it. All but four are the same for 32-bit
 * programs; those four are numbers there of calls that never ask.
 */
#define CAP_SYS_MODULE 16
#define CAP_SYS_CHROOT 18
#define CAP_SYS_ADMIN 21
#define CAP_SYS_BOOT 22
#define CAP_SYS_RESOURCE 24
#define CAP_CHECKPOINT_RESTORE 40
#define CAP_OPT_NOAUDIT 2

#define CAPS_ASKED                                                                                        \
	(1ull << CAP_SYS_MODULE | 1ull << CAP_SYS_CHROOT | 1ull << CAP_SYS_ADMIN | 1ull << CAP_SYS_BOOT | \
	 1ull << CAP_SYS_RESOURCE | 1ull << CAP_CHECKPOINT_RESTORE)

#define CALL_OPEN_TREE 428
#define CALL_FSOPEN 430
#define CALL_FSCONFIG 431
#define CALL_FSMOUNT 432
#define CALL_FSPICK 433
#define CALL_MOUNT_SETATTR 442
#define CALL_OPEN_TREE_ATTR 467
#define CALL_X32 0x40000000

#define PR_SET_MM 35

#define CALL_PRCTL_I386 172
#define PR_SET_MM_EXE_FILE 13

/* The system call of the current task and its first arguments. */
struct call {
	__u32 number;
	__u32 first;
	__u32 second;
	bool is_arm;
};

static __always_inline void call_read(struct task_struct *task, struct call *call)
{
	__u64 regs = (__u64)bpf_task_pt_regs(task);
	struct pt_regs___x86 *x86 = (void *)regs;
	struct pt_regs___arm64 *arm64 = (void *)regs;

	if (bpf_core_field_exists(x86->orig_ax)) {
		call->number = BPF_CORE_READ(x86, orig_ax) & ~CALL_X32;
		/* 32-bit programs have them elsewhere; arguments matter to this call alone. */
		call->first = call->number == CALL_PRCTL_I386 ? BPF_CORE_READ(x86, bx)
							      : BPF_CORE_READ(x86, di);
		call->second = call->number == CALL_PRCTL_I386 ? BPF_CORE_READ(x86, cx)
							       : BPF_CORE_READ(x86, si);
		call->is_arm = false;
	} else {
		call->number = BPF_CORE_READ(arm64, syscallno);
		call->first = BPF_CORE_READ(arm64, orig_x0);
		call->second = BPF_CORE_READ(arm64, regs[1]);
		call->is_arm = true;
	}
}

/* The same call on x86-64, for 32-bit programs there, and on arm64. */
static __always_inline bool call_is(const struct call *call, __u32 x86, __u32 i386, __u32 arm64)
{
	if (call->is_arm)
		return call->number == arm64;
	return call->number == x86 || call->number == i386;
}

static __always_inline bool call_is_setns(const struct call *call)
{
	return call_is(call, 308, 346, 268);
}

TEXT(mount, "new mount API");
TEXT(setns, "setns");
TEXT(setns_user, "setns (user namespace)");

static __always_inline bool call_mounts(const struct call *call)
{
	switch (call->number) {
	case CALL_OPEN_TREE:
	case CALL_FSOPEN:
	case CALL_FSCONFIG:
	case CALL_FSMOUNT:
	case CALL_FSPICK:
	case CALL_MOUNT_SETATTR:
	case CALL_OPEN_TREE_ATTR:
		return true;
	}
	return false;
}

TEXT(delete_module, "delete_module");
TEXT(reboot, "reboot");
TEXT(prctl, "PR_SET_MM");

/* What the call that asks for a capability comes to: the operation, and what its event is about. */
struct asked {
	__u32 op; /* OP_COUNT for none */
	__u64 text;
	/* The program's name is what lists go by: no policy allows that a task changes it. */
	bool is_refused;
};

#define ASKED(ret, operation, what)                        \
	do {                                               \
		(ret)->op = (operation);                   \
		(ret)->text = POINTER_NUMBER(text_##what); \
	} while (0)

/*
 * Does a prctl that asks for CAP tell the kernel which program is run? Alone, that
 * takes one capability, which the other parts of PR_SET_MM take, too (managers
 * change their titles so); with a whole map, others, which are asked for that only.
 */
static __always_inline bool call_names_program(const struct call *call, __u32 cap)
{
	if (call->first != PR_SET_MM)
		return false;
	if (cap == CAP_SYS_RESOURCE)
		return call->second == PR_SET_MM_EXE_FILE;
	return cap == CAP_SYS_ADMIN || cap == CAP_CHECKPOINT_RESTORE;
}

static __always_inline void capability_asked(__u32 cap, bool is_other_namespace, struct asked *ret)
{
	struct call call = {};

	ret->op = OP_COUNT;
	call_read(bpf_get_current_task_btf(), &call);
	if (cap == CAP_SYS_ADMIN && call_mounts(&call)) {
		ASKED(ret, OP_KERNEL_MOUNT, mount);
	} else if (cap == CAP_SYS_CHROOT && call_is_setns(&call)) {
		ASKED(ret, OP_KERNEL_MOUNT, setns);
	} else if (cap == CAP_SYS_ADMIN && is_other_namespace && call_is_setns(&call)) {
		ASKED(ret, OP_KERNEL_USERNS, setns_user);
	} else if (cap == CAP_SYS_MODULE && call_is(&call, 176, 129, 106)) {
		ASKED(ret, OP_KERNEL_MODULE, delete_module);
	} else if (cap == CAP_SYS_BOOT && call_is(&call, 169, 88, 142)) {
		ASKED(ret, OP_KERNEL_MODULE, reboot);
	} else if (call_is(&call, 157, CALL_PRCTL_I386, 167) && call_names_program(&call, cap)) {
		ASKED(ret, OP_KERNEL_SETUID, prctl);
		ret->is_refused = true;
	}
}

SEC("lsm/capable")
int BPF_PROG(hook_capability, const struct cred *cred, struct user_namespace *ns, int cap,
	     unsigned int options)
{
	struct asked asked = {};
	struct act act = {};
	struct task_struct *task;

	if (cap < 0 || cap > 63 || !(CAPS_ASKED >> cap & 1) || options & CAP_OPT_NOAUDIT)
		return 0;
	task = bpf_get_current_task_btf();
	act.policy = subject_policy(task);
	if (!act.policy)
		return 0;
	capability_asked(cap, (__u64)ns != (__u64)BPF_CORE_READ(task, cred, user_ns), &asked);
	if (asked.op == OP_COUNT)
		return 0;
	act.op = asked.op;
	act.text = asked.text;
	if (asked.is_refused)
		return EPERM_IF(surface_refuse(&act));
	return EPERM_IF(surface_judge(&act, false));
}

TEXT(bpf, "bpf");

/* The self-check goes on to the hooks on maps and programs. */
SEC("lsm/bpf")
int BPF_PROG(hook_bpf, int command)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());

	if (!policy || (policy == POLICY_CANARY && command == BPF_OBJ_GET))
		return 0;
	return guard_judge_text(policy, OP_KERNEL_BPF, POINTER_NUMBER(text_bpf));
}

/* The tool's maps by the names that they have (programs.c fills them in), its programs by how theirs begin. */
#define OWN_MAPS 48

const volatile char own_maps[OWN_MAPS][16] = {};

#define OWN_PROGRAM 0x5f6b6f6f68ull /* "hook_" */

struct own_search {
	__u64 name[2];
	__u32 is_own;
};

static long own_try(__u32 i, struct own_search *search)
{
	const volatile __u64 *name = (const volatile __u64 *)own_maps[i < OWN_MAPS ? i : 0];

	if (!name[0])
		return 1;
	search->is_own = name[0] == search->name[0] && name[1] == search->name[1];
	return search->is_own;
}

/* A descriptor of the tool's own maps would be a way to write in them, whatever the policy allows. */
SEC("lsm/bpf_map")
int BPF_PROG(hook_bpf_map, struct bpf_map *map)
{
	struct act act = { .policy = subject_policy(bpf_get_current_task_btf()), .op = OP_KERNEL_BPF };
	struct own_search search = {};

	if (!act.policy || bpf_probe_read_kernel(search.name, sizeof(search.name), &map->name))
		return 0;
	bpf_loop(OWN_MAPS, own_try, &search, 0);
	if (!*(volatile __u32 *)&search.is_own)
		return 0;
	act.text = (__u64)&map->name;
	return EPERM_IF(surface_refuse(&act));
}

/* And one of its programs would let another program take the place of their functions. */
SEC("lsm/bpf_prog")
int BPF_PROG(hook_bpf_prog, struct bpf_prog *program)
{
	struct act act = { .policy = subject_policy(bpf_get_current_task_btf()), .op = OP_KERNEL_BPF };
	struct bpf_prog_aux *aux;
	__u64 name = 0;

	if (!act.policy)
		return 0;
	aux = BPF_CORE_READ(program, aux);
	bpf_probe_read_kernel(&name, sizeof(name), &aux->name);
	if ((name & 0xffffffffffull) != OWN_PROGRAM)
		return 0;
	act.text = (__u64)&aux->name;
	return EPERM_IF(surface_refuse(&act));
}

TEXT(perf, "perf_event_open");

#define PERF_SECURITY_OPEN 0

/* To 6.10 the first argument is another. */
const volatile __u32 perf_has_attributes = 0;

/* Asked again for what the event is about: once is enough. */
SEC("lsm/perf_event_open")
int hook_perf_event_open(__u64 *ctx)
{
	__u64 kind = PERF_SECURITY_OPEN;

	/* By the helper, since verifiers take no index that is chosen. */
	bpf_get_func_arg(ctx, perf_has_attributes ? 1 : 0, &kind);
	if ((__u32)kind != PERF_SECURITY_OPEN)
		return 0;
	return guard_judge(OP_KERNEL_PERF, POINTER_NUMBER(text_perf));
}

/* Modules, firmware, images to restart with, and whatever else the kernel believes a file for. */
SEC("lsm/kernel_read_file")
int BPF_PROG(hook_kernel_read_file, struct file *file)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());

	if (!policy)
		return 0;
	return EPERM_IF(surface_judge_file(file, policy, OP_KERNEL_MODULE));
}

TEXT(load, "code for the kernel");

SEC("lsm/kernel_load_data")
int BPF_PROG(hook_kernel_load_data)
{
	return guard_judge(OP_KERNEL_MODULE, POINTER_NUMBER(text_load));
}

/*
 * A module that the kernel fetches by itself, for a socket family or a file
 * system, say, because a governed task asked for what it gives: the call then
 * fails as it does where the module does not exist.
 */
SEC("lsm/kernel_module_request")
int BPF_PROG(hook_kernel_module_request, char *name)
{
	return guard_judge(OP_KERNEL_MODULE, (__u64)name);
}

TEXT(hardware, "kernel memory and hardware");
TEXT(tracing, "tracefs");

#define LOCKED(reason) bpf_core_enum_value(enum lockdown_reason, LOCKDOWN_##reason)

/*
 * What a kernel that is locked down would refuse for its own integrity, and
 * reading its memory: /dev/mem, ports, MSRs, kcore, kprobes, debugfs. Modules,
 * kexec, BPF and perf have hooks of their own. Tracing shows other processes'
 * memory as performance events do.
 */
SEC("lsm/locked_down")
int BPF_PROG(hook_locked_down, int what)
{
	bool is_integrity = what > LOCKED(NONE) && what < LOCKED(INTEGRITY_MAX) &&
			    what != LOCKED(MODULE_SIGNATURE) && what != LOCKED(KEXEC) &&
			    what != LOCKED(BPF_WRITE_USER);

	if (what == LOCKED(TRACEFS))
		return guard_judge(OP_KERNEL_PERF, POINTER_NUMBER(text_tracing));
	if (!is_integrity && what != LOCKED(KCORE) && what != LOCKED(KPROBES) &&
	    what != LOCKED(DBG_READ_KERNEL))
		return 0;
	return guard_judge(OP_KERNEL_MODULE, POINTER_NUMBER(text_hardware));
}

TEXT(sqpoll, "polled submission");
TEXT(personality, "registered credentials");
TEXT(pass_through, "pass-through command");

SEC("lsm/uring_sqpoll")
int BPF_PROG(hook_uring_sqpoll)
{
	return guard_judge(OP_KERNEL_IO_URING, POINTER_NUMBER(text_sqpoll));
}

SEC("lsm/uring_override_creds")
int BPF_PROG(hook_uring_override_creds)
{
	return guard_judge(OP_KERNEL_IO_URING, POINTER_NUMBER(text_personality));
}

SEC("lsm/uring_cmd")
int BPF_PROG(hook_uring_cmd)
{
	return guard_judge(OP_KERNEL_IO_URING, POINTER_NUMBER(text_pass_through));
}

static __always_inline __u64 cred_permitted(const struct cred *cred)
{
	__u64 set = 0;

	bpf_probe_read_kernel(&set, sizeof(set), &cred->cap_permitted);
	return set;
}

/* Root by its namespace's own counting has all capabilities after any exec, set-id or not. */
static __always_inline bool cred_is_root(const struct cred *cred)
{
	struct uid_gid_extent extent = {};
	__u32 uid = BPF_CORE_READ(cred, uid.val), euid = BPF_CORE_READ(cred, euid.val);

	bpf_probe_read_kernel(&extent, sizeof(extent), &BPF_CORE_READ(cred, user_ns)->uid_map.extent[0]);
	return !extent.first && (uid == extent.lower_first || euid == extent.lower_first);
}

/*
 * Set-id bits and capabilities of the file are in the new credentials by now, or
 * were left out for a good reason (nosuid, no_new_privs): only what would be
 * gained is judged, and nothing has been given up yet, so execve can fail.
 */
static __always_inline bool exec_gains(const struct cred *fresh, const struct cred *now)
{
	if (BPF_CORE_READ(fresh, euid.val) != BPF_CORE_READ(now, euid.val) ||
	    BPF_CORE_READ(fresh, egid.val) != BPF_CORE_READ(now, egid.val))
		return true;
	return cred_permitted(fresh) & ~cred_permitted(now) && !cred_is_root(now);
}

SEC("lsm/bprm_creds_from_file")
int BPF_PROG(hook_bprm_creds_from_file, struct linux_binprm *bprm, struct file *file)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 policy = subject_policy(task);

	if (!policy || !exec_gains(BPF_CORE_READ(bprm, cred), BPF_CORE_READ(task, cred)))
		return 0;
	return EPERM_IF(surface_judge_file(file, policy, OP_KERNEL_SETUID));
}

TEXT(clone, "clone into a cgroup");

#define CLONE_INTO_CGROUP_BIT 33

/* Which one is not known here: what comes later has no hook. So "session" does not allow it either. */
SEC("lsm/task_alloc")
int BPF_PROG(hook_task_alloc, struct task_struct *task, unsigned long flags)
{
	if (!(flags >> CLONE_INTO_CGROUP_BIT & 1))
		return 0;
	return guard_judge(OP_KERNEL_CGROUP, POINTER_NUMBER(text_clone));
}

TEXT(key, "key");

/*
 * Keys that were made under an attachment, by address, with its root. Every new key
 * passes key_alloc, so an address that is used again is no longer noted; one that
 * was pushed out is denied.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u64);
} keys SEC(".maps");

static volatile __u64 keys_noted;

#define KEY_ALLOC_UID_KEYRING 0x10 /* a user's: whoever made it, others of the user use it */

SEC("lsm/key_alloc")
int BPF_PROG(hook_key_alloc, struct key *key, const struct cred *cred, unsigned long flags)
{
	__u32 policy = subject_policy(bpf_get_current_task_btf());
	__u64 address = (__u64)key, root;

	if (keys_noted)
		bpf_map_delete_elem(&keys, &address);
	if (!policy || flags & KEY_ALLOC_UID_KEYRING)
		return 0;
	root = task_root();
	keys_noted = 1;
	if (root)
		bpf_map_update_elem(&keys, &address, &root, BPF_ANY);
	return 0;
}

static __always_inline bool key_is_own(const struct cred *cred, __u64 key)
{
	__u64 *root = bpf_map_lookup_elem(&keys, &key);

	if (root && *root && *root == task_root())
		return true;
	return key == (__u64)BPF_CORE_READ(cred, thread_keyring) ||
	       key == (__u64)BPF_CORE_READ(cred, process_keyring);
}

/*
 * Keys and keyrings. Those of the process and the thread and those made inside stay
 * open; the session's that was inherited, the user's and all that others made are
 * not. What the kernel looks up for itself (names of network file systems, say) it
 * does with other credentials than the task's.
 */
SEC("lsm/key_permission")
int hook_key_permission(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 policy = subject_policy(task);
	__u64 key = 0, creds = 0;
	const struct cred *cred;

	if (!policy)
		return 0;
	/* The key's reference is a pointer to a type that nobody defines, which may only be read so; bit 0 is a flag. */
	bpf_get_func_arg(ctx, 0, &key);
	bpf_get_func_arg(ctx, 1, &creds);
	key &= ~1ull;
	cred = (void *)creds;
	if (creds != (__u64)BPF_CORE_READ(task, real_cred) || key_is_own(cred, key))
		return 0;
	return guard_judge_text(policy, OP_KERNEL_KEYRING, POINTER_NUMBER(text_key));
}
