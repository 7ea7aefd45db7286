// SPDX-License-Identifier: GPL-2.0
/* The one table of sentences about operations and reasons, and events told by it. */
#include "ctl/event/plain.h"

#include <inttypes.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/event/agent.h"
#include "ctl/event/sink.h"

/* By operation of kern/abi.h; a test fails for one that has no row here. */
static const struct plain_operation operations[EVENT_LIFE_END] = {
	[OP_FILE_READ] = { "read @",
			   "What is read can be sent elsewhere: passwords, keys and private files matter most.",
			   "Allow 'read' of this path in the section 'file', or put the file where the agent works." },
	[OP_FILE_WRITE] = { "change the contents of @",
			    "Changed files decide what other programs do later: settings and scripts matter most.",
			    "Allow 'write' of this path in the section 'file'." },
	[OP_FILE_CREATE] = { "create @",
			     "A new file may be run or read as settings by programs that look for it there.",
			     "Allow 'create' of this path in the section 'file'." },
	[OP_FILE_DELETE] = { "delete @", "What is deleted is gone unless there is a copy.",
			     "Allow 'delete' of this path in the section 'file'." },
	[OP_FILE_ATTR] = { "change the owner, rights or dates of @",
			   "Whoever changes these decides who may use the file from then on.",
			   "Allow 'attr' of this path in the section 'file'." },
	[OP_EXEC_RUN] = { "start the program @", "A program can do whatever the policy leaves open to it.",
			  "Allow 'run' of this program in the section 'exec'." },
	[OP_EXEC_MAP] = { "load program code from @",
			  "Code that is loaded acts as a part of the program that loads it.",
			  "Allow 'map' of this file in the section 'exec'." },
	[OP_NET_CONNECT] = { "connect to @",
			     "Over a connection data leaves the machine, and instructions come in.",
			     "Allow 'connect' to this address and port in the section 'net'." },
	[OP_NET_BIND] = { "wait for connections at @", "Others can then reach the agent from outside.",
			  "Allow 'bind' at this address and port in the section 'net'." },
	[OP_NET_ACCEPT] = { "take a connection from @", "Somebody from outside then talks to the agent.",
			    "Allow 'accept' from this address in the section 'net'." },
	[OP_UNIX_CONNECT] = { "talk to the local service at @",
			      "A service does what it is asked with its own rights, which may be wider than the agent's.",
			      "Allow 'connect' with 'unix' and this path in the section 'net'." },
	[OP_UNIX_BIND] = { "offer a local service at @",
			   "Other programs may take it for the service that they expect there.",
			   "Allow 'bind' with 'unix' and this path in the section 'net'." },
	[OP_FILE_RENAME] = { "rename @",
			     "Under another name other rules hold, so a new name must not give new rights.",
			     "Allow at the old name whatever the new name allows, or copy the file instead." },
	[OP_FILE_LINK] = { "give a second name to @",
			   "Under another name other rules hold, so a second name must not give new rights.",
			   "Allow at the old name whatever the new name allows, or copy the file instead." },
	[OP_SIGNAL_SEND] = { "send a signal to the process @",
			     "A signal can stop or end a program that others rely on.",
			     "Allow this signal to such processes in the section 'signal'." },
	[OP_KERNEL_TIOCSTI] = { "put keystrokes into the terminal @",
				"They look as if a person had typed them, to whatever reads that terminal.",
				"Set 'tiocsti' for this program in the section 'kernel'." },
	[OP_KERNEL_SNAPSHOT] = { "make a snapshot at @",
				 "A snapshot shows all its files again, under names without rules.",
				 "Set 'snapshot' for this program in the section 'kernel'." },
	[OP_KERNEL_MOUNT] = { "change what is mounted at @",
			      "A mount gives files other names, under which other rules hold.",
			      "Set 'mount' for this program in the section 'kernel'." },
	[OP_KERNEL_USERNS] = { "make a user namespace (@)", "Inside it a program is its own administrator.",
			       "Set 'userns' for this program in the section 'kernel'." },
	[OP_KERNEL_BPF] = { "load a program into the kernel (@)",
			    "Such programs can watch or change what all others do.",
			    "Set 'bpf' for this program in the section 'kernel'." },
	[OP_KERNEL_PERF] = { "measure other programs or the kernel (@)",
			     "Measurements can show what other programs work on.",
			     "Set 'perf' for this program in the section 'kernel'." },
	[OP_KERNEL_MODULE] = { "load a module into the kernel (@)",
			       "A module can do everything, without any policy.",
			       "Set 'module' for this program in the section 'kernel'." },
	[OP_KERNEL_KEYRING] = { "use the kernel's store of keys (@)", "Keys of other programs may lie there.",
				"Set 'keyring' for this program in the section 'kernel'." },
	[OP_KERNEL_IO_URING] = { "use a special way of input and output (@)",
				 "Some of these ways pass checks that ordinary ones do not.",
				 "Set 'io_uring' for this program in the section 'kernel'." },
	[OP_KERNEL_RAW_SOCKET] = { "send raw network packets (@)",
				   "Raw packets can pose as another program or machine, and see what others send.",
				   "Set 'raw_socket' for this program in the section 'kernel'." },
	[OP_KERNEL_FAMILIES] = { "use an unusual kind of network connection (@)",
				 "The rules about addresses do not reach such connections.",
				 "Name this kind in 'families' of the section 'kernel'." },
	[OP_KERNEL_CGROUP] = { "change control groups (@)",
			       "Control groups decide which policy a program is under.",
			       "Set 'cgroup' for this program in the section 'kernel'." },
	[OP_KERNEL_CHROOT] = { "take another folder for the root of all files: @",
			       "Programs that trust files at known places find others there.",
			       "Set 'chroot' for this program in the section 'kernel'." },
	[OP_KERNEL_SETUID] = { "start a program that runs with another user's rights: @",
			       "Such a program may do what its caller may not.",
			       "Set 'setuid' for this program in the section 'kernel'." },
	[OP_KERNEL_DEPUTIES] = { "ask a service that acts for others: @",
				 "It does outside the policy what it is asked for.",
				 "Set 'deputies' for this program in the section 'kernel'." },
	[OP_KERNEL_PTRACE] = { "look into or control the process @",
			       "Whoever controls another program can read all it knows and act in its name.",
			       "Set 'ptrace' for this program in the section 'kernel'." },
	[EVENT_FORK] = { "start the process @", "It is held to the same policy.",
			 "Nothing forbids it; observe less than all of 'exec' to hear no more of it." },
	[EVENT_EXIT] = { "end with @", "What it held open is closed.",
			 "Nothing forbids it; observe less than all of 'exec' to hear no more of it." },
};

