// SPDX-License-Identifier: GPL-2.0
/* agentctl report: recorded events as a page for people, or as JSON. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/text.h"
#include "ctl/cmd/cmd.h"
#include "ctl/report/json.h"
#include "ctl/report/page.h"

enum format { FORMAT_UNSET, FORMAT_MARKDOWN, FORMAT_JSON, FORMAT_HTML };

struct report {
	enum format format;
	const char *out; /* NULL: standard output */
};

static bool set_format(struct report *report, const char *value)
{
	static const char *const words[] = { "markdown", "json", "html", NULL };
	const char *near = text_suggest(value, words);

	for (int i = 0; words[i]; i++) {
		if (strcmp(value, words[i]))
			continue;
		report->format = FORMAT_MARKDOWN + i;
		return true;
	}
	if (near)
		cmd_usage_error("report", "report: unknown format '%s' (did you mean '%s'?)", value, near);
	else
		cmd_usage_error("report", "report: unknown format '%s': markdown, json and html are known",
				value);
	return false;
}

static bool set_option(const char *option, const char *value, void *data)
{
	struct report *report = data;

	if (!strcmp(option, "format"))
		return set_format(report, value);
	if (!strcmp(option, "output"))
		report->out = strcmp(value, "-") ? value : NULL;
	else if (!strcmp(option, "json"))
		report->format = FORMAT_JSON;
	return true;
}

static bool ends_with(const char *name, const char *ending)
{
	size_t len = strlen(name), ending_len = strlen(ending);

	return len > ending_len && !strcmp(name + len - ending_len, ending);
}

/* What was asked for, else what the output's name says. */
static enum format format_of(const struct report *report)
{
	if (report->format != FORMAT_UNSET)
		return report->format;
	if (report->out && (ends_with(report->out, ".html") || ends_with(report->out, ".htm")))
		return FORMAT_HTML;
	if (report->out && ends_with(report->out, ".json"))
		return FORMAT_JSON;
	return FORMAT_MARKDOWN;
}

static int fail_about(const char *what, const char *name, int error)
{
	char *shown = text_name(name, strlen(name));

	cmd_fail("report: %s %s: %s", what, shown ? shown : "a file", strerror(error));
	free(shown);
	return EXIT_FAILED;
}

static int read_file(struct collected *collected, const char *name)
{
	bool is_stdin = !strcmp(name, "-");
	int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	int result;

	if (fd < 0)
		return fail_about("cannot read", name, errno);
	result = collected_read(collected, fd, is_stdin ? "standard input" : name);
	if (!is_stdin)
		close(fd);
	return result ? fail_about("cannot read", name, -result) : EXIT_DONE;
}

static int read_files(struct collected *collected, int count, char **names)
{
	int code = EXIT_DONE;

	for (int i = 0; i < count && code == EXIT_DONE; i++)
		code = read_file(collected, names[i]);
	if (code == EXIT_DONE && collected_finish(collected))
		code = cmd_fail("report: out of memory");
	return code;
}

/* 0, or -errno. */
static int write_report(FILE *stream, const struct collected *collected, enum format format)
{
	struct view view;
	int result = view_init(&view, collected, format == FORMAT_JSON ? &limits_json : &limits_page);

	if (!result && format == FORMAT_JSON)
		report_json_put(stream, &view);
	else if (!result)
		page_put(stream, format == FORMAT_HTML ? &page_html : &page_markdown, &view);
	view_done(&view);
	if (!result && (fflush(stream) || ferror(stream)))
		result = errno ? -errno : -EIO;
	return result;
}

/* Beside the file and then in its place, so that there is never half a report; a device or pipe is written as it is. */
static int write_file(const char *name, const struct collected *collected, enum format format)
{
	struct stat stat;
	bool is_plain = lstat(name, &stat) || S_ISREG(stat.st_mode);
	char *fresh = text_format(is_plain ? "%s.tmp.%d" : "%s", name, (int)getpid());
	int fd, result = -ENOMEM;
	FILE *stream;

	if (!fresh)
		return result;
	fd = open(fresh, O_WRONLY | O_CLOEXEC | (is_plain ? O_CREAT | O_EXCL : O_TRUNC), 0666);
	stream = fd < 0 ? NULL : fdopen(fd, "w");
	result = stream ? write_report(stream, collected, format) : -errno;
	if (stream && fclose(stream) && !result)
		result = -errno;
	if (!result && is_plain && rename(fresh, name))
		result = -errno;
	if (result && is_plain && stream)
		unlink(fresh);
	free(fresh);
	return result;
}

/* What could not be read does not fail the report, which says so itself; whoever reads only this is told, too. */
static void warn(const struct collected *collected)
{
	uint64_t unreadable = 0, events = 0;

	for (size_t i = 0; i < collected->source_count; i++) {
		unreadable += collected->source[i].unreadable;
		events += collected->source[i].events;
	}
	if (unreadable)
		cmd_fail("report: %llu lines are no events and were passed over",
			 (unsigned long long)unreadable);
	else if (!events)
		cmd_fail("report: there are no events: record them with 'agentctl log --json'");
}

int cmd_report(int argc, char **argv)
{
	struct report report = { 0 };
	struct collected *collected;
	int first, code, result;

	if (!cmd_parse(argc, argv, set_option, &report, &first, &code))
		return code;
	if (first == argc)
		return cmd_usage_error("report", "report: name a file of events, or - for standard input");
	if (collected_new(&collected))
		return cmd_fail("report: out of memory");
	code = read_files(collected, argc - first, argv + first);
	if (code == EXIT_DONE) {
		warn(collected);
		result = report.out ? write_file(report.out, collected, format_of(&report))
				    : write_report(stdout, collected, format_of(&report));
		if (result)
			code = fail_about("cannot write", report.out ? report.out : "standard output",
					  -result);
	}
	collected_free(collected);
	return code;
}
