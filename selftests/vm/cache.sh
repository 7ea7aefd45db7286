# SPDX-License-Identifier: GPL-2.0
# Where kernels and userlands are kept, and how one is built once only; sourced.
# shellcheck shell=bash

cache=${AGENTCTL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/agentctl}

# cached PATH COMMAND...: has COMMAND make PATH (below the cache) unless it is
# there. COMMAND gets a scratch directory, and the name of what it is to make;
# that is moved into place when it succeeded, so PATH is whole or absent.
# A finished cache is never written to: it may belong to someone else.
cached() {
	local path=$cache/$1 scratch
	shift
	[ -e "$path" ] && return
	mkdir -p "$(dirname "$path")" || return
	(
		set -e
		flock 9
		[ -e "$path" ] && exit
		scratch=$(mktemp -d "$cache/build.XXXXXX")
		# shellcheck disable=SC2064
		trap "rm -rf '$scratch'" EXIT
		trap 'exit 1' INT TERM HUP
		# Not "|| exit", which would turn set -e off in there.
		"$@" "$scratch" "$scratch/made" >&2
		mv -T "$scratch/made" "$path"
	) 9>"$cache/lock"
}
