/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel programs and the control tool agree on: operations, the policy image, attachments, events. */
#ifndef AGENTCTL_ABI_H
#define AGENTCTL_ABI_H

#ifdef __bpf__
#include "vmlinux.h"
#else
#include <linux/types.h>
#endif

#define ABI_VERSION 2

/*
 * The one table of operations. SECTION and NAME are the words of the policy
 * language; HOOKED says whether a kernel program of this version decides it.
 * The position is the index into every mask of operations. Those that rules about
 * names and addresses decide come first, so that it is the index into a verdict
 * row, too; the kernel section's come last, in a row of programs they count from
 * OP_KERNEL_FIRST.
 *
 *	X(ID, section, name, hooked)
 */
#define OPERATIONS(X)                                   \
	X(FILE_READ, "file", "read", 1)                 \
	X(FILE_WRITE, "file", "write", 1)               \
	X(FILE_CREATE, "file", "create", 1)             \
	X(FILE_DELETE, "file", "delete", 1)             \
	X(FILE_ATTR, "file", "attr", 1)                 \
	X(EXEC_RUN, "exec", "run", 1)                   \
	X(EXEC_MAP, "exec", "map", 1)                   \
	X(NET_CONNECT, "net", "connect", 1)             \
	X(NET_BIND, "net", "bind", 1)                   \
	X(NET_ACCEPT, "net", "accept", 1)               \
	X(UNIX_CONNECT, "unix", "connect", 1)           \
	X(UNIX_BIND, "unix", "bind", 1)                 \
	X(FILE_RENAME, "file", "rename", 1)             \
	X(FILE_LINK, "file", "link", 1)                 \
	X(SIGNAL_SEND, "signal", "*", 1)                \
	X(KERNEL_TIOCSTI, "kernel", "tiocsti", 1)       \
	X(KERNEL_SNAPSHOT, "kernel", "snapshot", 1)     \
	X(KERNEL_MOUNT, "kernel", "mount", 1)           \
	X(KERNEL_USERNS, "kernel", "userns", 1)         \
	X(KERNEL_BPF, "kernel", "bpf", 1)               \
	X(KERNEL_PERF, "kernel", "perf", 1)             \
	X(KERNEL_MODULE, "kernel", "module", 1)         \
	X(KERNEL_KEYRING, "kernel", "keyring", 1)       \
	X(KERNEL_IO_URING, "kernel", "io_uring", 1)     \
	X(KERNEL_RAW_SOCKET, "kernel", "raw_socket", 1) \
	X(KERNEL_FAMILIES, "kernel", "families", 1)     \
	X(KERNEL_CGROUP, "kernel", "cgroup", 1)         \
	X(KERNEL_CHROOT, "kernel", "chroot", 1)         \
	X(KERNEL_SETUID, "kernel", "setuid", 1)         \
	X(KERNEL_DEPUTIES, "kernel", "deputies", 1)     \
	X(KERNEL_PTRACE, "kernel", "ptrace", 1)

enum operation {
#define X(id, section, name, hooked) OP_##id,
	OPERATIONS(X) OP_COUNT,
#undef X
};

#define OP_BIT(op) (1u << (op))
#define OPS_MAX 32 /* a mask of operations is one word */

enum {
#define X(id, section, name, hooked) | ((hooked) ? OP_BIT(OP_##id) : 0)
	OPS_HOOKED = 0 OPERATIONS(X),
#undef X
};

/* The operations that a path decides; unix sockets are named by their path, too. */
#define OPS_FILE                                                                                          \
	(OP_BIT(OP_FILE_READ) | OP_BIT(OP_FILE_WRITE) | OP_BIT(OP_FILE_CREATE) | OP_BIT(OP_FILE_DELETE) | \
	 OP_BIT(OP_FILE_ATTR))
#define OPS_EXEC (OP_BIT(OP_EXEC_RUN) | OP_BIT(OP_EXEC_MAP))
#define OPS_NET (OP_BIT(OP_NET_CONNECT) | OP_BIT(OP_NET_BIND) | OP_BIT(OP_NET_ACCEPT))
#define OPS_UNIX (OP_BIT(OP_UNIX_CONNECT) | OP_BIT(OP_UNIX_BIND))
/*
 * What the kernel offers beyond files, programs and addresses: every policy decides
 * it, by its image's fallback, and for some of it by which program asks.
 */
