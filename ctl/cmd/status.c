// SPDX-License-Identifier: GPL-2.0
/* agentctl status: policies, attachments, hooks in force, counters, and what lacks. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json_writer.h"
#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"
#include "ctl/cmd/kernel_side.h"
#include "ctl/enforce/attachments.h"
#include "ctl/enforce/hooks.h"
#include "ctl/enforce/images.h"
#include "ctl/policy/coverage.h"
#include "ctl/policy/words.h"
#include "ctl/sys/cgroup.h"
#include "ctl/sys/facts.h"

/* Everything that is shown, gathered first: one walk over it writes both forms. */
struct view {
	bool is_open;	/* there are pins */
	bool is_loaded; /* and a policy */
	struct pins pins;
	struct attached *attachments;
	size_t attachment_count;
	struct fact facts[FACTS_MAX];
	size_t fact_count;
	struct json_writer *json; /* NULL for text */
};

static bool set_option(const char *option, const char *value, void *data)
{
	if (!strcmp(option, "json"))
		*(bool *)data = true;
	return true;
}

/* Writes one member of an object: as JSON, or as " KEY VALUE" at the end of a line of text. */
static void member_number(struct view *view, const char *key, uint64_t number)
{
	if (view->json) {
		json_key(view->json, key);
		json_unsigned(view->json, number);
	} else {
		printf(" %s %" PRIu64, key, number);
	}
}

static void member_string(struct view *view, const char *key, const char *text)
{
	if (view->json) {
		json_key(view->json, key);
		json_string(view->json, text);
	} else if (text) {
		printf(" %s %s", key, text);
	}
}

static void list_begin(struct view *view, const char *name)
{
	if (!view->json)
		return;
	json_key(view->json, name);
	json_begin_array(view->json);
}

static void list_end(struct view *view)
{
	if (view->json)
		json_end_array(view->json);
}

static void item_begin(struct view *view, const char *kind, const char *name)
{
	if (view->json) {
		json_begin_object(view->json);
		json_key(view->json, "name");
		json_name(view->json, name, strlen(name));
	} else {
		printf("%s ", kind);
		text_write_name(stdout, name, strlen(name));
		printf(":");
	}
}

static void item_end(struct view *view)
{
	if (view->json)
		json_end_object(view->json);
	else
		printf("\n");
}

static void show_policies(struct view *view)
{
	struct policy_slot slot;

	list_begin(view, "policies");
	for (uint32_t index = POLICY_FIRST; view->is_loaded && index <= POLICY_LAST; index++) {
		if (images_slot(&view->pins, index, &slot) || !slot.name[0])
			continue;
		item_begin(view, "policy", slot.name);
		member_string(view, "mode", slot.flags & IMAGE_AUDIT ? "audit" : "enforce");
		member_number(view, "rules", slot.rule_count);
		member_number(view, "lanes", slot.lanes);
		member_number(view, "generation", GENERATION_NUMBER(slot.generation));
		member_number(view, "bytes", sizeof(struct image_header) + 8ull * slot.cells);
		for (int section = 0; section < SECTION_COUNT; section++)
			if (!(slot.enforced & section_operations(section)))
				member_string(view, section_names[section], "not-enforced");
		if (slot.flags & IMAGE_UNCONTAINED)
			member_string(view, "directories", "not-compared");
		item_end(view);
	}
	list_end(view);
}

static void show_attachments(struct view *view)
{
	struct policy_slot slot;

	list_begin(view, "attachments");
	for (size_t i = 0; i < view->attachment_count; i++) {
		const struct attached *attached = &view->attachments[i];
		char *path = NULL;

		memset(&slot, 0, sizeof(slot));
		images_slot(&view->pins, attached->policy, &slot);
		item_begin(view, "cgroup",
			   cgroup_path(attached->root, &path) ? "(gone)" : cgroup_relative(path));
		member_number(view, "id", attached->root);
		member_string(view, "policy", slot.name);
		member_number(view, "cgroups", attached->cgroups);
		item_end(view);
		free(path);
	}
	list_end(view);
}

