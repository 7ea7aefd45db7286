// SPDX-License-Identifier: GPL-2.0
/* What a net rule matches: addresses, protocol and ports. */
#include "ctl/policy/rule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/policy/address.h"

#define AUTOMATIC_LOW 32768 /* the ports that kernels choose from, unless they are told others */
#define AUTOMATIC_HIGH 60999
#define RANGES_MAX 65536 /* address blocks times port ranges of one rule */

struct port_range {
	uint16_t low;
	uint16_t high;
};

struct net_reading {
	struct address_blocks blocks;
	struct port_range ports[LIST_MAX];
	size_t port_count;
	int protocol;		     /* as in the address key, -1 for any */
	bool is_local;		     /* the ports come from a -D */
	bool has_local_block;	     /* some blocks come from this machine or a -D */
	struct address_blocks local; /* those */
};

static void report_address(struct reader *reader, const struct json_node *node,
			   const struct expansion *expansion, int result, const struct address_error *error)
{
	char *shown = text_name(expansion->text, expansion->len);

	if (result == -EINVAL && shown)
		reader_error(reader, node, error->remedy, "'%s': %s", shown, error->what);
	else if (result == -ENOSPC)
		reader_error(reader, node, "split the rule", "more than %d blocks of addresses",
			     ADDRESSES_MAX);
	else
		reader_no_memory(reader);
	free(shown);
}

static void read_set(struct reader *reader, const struct json_node *node, struct net_reading *reading,
		     const struct expansion *expansion)
{
	struct place place = json_place(reader->document, node);
	struct address_blocks set = { 0 };
	bool is_local = false;
	int result = address_named_set(expansion->text, &set, &is_local);
	struct address_blocks *into = is_local || expansion->written ? &reading->local : &reading->blocks;

	for (size_t i = 0; i < set.count && !result; i++)
		result = addresses_add(into, set.list[i].is_v6, set.list[i].address, set.list[i].prefix);
	free(set.list);
	reading->has_local_block |= into == &reading->local;
	if (result == -ENOENT)
		reader_unknown(reader, &place, "set of addresses", expansion->text, address_set_names);
	else if (result == -ENOSPC || result == -ENOMEM)
		report_address(reader, node, expansion, result, NULL);
	else if (result)
		reader_error(reader, node, "write the addresses themselves",
			     "'%s' could not be read on this machine: %s", expansion->text,
			     strerror(-result));
}

static void read_block(struct reader *reader, const struct json_node *node, void *data)
{
	struct net_reading *reading = data;
	struct address_error error;
	struct expansion expansion;
	struct address_blocks *into;
	int result;

	if (!reader_expand(reader, node, EXPANSION_PLAIN, &expansion))
		return;
	into = expansion.written ? &reading->local : &reading->blocks;
	if (expansion.text[0] == '@') {
		read_set(reader, node, reading, &expansion);
	} else {
		reading->has_local_block |= expansion.written != NULL;
		result = address_parse_block(expansion.text, into, &error);
		if (result)
			report_address(reader, node, &expansion, result, &error);
	}
	expansion_done(&expansion);
}

static void add_ports(struct reader *reader, const struct json_node *node, struct net_reading *reading,
		      uint16_t low, uint16_t high)
{
	if (reading->port_count == LIST_MAX)
		reader_error(reader, node, "split the rule", "more than %d ports", LIST_MAX);
	else
		reading->ports[reading->port_count++] = (struct port_range){ low, high };
}

static void read_port_text(struct reader *reader, const struct json_node *node, struct net_reading *reading)
{
	struct address_error error;
	struct expansion expansion;
	uint16_t low = 1, high = 1;
	int result;

	if (!reader_expand(reader, node, EXPANSION_PLAIN, &expansion))
		return;
	reading->is_local |= expansion.written != NULL;
	result = address_parse_ports(expansion.text, &low, &high, &error);
	if (result)
		report_address(reader, node, &expansion, result, &error);
	else
		add_ports(reader, node, reading, low, high);
	expansion_done(&expansion);
}

static void read_port(struct reader *reader, const struct json_node *node, struct net_reading *reading)
{
	if (node->type == JSON_STRING) {
		read_port_text(reader, node, reading);
	} else if (node->type != JSON_NUMBER) {
		reader_error(reader, node, "write a number, or a range such as \"1024-65535\"",
			     "%s is no port", json_type_name(node->type));
	} else if (!node->is_integer || node->integer < 1 || node->integer > 65535) {
		reader_error(reader, node,
			     "write a number from 1 to 65535, or a range such as \"1024-65535\"", "no port");
	} else {
		add_ports(reader, node, reading, node->integer, node->integer);
	}
}

