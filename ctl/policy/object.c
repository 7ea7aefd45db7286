// SPDX-License-Identifier: GPL-2.0
/* Objects of operations as `explain` and tests write them. */
#include "ctl/policy/object.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/policy/address.h"
#include "ctl/policy/family.h"
#include "ctl/policy/signal.h"
#include "ctl/sys/links.h"
#include "kern/decide.h"

#define UNIX_PREFIX "unix:"

void object_done(struct object *object)
{
	free(object->path);
	free(object->spelling);
	free(object->name);
	*object = (struct object){ 0 };
}

static int refuse(char **ret_error, char *text)
{
	*ret_error = text;
	return text ? -EINVAL : -ENOMEM;
}

/* The first word of a command line, with the shell's quotes and backslashes; *ret_word is the caller's. */
static int first_word(const char *line, char **ret_word)
{
	char *word = malloc(strlen(line) + 1), *out = word, quote = 0;

	if (!word)
		return -ENOMEM;
	for (line += strspn(line, " \t\n"); *line && (quote || !strchr(" \t\n", *line)); line++) {
		if (quote ? *line == quote : (*line == '\'' || *line == '"'))
			quote = quote ? 0 : *line;
		else if (*line == '\\' && quote != '\'' && line[1])
			*out++ = *++line;
		else
			*out++ = *line;
	}
	*out = '\0';
	*ret_word = word;
	return 0;
}

/* PATH with single slashes and without "." components; -EINVAL if a ".." is in it. */
static int clean_path(const char *path, char **ret)
{
	char *clean = malloc(strlen(path) + 2), *out = clean;

	if (!clean)
		return -ENOMEM;
	while (*path) {
		const char *name = path + strspn(path, "/");
		size_t len = strcspn(name, "/");

		path = name + len;
		if (len == 2 && !memcmp(name, "..", 2)) {
			free(clean);
			return -EINVAL;
		}
		if (!len || (len == 1 && *name == '.'))
			continue;
		*out++ = '/';
		out = mempcpy(out, name, len);
	}
	if (out == clean)
		*out++ = '/';
	*out = '\0';
	*ret = clean;
	return 0;
}

/* A thread has its directory below its process's: which thread makes no difference to any pattern. */
static int rename_thread(char **path)
{
	static const char thread[] = "/proc/thread-self";
	size_t len = sizeof(thread) - 1;
	char *renamed;

	if (strncmp(*path, thread, len) || ((*path)[len] && (*path)[len] != '/'))
		return 0;
	renamed = text_format("/proc/self/task/1%s", *path + len);
	if (!renamed)
		return -ENOMEM;
	free(*path);
	*path = renamed;
	return 0;
}

/* Removing a name and giving one away are done to a link itself, everything else to what it leads to. */
static bool follows_last(enum operation op)
{
	return op != OP_FILE_DELETE && op != OP_FILE_RENAME && op != OP_FILE_LINK;
}

static int follow(enum operation op, struct object *object)
{
	struct links links = { 0 };
	int result = links_resolve(object->path, follows_last(op), &links);

	if (!result && links.target) {
		object->spelling = object->path;
		object->path = links.target;
		links.target = NULL;
	}
	links_done(&links);
	return result ? result : rename_thread(&object->path);
}

int object_nameless(const char *path)
{
	unsigned int depth = 0;
	size_t longest = 0;

	while (*path) {
		size_t len = strcspn(++path, "/");

		depth += len || *path;
		longest = len > longest ? len : longest;
		path += len;
	}
	return depth > DEPTH_MAX ? REASON_TOO_DEEP : longest > COMPONENT_MAX ? REASON_TOO_LONG : 0;
}

static int parse_path(enum operation op, const char *text, struct object *object, char **ret_error)
{
	int result;

	if (!strcmp(text, "anon:") && OP_BIT(op) & OPS_EXEC) {
		object->is_anonymous = true;
		return 0;
	}
	if (*text != '/')
		return refuse(ret_error,
			      text_format("'%s' is no absolute path: write it from the root on", text));
	result = clean_path(text, &object->path);
	if (result == -EINVAL)
		return refuse(ret_error,
			      text_format("'%s' holds '..': write the path that it leads to", text));
	if (!result)
		result = follow(op, object);
	if (!result)
		object->nameless = object_nameless(object->path);
	return result;
}

static int parse_command(enum operation op, const char *text, struct object *object, char **ret_error)
{
	char *word;
	int result = first_word(text, &word);

	if (result)
		return result;
	result = parse_path(op, word, object, ret_error);
	free(word);
	return result;
}

/* Letters beyond hexadecimal ones before the port: somebody means a host by its name. */
static bool is_host(const char *text)
{
	size_t len = strcspn(text, ":");

	return *text != '[' && text[len] && strcspn(text, "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ-") < len;
}

static int refuse_address(const char *text, char **ret_error)
{
	if (is_host(text))
		return refuse(ret_error,
			      text_format("'%s' is a host's name, which this version does not decide yet: "
					  "write an address with a port",
					  text));
	return refuse(ret_error, text_format("'%s' is no address with a port: write it as 192.0.2.1:443 or "
					     "[2001:db8::1]:443",
					     text));
}

