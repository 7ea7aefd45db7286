// SPDX-License-Identifier: GPL-2.0
/* What a compiled policy decides about one operation: the kernel's own walk, with its reasons. */
#include "ctl/policy/decision.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/pattern/image.h"
#include "ctl/policy/move.h"
#include "ctl/policy/words.h"
#include "kern/decide.h"

/* As the kernel does: an address that carries an IPv4 one is judged as both, and the stricter verdict holds. */
static uint32_t judge_address(const struct image_header *image, enum operation op,
			      const struct object *object)
{
	uint8_t port[2] = { object->port >> 8, object->port & 255 };
	struct address_key key;
	uint32_t word, embedded;

	if (!object->is_v6) {
		decide_key4(&key, op, object->address, object->protocol, port);
		return image_match_address(image, &key, op);
	}
	decide_key6(&key, op, object->address, object->protocol, port);
	word = image_match_address(image, &key, op);
	embedded = key.start ? decide_embedded(op, object->address, 0) : 0;
	if (!embedded)
		return word;
	decide_key4(&key, op, object->address + embedded, object->protocol, port);
	return decide_stricter(word, image_match_address(image, &key, op));
}

uint32_t decision_word(const struct image_header *image, enum operation op, const struct object *object)
{
	if (!(image->enforced & OP_BIT(op)))
		return WORD(RULE_DEFAULT, VERB_ALLOW);
	if (op == OP_KERNEL_FAMILIES)
		return WORD(RULE_DEFAULT,
			    image->families[object->family >> 5 & 1] >> (object->family & 31) & 1);
	if (OP_BIT(op) & OPS_KERNEL)
		return image_match_program(image, object->path, strlen(object->path), op);
	if (object->is_anonymous)
		return image->anonymous[op];
	if (object->nameless)
		return WORD(RULE_DEFAULT, VERB_DENY);
	if (op == OP_SIGNAL_SEND)
		return image_match_signal(image, object->signal_kind, object->signal);
	if (OP_BIT(op) & OPS_NET)
		return judge_address(image, op, object);
	if (object->name)
		return image_match_name(image, object->name, strlen(object->name), op);
	return image_match_path(image, object->path, strlen(object->path), op);
}

static enum section section_of(enum operation op)
{
	int section = 0;

	while (!(section_decides(section) & OP_BIT(op)))
		section++;
	return section;
}

char *decision_change(const struct decision *decision, enum operation op, uint32_t detail)
{
	char scratch[OPERATION_NAME_MAX];
	const char *name = operation_name_of(op, detail, scratch);
	const struct policy_rule *rule = decision->rule;
	const char *other = decision->verb == VERB_DENY ? "an allow rule" : "a deny rule";

	if (OP_BIT(op) & OPS_FAMILY && !decision->is_enforced)
		return strdup("a section 'net', which the policy does not have, would decide it");
	if (op == OP_KERNEL_FAMILIES)
		return text_format("the list 'families' in the section 'kernel'%s",
				   decision->verb == VERB_DENY ? ", with this family in it" : "");
	if (OP_BIT(op) & OPS_KERNEL)
		return text_format("'%s': %s in the section 'kernel'", operation_word(op),
				   decision->verb == VERB_DENY ? "true, or a list with this program,"
							       : "false, or a list without this program,");
	if (!decision->is_enforced)
		return text_format("a section '%s', which the policy does not have, would decide it",
				   section_names[section_of(op)]);
	if (decision->reason == REASON_TOO_DEEP)
		return text_format("a name of at most %d components; no rule allows a deeper one", DEPTH_MAX);
	if (decision->reason == REASON_TOO_LONG)
		return text_format("components of at most %d bytes; no rule allows a longer one",
				   COMPONENT_MAX);
	if (!rule)
		return text_format("%s for %s that matches it, or another default at %s:%u:%u", other, name,
				   decision->place.file, decision->place.line, decision->place.column);
	return text_format("%s for %s that matches it before rule %u, or a narrower rule %u", other, name,
			   rule->index, rule->index);
}

void decision_origin(const struct compiled *compiled, enum operation op, uint32_t word, struct origin *ret)
{
	const struct policy *policy = compiled->policy;
	struct origin origin = { .verb = WORD_VERB(word),
				 .is_enforced = compiled->image->enforced & OP_BIT(op) };

	if (WORD_RULE(word) < policy->rule_count) {
		origin.rule = &policy->rules[WORD_RULE(word)];
		origin.place = origin.rule->place;
	} else if (OP_BIT(op) & OPS_KERNEL && policy->surface[op].place.file) {
		origin.place = policy->surface[op].place;
	} else if (OP_BIT(op) & OPS_KERNEL) {
		/* It holds without having been written anywhere. */
		origin.place = (struct place){ policy->files[0].path, 1, 1 };
	} else if (origin.is_enforced) {
		origin.place = policy->section[section_of(op)].place;
	}
	/* A file rule may decide about a socket where nothing else does. */
	origin.is_enforced |= origin.rule != NULL;
	*ret = origin;
}

