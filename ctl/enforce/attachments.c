// SPDX-License-Identifier: GPL-2.0
/* Attachments: which cgroups are governed, and by which policy. */
#include "ctl/enforce/attachments.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/enforce/images.h"
#include "ctl/sys/cgroup.h"

#define ROUNDS_MAX 1000 /* of a walk over a tree in which cgroups keep appearing */

struct tree {
	const struct pins *pins;
	struct attachment entry;
	size_t added;
};

int attachments_find(const struct pins *pins, uint64_t id, struct attachment *ret_entry)
{
	return bpf_map_lookup_elem(pins->attachments, &id, ret_entry) ? -errno : 0;
}

static int refuse_governed(const char *path, uint64_t id, void *data)
{
	struct tree *tree = data;
	struct attachment entry;
	int error = attachments_find(tree->pins, id, &entry);

	return error == -ENOENT ? 0 : error ? error : -EEXIST;
}

static int set_bit(const char *path, uint64_t id, void *data)
{
	struct tree *tree = data;
	__u64 *word = &tree->pins->governed_memory->bit[id >> 6 & (GOVERNED_BITS / 64 - 1)];
	__u64 bit = 1ull << (id & 63);

	if (!(__atomic_fetch_or(word, bit, __ATOMIC_SEQ_CST) & bit))
		tree->added++;
	return 0;
}

static int add_entry(const char *path, uint64_t id, void *data)
{
	struct tree *tree = data;

	set_bit(path, id, data);
	if (!bpf_map_update_elem(tree->pins->attachments, &id, &tree->entry, BPF_NOEXIST)) {
		tree->added++;
		return 0;
	}
	/* Beyond the table's size children are found by their ancestors: slower, not open. The root must have its entry. */
	if (errno == EEXIST || (errno == E2BIG && id != tree->entry.root))
		return 0;
	return -errno;
}

/* Walks until a walk finds nothing new: a cgroup that appears behind one is met by the next. */
static int walk_settled(const char *path, int (*visit)(const char *path, uint64_t id, void *data),
			struct tree *tree)
{
	for (int round = 0; round < ROUNDS_MAX; round++) {
		int error;

		tree->added = 0;
		error = cgroup_walk(path, visit, tree);
		if (error || !tree->added)
			return error;
	}
	return -EBUSY;
}

/*
 * Programs that ran while the entries changed may have stored what they saw
 * before in a slot: they are waited for, then every slot is emptied.
 */
static int settle_slots(const struct pins *pins)
{
	int error = images_wait_programs(pins);

	for (size_t i = 0; i < SLOTS; i++)
		__atomic_store_n(&pins->governed_memory->slot[i], 0, __ATOMIC_SEQ_CST);
	return error;
}

/*
 * All bits come before any entry: from then on new children inherit the bit. One
 * whose making had looked at its parent before that is waited for: it is visible
 * after the barrier, and the second walk gives it its bit, too. From then on a
 * task whose cgroup has a bit and no entry is judged by its ancestors' entry.
 * So the root's entry, which is made first, governs the whole tree at once.
 */
int attachments_add(const struct pins *pins, const char *path, uint32_t index)
{
	struct tree tree = { .pins = pins, .entry.policy = index };
	uint64_t root;
	int error = cgroup_id(path, &root);

	if (error)
		return error;
	tree.entry.root = root;
	error = cgroup_walk(path, refuse_governed, &tree);
	if (!error)
		error = walk_settled(path, set_bit, &tree);
	if (error)
		return error;
	error = cgroup_barrier();
	if (!error)
		error = walk_settled(path, add_entry, &tree);
	if (!error)
		error = settle_slots(pins);
	if (error)
		attachments_remove(pins, root);
	return error;
}

