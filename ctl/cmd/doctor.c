// SPDX-License-Identifier: GPL-2.0
/* agentctl doctor: what this machine can enforce, one line a fact, each lack with its mend. */
#include <stdio.h>
#include <string.h>

#include "ctl/base/json_writer.h"
#include "ctl/cmd/cmd.h"
#include "ctl/enforce/hooks.h"
#include "ctl/enforce/programs.h"
#include "ctl/sys/facts.h"
#include "ctl/sys/kernel.h"

static bool set_option(const char *option, const char *value, void *data)
{
	if (!strcmp(option, "json"))
		*(bool *)data = true;
	return true;
}

/* What the programs attach to, which facts_gather cannot know. */
static void look_hooks(struct fact *fact)
{
	const char *missing[FACTS_MAX];
	int count = programs_missing_targets(missing, FACTS_MAX);
	size_t used = 0;

	*fact = (struct fact){ .name = "hooks", .is_needed = true, .is_there = count == 0 };
	fact->mend = "run a kernel of the list in README, or waive each with agentctl load --without HOOK";
	if (count <= 0)
		snprintf(fact->detail, sizeof(fact->detail), "%s",
			 count ? "the type information cannot be read" : "all there");
	for (int i = 0; i < count && used < sizeof(fact->detail); i++)
		used += snprintf(fact->detail + used, sizeof(fact->detail) - used, "%s%s",
				 i ? " " : "this kernel lacks ", missing[i]);
}

/* The locks whose counts tell that the tree of names has moved; libbpf finds their addresses here, too. */
static void look_symbols(struct fact *fact)
{
	bool has_rename = false, has_mount = false, may_load = kernel_may_load();
	char line[256], name[128];
	unsigned long long address;
	FILE *file = fopen("/proc/kallsyms", "re");

	*fact = (struct fact){ .name = "symbols", .is_needed = true };
	fact->mend = "run a kernel built with CONFIG_KALLSYMS_ALL=y, such as Debian's, and agentctl as root";
	while (file && fgets(line, sizeof(line), file)) {
		/* Who may not load sees no addresses, but the names: that lack is told as one of privileges. */
		if (sscanf(line, "%llx %*c %127s", &address, name) != 2 || (!address && may_load))
			continue;
		has_rename |= !strcmp(name, "rename_lock");
		has_mount |= !strcmp(name, "mount_lock");
	}
	if (file)
		fclose(file);
	fact->is_there = has_rename && has_mount;
	snprintf(fact->detail, sizeof(fact->detail), "%s",
		 fact->is_there ? "rename_lock and mount_lock are known"
				: "rename_lock or mount_lock is not in /proc/kallsyms");
}

static const char *state_word(const struct fact *fact)
{
	return fact->is_there ? "ok" : fact->is_needed ? "lacking" : "later";
}

static void show_text(const struct fact *facts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		printf("%-8s %-11s %s\n", state_word(&facts[i]), facts[i].name, facts[i].detail);
		if (!facts[i].is_there && facts[i].mend)
			printf("%-8s %-11s to mend: %s\n", "", "", facts[i].mend);
	}
}

static void show_json(const struct fact *facts, size_t count, bool can_enforce)
{
	struct json_writer json;

	json_writer_init(&json, stdout);
	json_begin_object(&json);
	json_key(&json, "can_enforce");
	json_bool(&json, can_enforce);
	json_key(&json, "facts");
	json_begin_array(&json);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(&json);
		json_key(&json, "name");
		json_string(&json, facts[i].name);
		json_key(&json, "state");
		json_string(&json, state_word(&facts[i]));
		json_key(&json, "detail");
		json_name(&json, facts[i].detail, strlen(facts[i].detail));
		json_key(&json, "mend");
		json_string(&json, facts[i].is_there ? NULL : facts[i].mend);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_end_object(&json);
	json_newline(&json);
}

int cmd_doctor(int argc, char **argv)
{
	struct fact facts[FACTS_MAX];
	bool is_json = false, can_enforce;
	size_t count;
	int first, code;

	if (!cmd_parse(argc, argv, set_option, &is_json, &first, &code))
		return code;
	if (first != argc)
		return cmd_usage_error("doctor", "doctor: it takes no operands");
	count = facts_gather(facts);
	look_hooks(&facts[count++]);
	look_symbols(&facts[count++]);
	can_enforce = !facts_lacking(facts, count);
	if (is_json)
		show_json(facts, count, can_enforce);
	else
		show_text(facts, count);
	return can_enforce ? EXIT_DONE : EXIT_LACKING;
}
