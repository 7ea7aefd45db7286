// SPDX-License-Identifier: GPL-2.0
/* Reading the kernel section: what is allowed as a whole, and which programs may. */
#include <stdio.h>
#include <string.h>

#include "ctl/policy/family.h"
#include "ctl/policy/rule.h"
#include "ctl/policy/sections.h"
#include "ctl/policy/words.h"

static void read_family(struct reader *reader, const struct json_node *node, void *data)
{
	struct place place = json_place(reader->document, node);
	uint64_t *families = data;
	int bit = family_find(node->string);

	if (bit < 0)
		reader_unknown(reader, &place, "socket family", node->string, family_words());
	else
		*families |= 1ull << bit;
}

/* As with lists of programs an own list comes before one that is included. */
static void read_families(struct reader *reader, const struct json_node *node)
{
	struct policy_surface *surface = &reader->policy->surface[OP_KERNEL_FAMILIES];
	uint64_t families = 0;

	reader_each(reader, node, read_family, &families);
	if (surface->place.file)
		return;
	surface->place = json_place(reader->document, node);
	reader->policy->families = families;
}

static void check_kernel_value(struct reader *reader, const struct json_node *node)
{
	bool takes_session = !strcmp(node->key, "cgroup") || !strcmp(node->key, "ptrace");

	if (node->type == JSON_BOOL)
		return;
	if (node->type == JSON_STRING && takes_session && !strcmp(node->string, "session"))
		return;
	if (node->type != JSON_ARRAY)
		reader_error(reader, node, "write true, false, or a list of the programs that may",
			     "'%s' is %s", node->key, json_type_name(node->type));
}

/* An own value comes before one that is included, whole: lists are not joined. */
static void read_surface(struct reader *reader, const struct json_node *node, enum operation op)
{
	struct policy_surface *surface = &reader->policy->surface[op];
	struct pattern *programs = NULL;

	if (node->type == JSON_ARRAY)
		program_list_read(reader, node, &programs);
	if (surface->place.file) {
		pattern_free(programs);
		return;
	}
	surface->place = json_place(reader->document, node);
	surface->is_allowed = node->type == JSON_BOOL && node->boolean;
	surface->is_session = node->type == JSON_STRING;
	surface->programs = programs;
}

static void refuse_key(struct reader *reader, const struct json_node *node)
{
	char word[64];

	snprintf(word, sizeof(word), "kernel.%s", node->key);
	reader_refuse(reader, json_key_place(reader->document, node), word);
}

void kernel_read(struct reader *reader, const struct json_node *node)
{
	static const char *const keys[] = { "mount",	"userns",   "bpf",	  "perf",     "module",
					    "keyring",	"io_uring", "raw_socket", "families", "cgroup",
					    "snapshot", "caseless", "chroot",	  "setuid",   "tiocsti",
					    "deputies", "ptrace",   NULL };

	if (!reader_is(reader, node, JSON_OBJECT))
		return;
	reader_check_keys(reader, node, keys, "'kernel'");
	for (const struct json_node *member = node->first; member; member = member->next) {
		int op = operation_find("kernel", member->key);

		if (word_find(keys, member->key) < 0)
			continue;
		if (op == OP_KERNEL_FAMILIES) {
			read_families(reader, member);
			continue;
		}
		check_kernel_value(reader, member);
		if (op >= 0 && OPS_HOOKED & OP_BIT(op))
			read_surface(reader, member, op);
		else
			refuse_key(reader, member);
	}
}