#define OP_KERNEL_FIRST OP_KERNEL_TIOCSTI
#define OPS_KERNEL (OP_BIT(OP_COUNT) - OP_BIT(OP_KERNEL_FIRST))
/* Of the kernel section what belongs to the net section: it is decided where that one stands. */
#define OPS_FAMILY (OP_BIT(OP_KERNEL_RAW_SOCKET) | OP_BIT(OP_KERNEL_FAMILIES))
#define OPS_PATH (OPS_FILE | OPS_EXEC | OPS_UNIX)

/* Events that are no operations: no policy decides them, they complete the tree of processes. X(ID, word) */
#define LIFE(X)         \
	X(FORK, "fork") \
	X(EXIT, "exit")

enum life {
	EVENT_LIFE = OPS_MAX -
		     1, /* in events their numbers follow those of all operations that there can be */
#define X(id, word) EVENT_##id,
	LIFE(X) EVENT_LIFE_END,
#undef X
};

enum verb {
	VERB_DENY,
	VERB_ALLOW,
	VERB_AUDIT,
	VERB_ASK,
};

/* X(ID, word): why a verdict fell, as it stands in events. */
#define REASONS(X)              \
	X(RULE, "rule")         \
	X(DEFAULT, "default")   \
	X(WIDENS, "widens")     \
	X(TOO_DEEP, "too-deep") \
	X(TOO_LONG, "too-long") \
	X(DETACHED, "detached") \
	X(CASELESS, "caseless") \
	X(ERROR, "error")

enum reason {
#define X(id, word) REASON_##id,
	REASONS(X) REASON_COUNT,
#undef X
};

/*
 * File systems that fold case or give files second names: what a file is called
 * there is what its first user chose to write, so everything in them is denied as
 * caseless. X(magic, types): the superblock's number, and the types that have it.
 */
#define CASELESS(X)             \
	X(0x4d44, "vfat msdos") \
	X(0x2011bab0, "exfat")  \
	X(0x7366746e, "ntfs3")  \
	X(0x5346544e, "ntfs")   \
	X(0xff534d42, "cifs")   \
	X(0xfe534d42, "smb3")   \
	X(0x517b, "smbfs")      \
	X(0x4244, "hfs")        \
	X(0x482b, "hfsplus")    \
	X(0xadf5, "adfs")       \
	X(0xadff, "affs")

/* X(ID, word): what became of it, as it stands in events. */
#define VERDICTS(X)             \
	X(ALLOWED, "allowed")   \
	X(AUDITED, "audited")   \
	X(BLOCKED, "blocked")   \
	X(HELD, "held")         \
	X(REPEATED, "repeated") \
	X(LOST, "lost")

enum verdict {
#define X(id, word) VERDICT_##id,
	VERDICTS(X) VERDICT_COUNT,
#undef X
};

enum severity { SEVERITY_NONE, SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };

/*
 * X(ID, word): what another process is to the one that signals it. A word of the
 * policy language each; several hold at once: a child is a descendant, too, and
 * commonly in the session. `external` is whatever is none of the others.
 */
#define TARGETS(X)                  \
	X(SELF, "self")             \
	X(CHILD, "child")           \
	X(DESCENDANT, "descendant") \
	X(SESSION, "session")       \
	X(EXTERNAL, "external")     \
	X(SYSTEM, "system")

enum target {
#define X(id, word) TARGET_##id,
	TARGETS(X) TARGET_COUNT,
#undef X
};

#define TARGET_BIT(target) (1u << (target))

#define SIGNAL_MAX 64  /* signals are 1 to this */
#define SIGNAL_KINDS 8 /* combinations of targets that occur, see decide_signal_kind() */

#define POLICY_NAME_MAX 64   /* with its NUL */
#define RULE_TAG_MAX 64	     /* with its NUL */
#define RULE_MESSAGE_MAX 192 /* with its NUL */

