// SPDX-License-Identifier: GPL-2.0
/* Where the text of policy files comes from: the file system, or the bundle of a loaded policy. */
#include "ctl/policy/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/json_writer.h"

static int read_all(int fd, size_t max, char **ret_text, size_t *ret_len)
{
	size_t len = 0, capacity = 0;
	char *text = NULL, *grown = NULL;
	ssize_t got = 0;

	for (;;) {
		if (len + 1 >= capacity) {
			capacity = capacity ? 2 * capacity : 65536;
			grown = realloc(text, capacity);
			if (!grown)
				break;
			text = grown;
		}
		got = read(fd, text + len, capacity - len - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || len + got > max)
			break;
		len += got;
	}
	if (grown && !got) {
		text[len] = '\0';
		*ret_text = text;
		*ret_len = len;
		return 0;
	}
	free(text);
	return !grown ? -ENOMEM : got > 0 ? -EFBIG : -errno;
}

/* The file is opened once, so that what was checked is what is read. */
static int read_file(const char *path, size_t max, bool refuse_writable, char **ret_text, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), result;
	struct stat status;

	if (fd < 0)
		return -errno;
	result = fstat(fd, &status) ? -errno : 0;
	if (!result && refuse_writable && status.st_mode & 002)
		result = -EPERM;
	if (!result)
		result = read_all(fd, max, ret_text, ret_len);
	close(fd);
	return result;
}

static const struct json_node *bundle_file(const struct policy_bundle *bundle, const char *path)
{
	const struct json_node *files = json_member(json_root(bundle->document), "files"), *name;

	for (const struct json_node *file = files->first; file; file = file->next) {
		name = json_member(file, "path");
		if (name && name->string && !strcmp(name->string, path))
			return json_member(file, "text");
	}
	return NULL;
}

int source_read(const struct policy_bundle *bundle, const char *path, size_t max, bool refuse_writable,
		char **ret_text, size_t *ret_len)
{
	const struct json_node *text;

	if (!bundle)
		return read_file(path, max, refuse_writable, ret_text, ret_len);
	text = bundle_file(bundle, path);
	if (!text || !text->string)
		return -ENOENT;
	*ret_text = strdup(text->string);
	*ret_len = text->len;
	return *ret_text ? 0 : -ENOMEM;
}

void bundle_done(struct policy_bundle *bundle)
{
	json_free(bundle->document);
	free(bundle->text);
	free(bundle->defines);
	*bundle = (struct policy_bundle){ 0 };
}

static int read_defines(struct policy_bundle *bundle)
{
	const struct json_node *defines = json_member(json_root(bundle->document), "defines");

	if (!defines || defines->type != JSON_OBJECT)
		return -EBADMSG;
	bundle->defines = calloc(defines->len + 1, sizeof(*bundle->defines));
	if (!bundle->defines)
		return -ENOMEM;
	for (const struct json_node *member = defines->first; member; member = member->next) {
		if (member->type != JSON_STRING)
			return -EBADMSG;
		bundle->defines[bundle->define_count++] = (struct policy_define){ member->key,
										  member->string };
	}
	return 0;
}

int bundle_read(const char *path, struct policy_bundle *ret)
{
	struct policy_bundle bundle = { 0 };
	struct diagnostics diagnostics;
	size_t len;
	int result = read_file(path, JSON_LEN_MAX, false, &bundle.text, &len);

	if (result)
		return result;
	diagnostics_init(&diagnostics);
	result = json_read(bundle.text, len, path, &diagnostics, &bundle.document);
	if (result == -EINVAL || (!result && (diagnostics.error_count || !bundle_main(&bundle))))
		result = -EBADMSG;
	if (!result)
		result = read_defines(&bundle);
	if (result)
		bundle_done(&bundle);
	else
		*ret = bundle;
	diagnostics_done(&diagnostics);
	return result;
}

const char *bundle_main(const struct policy_bundle *bundle)
{
	const struct json_node *files = json_member(json_root(bundle->document), "files");
	const struct json_node *path = files && files->first ? json_member(files->first, "path") : NULL;

	return path ? path->string : NULL;
}

static void write_bundle(FILE *stream, const struct policy *policy, const struct policy_options *options)
{
	struct json_writer writer;

	json_writer_init(&writer, stream);
	json_begin_object(&writer);
	json_key(&writer, "defines");
	json_begin_object(&writer);
	for (size_t i = 0; i < options->define_count; i++) {
		size_t before = 0;

		/* The first of a name wins, and a key stands once. */
		while (before < i && strcmp(options->defines[before].name, options->defines[i].name))
			before++;
		if (before < i)
			continue;
		json_key(&writer, options->defines[i].name);
		json_string(&writer, options->defines[i].value);
	}
	json_end_object(&writer);
	json_key(&writer, "files");
	json_begin_array(&writer);
	for (size_t i = 0; i < policy->file_count; i++) {
		json_begin_object(&writer);
		json_key(&writer, "path");
		json_string(&writer, policy->files[i].path);
		json_key(&writer, "text");
		json_string(&writer, policy->files[i].text);
		json_end_object(&writer);
	}
	json_end_array(&writer);
	json_end_object(&writer);
	json_newline(&writer);
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t done = write(fd, text, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		text += done;
		len -= done;
	}
	return 0;
}

/* Through memory, because a stream forgets why a write failed. */
int policy_write_bundle(const struct policy *policy, const struct policy_options *options, int fd)
{
	char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);
	int error = -ENOMEM;

	if (!stream)
		return error;
	write_bundle(stream, policy, options);
	if (!(fflush(stream) || ferror(stream)))
		error = 0;
	fclose(stream);
	if (!error)
		error = write_all(fd, text, len);
	free(text);
	return error;
}
