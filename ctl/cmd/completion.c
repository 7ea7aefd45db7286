// SPDX-License-Identifier: GPL-2.0
/* Completion of command lines in bash: the table of verbs as shell functions, and a script that asks them. */
#include "ctl/cmd/completion.h"

#include <string.h>

#include "ctl/cmd/cmd.h"
#include "ctl/enforce/hooks.h"
#include "ctl/event/decode.h"
#include "ctl/policy/words.h"

/*
 * What a placeholder stands for is known to the script alone: it has words for
 * those that it can complete, and offers nothing for the others. Options of a verb
 * may stand anywhere, so operands are counted without them.
 */
static const char script[] =
	"# What PLACEHOLDER may be replaced by.\n"
	"_agentctl_values() {\n"
	"	local path\n"
	"	case $1 in\n"
	"	journal) echo journal ;;\n"
	"	HOOK) _agentctl_hooks ;;\n"
	"	OP) _agentctl_operations ;;\n"
	"	VERDICT) _agentctl_verdicts ;;\n"
	"	CGROUP)\n"
	"		for path in /sys/fs/cgroup\"${cur%/*}\"/*/; do\n"
	"			[ -d \"$path\" ] && path=${path#/sys/fs/cgroup} && echo \"${path%/}\"\n"
	"		done\n"
	"		for path in /sys/fs/cgroup/*.slice; do\n"
	"			[ -d \"$path\" ] && echo \"${path##*/}\"\n"
	"		done\n"
	"		;;\n"
	"	NAME | POLICY) agentctl status 2>/dev/null | sed -n 's/^policy \\([^:]*\\):.*/\\1/p' ;;\n"
	"	esac\n"
	"}\n"
	"\n"
	"# Sets COMPREPLY to what PLACEHOLDER may be replaced by and begins like the word at the cursor.\n"
	"# Not by compgen -W, which would run what a cgroup is called.\n"
	"_agentctl_offer() {\n"
	"	local value IFS=$'\\n'\n"
	"	while read -r value; do\n"
	"		[[ -n $value && $value = \"$cur\"* ]] && COMPREPLY+=(\"$value\")\n"
	"	done < <(_agentctl_values \"$1\")\n"
	"	case $1 in\n"
	"	CGROUP) compopt -o filenames 2>/dev/null ;;\n"
	"	FOLDER)\n"
	"		compopt -o filenames 2>/dev/null\n"
	"		COMPREPLY+=($(compgen -d -- \"$cur\"))\n"
	"		;;\n"
	"	FILE* | POLICY | OBJECT | NEW)\n"
	"		compopt -o filenames 2>/dev/null\n"
	"		COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
	"		;;\n"
	"	esac\n"
	"}\n"
	"\n"
	"# The placeholder of the operand at the cursor: the last one repeats if it ends in dots.\n"
	"_agentctl_operand() {\n"
	"	local verb=$1 count=0 i list\n"
	"	for ((i = 2; i < COMP_CWORD; i++)); do\n"
	"		if [[ ${COMP_WORDS[i]} != -* ]]; then\n"
	"			count=$((count + 1))\n"
	"		elif [ -n \"$(_agentctl_argument \"$verb\" \"${COMP_WORDS[i]}\")\" ]; then\n"
	"			i=$((i + 1))\n"
	"			[ \"${COMP_WORDS[i]-}\" != = ] || i=$((i + 1))\n"
	"		fi\n"
	"	done\n"
	"	read -ra list <<<\"$(_agentctl_operands \"$verb\")\"\n"
	"	if [ \"$count\" -lt ${#list[@]} ]; then\n"
	"		echo \"${list[count]}\"\n"
	"	elif [[ ${list[*]} = *… ]]; then\n"
	"		echo \"${list[${#list[@]} - 1]}\"\n"
	"	fi\n"
	"}\n"
	"\n"
	"_agentctl() {\n"
	"	local cur=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} kind\n"
	"	# Bash takes the = of --op=WORD for a word of its own.\n"
	"	if [ \"$cur\" = = ]; then\n"
	"		cur=\n"
	"	elif [ \"$last\" = = ]; then\n"
	"		last=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"	fi\n"
	"	COMPREPLY=()\n"
	"	if [ \"$COMP_CWORD\" = 1 ]; then\n"
	"		COMPREPLY=($(compgen -W \"$(_agentctl_verbs)\" -- \"$cur\"))\n"
	"		return\n"
	"	fi\n"
	"	kind=$(_agentctl_argument \"$verb\" \"$last\")\n"
	"	if [ -n \"$kind\" ]; then\n"
	"		_agentctl_offer \"$kind\"\n"
	"	elif [[ $cur = -* ]]; then\n"
	"		COMPREPLY=($(compgen -W \"$(_agentctl_options \"$verb\")\" -- \"$cur\"))\n"
	"	else\n"
	"		_agentctl_offer \"$(_agentctl_operand \"$verb\")\"\n"
	"	fi\n"
	"}\n"
	"\n"
	"complete -F _agentctl agentctl\n";

