// SPDX-License-Identifier: GPL-2.0
/* Putting the kernel programs in force: load, attach, pin, adopt. */
#include "ctl/enforce/programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/enforce/hooks.h"
#include "ctl/enforce/images.h"
#include "ctl/enforce/pins.h"
#include "kern/agentctl.skel.h"

/* libbpf talks through a callback without data; what it says of a refused program is kept for the error. */
static struct programs_error *listener;

static void hear_hook(const char *text)
{
	const char *name = strstr(text, "prog 'hook_");

	if (name)
		snprintf(listener->hook, sizeof(listener->hook), "%.*s", (int)strcspn(name + 11, "'"),
			 name + 11);
}

/* Keeps the end of TEXT: the verifier's verdict comes last. */
static void hear_detail(const char *text)
{
	size_t len = strlen(text), room = sizeof(listener->detail) - 1;

	snprintf(listener->detail, sizeof(listener->detail), "%.*s", (int)room,
		 len > room ? text + len - room : text);
}

static int hear(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text;

	if (level != LIBBPF_WARN || !listener || vasprintf(&text, format, args) < 0)
		return 0;
	hear_hook(text);
	if (strstr(text, "PROG LOAD LOG") || !listener->detail[0])
		hear_detail(text);
	free(text);
	return 0;
}

/*
 * Is the field FIELD of STRUCTURE inside an anonymous union on this kernel? So
 * it is with file.f_path from 6.18 and dentry.d_name from 6.17, and the verifier
 * treats both differently then.
 */
static bool has_field(const struct btf *btf, const char *structure, const char *field)
{
	int id = btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);

	for (int i = 0; type && i < btf_vlen(type); i++) {
		const char *name = btf__name_by_offset(btf, btf_members(type)[i].name_off);

		if (name && !strcmp(name, field))
			return true;
	}
	return false;
}

static bool is_in_union(const struct btf *btf, const char *structure, const char *field)
{
	return !has_field(btf, structure, field);
}

static bool has_target(const struct btf *btf, const char *target)
{
	return btf__find_by_name_kind(btf, target, BTF_KIND_FUNC) >= 0 ||
	       btf__find_by_name_kind(btf, target, BTF_KIND_TYPEDEF) >= 0;
}

/* Has the function NAME so many arguments? */
static bool takes(const struct btf *btf, const char *name, unsigned int count)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);

	return type && btf_vlen(btf__type_by_id(btf, type->type)) == count;
}

static bool is_lacking(const struct btf *btf, const struct hook *hook)
{
	return !has_target(btf, hook->target);
}

int programs_missing_targets(const char **ret_names, size_t max)
{
	struct btf *btf = btf__load_vmlinux_btf();
	size_t count = 0;

	if (!btf)
		return -errno;
	for (const struct hook *hook = hooks; hook->name; hook++)
		if (is_lacking(btf, hook) && !(hook->flags & HOOK_NEWER) && count + 1 < max)
			ret_names[count++] = hook->name;
	ret_names[count] = NULL;
	btf__free(btf);
	return count;
}

static bool is_waived(const char *hook, const char *const *waived, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(waived[i], hook))
			return true;
	return false;
}

static struct bpf_program *find_program(struct agentctl *object, const struct hook *hook, bool trusted)
{
	char name[128];

	snprintf(name, sizeof(name), "hook_%s%s", hook->name,
		 trusted && hook->flags & HOOK_TRUSTED ? "_trusted" : "");
	return bpf_object__find_program_by_name(object->obj, name);
}

/* What the kernel calls the maps: governed tasks get no descriptors of them. */
static void name_maps(struct agentctl *object)
{
	size_t count = 0, room = sizeof(object->rodata->own_maps) / sizeof(object->rodata->own_maps[0]);
	struct bpf_map *map;

	bpf_object__for_each_map(map, object->obj) if (count < room)
		snprintf((char *)object->rodata->own_maps[count++], sizeof(object->rodata->own_maps[0]), "%s",
			 bpf_map__name(map));
	if (count < room)
		snprintf((char *)object->rodata->own_maps[count], sizeof(object->rodata->own_maps[0]), "%s",
			 IMAGE_MAP_NAME);
}

