// SPDX-License-Identifier: GPL-2.0
/* agentctl attach: govern a cgroup and all below it. */
#include "ctl/cmd/attach.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json_writer.h"
#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"
#include "ctl/cmd/held.h"
#include "ctl/cmd/kernel_side.h"
#include "ctl/enforce/attachments.h"
#include "ctl/enforce/canary.h"
#include "ctl/enforce/images.h"
#include "ctl/enforce/programs.h"
#include "ctl/policy/words.h"
#include "ctl/sys/cgroup.h"

static bool set_option(const char *option, const char *value, void *data)
{
	if (!strcmp(option, "json"))
		*(bool *)data = true;
	return true;
}

/* The policy of that name, or the only one if NAME is NULL. */
static int choose_policy(const struct pins *pins, const char *name, uint32_t *ret_index)
{
	struct policy_slot slot;
	uint32_t found = 0;
	int error;

	if (name) {
		error = images_find(pins, name, ret_index);
		if (error == -ENOENT)
			return cmd_fail(
				"attach: %s: no policy of this name is loaded: agentctl status lists them",
				name);
		return error ? kernel_side_failed("attach", name, error) : EXIT_DONE;
	}
	for (uint32_t index = POLICY_FIRST; index <= POLICY_LAST; index++) {
		if (images_slot(pins, index, &slot) || !slot.name[0])
			continue;
		if (found)
			return cmd_fail("attach: more than one policy is loaded: name one");
		found = index;
	}
	if (!found)
		return cmd_fail("attach: no policy is loaded: see agentctl load");
	*ret_index = found;
	return EXIT_DONE;
}

/* The root cgroup holds everything, and who governs itself or what it stands in could not mend it any more. */
static int refuse_own(const char *path)
{
	char *own = NULL;
	int error = cgroup_own(&own), code = EXIT_DONE;

	if (!strcmp(cgroup_relative(path), "/"))
		code = cmd_fail("attach: %s: the root cgroup cannot be governed: name a cgroup below it",
				path);
	else if (error)
		code = kernel_side_failed("attach", "finding the own cgroup", error);
	else if (cgroup_is_above(path, own))
		code = cmd_fail("attach: %s: agentctl itself runs in it: attach from a process outside",
				path);
	free(own);
	return code;
}

/* For now one attachment a branch: a cgroup above that is governed would be overruled. */
static int refuse_above(const struct pins *pins, const char *path)
{
	char *above = strdup(path), *slash;
	struct attachment entry;
	uint64_t id;
	int code = EXIT_DONE;

	if (!above)
		return cmd_fail("attach: out of memory");
	while (!code && (slash = strrchr(above, '/')) && strcmp(cgroup_relative(above), "/")) {
		*slash = 0;
		if (!cgroup_id(above, &id) && !attachments_find(pins, id, &entry))
			code = cmd_fail("attach: %s: lies below %s, which is governed: detach that one first",
					path, above);
	}
	free(above);
	return code;
}

int attach_add(const struct pins *pins, const char *path, uint32_t index)
{
	struct attachment entry;
	uint64_t id;
	int error;

	if (!cgroup_id(path, &id) && !attachments_find(pins, id, &entry))
		return cmd_fail("attach: %s: governed already: detach it first", path);
	error = attachments_add(pins, path, index);
	if (error == -EEXIST)
		return cmd_fail("attach: %s: a cgroup below it is governed: detach that one first", path);
	return error ? kernel_side_failed("attach", path, error) : EXIT_DONE;
}

int attach_refuse(const struct pins *pins, const char *path)
{
	int code = refuse_own(path);

	return code ? code : refuse_above(pins, path);
}

/* Only what has just refused a process is said to be in force. */
int attach_self_check(const struct pins *pins)
{
	const char *failed[CANARY_HOOKS_MAX];
	int error = canary_check(pins, failed);

	if (!error)
		return EXIT_DONE;
	if (error != -EBADE)
		return kernel_side_failed("attach", "the self-check could not run", error);
	for (size_t i = 0; failed[i]; i++)
		cmd_fail(
			"attach: self-check: hook %s refused nothing: it is not in force (see agentctl status)",
			failed[i]);
	return EXIT_LACKING;
}

static void show_json(struct json_writer *json, const char *path, uint64_t id, const struct policy_slot *slot,
		      const struct held *held)
{
	json_begin_object(json);
	json_key(json, "cgroup");
	json_name(json, cgroup_relative(path), strlen(cgroup_relative(path)));
	json_key(json, "id");
	json_unsigned(json, id);
	json_key(json, "policy");
	json_string(json, slot->name);
	json_key(json, "self_check");
	json_string(json, "passed");
	held_write(held, json);
	json_end_object(json);
}

static void show_text(const char *path, uint64_t id, const struct policy_slot *slot)
{
	text_write_name(stdout, cgroup_relative(path), strlen(cgroup_relative(path)));
	printf(" (id %" PRIu64 "): governed by %s, self-check passed\n", id, slot->name);
	fflush(stdout);
}

void attach_show(const struct pins *pins, const char *path, uint32_t index, struct json_writer *json)
{
	struct policy_slot slot = {};
	struct held held;
	uint64_t id = 0;

	images_slot(pins, index, &slot);
	cgroup_id(path, &id);
	if (!json)
		show_text(path, id, &slot);
	held_gather(path, &slot, &held);
	if (json)
		show_json(json, path, id, &slot, &held);
	else
		held_show(&held);
	held_warn(&held);
	held_done(&held);
}

static void show(const struct pins *pins, const char *path, uint32_t index, bool is_json)
{
	struct json_writer json;

	json_writer_init(&json, stdout);
	attach_show(pins, path, index, is_json ? &json : NULL);
	if (is_json)
		json_newline(&json);
}

static int attach(const struct pins *pins, const char *path, const char *name, bool is_json)
{
	uint32_t index;
	int code = choose_policy(pins, name, &index);

	if (!code)
		code = attach_refuse(pins, path);
	if (!code)
		code = attach_self_check(pins);
	if (!code)
		code = attach_add(pins, path, index);
	if (!code)
		show(pins, path, index, is_json);
	return code;
}

int cmd_attach(int argc, char **argv)
{
	struct pins pins;
	bool is_json = false;
	char *path = NULL;
	int first, lock, code;

	if (!cmd_parse(argc, argv, set_option, &is_json, &first, &code))
		return code;
	if (argc - first < 1 || argc - first > 2)
		return cmd_usage_error("attach",
				       "attach: name a cgroup, and a policy unless only one is loaded");
	code = kernel_side_open("attach", &pins, &lock);
	if (code)
		return code;
	code = kernel_side_cgroup("attach", argv[first], &path);
	if (!code)
		code = attach(&pins, path, argc - first == 2 ? argv[first + 1] : NULL, is_json);
	free(path);
	kernel_side_close(&pins, lock);
	return code;
}