/* Cuts "/tcp", "/udp" or "/icmp" from TEXT; tcp where nothing is said. */
static int cut_protocol(char *text, uint8_t *ret_protocol)
{
	static const char *const words[] = { "/tcp", "/udp", "/icmp", NULL };
	static const uint8_t protocols[] = { 6, 17, 1 };
	char *slash = strchr(text, '/');

	*ret_protocol = protocols[0];
	for (int i = 0; slash && words[i]; i++) {
		if (strcmp(slash, words[i]))
			continue;
		*ret_protocol = protocols[i];
		*slash = '\0';
		return 0;
	}
	return slash ? -EINVAL : 0;
}

/* Splits "ADDR:PORT" or "[ADDR6]:PORT"; a protocol without ports takes the address alone, too. */
static int split_port(char *text, char **ret_address, char **ret_port)
{
	char *end = *text == '[' ? strchr(text, ']') : NULL, *colon;

	if (*text == '[' && !end)
		return -EINVAL;
	if (end)
		*end = '\0';
	colon = end ? end + 1 : strrchr(text, ':');
	*ret_address = end ? text + 1 : text;
	*ret_port = colon && *colon == ':' ? colon + 1 : NULL;
	if (end && *colon && *colon != ':')
		return -EINVAL;
	if (*ret_port)
		*colon = '\0';
	return 0;
}

static int parse_parts(enum operation op, char *text, struct object *object)
{
	struct address_error error;
	char *address, *port;
	uint16_t high;

	if (cut_protocol(text, &object->protocol) || split_port(text, &address, &port))
		return -EINVAL;
	if (!port && object->protocol != 1)
		return -EINVAL;
	/* Port 0 lets the kernel choose. */
	if (port && op == OP_NET_BIND && !strcmp(port, "0"))
		object->port = 0;
	else if (port && (address_parse_ports(port, &object->port, &high, &error) || object->port != high))
		return -EINVAL;
	if (object->protocol == 1)
		object->port = 0;
	object->is_v6 = strchr(address, ':') != NULL;
	return inet_pton(object->is_v6 ? AF_INET6 : AF_INET, address, object->address) == 1 ? 0 : -EINVAL;
}

static int parse_address(enum operation op, const char *text, struct object *object, char **ret_error)
{
	char *copy;
	int result;

	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	result = parse_parts(op, copy, object);
	free(copy);
	return result ? refuse_address(text, ret_error) : 0;
}

static int parse_target(const char *text, struct object *object, char **ret_error)
{
	const char *near = text_suggest(text, target_words);
	int kind = signal_kind_parse(text);

	object->signal_kind = kind;
	if (kind >= 0)
		return 0;
	if (near)
		return refuse(ret_error, text_format("unknown target '%s' (did you mean '%s'?)", text, near));
	return refuse(ret_error, text_format("unknown target '%s': write one of self, child, descendant, "
					     "session, external, system",
					     text));
}

static int parse_socket(enum operation op, const char *text, struct object *object, char **ret_error)
{
	object->is_unix = true;
	if (op == OP_NET_ACCEPT)
		return refuse(ret_error,
			      text_format("'%s': Unix sockets are judged where somebody connects", text));
	if (!strncmp(text, UNIX_PREFIX, sizeof(UNIX_PREFIX) - 1))
		text += sizeof(UNIX_PREFIX) - 1;
	if (*text != '@')
		return parse_path(OP_UNIX_CONNECT, text, object, ret_error);
	object->name = strdup(text);
	return object->name ? 0 : -ENOMEM;
}

enum operation object_operation(enum operation op, const struct object *object)
{
	if (!object->is_unix)
		return op;
	return op == OP_NET_BIND || op == OP_UNIX_BIND ? OP_UNIX_BIND : OP_UNIX_CONNECT;
}

static int parse_family(const char *text, struct object *object, char **ret_error)
{
	object->family = family_find(text);
	if (object->family >= 0)
		return 0;
	return refuse(ret_error,
		      text_format("'%s' is no socket family that a policy can name: write one such as vsock",
				  text));
}

int object_parse(enum operation op, const char *text, struct object *ret, char **ret_error)
{
	struct object object = { 0 };
	int result;

	if (op == OP_SIGNAL_SEND)
		result = parse_target(text, &object, ret_error);
	else if (op == OP_KERNEL_FAMILIES)
		result = parse_family(text, &object, ret_error);
	else if (OP_BIT(op) & OPS_UNIX ||
		 (OP_BIT(op) & OPS_NET && !strncmp(text, UNIX_PREFIX, sizeof(UNIX_PREFIX) - 1)))
		result = parse_socket(op, text, &object, ret_error);
	else if (OP_BIT(op) & OPS_NET)
		result = parse_address(op, text, &object, ret_error);
	else if (op == OP_EXEC_RUN)
		result = parse_command(op, text, &object, ret_error);
	else
		result = parse_path(op, text, &object, ret_error);
	if (result)
		object_done(&object);
	else
		*ret = object;
	return result;
}
