// SPDX-License-Identifier: GPL-2.0
/* agentctl detach: stop governing a cgroup. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/cmd/cmd.h"
#include "ctl/cmd/kernel_side.h"
#include "ctl/enforce/attachments.h"
#include "ctl/sys/cgroup.h"

static bool set_option(const char *option, const char *value, void *data)
{
	if (!strcmp(option, "json"))
		*(bool *)data = true;
	return true;
}

static int detach(const struct pins *pins, const char *path)
{
	struct attachment entry;
	uint64_t id;
	int error = cgroup_id(path, &id);

	if (error)
		return kernel_side_failed("detach", path, error);
	error = attachments_find(pins, id, &entry);
	if (error == -ENOENT)
		return cmd_fail("detach: %s: not governed: agentctl status lists what is", path);
	if (!error && entry.root != id)
		return cmd_fail("detach: %s: governed from a cgroup above it: detach that one", path);
	if (!error)
		error = attachments_remove(pins, id);
	return error ? kernel_side_failed("detach", path, error) : EXIT_DONE;
}

int cmd_detach(int argc, char **argv)
{
	struct pins pins;
	char *path = NULL;
	bool is_json = false;
	int first, lock, code;

	if (!cmd_parse(argc, argv, set_option, &is_json, &first, &code))
		return code;
	if (argc - first != 1)
		return cmd_usage_error("detach", "detach: name one cgroup");
	code = kernel_side_open("detach", &pins, &lock);
	if (code)
		return code;
	code = kernel_side_cgroup("detach", argv[first], &path);
	if (!code)
		code = detach(&pins, path);
	if (!code)
		kernel_side_done("detached", cgroup_relative(path), is_json);
	free(path);
	kernel_side_close(&pins, lock);
	return code;
}