static const struct plain_operation unknown = {
	"do something that this version of agentctl does not know, to @", "What it means cannot be said.",
	"Read the events with the version that recorded them."
};

/* By reason of kern/abi.h. */
static const struct plain_reason reasons[REASON_COUNT] = {
	[REASON_RULE] = { "A rule of the policy forbids it.", NULL },
	[REASON_DEFAULT] = { "No rule of the policy allows it.", NULL },
	[REASON_WIDENS] = { "The new name would have given rights that the old one does not have.",
			    "Copy what may be read, or allow at the old name whatever the new name allows." },
	[REASON_TOO_DEEP] = { "The name lies too many folders deep to be judged.",
			      "Work in a folder that is less deep; 128 levels are judged." },
	[REASON_TOO_LONG] = { "A part of the name or command is too long to be judged.",
			      "Use shorter names." },
	[REASON_DETACHED] = { "The file has no place in the tree of folders, so no rule can be about it.",
			      "Reach the file by a name below the root, on a file system that is mounted." },
	[REASON_CASELESS] = { "On this file system one file has several names, so no rule can be sure of it.",
			      "Work on a file system that tells upper and lower case apart." },
	[REASON_ERROR] = { "The kernel could not find out what the act was about, so it was refused.",
			   "Try again; if it happens often, see 'agentctl status' and report it." },
};

