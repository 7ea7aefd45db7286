// SPDX-License-Identifier: GPL-2.0
/* What a net rule matches: addresses, protocol and ports. */
#include "ctl/policy/rule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/text.h"
#include "ctl/policy/address.h"

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

static void check_unix(struct reader *reader, const struct json_node *node, void *data)
{
	struct json_node copy = *node;

	(void)data;
	copy.next = NULL;
	copy.key = NULL;
	if (node->string[0] != '@')
		path_list_check(reader, &copy);
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
	const struct json_node *host = json_member(node, "host"), *path = json_member(node, "unix");

	if (host) {
		reader_each(reader, host, check_host, NULL);
		if (!coverage_has(FEATURE_HOST))
			reader_refuse(reader, json_key_place(reader->document, host), "host");
	}
	if (path) {
		reader_each(reader, path, check_unix, NULL);
		if (!coverage_has(FEATURE_UNIX))
			reader_refuse(reader, json_key_place(reader->document, path), "unix");
	}
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

void net_rule_read(struct reader *reader, const struct json_node *node, struct rule_draft *draft)
{
	const struct json_node *cidr = json_member(node, "cidr"), *ports = json_member(node, "port");
	const struct json_node *protocol = json_member(node, "proto");
	struct net_reading *reading = calloc(1, sizeof(*reading));
	bool is_local;

	if (!reading) {
		reader_no_memory(reader);
		return;
	}
	reading->protocol = -1;
	check_kinds(reader, node);
	check_unenforced(reader, node);
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
	finish(reader, node, reading, draft);
	free(reading->blocks.list);
	free(reading->local.list);
	free(reading);
}
