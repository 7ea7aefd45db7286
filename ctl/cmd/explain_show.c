// SPDX-License-Identifier: GPL-2.0
/* How explain shows a decision, as text and as JSON. */
#include "ctl/cmd/explain_show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json_writer.h"
#include "ctl/base/text.h"
#include "ctl/policy/words.h"

static void write_word(struct json_writer *writer, const char *key, const char *word)
{
	json_key(writer, key);
	json_string(writer, word);
}

static void write_name(struct json_writer *writer, const char *key, const char *name)
{
	json_key(writer, key);
	json_name(writer, name, strlen(name));
}

static void write_number(struct json_writer *writer, const char *key, bool is_known, uint64_t number)
{
	json_key(writer, key);
	if (is_known)
		json_unsigned(writer, number);
	else
		json_null(writer);
}

static void write_origin(struct json_writer *writer, const struct policy_rule *rule,
			 const struct place *place)
{
	write_number(writer, "rule", rule, rule ? rule->index : 0);
	write_word(writer, "file", place->file);
	write_number(writer, "line", place->file, place->line);
	write_number(writer, "column", place->file, place->column);
	write_word(writer, "tag", rule ? rule->tag : NULL);
}

/* One end of a widening: its name and what decides the operation there. */
static void write_end(struct json_writer *writer, const char *key, const char *name,
		      const struct origin *origin)
{
	json_key(writer, key);
	json_begin_object(writer);
	write_name(writer, "object", name);
	write_word(writer, "verdict", verb_words[origin->verb]);
	write_origin(writer, origin->rule, &origin->place);
	json_end_object(writer);
}

static void write_widening(struct json_writer *writer, const struct widening *widening)
{
	json_key(writer, "widening");
	if (!widening || widening->is_unproven) {
		json_null(writer);
		return;
	}
	json_begin_object(writer);
	write_word(writer, widening->is_loss ? "loses" : "gains", operation_name(widening->operation));
	write_end(writer, "old", widening->old_name, &widening->old);
	write_end(writer, "new", widening->fresh_name, &widening->fresh);
	json_end_object(writer);
}

/* What holds beside the verdict if the new name is taken. */
static void write_replacing(struct json_writer *writer, const struct move *move)
{
	json_key(writer, "replacing");
	if (!move->has_replacing) {
		json_null(writer);
		return;
	}
	json_begin_object(writer);
	write_word(writer, "verdict", verb_words[move->replacing.verb]);
	write_word(writer, "op", operation_name(OP_FILE_DELETE));
	write_origin(writer, move->replacing.rule, &move->replacing.place);
	json_end_object(writer);
}

static void write_move(struct json_writer *writer, const struct move *move)
{
	write_widening(writer, move->widens);
	write_replacing(writer, move);
	json_key(writer, "directory");
	if (!move->has_below || move->is_directory) {
		json_null(writer);
		return;
	}
	json_begin_object(writer);
	write_word(writer, "verdict", move->is_contained ? "allow" : "deny");
	write_word(writer, "reason", move->is_contained ? NULL : reason_words[REASON_WIDENS]);
	write_widening(writer, move->below);
	json_end_object(writer);
}

static const char *error_name(int error)
{
	return error == EXDEV ? "EXDEV" : error == EPERM ? "EPERM" : error ? "EACCES" : NULL;
}

static void show_json(const struct explained *asked, const struct policy *policy,
		      const struct decision *decision)
{
	const struct policy_rule *rule = decision->rule;
	const struct move *move = decision->move;
	struct json_writer writer;
	char scratch[OPERATION_NAME_MAX];

	json_writer_init(&writer, stdout);
	json_begin_object(&writer);
	write_word(&writer, "verdict", verb_words[decision->verb]);
	write_word(&writer, "op",
		   operation_name_of(move ? move->lacking : asked->op, asked->detail, scratch));
	write_name(&writer, "object", asked->object);
	if (asked->target)
		write_name(&writer, "target", asked->target);
	if (decision->judged)
		write_name(&writer, "judged", decision->judged);
	if (move && move->judged)
		write_name(&writer, "judged_target", move->judged);
	write_word(&writer, "policy", policy->name);
	write_word(&writer, "mode", policy->is_audit ? "audit" : "enforce");
	json_key(&writer, "enforced");
	json_bool(&writer, decision->is_enforced);
	write_word(&writer, "reason", reason_words[decision->reason]);
	write_word(&writer, "errno", error_name(decision->error));
	write_origin(&writer, rule, &decision->place);
	write_word(&writer, "severity", rule && rule->severity ? severity_words[rule->severity - 1] : NULL);
	write_word(&writer, "message", rule ? rule->message : NULL);
	if (move)
		write_move(&writer, move);
	write_word(&writer, "change", decision->change);
	json_end_object(&writer);
	json_newline(&writer);
}