const struct plain_operation *plain_operation(unsigned int op)
{
	return op < EVENT_LIFE_END && operations[op].deed ? &operations[op] : &unknown;
}

size_t plain_deed_len(unsigned int op)
{
	const char *deed = plain_operation(op)->deed;
	size_t len = strcspn(deed, "@");

	while (len && strchr(" (:", deed[len - 1]))
		len--;
	return len;
}

const struct plain_reason *plain_reason(unsigned int reason)
{
	return &reasons[reason < REASON_COUNT ? reason : REASON_ERROR];
}

const char *plain_verdict(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_ALLOWED:
		return "was allowed to";
	case VERDICT_AUDITED:
		return "was seen to";
	case VERDICT_HELD:
		return "waits for leave to";
	default:
		return "was not allowed to";
	}
}

static void put_span(FILE *stream, struct span span)
{
	text_write_name(stream, span.data, span.len);
}

/* By its executable; a process chooses its comm itself. */
static void put_process(FILE *stream, const struct event_view *view)
{
	const struct agent *agent = agent_of_file(view->exe);

	if (!view->has_details) {
		fputs("a process ", stream);
		return;
	}
	if (agent)
		fprintf(stream, "%s (process %u) ", agent->title, view->pid);
	else
		fprintf(stream, "process %u (", view->pid);
	if (!agent) {
		put_span(stream, view->exe.len ? view->exe : view->comm);
		fputs(") ", stream);
	}
}

static void put_object(FILE *stream, const struct event_view *view)
{
	char scratch[EVENT_ADDRESS_TEXT];

	if (!view->has_details) {
		fputs("something", stream);
		return;
	}
	put_span(stream, event_object(view, scratch));
	if (view->host.len) {
		fputs(" (", stream);
		put_span(stream, view->host);
		fputs(")", stream);
	}
	if (view->target.len) {
		fputs(" to ", stream);
		put_span(stream, view->target);
	}
	if (view->is_truncated)
		fputs("...", stream);
}

static void put_deed(FILE *stream, const struct event_view *view)
{
	const char *deed = plain_operation(view->op)->deed;
	size_t len = strcspn(deed, "@");
	char scratch[EVENT_ADDRESS_TEXT];

	if (view->has_details && !event_object(view, scratch).len) {
		fwrite(deed, 1, plain_deed_len(view->op), stream);
	} else {
		fwrite(deed, 1, len, stream);
		put_object(stream, view);
		if (deed[len])
			fputs(deed + len + 1, stream);
	}
	fputs(".", stream);
}

/* Why, in the policy's own words where it has some, and what to do. */
static void put_refusal(FILE *stream, const struct event_view *view)
{
	const struct plain_reason *reason = plain_reason(view->reason);
	const struct plain_operation *operation = plain_operation(view->op);

	if (view->repeated == VERDICT_ALLOWED || !view->has_rule)
		return;
	fputs(" ", stream);
	if (view->message.len)
		put_span(stream, view->message);
	else
		fputs(reason->cause, stream);
	fprintf(stream, " %s If it should be allowed: %s", operation->why,
		reason->remedy ? reason->remedy : operation->remedy);
}

void plain_put(FILE *stream, const struct event_view *view, bool has_colours)
{
	char scratch[EVENT_OP_TEXT];

	if (view->verdict == VERDICT_LOST) {
		text_put(stream, view, has_colours);
		fputs(": they came faster than they were read, so nobody knows what they were.", stream);
		return;
	}
	text_put_verdict(stream, view, has_colours);
	fprintf(stream, " %s: ", event_op(view, scratch));
	put_process(stream, view);
	fprintf(stream, "%s ", plain_verdict(view->repeated));
	put_deed(stream, view);
	if (view->verdict == VERDICT_REPEATED)
		fprintf(stream, " And %" PRIu64 " more like it.", view->count);
	put_refusal(stream, view);
}
