// SPDX-License-Identifier: GPL-2.0
/* agentctl load: compile, test, put in force. */
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

#define WAIVED_MAX 64

struct load_options {
	struct cmd_defines defines;
	const char *waived[WAIVED_MAX];
	size_t waived_count;
	bool is_json;
};

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
		cmd_report(&diagnostics);
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

static void show(const struct compiled *compiled, size_t count, bool is_json)
{
	struct json_writer json;

	json_writer_init(&json, stdout);
	if (is_json) {
		json_begin_object(&json);
		json_key(&json, "loaded");
		json_begin_array(&json);
	}
	for (size_t i = 0; i < count; i++) {
		const struct image_header *image = compiled[i].image;

		if (!is_json) {
			printf("%s: %u rules in force, generation %llu%s\n", image->name, image->rule_count,
			       (unsigned long long)GENERATION_NUMBER(image->generation),
			       image->flags & IMAGE_AUDIT ? ", mode audit: nothing is denied" : "");
			if (image->flags & IMAGE_UNCONTAINED)
				printf("%s: too many directories to compare: one is only renamed to a name to which the very same rules apply below\n",
				       image->name);
			continue;
		}
		json_begin_object(&json);
		json_key(&json, "name");
		json_string(&json, image->name);
		json_key(&json, "rules");
		json_unsigned(&json, image->rule_count);
		json_key(&json, "generation");
		json_unsigned(&json, GENERATION_NUMBER(image->generation));
		json_key(&json, "directories_compared");
		json_bool(&json, !(image->flags & IMAGE_UNCONTAINED));
		json_end_object(&json);
	}
	if (is_json)
		json_end_array(&json);
	show_missing(is_json ? &json : NULL);
	if (is_json) {
		json_end_object(&json);
		json_newline(&json);
	}
}

static int put_all(struct compiled *compiled, size_t count, const struct policy_options *options)
{
	struct pins pins;
	uint32_t index;
	int code = kernel_side_open("load", &pins, NULL);

	for (size_t i = 0; i < count && !code; i++) {
		int error = images_put(&pins, compiled[i].image, compiled[i].image_bytes, &index);

		if (!error)
			error = loaded_policy_keep(compiled[i].policy, options);
		if (error == -ENOSPC)
			code = cmd_fail("load: %s: all %d places for policies are taken: unload one first",
					compiled[i].policy->name, POLICY_LAST);
		else if (error)
			code = kernel_side_failed("load", compiled[i].policy->name, error);
	}
	pins_close(&pins);
	return code;
}

/* One file would replace the other within this very command. */
static int refuse_twins(const struct compiled *compiled, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(compiled[i].policy->name, compiled[j].policy->name)) {
				cmd_fail(
					"load: two of the files are named '%s': give each policy a name of its own",
					compiled[i].policy->name);
				return EXIT_POLICY;
			}
	return EXIT_DONE;
}

static int put_in_force(struct compiled *compiled, size_t count, const struct load_options *load,
			const struct policy_options *options)
{
	int lock, code = kernel_side_insist("load");

	if (code)
		return code;
	lock = pins_lock();
	if (lock < 0)
		return kernel_side_failed("load", RUN_DIR "/lock", lock);
	code = start_programs(load);
	if (!code)
		code = put_all(compiled, count, options);
	close(lock);
	return code;
}

int cmd_load(int argc, char **argv)
{
	struct load_options load = {};
	struct policy_options options = { .refuse_writable = true, .wants_notes = true };
	struct compiled *compiled;
	size_t count = 0;
	int first, code = EXIT_DONE;

	if (!cmd_parse(argc, argv, set_option, &load, &first, &code))
		return code;
	if (first == argc)
		return cmd_usage_error("load", "load: which policy file?");
	options.defines = load.defines.list;
	options.define_count = load.defines.count;
	compiled = calloc(argc - first, sizeof(*compiled));
	if (!compiled)
		return cmd_fail("load: out of memory");
	/* All files are compiled before anything changes, so that an error in one leaves everything as it was. */
	for (int i = first; i < argc; i++) {
		int result = prepare(argv[i], &options, &compiled[count++]);

		if (result && (!code || code == EXIT_FAILED))
			code = result;
	}
	if (!code)
		code = refuse_twins(compiled, count);
	if (!code)
		code = put_in_force(compiled, count, &load, &options);
	if (!code)
		show(compiled, count, load.is_json);
	for (size_t i = 0; i < count; i++)
		compiled_done(&compiled[i]);
	free(compiled);
	cmd_defines_done(&load.defines);
	return code;
}