static void read_ports(struct reader *reader, const struct json_node *node, struct net_reading *reading)
{
	if (node->type != JSON_ARRAY) {
		read_port(reader, node, reading);
		return;
	}
	if (!node->len)
		reader_error(reader, node, "name something in it, or remove it", "an empty list");
	if (node->len > LIST_MAX) {
		reader_error(reader, node, "split the rule", "a list of more than %d members", LIST_MAX);
		return;
	}
	for (const struct json_node *member = node->first; member; member = member->next)
		read_port(reader, member, reading);
}

static void read_protocol(struct reader *reader, const struct json_node *node, const struct json_node *ports,
			  struct net_reading *reading)
{
	static const char *const words[] = { "*", "tcp", "udp", "icmp", NULL };
	static const int protocols[] = { -1, 6, 17, 1 };
	int word = reader_word(reader, node, words, "protocol");

	reading->protocol = word < 0 ? -1 : protocols[word];
	if (reading->protocol == 1 && ports)
		reader_key_error(reader, ports, "remove it, or name tcp or udp", "icmp has no ports");
}

static void check_host(struct reader *reader, const struct json_node *node, void *data)
{
	const char *name;
	struct expansion expansion;

	(void)data;
	if (!reader_expand(reader, node, EXPANSION_PLAIN, &expansion))
		return;
	name = expansion.text + (expansion.text[0] == '*' && expansion.text[1] == '.' ? 2 : 0);
	if (!*name || *name == '.' || strstr(name, "..") || strpbrk(name, "*/:@ ") || strlen(name) > 254)
		reader_error(reader, node,
			     "write a name such as api.example.org, or *.example.org for all below it",
			     "no host name");
	expansion_done(&expansion);
}

/* cidr, host and unix exclude each other; unix has no ports. */
static void check_kinds(struct reader *reader, const struct json_node *node)
{
	const struct json_node *found = NULL;

	for (const struct json_node *member = node->first; member; member = member->next) {
		if (strcmp(member->key, "cidr") && strcmp(member->key, "host") && strcmp(member->key, "unix"))
			continue;
		if (found)
			reader_key_error(reader, member, "split the rule in two", "'%s' beside '%s'",
					 member->key, found->key);
		found = found ? found : member;
	}
	if (!json_member(node, "unix"))
		return;
	for (const struct json_node *member = node->first; member; member = member->next)
		if (!strcmp(member->key, "port") || !strcmp(member->key, "proto"))
			reader_key_error(reader, member, "remove it", "'%s' beside 'unix'", member->key);
}

static void check_unenforced(struct reader *reader, const struct json_node *node)
{
	const struct json_node *host = json_member(node, "host");

	if (host) {
		reader_each(reader, host, check_host, NULL);
		if (!coverage_has(FEATURE_HOST))
			reader_refuse(reader, json_key_place(reader->document, host), "host");
	}
}

/* Unix sockets have operations of their own, and no accept: who may connect is judged where that is tried. */
static void read_unix(struct reader *reader, const struct json_node *node, const struct json_node *list,
		      struct rule_draft *draft)
{
	uint32_t named = draft->rule.operations;

	draft->rule.operations = (named & OP_BIT(OP_NET_CONNECT) ? OP_BIT(OP_UNIX_CONNECT) : 0) |
				 (named & OP_BIT(OP_NET_BIND) ? OP_BIT(OP_UNIX_BIND) : 0);
	if (named == OP_BIT(OP_NET_ACCEPT))
		reader_error(reader, node, "write bind, or connect", "'accept' of Unix sockets");
	unix_rule_read(reader, list, draft);
	if (draft->rule.names_session && draft->rule.operations == OP_BIT(OP_UNIX_BIND))
		reader_error(reader, list, "write connect",
			     "'@session' says whom to connect to, and nobody is bound to");
}

static int add_ranges(const struct net_reading *reading, const struct address_blocks *blocks,
		      struct pattern_list *patterns)
{
	int result = 0;

