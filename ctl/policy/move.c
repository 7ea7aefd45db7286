// SPDX-License-Identifier: GPL-2.0
/* Deciding renames and hard links by the functions that the kernel's programs call, and telling why. */
#include "ctl/policy/move.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/pattern/example.h"
#include "ctl/policy/words.h"

struct moving {
	const struct compiled *compiled;
	enum operation op;
	const struct object *old;
	const struct object *fresh;
	struct decision *decision;
	enum operation decided; /* the right that the verdict is about, where nothing is gained */
};

static void widening_free(struct widening *widening)
{
	if (!widening)
		return;
	free(widening->old_name);
	free(widening->fresh_name);
	free(widening);
}

void move_free(struct move *move)
{
	if (!move)
		return;
	free(move->judged);
	widening_free(move->widens);
	widening_free(move->below);
	free(move);
}

static void take_origin(struct decision *decision, const struct origin *origin)
{
	decision->verb = origin->verb;
	decision->is_enforced = origin->is_enforced;
	decision->rule = origin->rule;
	decision->place = origin->place;
	decision->reason = origin->rule ? REASON_RULE : REASON_DEFAULT;
}

/*
 * The right to take the old name away, then that to make the new one: the
 * stricter of both holds, and of equally strict ones the first.
 */
static void judge_rights(struct moving *moving)
{
	const struct image_header *image = moving->compiled->image;
	uint32_t word = decision_word(image, OP_FILE_CREATE, moving->fresh);
	struct origin origin;

	if (moving->op == OP_FILE_RENAME) {
		uint32_t delete = decision_word(image, OP_FILE_DELETE, moving->old);

		if (decide_strictness(WORD_VERB(delete)) >= decide_strictness(WORD_VERB(word))) {
			word = delete;
			moving->decided = OP_FILE_DELETE;
		}
	}
	decision_origin(moving->compiled, moving->decided, word, &origin);
	take_origin(moving->decision, &origin);
	if (origin.verb != VERB_DENY)
		return;
	moving->decision->move->lacking = moving->decided;
	moving->decision->error = EACCES;
}

/* What has the new name is deleted by a rename: that needs a right of its own, if anything has. */
static void judge_replacing(const struct moving *moving, struct move *move)
{
	uint32_t word = decision_word(moving->compiled->image, OP_FILE_DELETE, moving->fresh);

	move->has_replacing = true;
	decision_origin(moving->compiled, OP_FILE_DELETE, word, &move->replacing);
}

/* The first operation that TO permits more than FROM, or, LOSS being allowed, create that it permits less. */
static enum operation find_gain(uint32_t to, uint32_t from, bool *ret_is_loss)
{
	uint32_t gained = to & ~from;

	*ret_is_loss = !gained;
	return gained ? __builtin_ctz(gained) & 15 : OP_FILE_CREATE;
}

static void walk_path(const struct image_header *image, const char *path, bool is_below, const char *rest,
		      struct image_state *ret)
{
	image_walk(image, path, strlen(path), ret);
	if (is_below && path[1])
		image_step(image, ret, '/');
	for (; rest && *rest; rest++)
		image_step(image, ret, *rest);
}

/* Says why a name is not contained: the objects' own names, or EXAMPLE below them. */
static int widening_new(const struct moving *moving, const char *example, struct widening **ret)
{
	const struct image_header *image = moving->compiled->image;
	struct widening *widening = calloc(1, sizeof(*widening));
	const char *old = moving->old->path, *fresh = moving->fresh->path, *slash = example ? "/" : "";
	struct image_state old_state, fresh_state;

	if (!widening)
		return -ENOMEM;
	walk_path(image, old, example, example, &old_state);
	walk_path(image, fresh, example, example, &fresh_state);
	widening->operation = find_gain(image_rights(image, &fresh_state), image_rights(image, &old_state),
					&widening->is_loss);
	decision_origin(moving->compiled, widening->operation,
			image_word(image, &old_state, widening->operation), &widening->old);
	decision_origin(moving->compiled, widening->operation,
			image_word(image, &fresh_state, widening->operation), &widening->fresh);
	widening->old_name = text_format("%s%s%s", old[1] ? old : "", slash, example ? example : "");
	widening->fresh_name = text_format("%s%s%s", fresh[1] ? fresh : "", slash, example ? example : "");
	if (!widening->old_name || !widening->fresh_name) {
		widening_free(widening);
		return -ENOMEM;
	}
	*ret = widening;
	return 0;
}