/*
 * A verdict word: what the winning rule of one operation says. Lower words win,
 * so that the first rule of a policy is the smallest and lanes combine by min().
 * Bits 0-3 are the verb, bits 4-31 the rule's number in the whole policy.
 */
#define WORD(rule, verb) ((__u32)(rule) << 4 | (verb))
#define WORD_VERB(word) (15 & (word))
#define WORD_RULE(word) ((word) >> 4)
#define WORD_NONE 0xffffffffu	 /* no rule of this lane matches */
#define RULE_DEFAULT 0x0ffffffeu /* the rule number of a section's default */
#define RULE_DEPUTY 0x0ffffffdu	 /* no rule: the socket is one of kernel.deputies */
#define RULES_MAX 65536

/*
 * A policy image: header, then a table of 64-bit cells whose number is the
 * image's size class. States of all automata are cell indexes.
 *
 * cell[s]	 low half: the full row that stands in for what s does not list;
 *		 high half: the verdict row of s, as an index of 32-bit words
 * cell[s + c]	 low half: s, if s lists a transition on class c;
 *		 high half: the next state
 *
 * Classes begin at 1. A full row lists every class, so one fallback is enough.
 * A verdict row is ROW_WORDS verdict words, indexed by operation; in the automaton
 * over the names of programs word i is about operation OP_KERNEL_FIRST + i.
 * Rule r is described by cell[rules + r]: bits 0-23 its index in its section,
 * bits 24-31 its severity, the high half the cell index of its struct rule_text
 * or 0. State 0 exists in no automaton: it means "no name", which denies.
 *
 * Containment: may a directory be given another name? For states of lane 0 that
 * stand after a slash, bit (to * directories + from) of the matrix (64 in a cell,
 * the lowest first) says that whatever may follow the slash, below TO nothing is
 * permitted that is not permitted below FROM, and nothing that could be created
 * below FROM could not be below TO, whichever rules of the other lanes, being in
 * equal states, decide in between. A state's number stands where the next state of
 * its transition on the class directory_class would; 0 for states without one,
 * of which only equal ones contain each other.
 */
#define ROW_WORDS 16
/* The word of a row that no operation of paths uses tells deputies' sockets: WORD_RULE() is RULE_DEPUTY there. */
#define ROW_DEPUTY (ROW_WORDS - 1)
#define ROW_NONE 2u /* the verdict row in which no rule matches: every image has it here */
#define LANES_MAX 8
#define IMAGE_MAGIC 0x6c746361u

#define CELLS_SMALL (1u << 13)
#define CELLS_MEDIUM (1u << 17)
#define CELLS_LARGE (1u << 21)

/*
 * A generation says how many lanes its image has, in which class it is and
 * whether it denies, so that one load tells all, and what was judged by one image
 * is settled by the same, whatever replaces it in between.
 */
enum image_class { CLASS_SMALL, CLASS_MEDIUM, CLASS_LARGE, CLASS_COUNT };

#define GENERATION_AUDIT 128u
#define GENERATION(number, audit, lanes, class) \
	((__u64)(number) << 8 | ((audit) ? GENERATION_AUDIT : 0) | (class) << 4 | (lanes))
#define GENERATION_NUMBER(generation) ((generation) >> 8)
#define GENERATION_CLASS(generation) ((__u32)(generation) >> 4 & 7)
#define GENERATION_LANES(generation) (15 & (__u32)(generation))

#define IMAGE_AUDIT 1u	     /* mode: audit: log what would be denied, deny nothing */
#define IMAGE_CANARY 2u	     /* the self-check's policy: its events are flagged, neither shown nor counted */
#define IMAGE_UNCONTAINED 4u /* it decides paths, but has no containment matrix: the control tool tells */

