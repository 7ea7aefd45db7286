// SPDX-License-Identifier: GPL-2.0
/* agentctl metrics: what is counted, for a monitoring system. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/metrics_writer.h"
#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"
#include "ctl/cmd/kernel_side.h"
#include "ctl/enforce/attachments.h"
#include "ctl/enforce/hooks.h"
#include "ctl/enforce/images.h"
#include "ctl/enforce/usage.h"
#include "ctl/sys/cgroup.h"

#ifndef VERSION
#define VERSION "unreleased"
#endif

/* A policy in force, by its index; the others have no name. */
struct snapshot {
	bool is_open; /* there are pins */
	struct pins pins;
	struct policy_slot slots[POLICIES_MAX];
	struct attached *attachments;
	size_t attachment_count;
	struct map_usage maps[USAGE_MAPS_MAX];
	size_t map_count;
};

struct metrics_options {
	const char *output;
	bool is_json;
};

static bool set_option(const char *option, const char *value, void *data)
{
	struct metrics_options *options = data;

	if (!strcmp(option, "json"))
		options->is_json = true;
	else if (!strcmp(option, "output"))
		options->output = value;
	return true;
}

static int gather(struct snapshot *snapshot)
{
	int error = pins_open(&snapshot->pins);

	if (error == -ENOENT)
		return EXIT_DONE;
	if (error)
		return kernel_side_failed("metrics", PIN_DIR, error);
	snapshot->is_open = true;
	for (uint32_t index = POLICY_FIRST; index <= POLICY_LAST && !error; index++)
		error = images_slot(&snapshot->pins, index, &snapshot->slots[index]);
	if (!error)
		error = attachments_list(&snapshot->pins, &snapshot->attachments,
					 &snapshot->attachment_count);
	if (!error)
		error = usage_maps(&snapshot->pins, snapshot->maps, &snapshot->map_count);
	return error ? kernel_side_failed("metrics", "reading the maps", error) : EXIT_DONE;
}

static void release(struct snapshot *snapshot)
{
	free(snapshot->attachments);
	if (snapshot->is_open)
		pins_close(&snapshot->pins);
}

static void put_policies(struct metrics_writer *writer, const struct snapshot *snapshot)
{
	uint64_t count = 0;

	metrics_family(writer, METRIC_GAUGE, "agentctl_policy_rules",
		       "Rules of a policy that is loaded; mode audit denies nothing.");
	for (uint32_t index = POLICY_FIRST; index <= POLICY_LAST; index++) {
		const struct policy_slot *slot = &snapshot->slots[index];
		const struct metric_label labels[] = {
			{ "policy", slot->name },
			{ "mode", slot->flags & IMAGE_AUDIT ? "audit" : "enforce" },
			{ 0 },
		};

		if (!slot->name[0])
			continue;
		metrics_sample(writer, labels, slot->rule_count);
		count++;
	}
	metrics_family(writer, METRIC_GAUGE, "agentctl_policy_loaded_timestamp_seconds",
		       "When a policy was loaded, in seconds since 1970.");
	for (uint32_t index = POLICY_FIRST; index <= POLICY_LAST; index++)
		if (snapshot->slots[index].name[0])
			metrics_sample_ns(
				writer,
				(struct metric_label[]){ { "policy", snapshot->slots[index].name }, { 0 } },
				snapshot->slots[index].loaded_ns);
	metrics_family(writer, METRIC_GAUGE, "agentctl_policies", "Policies that are loaded.");
	metrics_sample(writer, NULL, count);
}