	for (size_t i = 0; i < blocks->count * reading->port_count && !result; i++) {
		const struct address_block *block = &blocks->list[i / reading->port_count];
		const struct port_range *ports = &reading->ports[i % reading->port_count];
		struct pattern_address address = { .is_v6 = block->is_v6,
						   .prefix = block->prefix,
						   .protocol = reading->protocol,
						   .port_low = ports->low,
						   .port_high = ports->high };
		struct pattern *pattern;

		memcpy(address.address, block->address, sizeof(address.address));
		result = pattern_address(&address, &pattern);
		if (!result)
			result = pattern_list_add(patterns, pattern);
	}
	return result;
}

static void finish(struct reader *reader, const struct json_node *node, struct net_reading *reading,
		   struct rule_draft *draft)
{
	size_t blocks = reading->blocks.count + reading->local.count;

	if (blocks * reading->port_count > RANGES_MAX) {
		reader_error(reader, node, "split the rule", "more than %d pairs of address blocks and ports",
			     RANGES_MAX);
		return;
	}
	draft->rule.is_local = reading->is_local || reading->has_local_block;
	if (add_ranges(reading, &reading->blocks, &draft->real) ||
	    add_ranges(reading, &reading->local, &draft->real) ||
	    (draft->rule.is_local && !reading->is_local &&
	     add_ranges(reading, &reading->blocks, &draft->written)))
		reader_no_memory(reader);
}

/*
 * Port 0 asks for any port: a rule that holds for all of those that the kernel chooses
 * from decides it. What was chosen is judged again when the socket listens.
 */
static void add_automatic_port(struct net_reading *reading)
{
	size_t count = reading->port_count;

	for (size_t i = 0; i < count && count < LIST_MAX; i++) {
		if (!reading->ports[i].low || reading->ports[i].low > AUTOMATIC_LOW ||
		    reading->ports[i].high < AUTOMATIC_HIGH)
			continue;
		reading->ports[reading->port_count++] = (struct port_range){ 0, 0 };
		return;
	}
}

/* Does the rule refuse to bind by name, and not just everything? */
static bool refuses_bind(const struct json_node *node)
{
	const struct json_node *verb = json_member(node, "deny");

	verb = verb ? verb : json_member(node, "ask");
	if (verb && verb->type == JSON_ARRAY) {
		for (verb = verb->first; verb; verb = verb->next)
			if (verb->type == JSON_STRING && !strcmp(verb->string, "bind"))
				return true;
		return false;
	}
	return verb && verb->type == JSON_STRING && !strcmp(verb->string, "bind");
}

/* Who may not listen at some address may not listen at all of them. */
static int add_wildcards(struct address_blocks *blocks)
{
	static const uint8_t any[16];
	bool has_v6 = false, has_v4 = false;

	for (size_t i = 0; i < blocks->count; i++) {
		has_v6 |= blocks->list[i].is_v6;
		has_v4 |= !blocks->list[i].is_v6;
	}
	if (has_v4 && addresses_add(blocks, false, any, 32))
		return -ENOMEM;
	return has_v6 ? addresses_add(blocks, true, any, 128) : 0;
}

void net_rule_read(struct reader *reader, const struct json_node *node, struct rule_draft *draft)
{
	const struct json_node *cidr = json_member(node, "cidr"), *ports = json_member(node, "port");
	const struct json_node *protocol = json_member(node, "proto");
	const struct json_node *sockets = json_member(node, "unix");
	struct net_reading *reading;
	bool is_local;

	check_kinds(reader, node);
	check_unenforced(reader, node);
	if (sockets) {
		read_unix(reader, node, sockets, draft);
		return;
	}
	reading = calloc(1, sizeof(*reading));
	if (!reading) {
		reader_no_memory(reader);
		return;
	}
	reading->protocol = -1;
	if (protocol)
		read_protocol(reader, protocol, ports, reading);
	if (ports)
		read_ports(reader, ports, reading);
	else
		reading->ports[reading->port_count++] = (struct port_range){ 0, 65535 };
	if (cidr)
		reader_each(reader, cidr, read_block, reading);
	else if (address_named_set("@any", &reading->blocks, &is_local))
		reader_no_memory(reader);
	if (draft->rule.operations & OP_BIT(OP_NET_BIND))
		add_automatic_port(reading);
	if (cidr && refuses_bind(node) && (add_wildcards(&reading->blocks) || add_wildcards(&reading->local)))
		reader_no_memory(reader);
	finish(reader, node, reading, draft);
	free(reading->blocks.list);
	free(reading->local.list);
	free(reading);
}