static void begin(FILE *stream, const char *name)
{
	fprintf(stream, "_agentctl_%s() {\n", name);
}

static void end(FILE *stream)
{
	fputs("}\n\n", stream);
}

static void write_verbs(FILE *stream)
{
	begin(stream, "verbs");
	fputs("	echo '", stream);
	for (const struct cmd_verb *verb = cmd_verbs; verb->name; verb++)
		fprintf(stream, "%s ", verb->name);
	fputs("--help --version'\n", stream);
	end(stream);
}

static void write_options(FILE *stream)
{
	begin(stream, "options");
	fputs("	case $1 in\n", stream);
	for (const struct cmd_verb *verb = cmd_verbs; verb->name; verb++) {
		fprintf(stream, "	%s) echo '", verb->name);
		for (const struct cmd_option *option = verb->options; option->name; option++)
			fprintf(stream, "%s--%s", option == verb->options ? "" : " ", option->name);
		fputs("' ;;\n", stream);
	}
	fputs("	esac\n", stream);
	end(stream);
}

/* A glob is one over what the option is called after. */
static const char *kind_of(const struct cmd_option *option)
{
	if (strcmp(option->argument, "GLOB"))
		return option->argument;
	return !strcmp(option->name, "op") ? "OP" : "VERDICT";
}

static void write_arguments(FILE *stream)
{
	begin(stream, "argument");
	fputs("	case \"$1 $2\" in\n", stream);
	for (const struct cmd_verb *verb = cmd_verbs; verb->name; verb++)
		for (const struct cmd_option *option = verb->options; option->name; option++) {
			if (!option->argument)
				continue;
			fprintf(stream, "	'%s --%s'", verb->name, option->name);
			if (option->letter)
				fprintf(stream, " | '%s -%c'", verb->name, option->letter);
			fprintf(stream, ") echo '%s' ;;\n", kind_of(option));
		}
	fputs("	esac\n", stream);
	end(stream);
}

/* The words of a usage line that are no options: "CGROUP [POLICY] [--json]" has two. */
static void write_usage(FILE *stream, const char *usage)
{
	bool is_option = false, is_first = true;

	while (*usage) {
		size_t len = strcspn(usage, " "), skip = *usage == '[';

		is_option |= !strncmp(usage, "[-", 2);
		if (!is_option) {
			bool has_bracket = usage[len - 1] == ']';

			fprintf(stream, "%s%.*s", is_first ? "" : " ", (int)(len - skip - has_bracket),
				usage + skip);
			is_first = false;
		}
		is_option &= usage[len - 1] != ']';
		usage += len + (usage[len] == ' ');
	}
}

static void write_operands(FILE *stream)
{
	begin(stream, "operands");
	fputs("	case $1 in\n", stream);
	for (const struct cmd_verb *verb = cmd_verbs; verb->name; verb++) {
		fprintf(stream, "	%s) echo '", verb->name);
		write_usage(stream, verb->usage);
		fputs("' ;;\n", stream);
	}
	fputs("	esac\n", stream);
	end(stream);
}

static void write_hooks(FILE *stream)
{
	begin(stream, "hooks");
	for (const struct hook *hook = hooks; hook->name; hook++)
		fprintf(stream, "	echo %s\n", hook->name);
	end(stream);
}

static void write_operations(FILE *stream)
{
	begin(stream, "operations");
	for (int op = 0; op < OP_COUNT; op++)
		fprintf(stream, "	echo '%s'\n", operation_name(op));
	end(stream);
}

static void write_verdicts(FILE *stream)
{
	begin(stream, "verdicts");
	for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		fprintf(stream, "	echo %s\n", event_verdict_word(verdict));
	end(stream);
}

void completion_write(FILE *stream)
{
	fputs("# SPDX-License-Identifier: GPL-2.0\n"
	      "# Completion for agentctl in bash: what agentctl --completion prints.\n"
	      "# shellcheck shell=bash disable=SC2207\n\n",
	      stream);
	write_verbs(stream);
	write_options(stream);
	write_arguments(stream);
	write_operands(stream);
	write_hooks(stream);
	write_operations(stream);
	write_verdicts(stream);
	fputs(script, stream);
}