static void put_attachments(struct metrics_writer *writer, const struct snapshot *snapshot)
{
	metrics_family(writer, METRIC_GAUGE, "agentctl_attachments", "Cgroups that a policy is attached to.");
	metrics_sample(writer, NULL, snapshot->attachment_count);
	metrics_family(
		writer, METRIC_GAUGE, "agentctl_attachment_cgroups",
		"Cgroups that an attachment governs, its own and those below; the cgroup is gone where only an id is left.");
	for (size_t i = 0; i < snapshot->attachment_count; i++) {
		const struct attached *attached = &snapshot->attachments[i];
		char *path = NULL, id[24];
		bool is_gone = cgroup_path(attached->root, &path);
		const struct metric_label labels[] = {
			{ "cgroup", is_gone ? "" : cgroup_relative(path) },
			{ "id", id },
			{ "policy", snapshot->slots[attached->policy % POLICIES_MAX].name },
			{ 0 },
		};

		snprintf(id, sizeof(id), "%llu", (unsigned long long)attached->root);
		metrics_sample(writer, labels, attached->cgroups);
		free(path);
	}
}

static void put_acts(struct metrics_writer *writer, const struct control *control)
{
	uint64_t checks = 0;

	for (int i = 0; i < CHECK_SHARDS; i++)
		checks += __atomic_load_n(&control->checks[i].count, __ATOMIC_RELAXED);
	metrics_family(writer, METRIC_COUNTER, "agentctl_checks", "Acts of governed tasks that were judged.");
	metrics_sample(writer, NULL, checks);
	metrics_family(writer, METRIC_COUNTER, "agentctl_denials",
		       "Acts of governed tasks that were refused.");
	metrics_sample(writer, NULL, control->denied);
}

/* Which member of a ring's account a family is about. */
static void put_account(struct metrics_writer *writer, const struct accounts *accounts, size_t member)
{
	static const char *const names[RING_COUNT] = { "denials", "observations" };

	for (int ring = 0; ring < RING_COUNT; ring++) {
		const uint64_t *value = (const uint64_t *)((const char *)&accounts->ring[ring] + member);

		metrics_sample(writer, (struct metric_label[]){ { "ring", names[ring] }, { 0 } },
			       __atomic_load_n(value, __ATOMIC_RELAXED));
	}
}

static void put_events(struct metrics_writer *writer, const struct accounts *accounts)
{
	metrics_family(writer, METRIC_COUNTER, "agentctl_events", "Events that were made.");
	put_account(writer, accounts, offsetof(struct ring_account, made));
	metrics_family(writer, METRIC_COUNTER, "agentctl_events_merged",
		       "Events that are told as repetitions of others.");
	put_account(writer, accounts, offsetof(struct ring_account, merged));
	metrics_family(writer, METRIC_COUNTER, "agentctl_events_lost", "Events that found their ring full.");
	put_account(writer, accounts, offsetof(struct ring_account, lost));
}

/* Tables or rings: what is in them, or what there is room for. */
static void put_usage(struct metrics_writer *writer, const struct snapshot *snapshot, bool is_ring,
		      bool is_room)
{
	for (size_t i = 0; i < snapshot->map_count; i++) {
		const struct map_usage *map = &snapshot->maps[i];
		const struct metric_label labels[] = { { is_ring ? "ring" : "map", map->name }, { 0 } };

		if (map->is_ring == is_ring)
			metrics_sample(writer, labels, is_room ? map->room : map->used);
	}
}

static void put_maps(struct metrics_writer *writer, const struct snapshot *snapshot)
{
	metrics_family(writer, METRIC_GAUGE, "agentctl_map_entries", "Entries of a table in the kernel.");
	put_usage(writer, snapshot, false, false);
	metrics_family(writer, METRIC_GAUGE, "agentctl_map_entries_max",
		       "Entries that a table has room for.");
	put_usage(writer, snapshot, false, true);
	metrics_family(writer, METRIC_GAUGE, "agentctl_ring_used_bytes",
		       "What of a ring's room is taken by events that nobody has read.");
	put_usage(writer, snapshot, true, false);
	metrics_family(writer, METRIC_GAUGE, "agentctl_ring_size_bytes", "A ring's room.");
	put_usage(writer, snapshot, true, true);
}

enum hook_number { HOOK_IN_FORCE, HOOK_SKIPPED, HOOK_RUNS, HOOK_RUN_NS };

