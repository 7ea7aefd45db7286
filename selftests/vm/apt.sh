# SPDX-License-Identifier: GPL-2.0
# A private apt, made from the mirrors that this machine's apt already uses; sourced by kernel and userland.
# shellcheck shell=bash

# The caller sees one fixed format, whatever the host's sources look like:
# "URI SUITE" for each archive that apt is set up to read.
mirrors() {
	apt-get update --print-uris 2>/dev/null |
		sed -n "s|^'\(.*\)/dists/\([^/']*\)/InRelease'.*|\1 \2|p"
}

host_suite() {
	# shellcheck source=/dev/null
	(. /etc/os-release && echo "${VERSION_CODENAME:?}")
}

keyring() {
	local file
	for file in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
		[ -r "$file" ] && echo "$file" && return
	done
	echo "vm: no Debian archive keyring: install debian-archive-keyring" >&2
	return 1
}

# uri_of SUITE: the archive that serves SUITE, judged by what serves the
# suite of this machine. A security archive may be absent.
uri_of() {
	local own=$1
	case $1 in
	*-security) own=$(host_suite)-security ;;
	*) own=$(host_suite) ;;
	esac
	mirrors | awk -v own="$own" '$2 == own { print $1; exit }'
}

# sources SUITE...: lines for sources.list.
sources() {
	local suite uri key
	key=$(keyring) || return
	for suite; do
		uri=$(uri_of "$suite")
		if [ -n "$uri" ]; then
			echo "deb [signed-by=$key] $uri $suite main"
		elif [[ $suite != *-security ]]; then
			echo "vm: apt on this machine names no mirror for $suite" >&2
			return 1
		fi
	done
}

# apt_init DIR SUITE...: makes DIR the state of an apt of our own and points
# APT_CONFIG at it, so that apt-get and apt-cache use it from here on.
# What the machine's apt.conf says (a proxy, say) stays in force.
apt_init() {
	local dir=$1 list
	shift
	list=$(sources "$@") || return
	mkdir -p "$dir"/{lists,archives}/partial "$dir/empty"
	echo "$list" >"$dir/sources.list"
	cat >"$dir/apt.conf" <<-EOF
		Dir::State "$dir";
		Dir::State::status "/dev/null";
		Dir::Cache "$dir";
		Dir::Etc::SourceList "$dir/sources.list";
		Dir::Etc::SourceParts "$dir/empty";
		Dir::Etc::PreferencesParts "$dir/empty";
		APT::Architecture "amd64";
		APT::Sandbox::User "";
		Acquire::Languages "none";
	EOF
	export APT_CONFIG=$dir/apt.conf
	apt-get -qq update
}