/* Deletes all entries of ROOT, in rounds until there are none. */
static void delete_entries(const struct pins *pins, uint64_t root)
{
	struct attachment entry;
	uint64_t key, next;
	bool again = true;

	for (int round = 0; again && round < ROUNDS_MAX; round++) {
		int end = bpf_map_get_next_key(pins->attachments, NULL, &next);

		again = false;
		while (!end) {
			key = next;
			end = bpf_map_get_next_key(pins->attachments, &key, &next);
			if (attachments_find(pins, key, &entry) || entry.root != root)
				continue;
			bpf_map_delete_elem(pins->attachments, &key);
			again = true;
		}
	}
}

/*
 * The root goes first, so that no child inherits any more. A cgroup that was being
 * made meanwhile may still have inherited: its program is waited for, and what
 * it left is deleted as well.
 */
int attachments_remove(const struct pins *pins, uint64_t root)
{
	struct attachment entry;
	int error = attachments_find(pins, root, &entry);

	if (error)
		return error;
	if (entry.root != root)
		return -ENOENT;
	bpf_map_delete_elem(pins->attachments, &root);
	delete_entries(pins, root);
	error = images_wait_programs(pins);
	delete_entries(pins, root);
	return error ? error : settle_slots(pins);
}

/* Gives all entries of ROOT the policy of ENTRY, in rounds until there are none with another. */
static int change_entries(const struct pins *pins, const struct attachment *entry)
{
	struct attachment found;
	uint64_t key, next;
	bool again = true;

	for (int round = 0; again && round < ROUNDS_MAX; round++) {
		int end = bpf_map_get_next_key(pins->attachments, NULL, &next);

		again = false;
		while (!end) {
			key = next;
			end = bpf_map_get_next_key(pins->attachments, &key, &next);
			if (attachments_find(pins, key, &found) || found.root != entry->root ||
			    found.policy == entry->policy)
				continue;
			if (bpf_map_update_elem(pins->attachments, &key, entry, BPF_EXIST) && errno != ENOENT)
				return -errno;
			again = true;
		}
	}
	return again ? -EBUSY : 0;
}

/* As with removing: a cgroup that was being made meanwhile may have inherited the old policy. */
int attachments_change(const struct pins *pins, uint64_t root, uint32_t index)
{
	struct attachment entry;
	int error = attachments_find(pins, root, &entry);

	if (error)
		return error;
	if (entry.root != root)
		return -ENOENT;
	entry.policy = index;
	if (bpf_map_update_elem(pins->attachments, &root, &entry, BPF_EXIST))
		return -errno;
	error = change_entries(pins, &entry);
	if (!error)
		error = images_wait_programs(pins);
	if (!error)
		error = change_entries(pins, &entry);
	return error ? error : settle_slots(pins);
}

static int compare(const void *a, const void *b)
{
	const struct attached *first = a, *second = b;

	return first->root < second->root ? -1 : first->root > second->root;
}

static struct attached *find_root(struct attached *list, size_t count, uint64_t root)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].root == root)
			return &list[i];
	return NULL;
}

int attachments_list(const struct pins *pins, struct attached **ret_list, size_t *ret_count)
{
	struct attached *list = NULL, *grown;
	size_t count = 0;
	uint64_t key, next;
	int end = bpf_map_get_next_key(pins->attachments, NULL, &next);

	while (!end) {
		struct attachment entry;
		struct attached *known;

		key = next;
		end = bpf_map_get_next_key(pins->attachments, &key, &next);
		/* The self-check's are gone in a moment and nobody's concern. */
		if (attachments_find(pins, key, &entry) || entry.policy == POLICY_CANARY)
			continue;
		known = find_root(list, count, entry.root);
		if (!known) {
			grown = realloc(list, (count + 1) * sizeof(*list));
			if (!grown) {
				free(list);
				return -ENOMEM;
			}
			list = grown;
			known = &list[count++];
			*known = (struct attached){ .root = entry.root, .policy = entry.policy };
		}
		known->cgroups++;
	}
	if (count)
		qsort(list, count, sizeof(*list), compare);
	*ret_list = list;
	*ret_count = count;
	return 0;
}
