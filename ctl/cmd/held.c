// SPDX-License-Identifier: GPL-2.0
/* What the tasks of a cgroup held open before they were governed, judged as if it were opened now. */
#include "ctl/cmd/held.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/enforce/loaded.h"

#define REPEATS_MAX 64 /* how far back a file that is mapped once more is looked for */

static bool is_denied(const struct held *held, enum operation op, const struct object *object,
		      uint32_t *ret_word)
{
	*ret_word = decision_word(held->compiled.image, op, object);
	return WORD_VERB(*ret_word) == VERB_DENY;
}

/* Nobody needs to read a program to run it, nor what the kernel loads it with. */
static bool may_run(const struct held *held, const struct open_file *file, const struct object *object)
{
	uint32_t word;

	return (file->is_exe || file->is_interpreter) && !is_denied(held, OP_EXEC_MAP, object, &word) &&
	       !(file->is_exe && is_denied(held, OP_EXEC_RUN, object, &word));
}

/* As the kernel does: of two operations that are denied the first is named. */
static bool judge_name(const struct held *held, const struct open_file *file, const char *name,
		       struct held_file *denied)
{
	struct object object = { .path = (char *)name, .nameless = object_nameless(name) };
	enum operation ops[] = { OP_FILE_READ, OP_FILE_WRITE };
	bool needed[] = { file->is_read && !may_run(held, file, &object), file->is_written };
	uint32_t word;

	for (int i = 0; i < 2; i++) {
		denied->op = ops[i];
		if (!needed[i] || !(held->compiled.image->enforced & OP_BIT(ops[i])))
			continue;
		denied->reason = REASON_CASELESS;
		if (type_is_caseless(file->mount->type))
			return true;
		if (!is_denied(held, ops[i], &object, &word))
			continue;
		decision_origin(&held->compiled, ops[i], word, &denied->origin);
		denied->reason = object.nameless       ? (uint32_t)object.nameless
				 : denied->origin.rule ? REASON_RULE
						       : REASON_DEFAULT;
		return true;
	}
	return false;
}

/* A program is mapped in several parts. */
static bool is_repeat(const struct held *held, const struct held_file *denied)
{
	for (size_t i = held->count; i && held->count - i < REPEATS_MAX; i--) {
		const struct held_file *other = &held->list[i - 1];

		if (other->pid != denied->pid || other->fd != FD_MAPPED)
			return false;
		if (denied->fd == FD_MAPPED && other->op == denied->op && !strcmp(other->name, denied->name))
			return true;
	}
	return false;
}

static int add(struct held *held, const struct held_file *denied)
{
	size_t room = held->room ? held->room * 2 : 64;
	struct held_file *grown;

	if (held->count == held->room) {
		grown = reallocarray(held->list, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		held->list = grown;
		held->room = room;
	}
	held->list[held->count] = *denied;
	held->list[held->count].name = strdup(denied->name);
	return held->list[held->count].name ? (held->count++, 0) : -ENOMEM;
}

int held_judge(struct held *held, const struct open_file *file)
{
	struct held_file denied = { .pid = file->pid, .fd = file->fd }, other;
	bool is_denied;

	if (!held->compiled.image ||
	    !(held->compiled.image->enforced & (OP_BIT(OP_FILE_READ) | OP_BIT(OP_FILE_WRITE))))
		return 0;
	if (!file->name) {
		held->unjudged++;
		return 0;
	}
	is_denied = judge_name(held, file, file->name, &denied);
	/* Which directories fold case only they could tell, and to ask them takes more than a name. */
	if ((file->other_name && judge_name(held, file, file->other_name, &other) != is_denied) ||
	    (!is_denied && file->mount->caseless == CASELESS_FOLDERS)) {
		held->unjudged++;
		return 0;
	}
	denied.name = (char *)file->name;
	strncpy(denied.comm, file->comm, sizeof(denied.comm) - 1);
	if (!is_denied || is_repeat(held, &denied))
		return 0;
	return add(held, &denied);
}

static int visit(const struct open_file *file, void *data)
{
	return held_judge(data, file);
}

static int open_policy(const char *name, struct compiled *ret)
{
	struct diagnostics diagnostics;
	char *path = NULL;
	int error = loaded_policy_path(name, &path);

	diagnostics_init(&diagnostics);
	if (!error)
		error = policy_open_bundle(path, &diagnostics, ret);
	diagnostics_done(&diagnostics);
	free(path);
	return error;
}

/* The caller's own mounts come first, so that what is mounted in several namespaces has the name that it knows. */
static void see_own(struct mounts *mounts)
{
	int task = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t namespace;

	if (task < 0)
		return;
	mounts_see(mounts, task, 0, &namespace);
	close(task);
}

void held_gather(const char *path, const struct policy_slot *slot, struct held *ret)
{
	int error;

	*ret = (struct held){ .is_audit = slot->flags & IMAGE_AUDIT };
	/* A policy that decides nothing by names denies nothing for lack of an honest one either. */
	if (!(slot->enforced & OPS_PATH))
		return;
	see_own(&ret->mounts);
	ret->error = open_policy(slot->name, &ret->compiled);
	if (ret->error)
		ret->compiled = (struct compiled){ 0 };
	if (ret->error == -ENOMEM)
		return;
	error = open_files_visit(path, &ret->mounts, visit, ret, &ret->missed);
	if (!ret->error)
		ret->error = error;
}

void held_done(struct held *held)
{
	for (size_t i = 0; i < held->count; i++)
		free(held->list[i].name);
	free(held->list);
	mounts_done(&held->mounts);
	if (held->compiled.image)
		compiled_done(&held->compiled);
	*held = (struct held){ 0 };
}