static void put_hook(struct metrics_writer *writer, const struct hook *hook, enum hook_number which)
{
	const struct metric_label labels[] = { { "hook", hook->name }, { 0 } };
	struct hook_usage usage;

	if (which == HOOK_IN_FORCE)
		metrics_sample(writer, labels, pin_has_link(hook->name));
	else if (usage_hook(hook->name, &usage))
		return;
	else if (which == HOOK_RUN_NS)
		metrics_sample_ns(writer, labels, usage.run_ns);
	else
		metrics_sample(writer, labels, which == HOOK_RUNS ? usage.runs : usage.skipped);
}

static void put_hooks(struct metrics_writer *writer, const struct control *control, enum hook_number which)
{
	for (const struct hook *hook = hooks; hook->name; hook++)
		if (!hook_mask_has(&control->needless, hook_index(hook->name)))
			put_hook(writer, hook, which);
}

static void put_programs(struct metrics_writer *writer, const struct control *control)
{
	metrics_family(writer, METRIC_GAUGE, "agentctl_hook_in_force",
		       "1 if the hook's program is attached, 0 if nothing decides there.");
	put_hooks(writer, control, HOOK_IN_FORCE);
	metrics_family(
		writer, METRIC_COUNTER, "agentctl_hook_skipped",
		"Runs that the kernel skipped because the hook's program was running on that processor.");
	put_hooks(writer, control, HOOK_SKIPPED);
	if (!usage_is_timed())
		return;
	metrics_family(writer, METRIC_COUNTER, "agentctl_hook_runs",
		       "Runs of the hook's program while kernel.bpf_stats_enabled was on.");
	put_hooks(writer, control, HOOK_RUNS);
	metrics_family(writer, METRIC_COUNTER, "agentctl_hook_run_seconds",
		       "Time that the hook's program took while kernel.bpf_stats_enabled was on.");
	put_hooks(writer, control, HOOK_RUN_NS);
}

static void put_all(FILE *stream, const struct snapshot *snapshot, bool is_json)
{
	struct metrics_writer writer;

	metrics_init(&writer, stream, is_json);
	metrics_family(&writer, METRIC_GAUGE, "agentctl_build_info", "1, with the version of this command.");
	metrics_sample(&writer, (struct metric_label[]){ { "version", VERSION }, { 0 } }, 1);
	put_policies(&writer, snapshot);
	put_attachments(&writer, snapshot);
	if (snapshot->is_open) {
		put_acts(&writer, snapshot->pins.control_memory);
		put_events(&writer, snapshot->pins.account_memory);
		put_maps(&writer, snapshot);
		put_programs(&writer, snapshot->pins.control_memory);
	}
	metrics_end(&writer);
}

/* Whoever collects the file sees the old one or the new one whole: it is written beside it, and renamed. */
static int put_file(const char *path, const struct snapshot *snapshot, bool is_json)
{
	char *beside = text_format("%s.XXXXXX", path);
	int fd = beside ? mkostemp(beside, O_CLOEXEC) : -1;
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");
	int error = stream ? 0 : -errno;

	if (stream) {
		put_all(stream, snapshot, is_json);
		if (fflush(stream) || ferror(stream) || fchmod(fd, 0644))
			error = -errno;
		if (fclose(stream) && !error)
			error = -errno;
	} else if (fd >= 0) {
		close(fd);
	}
	if (!error && rename(beside, path))
		error = -errno;
	if (error && fd >= 0)
		unlink(beside);
	free(beside);
	return error;
}

int cmd_metrics(int argc, char **argv)
{
	struct metrics_options options = {};
	struct snapshot snapshot = {};
	int first, code, error = 0;

	if (!cmd_parse(argc, argv, set_option, &options, &first, &code))
		return code;
	if (first != argc)
		return cmd_usage_error("metrics", "metrics: it takes no operands");
	code = gather(&snapshot);
	if (!code && options.output)
		error = put_file(options.output, &snapshot, options.is_json);
	else if (!code)
		put_all(stdout, &snapshot, options.is_json);
	if (error)
		code = kernel_side_failed("metrics", options.output, error);
	release(&snapshot);
	return code;
}
