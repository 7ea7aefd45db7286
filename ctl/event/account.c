// SPDX-License-Identifier: GPL-2.0
/* Numbers events, remembers the last of each bucket, and tells what was merged and lost. */
#include "ctl/event/account.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sets of few places: a key is looked for in one set, and the place that was used longest ago makes room. */
#define WAYS 4
#define SETS (ACCOUNT_KEYS_MAX / WAYS)

struct memory {
	struct bucket_key key;
	uint64_t used; /* by the account's clock; 0 for an empty place */
	enum event_ring ring;
	char *record;
	size_t len;
	size_t size;
};

struct account {
	struct reader_state *state;
	uint64_t clock; /* counts uses of memories */
	struct memory memory[SETS][WAYS];
};

int account_new(struct reader_state *state, struct account **ret_account)
{
	struct account *account = calloc(1, sizeof(*account));

	if (!account)
		return -ENOMEM;
	account->state = state;
	*ret_account = account;
	return 0;
}

void account_free(struct account *account)
{
	if (!account)
		return;
	for (int i = 0; i < SETS * WAYS; i++)
		free(account->memory[i / WAYS][i % WAYS].record);
	free(account);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

static struct memory *set_of(struct account *account, const struct bucket_key *key)
{
	uint64_t hash = mix(mix(mix(0, key->attachment), key->generation),
			    (uint64_t)key->word << 32 | key->op);

	return account->memory[hash % SETS];
}

static bool is_key(const struct memory *memory, const struct bucket_key *key)
{
	return memory->used && memory->key.attachment == key->attachment &&
	       memory->key.generation == key->generation && memory->key.word == key->word &&
	       memory->key.op == key->op;
}

static struct memory *find(struct account *account, const struct bucket_key *key)
{
	struct memory *set = set_of(account, key);

	for (int i = 0; i < WAYS; i++) {
		if (is_key(&set[i], key))
			return &set[i];
	}
	return NULL;
}

static struct memory *find_or_take(struct account *account, const struct bucket_key *key)
{
	struct memory *set = set_of(account, key);
	struct memory *oldest = &set[0];

	for (int i = 0; i < WAYS; i++) {
		if (is_key(&set[i], key))
			return &set[i];
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	return oldest;
}

/* Without memory the event is not remembered, and a later repeat has no details: worse to read, but not wrong. */
static void remember(struct account *account, const struct event_view *view, const void *record, size_t size)
{
	struct bucket_key key = { view->attachment, view->generation, view->word,
				  BUCKET_OP(view->op, view->detail) };
	struct memory *memory = find_or_take(account, &key);

	if (memory->size < size) {
		free(memory->record);
		memory->used = 0;
		memory->size = 0;
		memory->record = malloc(size);
		if (!memory->record)
			return;
		memory->size = size;
	}
	memcpy(memory->record, record, size);
	memory->len = size;
	memory->key = key;
	memory->ring = view->ring;
	memory->used = ++account->clock;
}

/* A record may be reserved longer than its fields fill. */
static size_t used_size(const struct event_view *view)
{
	return offsetof(struct event, data) + view->object.len + view->exe.len + view->cgroup.len +
	       view->target.len + view->args.len + view->host.len;
}

int account_record(struct account *account, enum event_ring ring, const void *record, size_t size,
		   int64_t clock_offset, const struct event_sink *sink)
{
	struct reader_state *state = account->state;
	struct event_view view;
	int error;

	if (event_decode(record, size, clock_offset, &view)) {
		state->rejected[ring]++;
		return 0;
	}
	if (event_is_canary(record, size))
		return 0;
	view.ring = ring;
	view.seq = state->seq + 1;
	error = sink->give(sink->context, &view);
	if (error)
		return error;
	state->seq++;
	state->seen++;
	remember(account, &view, record, used_size(&view));
	return 0;
}

int account_lost(struct account *account, enum event_ring ring, uint64_t lost, uint64_t now_ns,
		 int64_t clock_offset, const struct event_sink *sink)
{
	struct reader_state *state = account->state;
	uint64_t sum = lost + state->rejected[ring];
	struct event_view view = {
		.wall_ns = (int64_t)(now_ns + (uint64_t)clock_offset),
		.boot_ns = now_ns,
		.verdict = VERDICT_LOST,
		.repeated = VERDICT_LOST,
		.ring = ring,
		.rule = EVENT_NO_RULE,
	};
	int error;

	/* Less than was told: the counter began anew, and everything since is owed. */
	view.count = sum < state->lost_told[ring] ? sum : sum - state->lost_told[ring];
	if (!view.count)
		return 0;
	error = sink->give(sink->context, &view);
	if (error)
		return error;
	state->seq += view.count;
	state->lost_told[ring] = sum;
	return 0;
}

static void copy_span(char *to, size_t size, struct span from)
{
	size_t len = from.len < size - 1 ? from.len : size - 1;

	memset(to, 0, size);
	if (len)
		memcpy(to, from.data, len);
}

static bool last_view(struct account *account, const struct bucket_key *key, struct event_view *ret_view)
{
	struct memory *memory = find(account, key);

	if (!memory || event_decode(memory->record, memory->len, 0, ret_view))
		return false;
	memory->used = ++account->clock;
	ret_view->ring = memory->ring;
	return true;
}

bool account_describe(struct account *account, const struct bucket_key *key, struct told *told)
{
	struct event_view view;

	if (!last_view(account, key, &view))
		return false;
	told->verdict = view.verdict;
	told->reason = view.reason;
	told->rule = view.rule;
	told->severity = view.severity;
	copy_span(told->policy, sizeof(told->policy), view.policy);
	copy_span(told->tag, sizeof(told->tag), view.tag);
	return true;
}

size_t account_keys(const struct account *account, struct bucket_key *ret_keys)
{
	size_t count = 0;

	for (int i = 0; i < SETS * WAYS; i++) {
		const struct memory *memory = &account->memory[i / WAYS][i % WAYS];

		if (memory->used)
			ret_keys[count++] = memory->key;
	}
	return count;
}

static bool is_known(const struct told *told)
{
	return told->policy[0] && told->verdict <= VERDICT_HELD && told->reason < REASON_COUNT &&
	       told->severity <= SEVERITY_HIGH;
}

static struct span span_of(const char *text, size_t size)
{
	return (struct span){ text, strnlen(text, size) };
}

/*
 * What a repeated event says when this reader saw none of its bucket: what the
 * last reader left, and else what the verb means where the policy enforces.
 */
static struct event_view view_of_key(const struct bucket_key *key, const struct told *told)
{
	struct event_view view = {
		.verdict = event_verdict_of_verb(WORD_VERB(key->word)),
		.op = BUCKET_OP_NUMBER(key->op),
		.detail = BUCKET_OP_DETAIL(key->op),
		.rule = EVENT_NO_RULE,
		.generation = key->generation,
		.attachment = key->attachment,
		.word = key->word,
	};

	if (is_known(told)) {
		view.has_rule = true;
		view.verdict = told->verdict;
		view.reason = told->reason;
		view.rule = told->rule;
		view.severity = told->severity;
		view.policy = span_of(told->policy, sizeof(told->policy));
		view.tag = span_of(told->tag, sizeof(told->tag));
	}
	view.ring = view.verdict == VERDICT_ALLOWED ? RING_OBSERVATIONS : RING_DENIALS;
	return view;
}

int account_bucket(struct account *account, const struct bucket_key *key, uint64_t merged, uint64_t now_ns,
		   int64_t clock_offset, const struct event_sink *sink, struct told *told)
{
	struct reader_state *state = account->state;
	uint64_t count = merged < told->count ? merged : merged - told->count;
	struct event_view view;
	int error;

	if (!count) {
		told->count = merged;
		return 0;
	}
	if (!last_view(account, key, &view))
		view = view_of_key(key, told);
	view.repeated = view.verdict;
	view.verdict = VERDICT_REPEATED;
	view.wall_ns = (int64_t)(now_ns + (uint64_t)clock_offset);
	view.boot_ns = now_ns;
	view.seq = state->seq + 1;
	view.count = count;
	error = sink->give(sink->context, &view);
	if (error)
		return error;
	state->seq++;
	state->repeated += count;
	told->count = merged;
	account_describe(account, key, told);
	return 0;
}
