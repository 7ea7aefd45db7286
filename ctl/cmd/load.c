// SPDX-License-Identifier: GPL-2.0
/* agentctl load: compile, test, put in force. */
#include "ctl/cmd/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/json_writer.h"
#include "ctl/cmd/cmd.h"
#include "ctl/cmd/kernel_side.h"
#include "ctl/enforce/hooks.h"
#include "ctl/enforce/images.h"
#include "ctl/enforce/loaded.h"
#include "ctl/enforce/programs.h"
#include "ctl/policy/coverage.h"
#include "ctl/sys/kernel.h"

static bool waive(struct load_options *options, const char *hook)
{
	if (!hook_find(hook)) {
		cmd_usage_error("load", "load: unknown hook '%s': agentctl status names them", hook);
		return false;
	}
	/* Without these, rules would hold for stale names or not for new cgroups, and nothing would tell. */
	if (!strcmp(hook, "d_move") || !strcmp(hook, "cgroup_mkdir")) {
		cmd_usage_error("load", "load: hook '%s' cannot be waived: the others rely on it", hook);
		return false;
	}
	if (options->waived_count < WAIVED_MAX)
		options->waived[options->waived_count++] = hook;
	return true;
}

static bool set_option(const char *option, const char *value, void *data)
{
	struct load_options *options = data;

	if (!strcmp(option, "json"))
		options->is_json = true;
	else if (!strcmp(option, "without"))
		return waive(options, value);
	else if (!strcmp(option, "define"))
		return cmd_define("load", &options->defines, value);
	return true;
}

/* Compiles FILE and runs its tests; what is wrong has been said. */
static int prepare(const char *file, const struct policy_options *options, struct compiled *ret)
{
	struct diagnostics diagnostics;
	int code = cmd_open_policy(file, options, ret);

	if (code)
		return code;
	diagnostics_init(&diagnostics);
	if (policy_run_tests(ret, &diagnostics)) {
		cmd_tell(&diagnostics);
		code = EXIT_POLICY;
	}
	diagnostics_done(&diagnostics);
	return code;
}

static int start_programs(const struct load_options *options)
{
	struct programs_error why;
	int error = kernel_mount_bpffs();

	if (error)
		return kernel_side_failed("load", "mounting " BPFFS_MOUNT, error);
	error = programs_start(options->waived, options->waived_count, &why);
	if (!error)
		return EXIT_DONE;
	if (error == -EBUSY)
		cmd_fail(
			"load: another version's programs are in force: detach all cgroups first, then load again");
	else if (why.hook[0])
		cmd_fail(
			"load: the kernel refused the program of hook %s (%s): waive it with --without %s, or use a "
			"kernel of the README's list\n%s",
			why.hook, strerror(-error), why.hook, why.detail);
	else
		cmd_fail("load: cannot start the programs: %s\n%s", strerror(-error), why.detail);
	return EXIT_LACKING;
}

static void show_missing(struct json_writer *json)
{
	size_t count;
	const char *const *missing = coverage_missing(&count);

	if (json) {
		json_key(json, "not_enforced");
		json_begin_array(json);
	} else if (count) {
		printf("not enforced by this version:");
	}
	for (size_t i = 0; i < count; i++) {
		if (json)
			json_string(json, missing[i]);
		else
			printf(" %s", missing[i]);
	}
	if (json)
		json_end_array(json);
	else if (count)
		printf("\n");
}

static void show_one(struct json_writer *json, const struct image_header *image)
{
	if (!json) {
		printf("%s: %u rules in force, generation %llu%s\n", image->name, image->rule_count,
		       (unsigned long long)GENERATION_NUMBER(image->generation),
		       image->flags & IMAGE_AUDIT ? ", mode audit: nothing is denied" : "");
		if (image->flags & IMAGE_UNCONTAINED)
			printf("%s: too many directories to compare: one is only renamed to a name to which the very same rules apply below\n",
			       image->name);
		return;
	}
	json_begin_object(json);
	json_key(json, "name");
	json_string(json, image->name);
	json_key(json, "rules");
	json_unsigned(json, image->rule_count);
	json_key(json, "generation");
	json_unsigned(json, GENERATION_NUMBER(image->generation));
	json_key(json, "directories_compared");
	json_bool(json, !(image->flags & IMAGE_UNCONTAINED));
	json_end_object(json);
}

void load_show(const struct load_batch *batch, struct json_writer *json)
{
	if (json) {
		json_key(json, "loaded");
		json_begin_array(json);
	}
	for (size_t i = 0; i < batch->count; i++)
		show_one(json, batch->compiled[i].image);
	if (json)
		json_end_array(json);
	show_missing(json);
}

/* One file would replace the other within this very command. */
static int refuse_twins(const struct load_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(batch->compiled[i].policy->name, batch->compiled[j].policy->name)) {
				cmd_fail(
					"load: two of the files are named '%s': give each policy a name of its own",
					batch->compiled[i].policy->name);
				return EXIT_POLICY;
			}
	return EXIT_DONE;
}

static const char *name_of(const struct load_batch *batch, size_t i)
{
	return batch->compiled[i].policy->name;
}

static int stage_failed(const char *name, int error)
{
	char what[sizeof(RUN_DIR "/policies/") + POLICY_NAME_MAX];

	snprintf(what, sizeof(what), RUN_DIR "/policies/%s", name);
	return kernel_side_failed("load", what, error);
}