struct image_header {
	__u32 magic;
	__u32 abi;
	__u64 generation; /* never used twice on one machine, see GENERATION(); part of every cache key */
	__u32 cells;	  /* the size class: CELLS_SMALL, _MEDIUM or _LARGE */
	__u32 flags;
	__u32 enforced; /* operations that this policy decides */
	__u32 observed; /* operations whose allowed uses are logged too */
	__u32 lanes;	/* automata over paths, stepped side by side */
	__u32 rules;	/* cell index of the rule descriptions */
	__u32 rule_count;
	__u32 address_start[2];	     /* of the address automaton: IPv4, IPv6; 0 without a net section */
	__u32 lane_start[LANES_MAX]; /* after the leading slash */
	__u32 fallback[OPS_MAX];     /* each operation's default, as a verdict word */
	__u32 anonymous[ROW_WORDS];  /* run and map of memory that has no file */
	__u8 class[256];	     /* of path bytes, 1 to 255 */
	char name[POLICY_NAME_MAX];
	__u32 containment;     /* cell index of the containment matrix; 0 for none */
	__u32 directories;     /* its rows and columns, number 0 included, which no directory has */
	__u32 directory_class; /* on which directory states of lane 0 list their number; 0 for none */
	/* Of the kernel section's operations: */
	__u32 by_program;    /* the ones that the name of the asking program decides, its fallback else, */
	__u32 in_session;    /* and those that are allowed on what is under the same attachment */
	__u32 program_start; /* of the automaton over the names of programs, after the leading slash */
	__u32 signals; /* cell index of the signals' words: of kind k and signal s at k * SIGNAL_MAX + s - 1 */
	__u32 signal_owner; /* the word for making another process hear of a descriptor: the strictest of all */
	__u32 signals_observed
		[2]; /* bit s - 1: allowed uses of signal s are logged, if the operation is observed */
	__u32 families
		[2]; /* that sockets may have beside those that are judged, low half first (family_bit() of decide.h) */
	__u32 abstract_start; /* of the automaton over names of abstract sockets; each byte b is class b + 1 */
	__u32 session_word;   /* of a rule about sockets under the same attachment, or WORD_NONE */
	__u32 pad[93];
};

/*
 * The warm path's copy of what it needs of a header before it has a name, by
 * policy index. It is written after the image was put in force and may lag
 * behind it: then the generations differ, and the cold path looks at the image.
 * Each word is read at once, so a mask is the old policy's or the new one's.
 */
struct policy_head {
	__u64 generation;
	__u32 enforced;
	__u32 observed;
};

#define HEAD_MASKS(enforced, observed) ((__u64)(observed) << 32 | (enforced))

struct rule_text {
	char tag[RULE_TAG_MAX];
	char message[RULE_MESSAGE_MAX];
};

struct image_small {
	struct image_header header;
	__u64 cell[CELLS_SMALL];
};

struct image_medium {
	struct image_header header;
	__u64 cell[CELLS_MEDIUM];
};

struct image_large {
	struct image_header header;
	__u64 cell[CELLS_LARGE];
};

/*
 * An address as the address automaton reads it: the address's bytes, the
 * protocol (tcp and mptcp, udp, icmp of either family, or any other), the port in
 * network order. Each byte b is class b + 1. Ports of protocols without ports are 0.
 * A state that tells apart no protocols lists four bytes only, not all.
 */
#define ADDRESS_KEY_MAX 19
#define PROTOCOL_ICMP 1
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17
#define PROTOCOL_OTHER 0

/* struct event's detail of a socket that was to be made. */
#define SOCKET_DETAIL(family, type, protocol) \
	((__u32)(family)&255 | ((__u32)(type)&15) << 8 | ((__u32)(protocol)&0xffff) << 12)
#define SOCKET_FAMILY(detail) ((detail)&255)
#define SOCKET_TYPE(detail) ((detail) >> 8 & 15)
#define SOCKET_PROTOCOL(detail) ((detail) >> 12 & 0xffff)

/* An attachment, by the id of a governed cgroup: the tree's root and all cgroups below have one each. */
struct attachment {
	__u64 root;   /* the cgroup that was attached */
	__u32 policy; /* index into the maps of images, 1 to POLICIES_MAX - 1 */
	__u32 pad;
};

#define POLICIES_MAX 256
/* Indexes that no loaded policy gets: the self-check's, and one that never has an image. */
#define POLICY_CANARY (POLICIES_MAX - 2)
#define POLICY_NONE (POLICIES_MAX - 1)
#define POLICY_SCRATCH (POLICIES_MAX - 3) /* no attachment has it: put there to wait for programs that run */
#define POLICY_FIRST 1
#define POLICY_LAST (POLICIES_MAX - 4)

