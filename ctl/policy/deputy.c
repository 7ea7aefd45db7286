// SPDX-License-Identifier: GPL-2.0
/* Sockets of services that act for whoever connects to them, outside the attachment: kernel.deputies. */
#include "ctl/policy/deputy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"

/*
 * As services bind them by their own defaults; who moves one elsewhere has to name
 * it in a rule. Each begins with fixed folders, so that the list costs no lane of
 * its own. docs/man/agentctl-policy.5 shows it.
 */
const char *const deputy_paths[] = {
	/* systemd: its own protocol, readiness, and varlink but for looking up names and users */
	"/run/systemd/{private,notify}",
	"/run/systemd/io.systemd.*",
	"/run/systemd/{machine,import,home,portable,sysext,oom}/**",
	"/run/user/*/systemd/{private,notify,io.systemd.*}",
	/* D-Bus, and what hangs on it */
	"/run/dbus/**",
	"/run/user/*/{bus,dbus-*}",
	"/run/user/*/{at-spi,gvfsd,keyring}/**",
	"/tmp/dbus-*",
	/* containers and machines */
	"/run/docker.sock",
	"/run/{docker,containerd,podman,crio,buildkit,libvirt,cri-dockerd.sock,k3s,lxd,incus}/**",
	"/run/user/*/docker.sock",
	"/run/user/*/{docker,podman,buildkit,containerd,libvirt}/**",
	"/var/{lib,snap}/{lxd,incus}/**",
	"/run/snapd*.socket",
	/* terminals and editors that run what they are told */
	"/tmp/tmux-*/**",
	"/run/user/*/{tmux,tmux-*,zellij,emacs,kitty*}/**",
	"/run/screen/**",
	"/tmp/{screens,zellij-*,emacs*}/**",
	NULL,
};

const char *const deputy_names[] = {
	"/tmp/dbus-*",
	"containerd-shim/*",
	"/containerd-shim/*",
	NULL,
};

#define DEPUTIES (sizeof(deputy_paths) / sizeof(deputy_paths[0]) - 1)

typedef int parse_pattern(const char *text, size_t len, struct pattern **ret,
			  struct pattern_error *ret_error);

static int unite(const char *const *list, const char *prefix, parse_pattern *parse, struct pattern **ret)
{
	struct pattern *all = NULL, *one;
	struct pattern_error error;
	int result = 0;

	for (; *list && !result; list++) {
		char *text = text_format("%s%s", prefix, *list);

		result = text ? parse(text, strlen(text), &one, &error) : -ENOMEM;
		free(text);
		if (!result && all)
			result = pattern_union(all, one, &one);
		all = result ? NULL : one;
	}
	*ret = all;
	return result;
}

/*
 * By which names a service may have bound a path, whatever its file is called
 * now: who owns the folder could have renamed it. By a link's name, too; in
 * arguments, a star crosses slashes.
 */
static int unite_bound(struct pattern **ret)
{
	char *bound[2 * DEPUTIES + 1] = { NULL };
	size_t count = 0;
	int result = 0;

	for (size_t i = 0; i < DEPUTIES && !result; i++) {
		int len = strlen(deputy_paths[i]);

		if (len > 3 && !strcmp(deputy_paths[i] + len - 3, "/**"))
			len--;
		for (int link = 0; link <= !strncmp(deputy_paths[i], "/run/", 5); link++) {
			bound[count] = text_format("%s%.*s", link ? "/var" : "", len, deputy_paths[i]);
			result = bound[count++] ? 0 : -ENOMEM;
		}
	}
	if (!result)
		result = unite((const char *const *)bound, "/", pattern_argument, ret);
	while (count)
		free(bound[--count]);
	return result;
}

int deputy_patterns(struct pattern **ret_paths, struct pattern **ret_names)
{
	struct pattern *bound = NULL;
	int result = unite(deputy_paths, "", pattern_path, ret_paths);

	*ret_names = NULL;
	if (!result)
		result = unite(deputy_names, "/", pattern_argument, ret_names);
	if (!result)
		result = unite_bound(&bound);
	return result ? result : pattern_union(*ret_names, bound, ret_names);
}
