// SPDX-License-Identifier: GPL-2.0
// Dividing rules among lanes, so that the sizes of their automata add up instead of multiplying.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "directories.h"
#include "plan.h"

/*
 * Rules that look for their tail at any depth multiply with rules of another
 * kind: a trie of beginnings of names with an automaton of endings. Among
 * their own kind they add. So: one lane if all fits a small budget; else one
 * for the anchored rules and one for each shape of floating ones. A lane that
 * is beyond its budget is divided while there are lanes left, and small
 * ones are joined again, for each costs time at every byte of a name.
 */
#define WHOLE_STATES 16384u
#define WHOLE_WORK 3000000u
#define FIRST_STATES 30000u /* more than twice the positions */
#define FIRST_WORK 6000000u
#define LAST_WORK 24000000u
#define ALL_WORK 60000000u
#define JOIN_STATES 4096u /* more than twice the sum of both */
#define JOIN_WORK 1000000u
#define JOIN_PRODUCT 4000000u /* not even tried beyond */

struct group {
	uint32_t *member; /* unit indexes, ascending */
	uint32_t members;
	bool is_last; /* no smaller budget is to be tried first */
};

struct plan {
	struct automaton *automaton;
	uint32_t *blame; /* by unit */
	uint32_t *count; /* by member, of one attempt */
	struct group todo[LANES_MAX];
	uint32_t todos;
	struct group done[LANES_MAX]; /* those of the automaton's lanes */
	uint64_t work;
};

/* For each row by unit index, the row of words in the automaton. */
static int rows_by_word(struct automaton *automaton, const struct rows *rows, uint32_t *row_class)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < rows->count; i++) {
		struct row row = rows->row[i];

		for (int op = 0; op < ROW_WORDS; op++)
			if (row.word[op] != WORD_NONE)
				row.word[op] = automaton->unit[row.word[op]].word;
		err = rows_intern(&automaton->rows, &row, &row_class[i]);
	}
	return err;
}

/* One lane out of GROUP; counts blame by member in plan->count. */
static int lane_make(struct plan *plan, const struct group *group, struct budget *budget, struct dfa *ret)
{
	struct automaton *automaton = plan->automaton;
	struct lane_input input = { automaton->kind, &automaton->classes, automaton->unit, group->member,
				    group->members };
	struct rows rows = { 0 };
	struct dfa dfa = { 0 };
	uint32_t *row_class = NULL;
	int err;

	memset(plan->count, 0, automaton->units * sizeof(*plan->count));
	err = subset_build(&input, budget, plan->count, &rows, &dfa);
	if (err)
		goto out;
	for (uint32_t i = 0; i < group->members; i++)
		automaton->unit[group->member[i]].is_live = false;
	err = live_mark(&input, &dfa, &rows);
	row_class = malloc((rows.count + 1) * sizeof(*row_class));
	if (!err && !row_class)
		err = -ENOMEM;
	if (!err)
		err = rows_by_word(automaton, &rows, row_class);
	if (!err)
		err = dfa_minimise(&dfa, row_class);
	if (!err) {
		*ret = dfa;
		memset(&dfa, 0, sizeof(dfa));
	}
out:
	dfa_done(&dfa);
	rows_done(&rows);
	free(row_class);
	return err;
}

/* Each member's part in a failed attempt, in thousandths of the greatest part. */
static void blame_keep(struct plan *plan, const struct group *group)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < group->members; i++)
		if (plan->count[i] > most)
			most = plan->count[i];
	for (uint32_t i = 0; most && i < group->members; i++) {
		uint32_t part = (uint64_t)plan->count[i] * 1000 / most,
			 *blame = &plan->blame[group->member[i]];

		if (part > *blame)
			*blame = part;
	}
}

/* An attempt within STATES and WORK, out of the work that all attempts share. */
static int group_try(struct plan *plan, const struct group *group, uint32_t states, uint64_t work,
		     struct dfa *ret)
{
	uint64_t given = work < plan->work ? work : plan->work;
	struct budget budget = { states, given };
	int err = lane_make(plan, group, &budget, ret);

	plan->work -= given - budget.work;
	if (err == -E2BIG)
		blame_keep(plan, group);
	return err;
}

static void lane_add(struct plan *plan, struct group *group, const struct dfa *dfa)
{
	struct automaton *automaton = plan->automaton;

	for (uint32_t i = 0; i < group->members; i++)
		automaton->lane_of[group->member[i]] = automaton->lanes;
	automaton->lane[automaton->lanes] = *dfa;
	plan->done[automaton->lanes++] = *group;
	memset(group, 0, sizeof(*group));
}

static int group_init(struct group *group, uint32_t capacity)
{
	memset(group, 0, sizeof(*group));
	group->member = malloc((capacity + 1) * sizeof(*group->member));
	return group->member ? 0 : -ENOMEM;
}