/* Chooses programs and constants for this kernel. */
static void prepare(struct agentctl *object, const struct btf *btf, const char *const *waived,
		    size_t waived_count)
{
	bool trusted = is_in_union(btf, "file", "f_path");
	struct bpf_program *program;

	bpf_object__for_each_program(program, object->obj) bpf_program__set_autoload(program, false);
	for (const struct hook *hook = hooks; hook->name; hook++) {
		program = find_program(object, hook, trusted);
		bpf_program__set_autoload(program, !is_waived(hook->name, waived, waived_count) &&
							   !is_lacking(btf, hook));
	}
	/* What the overlay's user sees is kept apart since 6.8. */
	object->rodata->backing_has_own_path = has_field(btf, "backing_file", "user_path");
	object->rodata->flags_have_own_hook = has_target(btf, "bpf_lsm_inode_file_setattr");
	object->rodata->setattr_has_map = takes(btf, "bpf_lsm_inode_setattr", 3);
	object->rodata->name_is_pointer = is_in_union(btf, "dentry", "d_name");
	name_maps(object);
	object->rodata->perf_has_attributes = takes(btf, "bpf_lsm_perf_event_open", 2);
	object->rodata->truncate_has_descriptors = !has_target(btf, "bpf_lsm_file_truncate");
	if (getrandom((void *)object->rodata->cache_key, sizeof(object->rodata->cache_key), 0) < 0)
		memset((void *)object->rodata->cache_key, 0x5b, sizeof(object->rodata->cache_key));
	for (size_t i = 0; i < sizeof(object->rodata->cache_key) / sizeof(object->rodata->cache_key[0]); i++)
		*(__u64 *)&object->rodata->cache_key[i] |= 1;
}

static struct bpf_map *find_map(struct agentctl *object, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object->obj, name);
	char section[64];

	snprintf(section, sizeof(section), ".data.%s", name);
	return map ? map : bpf_object__find_map_by_name(object->obj, section);
}

