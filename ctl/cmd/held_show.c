// SPDX-License-Identifier: GPL-2.0
/* How attach tells what was open already and what is mounted without honest names, as text, as JSON and as warnings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"
#include "ctl/cmd/held.h"
#include "ctl/policy/words.h"

#define MANY 10 /* lines that want to be counted */

static void print_name(const char *name)
{
	text_write_name(stdout, name, strlen(name));
}

static void print_file(const struct held *held, const struct held_file *file)
{
	const struct place *place = &file->origin.place;

	fputs(held->is_audit ? "open already, would be audited: " : "open already, stays open: ", stdout);
	printf("%d ", file->pid);
	print_name(file->comm);
	if (file->fd == FD_MAPPED)
		fputs(" mapped", stdout);
	else
		printf(" fd %d", file->fd);
	printf(" %s ", operation_name(file->op));
	print_name(file->name);
	printf(" (%s", reason_words[file->reason]);
	if (place->file) {
		putchar(' ');
		print_name(place->file);
		printf(":%u:%u", place->line, place->column);
	}
	fputs(")\n", stdout);
}

void held_show(const struct held *held)
{
	size_t mapped = 0;

	for (size_t i = 0; i < held->count; i++) {
		print_file(held, &held->list[i]);
		mapped += held->list[i].fd == FD_MAPPED;
	}
	if (held->count > MANY)
		printf("open already: %zu descriptors and %zu mapped files that the policy would %s now\n",
		       held->count - mapped, mapped, held->is_audit ? "audit" : "deny");
}

static void write_number(struct json_writer *writer, const char *key, bool is_known, uint64_t number)
{
	json_key(writer, key);
	if (is_known)
		json_unsigned(writer, number);
	else
		json_null(writer);
}

static void write_name(struct json_writer *writer, const char *key, const char *name)
{
	json_key(writer, key);
	json_name(writer, name, strlen(name));
}

static void write_word(struct json_writer *writer, const char *key, const char *word)
{
	json_key(writer, key);
	json_string(writer, word);
}

static void write_file(struct json_writer *writer, const struct held_file *file)
{
	const struct policy_rule *rule = file->origin.rule;
	const struct place *place = &file->origin.place;

	json_begin_object(writer);
	write_number(writer, "pid", true, file->pid);
	write_name(writer, "comm", file->comm);
	write_number(writer, "fd", file->fd != FD_MAPPED, file->fd);
	write_word(writer, "op", operation_name(file->op));
	write_name(writer, "object", file->name);
	write_word(writer, "reason", reason_words[file->reason]);
	write_number(writer, "rule", rule, rule ? rule->index : 0);
	write_word(writer, "file", place->file);
	write_number(writer, "line", place->file, place->line);
	write_number(writer, "column", place->file, place->column);
	write_word(writer, "tag", rule ? rule->tag : NULL);
	json_end_object(writer);
}

/* Is this mount the one that tells of a caseless file system: the caller's own, else the first? */
static bool is_to_be_told(const struct mounts *mounts, size_t i)
{
	const struct mount *mount = &mounts->list[i];

	if (mount->caseless == CASELESS_NOTHING)
		return false;
	for (size_t j = 0; j < mounts->count; j++) {
		const struct mount *other = &mounts->list[j];

		if (other->device == mount->device && j != i && !strcmp(other->type, mount->type) &&
		    (!mount->seen_by == !other->seen_by ? j < i : !other->seen_by))
			return false;
	}
	return true;
}

static const char *caseless_word(enum mount_caseless kind)
{
	return kind == CASELESS_ALL ? "all" : kind == CASELESS_FOLDERS ? "directories" : "unknown";
}

static void write_mount(struct json_writer *writer, const struct mount *mount)
{
	json_begin_object(writer);
	write_name(writer, "mount", mount->point);
	write_name(writer, "type", mount->type);
	write_number(writer, "pid", mount->seen_by, mount->seen_by);
	write_word(writer, "denied", caseless_word(mount->caseless));
	json_end_object(writer);
}

static void write_mounts(struct json_writer *writer, const struct mounts *mounts)
{
	json_key(writer, "caseless");
	json_begin_array(writer);
	for (size_t i = 0; i < mounts->count; i++) {
		if (is_to_be_told(mounts, i))
			write_mount(writer, &mounts->list[i]);
	}
	json_end_array(writer);
}

void held_write(const struct held *held, struct json_writer *writer)
{
	write_word(writer, "mode", held->is_audit ? "audit" : "enforce");
	json_key(writer, "open");
	if (held->error || held->missed.is_chrooted) {
		json_null(writer);
	} else {
		json_begin_array(writer);
		for (size_t i = 0; i < held->count; i++)
			write_file(writer, &held->list[i]);
		json_end_array(writer);
	}
	write_number(writer, "open_unjudged", true, held->unjudged);
	write_number(writer, "processes_refused", true, held->missed.refused);
	write_number(writer, "tasks_hidden", true, held->missed.hidden);
	write_mounts(writer, &held->mounts);
}

static void warn_mount(const struct held *held, const struct mount *mount)
{
	const char *judged = held->is_audit ? "audited" : "denied";

	fputs("agentctl: attach: ", stderr);
	text_write_name(stderr, mount->point, strlen(mount->point));
	if (mount->seen_by)
		fprintf(stderr, " in the mount namespace of process %d", mount->seen_by);
	fputs(" (", stderr);
	text_write_name(stderr, mount->type, strlen(mount->type));
	if (mount->caseless == CASELESS_ALL)
		fprintf(stderr,
			"): folds case or gives files second names: everything there is %s as caseless\n",
			judged);
	else if (mount->caseless == CASELESS_FOLDERS)
		fprintf(stderr,
			" with casefold): what lies in directories that fold case is %s as caseless\n",
			judged);
	else
		fputs("): whether its directories can fold case cannot be read from its device\n", stderr);
}

static void warn_mounts(const struct held *held)
{
	const struct mounts *mounts = &held->mounts;

	for (size_t i = 0; i < mounts->count; i++) {
		if (is_to_be_told(mounts, i))
			warn_mount(held, &mounts->list[i]);
	}
}

void held_warn(const struct held *held)
{
	if (held->error)
		cmd_fail("attach: what is open already was not judged: %s", strerror(-held->error));
	else if (held->missed.is_chrooted)
		cmd_fail(
			"attach: what is open already was not judged: agentctl runs in a chroot, where it sees other names");
	if (held->unjudged)
		cmd_fail(
			"attach: %zu open or mapped files were not judged: their names, or whether their directories fold case, cannot be told from here",
			held->unjudged);
	if (held->missed.refused)
		cmd_fail(
			"attach: %zu processes may not be looked into: what they have open was not judged: it takes CAP_SYS_PTRACE",
			held->missed.refused);
	if (held->missed.hidden)
		cmd_fail(
			"attach: %zu tasks are in pid namespaces that are not seen here: what they have open was not judged",
			held->missed.hidden);
	warn_mounts(held);
}
