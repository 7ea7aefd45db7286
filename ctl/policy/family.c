// SPDX-License-Identifier: GPL-2.0
/* Names of socket families, and of protocols of the internet families, that a policy can allow beside those it judges. */
#include "ctl/policy/family.h"

#include <string.h>

#include "kern/abi.h"
#include "kern/decide.h"

/* By linux/socket.h; those that are judged by address need no permission, and stand for themselves in events. */
static const struct {
	const char *name;
	int bit;
} families[] = {
	{ "ax25", 3 },
	{ "ipx", 4 },
	{ "appletalk", 5 },
	{ "netrom", 6 },
	{ "bridge", 7 },
	{ "atmpvc", 8 },
	{ "x25", 9 },
	{ "rose", 11 },
	{ "key", 15 },
	{ "netlink", 16 },
	{ "packet", 17 },
	{ "atmsvc", 20 },
	{ "rds", 21 },
	{ "irda", 23 },
	{ "pppox", 24 },
	{ "llc", 26 },
	{ "ib", 27 },
	{ "mpls", 28 },
	{ "can", 29 },
	{ "tipc", 30 },
	{ "bluetooth", 31 },
	{ "iucv", 32 },
	{ "rxrpc", 33 },
	{ "isdn", 34 },
	{ "phonet", 35 },
	{ "ieee802154", 36 },
	{ "caif", 37 },
	{ "alg", 38 },
	{ "nfc", 39 },
	{ "vsock", 40 },
	{ "kcm", 41 },
	{ "qipcrtr", 42 },
	{ "smc", FAMILY_SMC },
	{ "xdp", 44 },
	{ "mctp", 45 },
	{ "sctp", FAMILY_SCTP },
	{ "dccp", FAMILY_DCCP },
	{ "l2tp", FAMILY_L2TP },
};

#define FAMILIES (sizeof(families) / sizeof(families[0]))

const char *const *family_words(void)
{
	static const char *words[FAMILIES + 1];

	for (size_t i = 0; i < FAMILIES; i++)
		words[i] = families[i].name;
	return words;
}

int family_find(const char *name)
{
	for (size_t i = 0; i < FAMILIES; i++)
		if (!strcmp(families[i].name, name))
			return families[i].bit;
	return -1;
}

const char *family_name(uint32_t detail)
{
	uint32_t family = SOCKET_FAMILY(detail);
	int bit = family_bit(family, SOCKET_TYPE(detail), SOCKET_PROTOCOL(detail));

	for (size_t i = 0; i < FAMILIES && bit != FAMILY_JUDGED; i++)
		if (families[i].bit == bit)
			return families[i].name;
	return family == DECIDE_AF_INET ? "inet" : family == DECIDE_AF_INET6 ? "inet6" : NULL;
}