/* Writes the sources of all, for `explain`, beside those of what is in force yet. */
static int stage_all(const struct load_batch *batch)
{
	int error = loaded_policies_tidy();

	if (error)
		return stage_failed("", error);
	for (size_t i = 0; i < batch->count; i++) {
		error = loaded_policy_stage(batch->compiled[i].policy, &batch->options);
		if (error)
			return stage_failed(name_of(batch, i), error);
	}
	return EXIT_DONE;
}

static int prepare_all(const struct pins *pins, const struct load_batch *batch)
{
	size_t failed = 0;
	int error = replacements_prepare(pins, batch->replacements, batch->count, &failed);

	if (error == -ENOSPC)
		return cmd_fail("load: %s: all %d places for policies are taken: unload one first",
				name_of(batch, failed), POLICY_LAST);
	return error ? kernel_side_failed("load", name_of(batch, failed), error) : EXIT_DONE;
}

/* Takes the sources that were put in place back, and the images with them. */
static void undo_all(const struct pins *pins, const struct load_batch *batch)
{
	int error = replacements_undo(pins, batch->replacements, batch->count);

	for (size_t i = 0; i < batch->count; i++) {
		int failed = loaded_policy_undo(name_of(batch, i));

		error = error ? error : failed;
	}
	if (error)
		cmd_fail("load: cannot put everything back (%s): see agentctl status for what is in force",
			 strerror(-error));
}

/*
 * All that needs room is there by now. Images come before their sources: the
 * latter are for `explain` alone. A load that is killed between the two leaves
 * an explanation of the older policy, until the next load.
 */
static int commit_all(const struct pins *pins, const struct load_batch *batch)
{
	size_t failed = 0;
	int error = replacements_commit(pins, batch->replacements, batch->count, &failed);

	for (size_t i = 0; i < batch->count && !error; i++) {
		failed = i;
		error = loaded_policy_commit(name_of(batch, i));
	}
	if (!error)
		return EXIT_DONE;
	undo_all(pins, batch);
	return kernel_side_failed("load", name_of(batch, failed), error);
}

static int put_all(const struct load_batch *batch)
{
	struct pins pins;
	int code = kernel_side_open("load", &pins, NULL);

	if (code)
		return code;
	code = prepare_all(&pins, batch);
	if (!code)
		code = commit_all(&pins, batch);
	replacements_done(batch->replacements, batch->count);
	pins_close(&pins);
	return code;
}

/* With the lock held. Whatever fails leaves in force what was before, programs included. */
static int put_locked(const struct load_batch *batch, const struct load_options *load)
{
	struct programs_state before;
	int code = stage_all(batch);

	if (code)
		return code;
	programs_save(&before);
	code = start_programs(load);
	if (!code)
		code = put_all(batch);
	if (code)
		programs_restore(&before);
	return code;
}

int load_prepare(char *const *files, size_t count, const struct load_options *load,
		 struct load_batch *ret_batch)
{
	struct load_batch batch = {
		.options = { .refuse_writable = true,
			     .wants_notes = true,
			     .defines = load->defines.list,
			     .define_count = load->defines.count },
		.compiled = calloc(count, sizeof(*batch.compiled)),
		.replacements = calloc(count, sizeof(*batch.replacements)),
	};
	int code = EXIT_DONE;

	*ret_batch = batch;
	if (!batch.compiled || !batch.replacements)
		return cmd_fail("load: out of memory");
	/* All files are compiled before anything changes, so that an error in one leaves everything as it was. */
	for (size_t i = 0; i < count; i++) {
		struct compiled *compiled = &batch.compiled[ret_batch->count++];
		int result = prepare(files[i], &batch.options, compiled);

		if (result && (!code || code == EXIT_FAILED))
			code = result;
		batch.replacements[i].image = compiled->image;
		batch.replacements[i].image_bytes = compiled->image_bytes;
	}
	return code ? code : refuse_twins(ret_batch);
}

int load_commit(const struct load_batch *batch, const struct load_options *load)
{
	int lock, code = kernel_side_insist("load");

	if (code)
		return code;
	lock = pins_lock();
	if (lock < 0)
		return kernel_side_failed("load", RUN_DIR "/lock", lock);
	code = put_locked(batch, load);
	loaded_policies_tidy();
	close(lock);
	return code;
}

void load_done(struct load_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		compiled_done(&batch->compiled[i]);
	free(batch->compiled);
	free(batch->replacements);
}

static void show(const struct load_batch *batch, bool is_json)
{
	struct json_writer json;

	if (!is_json) {
		load_show(batch, NULL);
		return;
	}
	json_writer_init(&json, stdout);
	json_begin_object(&json);
	load_show(batch, &json);
	json_end_object(&json);
	json_newline(&json);
}

int cmd_load(int argc, char **argv)
{
	struct load_options load = {};
	struct load_batch batch = {};
	int first, code;

	if (!cmd_parse(argc, argv, set_option, &load, &first, &code))
		return code;
	if (first == argc)
		return cmd_usage_error("load", "load: which policy file?");
	code = load_prepare(argv + first, argc - first, &load, &batch);
	if (!code)
		code = load_commit(&batch, &load);
	if (!code)
		show(&batch, load.is_json);
	load_done(&batch);
	cmd_defines_done(&load.defines);
	return code;
}
