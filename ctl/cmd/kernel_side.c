// SPDX-License-Identifier: GPL-2.0
/* What the verbs that change or show what is in force have in common. */
#include "ctl/cmd/kernel_side.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/json_writer.h"
#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"
#include "ctl/sys/cgroup.h"
#include "ctl/sys/facts.h"

static bool is_privilege(int error)
{
	return error == -EPERM || error == -EACCES;
}

int kernel_side_failed(const char *verb, const char *what, int error)
{
	cmd_fail("%s: %s: %s%s", verb, what, strerror(-error), is_privilege(error) ? ": run it as root" : "");
	return is_privilege(error) ? EXIT_LACKING : EXIT_FAILED;
}

int kernel_side_open(const char *verb, struct pins *pins, int *ret_lock)
{
	int lock = -1, error;

	if (ret_lock) {
		lock = pins_lock();
		if (lock < 0)
			return kernel_side_failed(verb, RUN_DIR "/lock", lock);
	}
	error = pins_open(pins);
	if (!error) {
		if (ret_lock)
			*ret_lock = lock;
		return EXIT_DONE;
	}
	if (lock >= 0)
		close(lock);
	if (error == -ENOENT)
		return cmd_fail("%s: no policy is loaded: see agentctl load", verb);
	return kernel_side_failed(verb, PIN_DIR, error);
}

void kernel_side_close(struct pins *pins, int lock)
{
	pins_close(pins);
	if (lock >= 0)
		close(lock);
}

int kernel_side_insist(const char *verb)
{
	struct fact facts[FACTS_MAX];
	const struct fact *lack = facts_lacking(facts, facts_gather(facts));

	if (!lack)
		return EXIT_DONE;
	cmd_fail("%s: this machine cannot enforce: %s: %s: %s", verb, lack->name, lack->detail, lack->mend);
	return EXIT_LACKING;
}

void kernel_side_done(const char *key, const char *what, bool is_json)
{
	struct json_writer json;

	if (!is_json) {
		text_write_name(stdout, what, strlen(what));
		printf(": %s\n", key);
		return;
	}
	json_writer_init(&json, stdout);
	json_begin_object(&json);
	json_key(&json, key);
	json_name(&json, what, strlen(what));
	json_end_object(&json);
	json_newline(&json);
}

int kernel_side_cgroup(const char *verb, const char *text, char **ret_path)
{
	int error = cgroup_find(text, ret_path);

	if (!error)
		return EXIT_DONE;
	if (error == -ENOTSUP) {
		cmd_fail("%s: %s: cgroup version 1 is not supported: use the cgroup2 hierarchy", verb, text);
		return EXIT_LACKING;
	}
	if (error == -EXDEV)
		return cmd_fail("%s: %s: not a cgroup: name a directory below %s", verb, text, CGROUP_MOUNT);
	if (error == -EINVAL)
		return cmd_fail("%s: %s: neither a path nor a unit: name a cgroup as /x, %s/x or x.slice",
				verb, text, CGROUP_MOUNT);
	return kernel_side_failed(verb, text, error);
}