/* What the control tool notes of a loaded policy, by its index. */
struct policy_slot {
	char name[POLICY_NAME_MAX]; /* empty: the index is free */
	__u64 generation;
	__u64 loaded_ns; /* CLOCK_REALTIME */
	__u32 flags;
	__u32 enforced;
	__u32 observed;
	__u32 rule_count;
	__u32 lanes;
	__u32 cells;
};

#define CGROUPS_MAX 65536
#define GOVERNED_BITS 65536
#define SLOTS 1024

/* Depth of a name in components; a deeper one is denied as too-deep. */
#define DEPTH_MAX 128
/* Bytes of a component. Most file systems hold no longer ones, some do (cgroup's, FUSE's): denied as too-long. */
#define COMPONENT_MAX 255

#define EVENT_OBJECT_MAX 4096
#define EVENT_EXE_MAX 1024
#define EVENT_CGROUP_MAX 512
#define EVENT_DATA_MAX 16384

#define EVENT_OBJECT_CUT 1u
#define EVENT_EXE_CUT 2u
#define EVENT_CGROUP_CUT 4u
#define EVENT_CANARY 8u /* the self-check's: read, neither shown nor counted */
#define EVENT_MORE 16u	/* target_len, args_len and host_len are set, their bytes follow the cgroup's */
#define EVENT_TARGET_CUT 32u
#define EVENT_ARGS_CUT 64u

#define EVENT_TARGET_MAX EVENT_OBJECT_MAX
#define EVENT_ARGS_MAX 4096
#define EVENT_HOST_MAX 255

/* A bucket allows this many events of one attachment, rule and operation a second; the rest is counted and merged. */
#define BUCKET_BURST 100

/* One event, followed by its object, executable and cgroup path in data[], none of them terminated. */
struct event {
	__u64 time_ns; /* CLOCK_BOOTTIME */
	__u64 generation;
	__u64 cgroup;	  /* id of the task's own cgroup */
	__u64 attachment; /* id of the attached cgroup above it */
	__u64 start_ns;	  /* the process's start, CLOCK_BOOTTIME */
	__u64 exe_inode;
	__u32 op;
	__u32 verdict;
	__u32 reason;
	__s32 error; /* errno that the task saw, 0 if it went through */
	__u32 rule;  /* index in its section, or ~0 for none */
	__u32 severity;
	__u32 pid; /* process ids in the initial pid namespace */
	__u32 tid;
	__u32 ppid;
	__u32 uid;
	__u32 flags;
	__u16 family; /* AF_INET, AF_INET6, AF_UNIX or 0: the object is then an address */
	__u16 port;   /* host order; 0 for protocols without ports */
	__u32 protocol;
	__u8 address[16]; /* network order; IPv4 in the first four */
	char comm[16];
	char policy[POLICY_NAME_MAX];
	char tag[RULE_TAG_MAX];
	char message[RULE_MESSAGE_MAX];
	__u32 object_len;
	__u32 exe_len;
	__u32 cgroup_len;
	__u32 word; /* the deciding verdict word: attachment, generation, word and op are the bucket's key */
	__u32 target_len; /* the new name of a rename or link */
	__u32 args_len;	  /* the arguments of exec.run, each ended by a NUL */
	__u32 host_len;
	__u32 detail; /* a signal's number, a command, a family, a wait status: what the operation says of it */
	__u32 other_pid; /* the process that the act is about, in the initial pid namespace; 0 for none */
	__u8 other_comm[16];
	__u8 local
		[16]; /* of net.accept: the socket's own address, of the same family; its port is the detail */
	__u8 data[EVENT_DATA_MAX];
};

/* What one bucket swallowed; the reader turns it into a repeated event, whose other fields it remembers. */
struct bucket_key {
	__u64 attachment;
	__u64 generation;
	__u32 word;
	__u32 op; /* as BUCKET_OP has it */
};