/* Nothing that may lie below gains, as far as a search finds; the matrix, made for all names, does not vouch for it. */
static int widening_new_unproven(struct widening **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	(*ret)->is_unproven = true;
	return 0;
}

/* Would everything that may lie below the directory of these names be contained? */
static int judge_below(const struct moving *moving, struct move *move)
{
	const struct image_header *image = moving->compiled->image;
	struct image_state old, fresh;
	char example[EXAMPLE_MAX];
	int result;

	walk_path(image, moving->old->path, true, NULL, &old);
	walk_path(image, moving->fresh->path, true, NULL, &fresh);
	move->has_below = true;
	move->is_contained = image_is_subtree(image, &fresh, &old);
	if (move->is_contained)
		return 0;
	result = example_find(image, &fresh, &old, example);
	if (result < 0)
		return result;
	return result ? widening_new(moving, example, &move->below) : widening_new_unproven(&move->below);
}

/* What it denies is told by the rule that keeps the old name from it, or the new one from being made. */
static void deny_widening(struct moving *moving, const struct widening *widening)
{
	struct decision *decision = moving->decision;

	take_origin(decision, widening->is_loss ? &widening->fresh : &widening->old);
	decision->is_enforced = true;
	decision->verb = VERB_DENY;
	decision->reason = REASON_WIDENS;
	decision->error = EXDEV;
	decision->move->lacking = moving->op;
}

static int judge_containment(struct moving *moving, bool is_directory)
{
	const struct image_header *image = moving->compiled->image;
	struct move *move = moving->decision->move;
	struct image_state old, fresh;
	int result = 0;

	walk_path(image, moving->old->path, false, NULL, &old);
	walk_path(image, moving->fresh->path, false, NULL, &fresh);
	if (!decide_is_contained(image_rights(image, &fresh), image_rights(image, &old))) {
		result = widening_new(moving, NULL, &move->widens);
		if (!result)
			deny_widening(moving, move->widens);
		return result;
	}
	if (moving->op != OP_FILE_RENAME)
		return 0;
	result = judge_below(moving, move);
	if (result || !is_directory || move->is_contained)
		return result;
	move->widens = move->below;
	move->below = NULL;
	deny_widening(moving, move->widens);
	return 0;
}

static char *describe_change(const struct moving *moving)
{
	const struct widening *widening = moving->decision->move->widens;

	if (!widening)
		return decision_change(moving->decision, moving->decided, 0);
	if (widening->is_unproven)
		return text_format(
			"equal rules for both directories; or copy it, which is judged file by file");
	if (widening->is_loss)
		return text_format("a rule that allows %s for the new name; or copy what may be there",
				   operation_name(widening->operation));
	return text_format("an allow rule for %s that matches the old name, or a deny rule that matches the "
			   "new one; or copy it, which needs the right to read it",
			   operation_name(widening->operation));
}

static int decide(struct moving *moving, bool is_directory)
{
	struct decision *decision = moving->decision;

	/* Without sections that paths decide nothing can be gained. */
	if (!(moving->compiled->image->enforced & OPS_PATH)) {
		decision->verb = VERB_ALLOW;
		decision->reason = REASON_DEFAULT;
		return 0;
	}
	if (moving->old->nameless || moving->fresh->nameless) {
		if (!moving->old->nameless)
			decision->move->lacking = OP_FILE_CREATE;
		else if (moving->op == OP_FILE_RENAME)
			decision->move->lacking = OP_FILE_DELETE;
		decision->verb = VERB_DENY;
		decision->reason = moving->old->nameless ? moving->old->nameless : moving->fresh->nameless;
		decision->is_enforced = true;
		decision->error = EACCES;
		return 0;
	}
	judge_rights(moving);
	/* Whoever is asked is asked for that right, before anything else is looked at. */
	if (decide_strictness(decision->verb) >= decide_strictness(VERB_ASK))
		return 0;
	if (moving->op == OP_FILE_RENAME)
		judge_replacing(moving, decision->move);
	return judge_containment(moving, is_directory);
}

int move_decide(const struct compiled *compiled, enum operation op, const struct object *old,
		const struct object *fresh, bool is_directory, struct decision *ret)
{
	struct moving moving = { compiled, op, old, fresh, ret, OP_FILE_CREATE };
	int result;

	ret->move = calloc(1, sizeof(*ret->move));
	if (!ret->move)
		return -ENOMEM;
	ret->move->lacking = op;
	ret->move->is_directory = is_directory;
	result = decide(&moving, is_directory);
	if (result)
		return result;
	ret->change = describe_change(&moving);
	return ret->change ? 0 : -ENOMEM;
}