/* Which of the lanes a shape belongs to; 0 is that of the anchored rules. */
static unsigned int shape_lane(uint8_t shape)
{
	bool inner_star = shape & (SHAPE_SUFFIX | SHAPE_INFIX);

	if (!(shape & SHAPE_FLOATS))
		return 0;
	if (shape & SHAPE_SCOPED)
		return inner_star ? 1 : 2;
	if (shape & SHAPE_DEEP)
		return 3;
	if (shape & SHAPE_INFIX)
		return 4;
	return shape & SHAPE_SUFFIX ? 5 : 6;
}

#define SHAPE_LANES 7

static int groups_by_shape(struct plan *plan)
{
	const struct automaton *automaton = plan->automaton;

	for (unsigned int lane = 0; lane < SHAPE_LANES; lane++) {
		struct group *group = &plan->todo[plan->todos];
		int err = group_init(group, automaton->units);

		if (err)
			return err;
		group->is_last = !lane;
		for (uint32_t i = 0; i < automaton->units; i++)
			if (shape_lane(automaton->unit[i].part->shape) == lane)
				group->member[group->members++] = i;
		if (group->members)
			plan->todos++;
		else
			free(group->member);
	}
	return 0;
}

/* The mask of operations that most of GROUP's rules have, if they do not all have it. */
static bool most_common_mask(const struct plan *plan, const struct group *group, uint32_t *ret)
{
	const struct unit *unit = plan->automaton->unit;
	uint32_t most = 0;

	for (uint32_t i = 0; i < group->members; i++) {
		uint32_t mask = unit[group->member[i]].operations, count = 0;

		for (uint32_t j = 0; mask != *ret && j < group->members; j++)
			count += unit[group->member[j]].operations == mask;
		if (count <= most)
			continue;
		most = count;
		*ret = mask;
	}
	return most < group->members;
}

/*
 * Which members of GROUP to part from the others: those that most states were
 * different for, if they are not most of the group anyway; else those with the
 * commonest mask, for only rules with the same one decide each other;
 * else every other one.
 */
static void choose_half(const struct plan *plan, const struct group *group, bool *chosen)
{
	uint32_t most = 0, blamed = 0, mask = 0;

	for (uint32_t i = 0; i < group->members; i++)
		if (plan->count[i] > most)
			most = plan->count[i];
	for (uint32_t i = 0; i < group->members; i++) {
		chosen[i] = plan->count[i] >= most / 4 + 1;
		blamed += chosen[i];
	}
	if (blamed && blamed < group->members - group->members / 4)
		return;
	if (most_common_mask(plan, group, &mask)) {
		for (uint32_t i = 0; i < group->members; i++)
			chosen[i] = plan->automaton->unit[group->member[i]].operations == mask;
		return;
	}
	for (uint32_t i = 0; i < group->members; i++)
		chosen[i] = i & 1;
}

static int group_divide(struct plan *plan, const struct group *group, struct group *ret_a,
			struct group *ret_b)
{
	bool *chosen = malloc(group->members);
	int err = chosen ? group_init(ret_a, group->members) : -ENOMEM;

	if (!err && group_init(ret_b, group->members)) {
		free(ret_a->member);
		err = -ENOMEM;
	}
	if (!err) {
		ret_a->is_last = ret_b->is_last = group->is_last;
		choose_half(plan, group, chosen);
		for (uint32_t i = 0; i < group->members; i++) {
			struct group *half = chosen[i] ? ret_a : ret_b;

			half->member[half->members++] = group->member[i];
		}
	}
	free(chosen);
	return err;
}

static uint64_t group_positions(const struct plan *plan, const struct group *group)
{
	uint64_t positions = 0;

	for (uint32_t i = 0; i < group->members; i++)
		positions += plan->automaton->unit[group->member[i]].part->nfa.state_count;
	return positions;
}

/* Makes a lane of GROUP, which it consumes, or divides it into groups that are to be done. */
static int group_settle(struct plan *plan, struct group *group)
{
	uint32_t lanes = plan->automaton->lanes + plan->todos + 1;
	struct dfa dfa;
	uint64_t positions = group_positions(plan, group);
	int err = -E2BIG;

	if (!group->is_last)
		err = group_try(plan, group, FIRST_STATES + 2 * positions, FIRST_WORK + 100 * positions,
				&dfa);
	if (err == -E2BIG && (group->is_last || lanes == LANES_MAX || group->members == 1))
		err = group_try(plan, group, AUTOMATON_STATES_MAX, LAST_WORK, &dfa);
	if (!err) {
		lane_add(plan, group, &dfa);
		return 0;
	}
	if (err == -E2BIG && lanes < LANES_MAX && group->members > 1) {
		err = group_divide(plan, group, &plan->todo[plan->todos], &plan->todo[plan->todos + 1]);
		plan->todos += err ? 0 : 2;
	}
	free(group->member);
	return err;
}

static int groups_settle(struct plan *plan)
{
	int err = 0;

	while (!err && plan->todos) {
		struct group group;
		uint32_t most = 0;

		/* The largest first, so that all are divided alike. */
		for (uint32_t i = 1; i < plan->todos; i++)
			if (plan->todo[i].members > plan->todo[most].members)
				most = i;
		group = plan->todo[most];
		plan->todo[most] = plan->todo[--plan->todos];
		err = group_settle(plan, &group);
	}
	return err;
}