static uint32_t socket_word(const struct image_header *image, unsigned int op, const struct object *object)
{
	if (object->name)
		return image_match_name(image, object->name, strlen(object->name), op);
	return image_match_path(image, object->path, strlen(object->path), (enum operation)op);
}

/*
 * A Unix socket of somebody outside the attachment: by its own rules, by a file rule
 * that denies writing to its path, and if both let it pass as one of kernel.deputies.
 * *RET_OP becomes the operation that decided.
 */
static uint32_t judge_socket(const struct image_header *image, const struct object *object,
			     enum operation *ret_op)
{
	uint32_t word = decision_word(image, *ret_op, object), write, deputy;

	if (*ret_op == OP_UNIX_BIND)
		return word;
	if (object->path && image->enforced & OP_BIT(OP_FILE_WRITE)) {
		write = socket_word(image, OP_FILE_WRITE, object);
		if (WORD_RULE(write) != RULE_DEFAULT &&
		    decide_strictness(WORD_VERB(write)) > decide_strictness(VERB_AUDIT))
			word = decide_stricter(word, write);
	}
	if (decide_strictness(WORD_VERB(word)) > decide_strictness(VERB_AUDIT))
		return word;
	deputy = socket_word(image, ROW_DEPUTY, object);
	if (WORD_RULE(deputy) != RULE_DEPUTY || WORD_VERB(image->fallback[OP_KERNEL_DEPUTIES]) == VERB_ALLOW)
		return word;
	*ret_op = OP_KERNEL_DEPUTIES;
	return image->fallback[OP_KERNEL_DEPUTIES];
}

static int decide_one(const struct compiled *compiled, enum operation op, const struct object *object,
		      struct decision *decision)
{
	struct origin origin;
	uint32_t word;

	op = object_operation(op, object);
	word = object->is_unix ? judge_socket(compiled->image, object, &op)
			       : decision_word(compiled->image, op, object);
	decision_origin(compiled, op, word, &origin);
	decision->verb = origin.verb;
	decision->is_enforced = origin.is_enforced;
	decision->rule = origin.rule;
	decision->place = origin.place;
	decision->reason = origin.rule ? REASON_RULE : REASON_DEFAULT;
	decision->error = origin.verb != VERB_DENY			       ? 0
			  : OP_BIT(op) & (OPS_KERNEL | OP_BIT(OP_SIGNAL_SEND)) ? EPERM
									       : EACCES;
	if (object->nameless && decision->is_enforced && !(OP_BIT(op) & OPS_KERNEL)) {
		decision->reason = object->nameless;
		decision->place = (struct place){ 0 };
	}
	decision->change = decision_change(decision, op, object->signal);
	return decision->change ? 0 : -ENOMEM;
}

/* A slash at the end of an old name says that it is a directory's. */
static bool names_directory(const char *text)
{
	size_t len = strlen(text);

	return len > 1 && text[len - 1] == '/';
}

static int decide_two(const struct compiled *compiled, enum operation op, const struct object *old,
		      const char *text, const char *target, struct decision *decision, char **ret_error)
{
	struct object fresh;
	int result = object_parse(op, target, &fresh, ret_error);

	if (result)
		return result;
	result = move_decide(compiled, op, old, &fresh, names_directory(text), decision);
	if (!result && fresh.spelling) {
		decision->move->judged = strdup(fresh.path);
		result = decision->move->judged ? 0 : -ENOMEM;
	}
	object_done(&fresh);
	return result;
}

int decision_make(const struct compiled *compiled, enum operation op, uint32_t detail, const char *text,
		  const char *target, struct decision *ret, char **ret_error)
{
	struct decision decision = { 0 };
	struct object object;
	int result;

	if (!(OP_BIT(op) & OPS_HOOKED))
		return -ENOTSUP;
	result = object_parse(op, text, &object, ret_error);
	if (result)
		return result;
	object.signal = detail;
	if (decision_is_move(op))
		result = decide_two(compiled, op, &object, text, target, &decision, ret_error);
	else
		result = decide_one(compiled, op, &object, &decision);
	if (!result && object.spelling) {
		decision.judged = strdup(object.path);
		result = decision.judged ? 0 : -ENOMEM;
	}
	object_done(&object);
	if (result)
		decision_done(&decision);
	else
		*ret = decision;
	return result;
}

void decision_done(struct decision *decision)
{
	free(decision->judged);
	free(decision->change);
	move_free(decision->move);
	*decision = (struct decision){ 0 };
}