/* Maps that are pinned already are taken over, with all that is in them. */
static int reuse_maps(struct agentctl *object)
{
	char path[256];
	int error = 0;

#define X(name)                                                                           \
	pin_map_path(path, sizeof(path), #name);                                          \
	if (!error && !access(path, F_OK)) {                                              \
		int fd = bpf_obj_get(path);                                               \
                                                                                          \
		error = fd < 0 ? -errno : bpf_map__reuse_fd(find_map(object, #name), fd); \
		if (fd >= 0)                                                              \
			close(fd);                                                        \
	}
	PINNED_MAPS(X)
#undef X
	return error;
}

static int pin_maps(struct agentctl *object)
{
	char path[256];
	int error = 0;

#define X(name)                                  \
	pin_map_path(path, sizeof(path), #name); \
	if (!error && access(path, F_OK))        \
		error = bpf_obj_pin(bpf_map__fd(find_map(object, #name)), path) ? -errno : 0;
	PINNED_MAPS(X)
#undef X
	return error;
}

/* Pins LINK under the name of its hook. What stood there is another link of the same hook and goes after it. */
static int pin_link(struct bpf_link *link, const char *hook)
{
	char path[256], fresh[300];

	pin_link_path(path, sizeof(path), hook);
	snprintf(fresh, sizeof(fresh), "%s_new", path);
	unlink(fresh);
	if (bpf_obj_pin(bpf_link__fd(link), fresh))
		return -errno;
	if (rename(fresh, path))
		return -errno;
	return 0;
}

static int attach_hooks(struct agentctl *object, bool trusted, struct programs_error *ret_error)
{
	struct bpf_link *links[HOOKS_MAX] = {};
	size_t count = 0;
	int error = 0;

	for (const struct hook *hook = hooks; hook->name && !error; hook++) {
		struct bpf_program *program = find_program(object, hook, trusted);

		if (!bpf_program__autoload(program))
			continue;
		links[count] = bpf_program__attach(program);
		if (!links[count]) {
			error = -errno;
			snprintf(ret_error->hook, sizeof(ret_error->hook), "%s", hook->name);
			snprintf(ret_error->detail, sizeof(ret_error->detail), "cannot attach: %s",
				 strerror(-error));
			break;
		}
		count++;
	}
	count = 0;
	for (const struct hook *hook = hooks; hook->name && !error; hook++)
		if (bpf_program__autoload(find_program(object, hook, trusted)))
			error = pin_link(links[count++], hook->name);
	for (size_t i = 0; i < HOOKS_MAX; i++)
		bpf_link__destroy(links[i]);
	return error;
}

static int make_folders(void)
{
	if (mkdir(PIN_DIR, 0700) && errno != EEXIST)
		return -errno;
	if (mkdir(PIN_DIR "/links", 0700) && errno != EEXIST)
		return -errno;
	return 0;
}

/* A kernel without the target of a hook that nobody waived: said before anything is tried. */
static int check_targets(const struct btf *btf, const char *const *waived, size_t waived_count,
			 struct programs_error *ret_error)
{
	for (const struct hook *hook = hooks; hook->name; hook++) {
		if (is_waived(hook->name, waived, waived_count) || hook->flags & HOOK_NEWER ||
		    !is_lacking(btf, hook))
			continue;
		snprintf(ret_error->hook, sizeof(ret_error->hook), "%s", hook->name);
		snprintf(ret_error->detail, sizeof(ret_error->detail), "this kernel has no %s", hook->target);
		return -ENOTSUP;
	}
	return 0;
}

static int load_all(const char *const *waived, size_t waived_count, struct programs_error *ret_error)
{
	struct agentctl *object = agentctl__open();
	struct btf *btf = btf__load_vmlinux_btf();
	bool trusted = btf && is_in_union(btf, "file", "f_path");
	int error = object && btf ? 0 : -ENOTSUP;

	if (!error)
		error = check_targets(btf, waived, waived_count, ret_error);
	if (!error) {
		prepare(object, btf, waived, waived_count);
		error = make_folders();
	}
	if (!error)
		error = reuse_maps(object);
	if (!error)
		error = agentctl__load(object);
	if (!error)
		error = pin_maps(object);
	if (!error)
		error = attach_hooks(object, trusted, ret_error);
	agentctl__destroy(object);
	btf__free(btf);
	return error;
}

static bool has_attachments(struct pins *pins)
{
	__u64 key;

	return !bpf_map_get_next_key(pins->attachments, NULL, &key);
}

/* Maps of another version cannot be taken over: without attachments they are removed, with them nothing is touched. */
static int check_version(void)
{
	struct pins pins;
	char path[256];
	int error = pins_open(&pins);
	bool is_same, is_busy;

	if (error == -ENOENT)
		return 0;
	if (error)
		return error;
	is_same = pins.control_memory->abi == ABI_VERSION || !pins.control_memory->abi;
	is_busy = has_attachments(&pins);
	pins_close(&pins);
	if (is_same)
		return 0;
	if (is_busy)
		return -EBUSY;
	programs_stop();
#define X(name)                                  \
	pin_map_path(path, sizeof(path), #name); \
	unlink(path);
	PINNED_MAPS(X)
#undef X
	return 0;
}

/* The hooks that this kernel neither has nor needs, by their place in the table. Only those without a link are looked for. */
static struct hook_mask needless_hooks(void)
{
	struct btf *btf = NULL;
	struct hook_mask mask = { 0 };

	for (size_t i = 0; hooks[i].name; i++) {
		if (!(hooks[i].flags & HOOK_NEWER) || pin_has_link(hooks[i].name))
			continue;
		if (!btf)
			btf = btf__load_vmlinux_btf();
		if (btf && is_lacking(btf, &hooks[i]))
			hook_mask_add(&mask, i);
	}
	btf__free(btf);
	return mask;
}

static bool is_complete(const char *const *waived, size_t waived_count, const struct hook_mask *needless)
{
	struct pins pins;

	for (size_t i = 0; hooks[i].name; i++)
		if (!pin_has_link(hooks[i].name) && !is_waived(hooks[i].name, waived, waived_count) &&
		    !hook_mask_has(needless, i))
			return false;
	if (pins_open(&pins))
		return false;
	pins_close(&pins);
	return true;
}

/* The hooks that are not in force because they were waived, as the self-check has to know. */
static struct hook_mask waived_hooks(const char *const *waived, size_t waived_count)
{
	struct hook_mask mask = { 0 };

	for (size_t i = 0; hooks[i].name; i++)
		if (!pin_has_link(hooks[i].name) && is_waived(hooks[i].name, waived, waived_count))
			hook_mask_add(&mask, i);
	return mask;
}

int programs_start(const char *const *waived, size_t waived_count, struct programs_error *ret_error)
{
	struct pins pins;
	struct hook_mask needless = needless_hooks();
	int error;

	memset(ret_error, 0, sizeof(*ret_error));
	listener = ret_error;
	libbpf_set_print(hear);
	error = check_version();
	if (!error && !is_complete(waived, waived_count, &needless))
		error = load_all(waived, waived_count, ret_error);
	if (!error)
		error = pins_open(&pins);
	listener = NULL;
	if (error)
		return error;
	pins.control_memory->abi = ABI_VERSION;
	pins.control_memory->waived = waived_hooks(waived, waived_count);
	pins.control_memory->needless = needless;
	images_close(&pins, POLICY_NONE);
	pins_close(&pins);
	return 0;
}

static int unpin_link(const char *hook)
{
	char path[256], fresh[300];
	int error = 0;

	pin_link_path(path, sizeof(path), hook);
	if (unlink(path) && errno != ENOENT)
		error = -errno;
	/* What a load that was killed left. */
	snprintf(fresh, sizeof(fresh), "%s_new", path);
	if (unlink(fresh) && errno != ENOENT)
		error = -errno;
	return error;
}

int programs_stop(void)
{
	static const struct programs_state none;

	return programs_restore(&none);
}

void programs_save(struct programs_state *ret_state)
{
	struct pins pins;

	memset(ret_state, 0, sizeof(*ret_state));
	for (const struct hook *hook = hooks; hook->name; hook++)
		ret_state->is_linked[hook - hooks] = pin_has_link(hook->name);
	if (pins_open(&pins))
		return;
	ret_state->waived = pins.control_memory->waived;
	pins_close(&pins);
}

int programs_restore(const struct programs_state *state)
{
	struct pins pins;
	int error = 0;

	for (const struct hook *hook = hooks; hook->name; hook++) {
		int failed = state->is_linked[hook - hooks] ? 0 : unpin_link(hook->name);

		error = failed ? failed : error;
	}
	if (pins_open(&pins))
		return error;
	pins.control_memory->waived = state->waived;
	pins_close(&pins);
	return error;
}
