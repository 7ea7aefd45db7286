// SPDX-License-Identifier: GPL-2.0
/* agentctl apply: put in force what a machine's configuration says, at its start and after each change. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json_writer.h"
#include "ctl/base/text.h"
#include "ctl/cmd/apply_config.h"
#include "ctl/cmd/attach.h"
#include "ctl/cmd/cmd.h"
#include "ctl/cmd/kernel_side.h"
#include "ctl/cmd/load.h"
#include "ctl/enforce/attachments.h"
#include "ctl/enforce/images.h"
#include "ctl/sys/cgroup.h"

struct apply {
	struct apply_config config;
	struct load_options load;
	struct load_batch batch;
	const char *folder;
	struct json_writer *json; /* NULL for text */
	struct pins pins;
	bool is_checked; /* the self-check has passed */
};

static bool set_option(const char *option, const char *value, void *data)
{
	struct apply *apply = data;

	if (!strcmp(option, "json"))
		apply->load.is_json = true;
	return true;
}

static bool has_policy(const struct load_batch *batch, const char *name)
{
	for (size_t i = 0; i < batch->count; i++)
		if (!strcmp(batch->compiled[i].policy->name, name))
			return true;
	return false;
}

/* Before anything changes: a line that could not be done is found now. */
static int check_entries(const struct apply *apply)
{
	int code = EXIT_DONE;

	for (size_t i = 0; i < apply->config.entry_count; i++) {
		const struct apply_entry *entry = &apply->config.entries[i];

		if (!has_policy(&apply->batch, entry->policy)) {
			cmd_fail("%s:%u: no policy is named '%s' in %s/policies.d", entry->file, entry->line,
				 entry->policy, apply->folder);
			code = EXIT_POLICY;
		}
		for (size_t j = 0; j < i; j++)
			if (!strcmp(apply->config.entries[j].cgroup, entry->cgroup)) {
				cmd_fail("%s:%u: %s has a policy already, by line %u of %s", entry->file,
					 entry->line, entry->cgroup, apply->config.entries[j].line,
					 apply->config.entries[j].file);
				code = EXIT_POLICY;
			}
	}
	return code;
}

static void show_kept(const struct apply *apply, const char *path, const char *policy)
{
	const char *name = cgroup_relative(path);

	if (!apply->json) {
		text_write_name(stdout, name, strlen(name));
		printf(": governed by %s as before\n", policy);
		fflush(stdout);
		return;
	}
	json_begin_object(apply->json);
	json_key(apply->json, "cgroup");
	json_name(apply->json, name, strlen(name));
	json_key(apply->json, "policy");
	json_string(apply->json, policy);
	json_key(apply->json, "kept");
	json_bool(apply->json, true);
	json_end_object(apply->json);
}

/* Once is enough, and where nothing changes, not even that. */
static int self_check(struct apply *apply)
{
	int code = apply->is_checked ? EXIT_DONE : attach_self_check(&apply->pins);

	apply->is_checked = !code;
	return code;
}

/* Governs PATH by ENTRY's policy; FOUND governs it so far, or nothing does if it is NULL. */
static int govern(struct apply *apply, const char *path, const struct apply_entry *entry,
		  const struct attachment *found)
{
	uint32_t index;
	int code, error = images_find(&apply->pins, entry->policy, &index);

	if (error)
		return kernel_side_failed("apply", entry->policy, error);
	if (found && found->policy == index) {
		show_kept(apply, path, entry->policy);
		return EXIT_DONE;
	}
	code = self_check(apply);
	if (code)
		return code;
	if (found) {
		error = attachments_change(&apply->pins, entry->id, index);
		code = error ? kernel_side_failed("apply", path, error) : EXIT_DONE;
	} else {
		code = attach_refuse(&apply->pins, path);
		if (!code)
			code = attach_add(&apply->pins, path, index);
	}
	if (!code)
		attach_show(&apply->pins, path, index, apply->json);
	return code;
}

static bool is_named(const struct apply *apply, const struct apply_entry *end, uint64_t id)
{
	for (const struct apply_entry *entry = apply->config.entries; entry < end; entry++)
		if (entry->id == id)
			return true;
	return false;
}

