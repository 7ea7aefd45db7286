// SPDX-License-Identifier: GPL-2.0
/* The table of verbs: usage lines, --help and the parsing of options come from it. */
#include "ctl/cmd/cmd.h"

#define COMMON_OPTIONS                                                                     \
	{ "json", 0, NULL, "the same facts as JSON" }, { "help", 'h', NULL, "show this" }, \
	{                                                                                  \
		NULL, 0, NULL, NULL                                                        \
	}

#define DEFINE_OPTION "define", 'D', "NAME=VALUE", "a value for the policy's variable NAME"

static const struct cmd_option load_options[] = {
	{ DEFINE_OPTION },
	{ "without", 0, "HOOK", "do without a hook that this kernel lacks" },
	COMMON_OPTIONS,
};

static const struct cmd_option unload_options[] = {
	{ "force", 0, NULL, "also while it is attached" },
	COMMON_OPTIONS,
};

static const struct cmd_option common_options[] = { COMMON_OPTIONS };

static const struct cmd_option log_options[] = {
	{ "follow", 'f', NULL, "go on as events come" },
	{ "op", 0, "GLOB", "only operations such as file.read or net.*" },
	{ "verdict", 0, "GLOB", "only verdicts such as blocked" },
	{ "plain", 0, NULL, "in sentences: what was done, why it matters, what to do" },
	{ "to", 0, "journal", "write to the journal, as the service does" },
	{ "from", 0, "journal", "read back what is in the journal" },
	COMMON_OPTIONS,
};

static const struct cmd_option report_options[] = {
	{ "output", 'o', "OUT", "where to write it, whole or not at all" },
	{ "format", 0, "FORMAT", "markdown, json or html; OUT's ending says it, too" },
	COMMON_OPTIONS,
};

static const struct cmd_option policy_options[] = {
	{ DEFINE_OPTION },
	COMMON_OPTIONS,
};

static const struct cmd_option metrics_options[] = {
	{ "output", 'o', "FILE", "replace FILE by it, whole" },
	COMMON_OPTIONS,
};

const struct cmd_verb cmd_verbs[] = {
	{ "load", "FILE… [-D NAME=VALUE] [--without HOOK]",
	  "compile policies, test them and put them in force", cmd_load, load_options },
	{ "unload", "NAME [--force]", "take a policy out of force", cmd_unload, unload_options },
	{ "attach", "CGROUP [POLICY]", "enforce on a cgroup and all below it", cmd_attach, common_options },
	{ "detach", "CGROUP", "end enforcement on a cgroup", cmd_detach, common_options },
	{ "apply", "[FOLDER]", "put in force what the files in FOLDER say (/etc/agentctl)", cmd_apply,
	  common_options },
	{ "status", "", "show policies, attachments, hooks in force and counters", cmd_status,
	  common_options },
	{ "metrics", "[--output FILE]", "print what is counted, for a monitoring system", cmd_metrics,
	  metrics_options },
	{ "log", "[--follow] [--op GLOB] [--verdict GLOB] [--plain] [--to journal] [--from journal]",
	  "print events", cmd_log, log_options },
	{ "report", "FILE… [-o OUT] [--format markdown|json|html]",
	  "tell what recorded events say, as a page or as JSON", cmd_report, report_options },
	{ "test", "FILE… [-D NAME=VALUE]", "run the policies' own tests, offline", cmd_test, policy_options },
	{ "explain", "POLICY OP OBJECT [NEW] [-D NAME=VALUE]",
	  "tell which rule decides, and what would change it", cmd_explain, policy_options },
	{ "doctor", "", "tell what this machine can enforce", cmd_doctor, common_options },
	{ 0 },
};