/* Signals are operations of their own to whoever reads of them, so each number has a bucket. */
#define BUCKET_OP(op, detail) ((op) | ((op) == OP_SIGNAL_SEND ? (detail) << 8 : 0))
#define BUCKET_OP_NUMBER(op) ((op)&255)
#define BUCKET_OP_DETAIL(op) ((op) >> 8)

struct bucket {
	__u64 window_ns; /* start of the running second */
	__u64 used;	 /* events of this second */
	__u64 merged;	 /* swallowed since the bucket was made */
};

/* What the reader told of a bucket, and what it knew of its rule: the next reader has seen none of its events. */
struct told {
	__u64 count; /* of the bucket's merged */
	__u32 verdict;
	__u32 reason;
	__u32 rule;
	__u32 severity;
	char policy[POLICY_NAME_MAX]; /* empty if no event was seen: then only the count holds */
	char tag[RULE_TAG_MAX];
};

/* The rings' account: made = read + merged + lost, exactly, for each ring. */
enum event_ring { RING_DENIALS, RING_OBSERVATIONS, RING_COUNT };

struct ring_account {
	__u64 made;
	__u64 merged;
	__u64 lost;
};

/* The account variable. */
struct accounts {
	struct ring_account ring[RING_COUNT];
};

#define BUCKETS_MAX 4096

/*
 * The state map, written by the one reader alone, so that the next one goes on
 * where it ended: for what was given out, made = seen + repeated + lost_told.
 */
struct reader_state {
	__u64 seq; /* of the event given out last; a lost event's count is part of it */
	__u64 seen;
	__u64 repeated;		     /* how many events the repeated ones stand for */
	__u64 lost_told[RING_COUNT]; /* of struct ring_account's lost and of rejected */
	__u64 rejected[RING_COUNT];  /* records that were no events: told as lost */
};

/*
 * The governed variable: who need not be judged is told by one bit and
 * one word. A bit that is set for no reason is slow, a missing one is open, so
 * it is set before an attachment exists and never cleared while programs run.
 * A slot is POLICY << 48 | CGROUP: one word, so that no reader sees half of it.
 * Policy 0 means that this cgroup is known to be free.
 */
struct governed {
	__u64 bit[GOVERNED_BITS / 64];
	__u64 slot[SLOTS];
};

#define SLOT_POLICY(slot) ((slot) >> 48)
#define SLOT_IS(slot, cgroup) (!(((slot) ^ (cgroup)) << 16))

#define CHECK_SHARDS 64
#define TOOLS_MAX 8

#define HOOKS_MAX 128

/* A set of hooks, by their place in the control tool's table. */
struct hook_mask {
	__u64 word[HOOKS_MAX / 64];
};

/* What programs and the control tool share in memory: the control variable. */
struct control {
	__u64 epoch;		   /* counts directory moves; part of every cache key */
	__u64 generation;	   /* of the newest image; the control tool takes the next */
	__u64 canary_hits;	   /* operations that the self-check saw refused */
	__u64 denied;		   /* refusals, canaries not counted */
	__u64 abi;		   /* of the programs in force: ABI_VERSION */
	__u64 pending;		   /* creating opens whose event waits for their end */
	struct hook_mask waived;   /* at load */
	struct hook_mask needless; /* hooks that this kernel neither has nor needs */
	struct {
		__u64 count;
		__u64 pad[7];
	} checks[CHECK_SHARDS]; /* judged acts of governed tasks; the sum counts */
	struct tool {
		__u64 inode;
		__u64 device;
	} tools[TOOLS_MAX]; /* this tool's executables, by which its processes are known */
	__u64 tool_count;   /* how many were noted; the newest take the places of the oldest */
};

#ifndef __bpf__
_Static_assert(sizeof(struct image_header) == 1024, "the image header has a fixed size");
_Static_assert(sizeof(struct rule_text) == 256, "a rule's text is 32 cells");
_Static_assert(OP_KERNEL_FIRST <= ROW_WORDS,
	       "a verdict row has a word for every operation that rules decide");
_Static_assert(OP_COUNT - OP_KERNEL_FIRST <= ROW_WORDS, "and one for every operation that programs decide");
_Static_assert(OP_COUNT < OPS_MAX, "a mask has a bit for every operation, and one that is none");
#endif

#endif