static int attach_entry(struct apply *apply, struct apply_entry *entry, const char *path)
{
	struct attachment found;
	uint64_t id;
	int error = cgroup_id(path, &id);

	if (error)
		return kernel_side_failed("apply", path, error);
	if (is_named(apply, entry, id))
		return cmd_fail("%s:%u: %s has a policy already, by a line before", entry->file, entry->line,
				entry->cgroup);
	entry->id = id;
	error = attachments_find(&apply->pins, id, &found);
	return govern(apply, path, entry, !error && found.root == id ? &found : NULL);
}

/* One that fails keeps no other from being governed. */
static int attach_all(struct apply *apply)
{
	int code = EXIT_DONE;

	for (size_t i = 0; i < apply->config.entry_count; i++) {
		struct apply_entry *entry = &apply->config.entries[i];
		char *path = NULL;
		int error = cgroup_make(entry->cgroup, &path), result;

		if (error == -ENOENT)
			result = cmd_fail(
				"%s:%u: %s: there is no such unit: name the slice that it runs in, which is made if need be",
				entry->file, entry->line, entry->cgroup);
		else
			result = error ? kernel_side_cgroup("apply", entry->cgroup, &path) : EXIT_DONE;
		if (!result)
			result = attach_entry(apply, entry, path);
		code = code ? code : result;
		free(path);
	}
	return code;
}

/* What was attached by hand, or by a line that is gone, stays: to end enforcement takes a word of its own. */
static void tell_others(const struct apply *apply)
{
	struct attached *list = NULL;
	size_t count = 0;

	if (attachments_list(&apply->pins, &list, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		char *path = NULL;

		if (!is_named(apply, apply->config.entries + apply->config.entry_count, list[i].root) &&
		    !cgroup_path(list[i].root, &path))
			cmd_fail(
				"apply: %s: stays governed, though %s/attach.d does not name it: agentctl detach ends that",
				cgroup_relative(path), apply->folder);
		free(path);
	}
	free(list);
}

/* The policies are in force by now. */
static int show_and_attach(struct apply *apply)
{
	int code;

	if (apply->json)
		json_begin_object(apply->json);
	load_show(&apply->batch, apply->json);
	if (apply->json) {
		json_key(apply->json, "attachments");
		json_begin_array(apply->json);
	}
	code = attach_all(apply);
	if (apply->json) {
		json_end_array(apply->json);
		json_end_object(apply->json);
		json_newline(apply->json);
	}
	tell_others(apply);
	return code;
}

static int put_in_force(struct apply *apply)
{
	int lock, code = load_commit(&apply->batch, &apply->load);

	if (!code)
		code = kernel_side_open("apply", &apply->pins, &lock);
	if (code)
		return code;
	code = show_and_attach(apply);
	kernel_side_close(&apply->pins, lock);
	return code;
}

static int run(struct apply *apply)
{
	int code = apply_config_read(apply->folder, &apply->config);

	if (code)
		return code;
	if (!apply->config.file_count && !apply->config.entry_count)
		return cmd_fail(
			"apply: %s: neither policies.d/*.json nor attach.d/*.conf: nothing to put in force",
			apply->folder);
	code = load_prepare(apply->config.files, apply->config.file_count, &apply->load, &apply->batch);
	if (!code)
		code = check_entries(apply);
	return code ? code : put_in_force(apply);
}

int cmd_apply(int argc, char **argv)
{
	struct apply apply = { .folder = APPLY_FOLDER };
	struct json_writer json;
	int first, code;

	if (!cmd_parse(argc, argv, set_option, &apply, &first, &code))
		return code;
	if (argc - first > 1)
		return cmd_usage_error("apply", "apply: name one folder, or none for " APPLY_FOLDER);
	if (first < argc)
		apply.folder = argv[first];
	json_writer_init(&json, stdout);
	if (apply.load.is_json)
		apply.json = &json;
	code = run(&apply);
	load_done(&apply.batch);
	apply_config_done(&apply.config);
	return code;
}