static void show_hooks(struct view *view)
{
	list_begin(view, "hooks");
	for (const struct hook *hook = hooks; hook->name; hook++) {
		bool is_in_force = pin_has_link(hook->name);

		if (!is_in_force && view->is_open &&
		    hook_mask_has(&view->pins.control_memory->needless, hook_index(hook->name)))
			continue;
		item_begin(view, "hook", hook->name);
		member_string(view, "state", is_in_force ? "in-force" : "off");
		member_string(view, "decides", hook->decides);
		item_end(view);
	}
	list_end(view);
}

static uint64_t sum_checks(const struct control *control)
{
	uint64_t sum = 0;

	for (int i = 0; i < CHECK_SHARDS; i++)
		sum += __atomic_load_n(&control->checks[i].count, __ATOMIC_RELAXED);
	return sum;
}

static void show_counters(struct view *view)
{
	static const char *const names[RING_COUNT] = { "denials", "observations" };

	if (view->json) {
		json_key(view->json, "counters");
		json_begin_object(view->json);
	} else {
		printf("counters:");
	}
	member_number(view, "checks", sum_checks(view->pins.control_memory));
	member_number(view, "denials", view->pins.control_memory->denied);
	member_number(view, "lost",
		      view->pins.account_memory->ring[RING_DENIALS].lost +
			      view->pins.account_memory->ring[RING_OBSERVATIONS].lost);
	item_end(view);
	list_begin(view, "rings");
	for (int ring = 0; ring < RING_COUNT; ring++) {
		const struct ring_account *account = &view->pins.account_memory->ring[ring];

		item_begin(view, "ring", names[ring]);
		member_number(view, "made", account->made);
		member_number(view, "merged", account->merged);
		member_number(view, "lost", account->lost);
		item_end(view);
	}
	list_end(view);
}

static void show_missing(struct view *view)
{
	size_t count;
	const char *const *missing = coverage_missing(&count);

	list_begin(view, "not_enforced");
	if (!view->json)
		printf("not enforced by this version:");
	for (size_t i = 0; i < count; i++) {
		if (view->json)
			json_string(view->json, missing[i]);
		else
			printf(" %s", missing[i]);
	}
	if (!view->json)
		printf("\n");
	list_end(view);
}

static void show_lacks(struct view *view)
{
	list_begin(view, "lacks");
	for (size_t i = 0; i < view->fact_count; i++) {
		if (view->facts[i].is_there || !view->facts[i].is_needed)
			continue;
		item_begin(view, "lacking", view->facts[i].name);
		member_string(view, "detail", view->facts[i].detail);
		member_string(view, "mend", view->facts[i].mend);
		item_end(view);
	}
	list_end(view);
}

static void show(struct view *view)
{
	if (view->json) {
		json_begin_object(view->json);
		json_key(view->json, "loaded");
		json_bool(view->json, view->is_loaded);
	} else if (!view->is_loaded) {
		printf("no policy is loaded\n");
	}
	show_policies(view);
	show_attachments(view);
	show_hooks(view);
	if (view->is_open)
		show_counters(view);
	show_missing(view);
	show_lacks(view);
	if (view->json) {
		json_end_object(view->json);
		json_newline(view->json);
	}
}

static bool has_policy(const struct pins *pins)
{
	struct policy_slot slot;

	for (uint32_t index = POLICY_FIRST; index <= POLICY_LAST; index++)
		if (!images_slot(pins, index, &slot) && slot.name[0])
			return true;
	return false;
}

static int gather(struct view *view)
{
	int error = pins_open(&view->pins);

	view->fact_count = facts_gather(view->facts);
	if (error == -ENOENT)
		return EXIT_DONE;
	if (error)
		return kernel_side_failed("status", PIN_DIR, error);
	view->is_open = true;
	view->is_loaded = has_policy(&view->pins);
	error = attachments_list(&view->pins, &view->attachments, &view->attachment_count);
	return error ? kernel_side_failed("status", "reading the attachments", error) : EXIT_DONE;
}

int cmd_status(int argc, char **argv)
{
	struct json_writer json;
	struct view view = {};
	bool is_json = false;
	int first, code;

	if (!cmd_parse(argc, argv, set_option, &is_json, &first, &code))
		return code;
	if (first != argc)
		return cmd_usage_error("status", "status: it takes no operands");
	json_writer_init(&json, stdout);
	if (is_json)
		view.json = &json;
	code = gather(&view);
	if (!code)
		show(&view);
	free(view.attachments);
	if (view.is_open)
		pins_close(&view.pins);
	return code;
}
