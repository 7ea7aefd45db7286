// SPDX-License-Identifier: GPL-2.0
/* Reads the two folders of a machine's configuration. */
#include "ctl/cmd/apply_config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"

#define SPACES " \t\r\n"

static const char *wanted_suffix;

/* Hidden files are what editors leave. */
static int is_wanted(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), suffix_len = strlen(wanted_suffix);

	return entry->d_name[0] != '.' && len > suffix_len &&
	       !strcmp(entry->d_name + len - suffix_len, wanted_suffix);
}

/* By bytes, so that the order is the same in every locale. */
static int compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* The paths of the files of FOLDER/PART whose names end in SUFFIX; a folder that is not there has none. */
static int list_files(const char *folder, const char *part, const char *suffix, char ***ret_list,
		      size_t *ret_count)
{
	char *path = text_format("%s/%s", folder, part);
	struct dirent **names = NULL;
	int count, code = EXIT_DONE;

	wanted_suffix = suffix;
	count = path ? scandir(path, &names, is_wanted, compare) : -1;
	if (count < 0 && errno != ENOENT)
		code = cmd_fail("apply: %s/%s: %s", folder, part, strerror(errno));
	*ret_list = calloc(count > 0 ? count : 1, sizeof(**ret_list));
	if (!*ret_list && !code)
		code = cmd_fail("apply: out of memory");
	for (int i = 0; i < count; i++) {
		char *file = text_format("%s/%s", path, names[i]->d_name);

		if (!code && !file)
			code = cmd_fail("apply: out of memory");
		else if (!code)
			(*ret_list)[(*ret_count)++] = file;
		else
			free(file);
		free(names[i]);
	}
	free(names);
	free(path);
	return code;
}

static int bad_line(const char *file, unsigned int line, const char *what)
{
	cmd_fail("%s:%u: %s", file, line, what);
	return EXIT_POLICY;
}

static int add_entry(struct apply_config *config, const char *cgroup, const char *policy, const char *file,
		     unsigned int line)
{
	struct apply_entry *grown = realloc(config->entries,
					    (config->entry_count + 1) * sizeof(*config->entries));
	struct apply_entry *entry;

	if (!grown)
		return cmd_fail("apply: out of memory");
	config->entries = grown;
	entry = &grown[config->entry_count++];
	*entry = (struct apply_entry){ strdup(cgroup), strdup(policy), strdup(file), line, 0 };
	return entry->cgroup && entry->policy && entry->file ? EXIT_DONE : cmd_fail("apply: out of memory");
}

static int read_line(struct apply_config *config, char *text, const char *file, unsigned int line)
{
	char *rest = NULL, *cgroup, *policy;

	cgroup = strtok_r(text, SPACES, &rest);
	if (!cgroup || *cgroup == '#')
		return EXIT_DONE;
	policy = strtok_r(NULL, SPACES, &rest);
	if (!policy || *policy == '#')
		return bad_line(file, line, "no policy: a line is a cgroup and the name of a policy");
	if (strtok_r(NULL, SPACES, &rest))
		return bad_line(
			file, line,
			"too many words: a line is a cgroup and the name of a policy, without spaces");
	return add_entry(config, cgroup, policy, file, line);
}

/* Whoever may write such a file decides who is governed, as with a policy. */
static int refuse_writable(FILE *stream, const char *file)
{
	struct stat status;

	if (fstat(fileno(stream), &status))
		return cmd_fail("apply: %s: %s", file, strerror(errno));
	if (status.st_mode & 002)
		return cmd_fail("apply: %s: anybody may write to it: chmod o-w it", file);
	return EXIT_DONE;
}

/* All its errors are told, not only the first. */
static int read_entries(struct apply_config *config, const char *file)
{
	FILE *stream = fopen(file, "re");
	unsigned int line = 0;
	char *text = NULL;
	size_t size = 0;
	ssize_t len;
	int code;

	if (!stream)
		return cmd_fail("apply: %s: %s", file, strerror(errno));
	code = refuse_writable(stream, file);
	while (code != EXIT_FAILED && (len = getline(&text, &size, stream)) >= 0) {
		int result;

		line++;
		if (strlen(text) != (size_t)len)
			result = bad_line(file, line, "a NUL byte: it is no text file");
		else
			result = read_line(config, text, file, line);
		code = result ? result : code;
	}
	if (!code && ferror(stream))
		code = cmd_fail("apply: %s: %s", file, strerror(errno));
	free(text);
	fclose(stream);
	return code;
}

int apply_config_read(const char *folder, struct apply_config *ret_config)
{
	char **lists = NULL;
	size_t count = 0;
	struct stat status;
	int code;

	*ret_config = (struct apply_config){ 0 };
	if (stat(folder, &status))
		return cmd_fail("apply: %s: %s", folder, strerror(errno));
	code = list_files(folder, "policies.d", ".json", &ret_config->files, &ret_config->file_count);
	if (!code)
		code = list_files(folder, "attach.d", ".conf", &lists, &count);
	for (size_t i = 0; i < count; i++) {
		int result = read_entries(ret_config, lists[i]);

		code = code ? code : result;
		free(lists[i]);
	}
	free(lists);
	return code;
}

void apply_config_done(struct apply_config *config)
{
	for (size_t i = 0; i < config->file_count; i++)
		free(config->files[i]);
	for (size_t i = 0; i < config->entry_count; i++) {
		free(config->entries[i].cgroup);
		free(config->entries[i].policy);
		free(config->entries[i].file);
	}
	free(config->files);
	free(config->entries);
	*config = (struct apply_config){ 0 };
}
