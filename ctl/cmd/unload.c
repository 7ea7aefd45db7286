// SPDX-License-Identifier: GPL-2.0
/* agentctl unload: take a policy out of force. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/cmd/cmd.h"
#include "ctl/cmd/kernel_side.h"
#include "ctl/enforce/attachments.h"
#include "ctl/enforce/images.h"
#include "ctl/enforce/loaded.h"
#include "ctl/enforce/programs.h"

struct unload_options {
	bool is_forced;
	bool is_json;
};

static bool set_option(const char *option, const char *value, void *data)
{
	struct unload_options *options = data;

	if (!strcmp(option, "force"))
		options->is_forced = true;
	else if (!strcmp(option, "json"))
		options->is_json = true;
	return true;
}

/* Detaches everything that is under the policy, or refuses to. */
static int free_policy(const struct pins *pins, const char *name, uint32_t index, bool is_forced)
{
	struct attached *list;
	size_t count;
	int error = attachments_list(pins, &list, &count), code = EXIT_DONE;

	if (error)
		return kernel_side_failed("unload", name, error);
	for (size_t i = 0; i < count && !code; i++) {
		if (list[i].policy != index)
			continue;
		if (!is_forced)
			code = cmd_fail(
				"unload: %s: still attached: detach its cgroups first, or use --force", name);
		else if ((error = attachments_remove(pins, list[i].root)))
			code = kernel_side_failed("unload", name, error);
	}
	free(list);
	return code;
}

static bool is_last(const struct pins *pins)
{
	struct policy_slot slot;

	for (uint32_t index = POLICY_FIRST; index <= POLICY_LAST; index++)
		if (images_slot(pins, index, &slot) || slot.name[0])
			return false;
	return true;
}

static int unload(const struct pins *pins, const char *name, bool is_forced)
{
	uint32_t index;
	int code, error = images_find(pins, name, &index);

	if (error == -ENOENT)
		return cmd_fail("unload: %s: no policy of this name is loaded: agentctl status lists them",
				name);
	if (error)
		return kernel_side_failed("unload", name, error);
	code = free_policy(pins, name, index, is_forced);
	if (code)
		return code;
	error = images_remove(pins, index);
	if (error)
		return kernel_side_failed("unload", name, error);
	loaded_policy_forget(name);
	/* Without a policy nobody is governed, and the programs would cost for nothing. */
	error = is_last(pins) ? programs_stop() : 0;
	return error ? kernel_side_failed("unload", "taking the programs out", error) : EXIT_DONE;
}

int cmd_unload(int argc, char **argv)
{
	struct pins pins;
	struct unload_options options = {};
	int first, lock, code;

	if (!cmd_parse(argc, argv, set_option, &options, &first, &code))
		return code;
	if (argc - first != 1)
		return cmd_usage_error("unload", "unload: name one policy");
	code = kernel_side_open("unload", &pins, &lock);
	if (code)
		return code;
	code = unload(&pins, argv[first], options.is_forced);
	if (!code)
		kernel_side_done("unloaded", argv[first], options.is_json);
	kernel_side_close(&pins, lock);
	return code;
}
