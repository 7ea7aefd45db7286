// SPDX-License-Identifier: GPL-2.0
/* The table of coding agents, and finding one by its executable or script. */
#include "ctl/event/agent.h"

#include <string.h>

/* Where an agent is installed by a package manager, the package's folder tells it better than the file's name. */
static const struct agent agents[] = {
	{ "claude-code", "Claude Code", "claude", "/@anthropic-ai/claude-code/ /share/claude/versions/" },
	{ "codex", "Codex CLI", "codex", "/@openai/codex/" },
	{ "cursor", "Cursor", "cursor cursor-agent", "/cursor-agent/versions/" },
	{ "gemini-cli", "Gemini CLI", "gemini", "/@google/gemini-cli/" },
	{ "grok-cli", "Grok CLI", "grok", "/@vibe-kit/grok-cli/" },
	{ "aider", "Aider", "aider", "/site-packages/aider/ /dist-packages/aider/" },
	{ "opencode", "OpenCode", "opencode", "/opencode-ai/" },
	{ "zcode", "ZCode", "zcode", "/zcode/" },
	{ "openclacky", "OpenClacky", "openclacky clacky", "/openclacky/" },
	{ "antigravity", "Antigravity", "antigravity agy", "" },
	{ "goose", "Goose", "goose", "" },
	{ "copilot-cli", "Copilot CLI", "copilot", "/@github/copilot/" },
	{ "crush", "Crush", "crush", "" },
	{ "qwen-code", "Qwen Code", "qwen", "/@qwen-code/qwen-code/" },
};

#define AGENTS (sizeof(agents) / sizeof(*agents))

/* Programs that run a script; a version may follow, as in python3.11. */
static const char interpreters[] = "node nodejs bun deno python python3 ruby";

static const char *const endings[] = { ".js", ".mjs", ".cjs", ".py", ".rb", ".exe" };

static struct span base_name(struct span path)
{
	const char *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;

	if (slash)
		return (struct span){ slash + 1, path.data + path.len - slash - 1 };
	return path;
}

static struct span without_ending(struct span name)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t len = strlen(endings[i]);

		if (name.len > len && !memcmp(name.data + name.len - len, endings[i], len))
			return (struct span){ name.data, name.len - len };
	}
	return name;
}

/* Python's executables have their version in the name. */
static struct span without_version(struct span name)
{
	while (name.len && (name.data[name.len - 1] == '.' ||
			    (name.data[name.len - 1] >= '0' && name.data[name.len - 1] <= '9')))
		name.len--;
	return name;
}

/* The next word of the list at *LIST, which it moves on; empty at its end. */
static struct span next_word(const char **list)
{
	struct span word = { *list, strcspn(*list, " ") };

	*list += word.len;
	*list += **list == ' ';
	return word;
}

static bool has_word(const char *list, struct span name)
{
	for (struct span word = next_word(&list); word.len; word = next_word(&list))
		if (word.len == name.len && !memcmp(word.data, name.data, name.len))
			return true;
	return false;
}

static bool has_part(const char *list, struct span path)
{
	for (struct span word = next_word(&list); word.len; word = next_word(&list))
		if (path.len && memmem(path.data, path.len, word.data, word.len))
			return true;
	return false;
}

const struct agent *agent_of_file(struct span path)
{
	struct span name = without_ending(base_name(path));

	for (size_t i = 0; i < AGENTS; i++)
		if (has_word(agents[i].programs, name) || has_part(agents[i].folders, path))
			return &agents[i];
	return NULL;
}

const struct agent *agent_of_command(struct span exe, const struct span *args, size_t count)
{
	const struct agent *agent = agent_of_file(exe);

	if (agent || !has_word(interpreters, without_version(base_name(exe))))
		return agent;
	/* The script is the first argument that is no option. An option's value may pass for it: a label is all we give. */
	for (size_t i = 1; i < count; i++)
		if (args[i].len && args[i].data[0] != '-')
			return agent_of_file(args[i]);
	return NULL;
}

const struct agent *agent_by_id(struct span id)
{
	for (size_t i = 0; i < AGENTS; i++)
		if (id.len == strlen(agents[i].id) && !memcmp(id.data, agents[i].id, id.len))
			return &agents[i];
	return NULL;
}

const char *event_agent(const struct event_view *view)
{
	const struct agent *agent = agent_of_file(view->exe);

	return agent ? agent->id : NULL;
}