static void print_name(const char *name)
{
	text_write_name(stdout, name, strlen(name));
}

static void print_place(const struct policy_rule *rule, const struct place *place)
{
	if (place->file) {
		print_name(place->file);
		printf(":%u:%u: ", place->line, place->column);
	}
	if (!rule) {
		fputs(place->file ? "the section's default" : "no section decides it", stdout);
		return;
	}
	printf("rule %u", rule->index);
	if (rule->tag)
		printf(", tag %s", rule->tag);
	if (rule->severity)
		printf(", severity %s", severity_words[rule->severity - 1]);
	if (rule->message)
		printf(": %s", rule->message);
}

static void print_origin(const struct decision *decision)
{
	if (!decision->is_enforced)
		fputs("no rule: the policy does not decide such operations", stdout);
	else if (decision->reason == REASON_TOO_DEEP)
		printf("no rule: a name of more than %d components is always denied", DEPTH_MAX);
	else if (decision->reason == REASON_TOO_LONG)
		printf("no rule: a name with a component of more than %d bytes is always denied",
		       COMPONENT_MAX);
	else
		print_place(decision->rule, &decision->place);
	putchar('\n');
}

/* NAME: what it permits, and why. */
static void print_end(const char *name, const struct origin *origin, enum operation op)
{
	fputs("    ", stdout);
	print_name(name);
	printf(": %s %s, ", verb_words[origin->verb], operation_name(op));
	print_place(origin->rule, &origin->place);
	putchar('\n');
}

static void print_widening(const struct widening *widening)
{
	if (widening->is_unproven) {
		puts("    the rules as a whole do not show that nothing is gained");
		return;
	}
	print_end(widening->old_name, &widening->old, widening->operation);
	print_end(widening->fresh_name, &widening->fresh, widening->operation);
}

static void print_move(const struct decision *decision)
{
	const struct move *move = decision->move;
	const struct widening *widens = move->widens;

	if (widens && widens->is_unproven)
		puts("  it might gain rights by its new name:");
	else if (widens)
		printf(widens->is_loss ? "  what may lie below it would lack %s by its new name:\n"
				       : "  it would gain %s by its new name:\n",
		       operation_name(widens->operation));
	if (widens)
		print_widening(widens);
	if (move->has_replacing && move->replacing.verb == VERB_DENY && !widens) {
		fputs("  if the new name is taken: refused (EACCES) for file.delete, ", stdout);
		print_place(move->replacing.rule, &move->replacing.place);
		putchar('\n');
	}
	if (!move->has_below || move->is_directory)
		return;
	printf("  a directory: %s\n", move->is_contained ? "the same, whatever lies below it"
							 : "refused (EXDEV) for what may lie below it");
	if (move->below)
		print_widening(move->below);
}

static void show_text(const struct explained *asked, const struct policy *policy,
		      const struct decision *decision)
{
	const struct move *move = decision->move;
	char scratch[OPERATION_NAME_MAX];

	printf("%s %s ", verb_words[decision->verb], operation_name_of(asked->op, asked->detail, scratch));
	print_name(asked->object);
	if (asked->target) {
		putchar(' ');
		print_name(asked->target);
	}
	if (decision->error == EXDEV)
		fputs("  (EXDEV: tools copy instead)", stdout);
	if (policy->is_audit && decision->verb == VERB_DENY)
		fputs("  (mode audit: logged, not refused)", stdout);
	putchar('\n');
	if (decision->judged) {
		fputs("  judged by its real name: ", stdout);
		print_name(decision->judged);
		putchar('\n');
	}
	if (move && move->judged) {
		fputs("  the new name is judged by its real one: ", stdout);
		print_name(move->judged);
		putchar('\n');
	}
	if (move && move->lacking != asked->op)
		printf("  lacks %s on the %s name\n", operation_name(move->lacking),
		       move->lacking == OP_FILE_DELETE ? "old" : "new");
	if (!move || !move->widens) {
		fputs("  ", stdout);
		print_origin(decision);
	}
	if (move)
		print_move(decision);
	printf("  to change it: %s\n", decision->change);
}

void explain_show(const struct explained *asked, const struct policy *policy, const struct decision *decision,
		  bool is_json)
{
	(is_json ? show_json : show_text)(asked, policy, decision);
}