static int compare_members(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

static void lane_drop(struct plan *plan, uint32_t lane)
{
	struct automaton *automaton = plan->automaton;
	uint32_t last = --automaton->lanes;

	dfa_done(&automaton->lane[lane]);
	free(plan->done[lane].member);
	automaton->lane[lane] = automaton->lane[last];
	plan->done[lane] = plan->done[last];
	for (uint32_t i = 0; lane != last && i < plan->done[lane].members; i++)
		automaton->lane_of[plan->done[lane].member[i]] = lane;
	memset(&automaton->lane[last], 0, sizeof(struct dfa));
	memset(&plan->done[last], 0, sizeof(struct group));
}

/* Joins lanes A < B if one automaton for both is hardly larger than the two. Returns 1 if it did. */
static int lanes_join(struct plan *plan, uint32_t a, uint32_t b)
{
	struct group *left = &plan->done[a], *right = &plan->done[b], joint;
	uint32_t states = JOIN_STATES + 2 * (plan->automaton->lane[a].count + plan->automaton->lane[b].count);
	struct dfa dfa;
	int err = group_init(&joint, left->members + right->members);

	if (err)
		return err;
	memcpy(joint.member, left->member, left->members * sizeof(uint32_t));
	memcpy(joint.member + left->members, right->member, right->members * sizeof(uint32_t));
	joint.members = left->members + right->members;
	qsort(joint.member, joint.members, sizeof(uint32_t), compare_members);
	err = group_try(plan, &joint, states, JOIN_WORK, &dfa);
	if (!err) {
		lane_drop(plan, b);
		lane_drop(plan, a);
		lane_add(plan, &joint, &dfa);
		return 1;
	}
	free(joint.member);
	return err == -E2BIG ? 0 : err;
}

/* The pair of lanes with the least product of sizes above FLOOR; false if that is too large to try. */
static bool smallest_pair(const struct automaton *automaton, uint64_t floor, uint64_t *ret_product,
			  uint32_t *ret_a, uint32_t *ret_b)
{
	uint64_t least = JOIN_PRODUCT;

	for (uint32_t i = 0; i < automaton->lanes; i++) {
		for (uint32_t j = i + 1; j < automaton->lanes; j++) {
			uint64_t product = (uint64_t)automaton->lane[i].count * automaton->lane[j].count;

			if (product <= floor || product >= least)
				continue;
			least = product;
			*ret_a = i;
			*ret_b = j;
		}
	}
	*ret_product = least;
	return least < JOIN_PRODUCT;
}

static int lanes_join_small(struct plan *plan)
{
	uint64_t floor = 0, product;
	uint32_t a, b;
	int joined = 0;

	while (joined >= 0 && smallest_pair(plan->automaton, floor, &product, &a, &b)) {
		joined = lanes_join(plan, a, b);
		floor = joined ? 0 : product;
	}
	return joined < 0 ? joined : 0;
}

/* All in one lane, if that is small or the kind of automaton has but one. Returns 1 if it is done. */
static int plan_whole(struct plan *plan)
{
	struct automaton *automaton = plan->automaton;
	bool is_alike = automaton->kind != AUTOMATON_PATHS;
	struct group group;
	struct dfa dfa;
	size_t positions = 0;
	int err;

	for (uint32_t i = 0; i < automaton->units; i++)
		positions += automaton->unit[i].part->nfa.state_count;
	if (!is_alike && positions > 8 * WHOLE_STATES)
		return 0;
	err = group_init(&group, automaton->units);
	if (err)
		return err;
	for (uint32_t i = 0; i < automaton->units; i++)
		group.member[group.members++] = i;
	err = group_try(plan, &group, is_alike ? AUTOMATON_STATES_MAX : WHOLE_STATES,
			is_alike ? LAST_WORK : WHOLE_WORK, &dfa);
	if (!err) {
		lane_add(plan, &group, &dfa);
		return 1;
	}
	free(group.member);
	return err == -E2BIG && !is_alike ? 0 : err;
}

int plan_lanes(struct automaton *automaton, uint32_t *blame)
{
	struct plan plan = { .automaton = automaton, .blame = blame, .work = ALL_WORK };
	int err = -ENOMEM;

	plan.count = malloc((automaton->units + 1) * sizeof(*plan.count));
	if (!plan.count)
		goto out;
	err = plan_whole(&plan);
	if (!err)
		err = groups_by_shape(&plan);
	if (!err)
		err = groups_settle(&plan);
	if (!err && automaton->lanes > 1)
		err = lanes_join_small(&plan);
	if (!err && automaton->kind == AUTOMATON_PATHS)
		err = directories_first(automaton);
out:
	for (uint32_t i = 0; i < LANES_MAX; i++)
		free(plan.done[i].member);
	for (uint32_t i = 0; i < plan.todos; i++)
		free(plan.todo[i].member);
	free(plan.count);
	return err < 0 ? err : 0;
}
