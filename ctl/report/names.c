// SPDX-License-Identifier: GPL-2.0
/* Names by number: an arena of texts, and a table that finds them. */
#include "ctl/report/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define CHUNK_BYTES (1u << 16)
#define INDEX_FIRST 1024u
#define HASH_BYTES sizeof(uint64_t)

struct name {
	const char *text;
	uint32_t len; /* kept; a longer name has its hash behind it */
	uint32_t full;
	uint32_t hash;
};

struct chunk {
	struct chunk *next;
	size_t used;
	char data[CHUNK_BYTES];
};

struct names {
	uint64_t key[2];
	size_t count_max, bytes_max, bytes;
	struct chunk *chunks;
	struct name *list;
	uint32_t count, capacity;
	uint32_t *index; /* number + 1, or 0 */
	uint32_t index_size;
};

int names_new(size_t count_max, size_t bytes_max, struct names **ret)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	names->count_max = count_max;
	names->bytes_max = bytes_max;
	names->index_size = INDEX_FIRST;
	names->index = calloc(INDEX_FIRST, sizeof(*names->index));
	if (!names->index) {
		free(names);
		return -ENOMEM;
	}
	/* Without a key whoever chooses names could choose ones that all fall in one place. */
	if (getrandom(names->key, sizeof(names->key), 0) != sizeof(names->key))
		names->key[0] = (uintptr_t)names;
	*ret = names;
	return 0;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	while (names->chunks) {
		struct chunk *next = names->chunks->next;

		free(names->chunks);
		names->chunks = next;
	}
	free(names->list);
	free(names->index);
	free(names);
}

static uint64_t rotate(uint64_t value, int bits)
{
	return value << bits | value >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

/* SipHash-1-3. */
static uint64_t hash_of(const uint64_t key[2], struct span text)
{
	uint64_t v[4] = { key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
			  key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u };
	uint64_t word, last = (uint64_t)text.len << 56;
	size_t at;

	for (at = 0; at + 8 <= text.len; at += 8) {
		memcpy(&word, text.data + at, 8);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	for (int i = 0; at < text.len; at++, i++)
		last |= (uint64_t)(unsigned char)text.data[at] << (8 * i);
	v[3] ^= last;
	sip_round(v);
	v[0] ^= last;
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static bool is_same(const struct name *entry, struct span name, size_t kept, uint64_t hash)
{
	if (entry->hash != (uint32_t)hash || entry->full != (uint32_t)name.len || entry->len != kept ||
	    memcmp(entry->text, name.data, kept))
		return false;
	return kept == name.len || !memcmp(entry->text + kept, &hash, HASH_BYTES);
}

static uint32_t *find_place(const struct names *names, struct span name, size_t kept, uint64_t hash)
{
	uint32_t at = hash & (names->index_size - 1);

	while (names->index[at] && !is_same(&names->list[names->index[at] - 1], name, kept, hash))
		at = (at + 1) & (names->index_size - 1);
	return &names->index[at];
}

static bool grow_index(struct names *names)
{
	uint32_t size = names->index_size * 2, *index = calloc(size, sizeof(*index));

	if (!index)
		return false;
	for (uint32_t i = 0; i < names->count; i++) {
		uint32_t at = names->list[i].hash & (size - 1);

		while (index[at])
			at = (at + 1) & (size - 1);
		index[at] = i + 1;
	}
	free(names->index);
	names->index = index;
	names->index_size = size;
	return true;
}

static bool grow_list(struct names *names)
{
	uint32_t capacity = names->capacity ? names->capacity * 2 : 256;
	struct name *list;

	if (names->count < names->capacity)
		return true;
	list = realloc(names->list, capacity * sizeof(*list));
	if (!list)
		return false;
	names->list = list;
	names->capacity = capacity;
	return true;
}

static char *reserve(struct names *names, size_t size)
{
	struct chunk *chunk = names->chunks;
	char *data;

	if (!chunk || chunk->used + size > CHUNK_BYTES) {
		chunk = malloc(sizeof(*chunk));
		if (!chunk)
			return NULL;
		chunk->next = names->chunks;
		chunk->used = 0;
		names->chunks = chunk;
	}
	data = chunk->data + chunk->used;
	chunk->used += size;
	names->bytes += size;
	return data;
}

/* Up to the last whole character of UTF-8. */
static size_t kept_of(struct span name)
{
	size_t kept = NAME_KEPT;

	if (name.len <= NAME_KEPT)
		return name.len;
	while (kept && ((unsigned char)name.data[kept] & 0xc0) == 0x80)
		kept--;
	return kept;
}

uint32_t names_add(struct names *names, struct span given)
{
	struct span name = given.len ? given : (struct span){ "", 0 };
	uint64_t hash = hash_of(names->key, name);
	size_t kept = kept_of(name), size = kept + (kept < name.len ? HASH_BYTES : 0);
	uint32_t *place = find_place(names, name, kept, hash);
	char *text;

	if (*place)
		return *place - 1;
	if (names->count >= names->count_max || names->bytes + size > names->bytes_max || !grow_list(names))
		return NAME_NONE;
	if (names->count * 4ull >= names->index_size * 3ull) {
		if (!grow_index(names))
			return NAME_NONE;
		place = find_place(names, name, kept, hash);
	}
	text = reserve(names, size);
	if (!text)
		return NAME_NONE;
	memcpy(text, name.data, kept);
	if (kept < name.len)
		memcpy(text + kept, &hash, HASH_BYTES);
	names->list[names->count] = (struct name){ text, kept, name.len, hash };
	*place = ++names->count;
	return names->count - 1;
}

uint32_t names_find(const struct names *names, struct span name)
{
	uint32_t place = *find_place(names, name, kept_of(name), hash_of(names->key, name));

	return place ? place - 1 : NAME_NONE;
}

uint32_t names_count(const struct names *names)
{
	return names->count;
}

struct span names_get(const struct names *names, uint32_t number)
{
	if (number >= names->count)
		return (struct span){ "", 0 };
	return (struct span){ names->list[number].text, names->list[number].len };
}

size_t names_length(const struct names *names, uint32_t number)
{
	return number < names->count ? names->list[number].full : 0;
}
