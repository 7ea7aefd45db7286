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

int deputy_patterns(struct pattern **ret_paths, struct pattern **ret_names)
{
	int result = unite(deputy_paths, "", pattern_path, ret_paths);

	*ret_names = NULL;
	if (!result)
		result = unite(deputy_names, "/", pattern_argument, ret_names);
	return result;
}
