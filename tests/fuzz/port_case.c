#include "port_case.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "core/hosts.h"
#include "core/mac.h"
#include "core/reverse.h"
#include "fuzz_request.h"
#include "model/rr.h"
#include "port_update.h"

enum { COLUMN_MAX = 255 };

/* ---- a line ---- */

json_t *case_number_and_cidr(json_t *subnet, const char **at)
{
	json_t *number = json_integer(strtoll(*at, NULL, 10));

	json_decref(request_field(at, "\t\n"));
	if (**at != '\n')
		request_set_field(subnet, "cidr", at);
	if (**at == '\n')
		++*at;
	return number;
}

json_t *case_port(const char **at, int number)
{
	json_t *port = json_object(), *addresses = json_array();
	char id[ID_LEN + 1];

	snprintf(id, sizeof(id), "%032x", (unsigned)number);
	json_object_set_new(port, "id", json_string(id));
	json_object_set_new(port, "network_id", json_string(id));
	request_set_field(port, "dns_name", at);
	request_set_field(port, "dns_domain", at);
	request_set_field(port, "mac_address", at);
	request_set_field(port, "project_id", at);
	while (**at && **at != '\n') {
		json_t *address = json_object();

		request_set_field(address, "ip_address", at);
		json_array_append_new(addresses, address);
	}
	json_object_set_new(port, "fixed_ips", addresses);
	if (**at == '\n')
		++*at;
	return port;
}

/* ---- what was taken ---- */

/* As a column has it: in canonical form. */
static struct name check_name(const char *text)
{
	char formatted[NAME_MAX_TEXT + 1];
	struct name name;
	struct why why;

	assert(strlen(text) <= COLUMN_MAX);
	assert(!name_parse(text, "name", &name, &why));
	name_format(&name, formatted);
	assert(!strcmp(text, formatted));
	return name;
}

static void check_id(const char *id)
{
	assert(strspn(id, "0123456789abcdef") == ID_LEN && !id[ID_LEN]);
}

/* The longest generated name is that of an address without zeroes. */
static void check_domain(const struct name *domain)
{
	static const struct address widest = {
		128, { 255, 1, 255, 1, 255, 1, 255, 1, 255, 1, 255, 1, 255, 1, 255, 1 },
	};
	char text[NAME_MAX_TEXT + 1];
	struct name name;
	struct why why;

	assert(name_labels(domain) > 0 && memcmp(domain->wire, "\1*", 2));
	assert(!host_fqdn(&widest, domain, &name, &why));
	name_format(&name, text);
	check_name(text);
}

static void check_dns_name(const char *text)
{
	assert(*text && strlen(text) <= PORT_NAME_MAX);
	for (; *text; text++)
		assert(*text > ' ' && *text <= '~' && !isupper((unsigned char)*text));
}

static void check_addresses(const struct port_row *port)
{
	assert(port->count <= ADDRESSES_MAX);
	for (size_t i = 0; i < port->count; i++) {
		assert(port->addresses[i].bits == 32 || port->addresses[i].bits == 128);
		assert(!port->addresses[i].scope);
		for (size_t j = 0; j < i; j++)
			assert(!address_same_host(&port->addresses[i],
			                          &port->addresses[j]));
	}
}

static void check_values(const struct port_row *port)
{
	struct why why;

	check_id(port->id);
	check_id(port->network_id);
	assert(strlen(port->project_id) <= COLUMN_MAX);
	if (port->dns_name)
		check_dns_name(port->dns_name);
	if (port->dns_domain) {
		struct name domain = check_name(port->dns_domain);

		check_domain(&domain);
	}
	assert(!port->mac || !mac_check(port->mac, &why));
	check_addresses(port);
}

void case_check_network(const struct network_row *network)
{
	check_id(network->id);
	assert(strlen(network->project_id) <= COLUMN_MAX);
	assert(!*network->domain_text == !network->domain.len);
	if (network->domain.len) {
		struct name domain = check_name(network->domain_text);

		assert(name_equal(&domain, &network->domain));
		check_domain(&domain);
	}
}

/* Whatever a source has in the bits of its hosts, what is shown is the same subnet. */
void case_check_subnet(const struct subnet_row *subnet)
{
	char text[CIDR_TEXT];
	struct prefix again;
	struct why why;

	check_id(subnet->id);
	check_id(subnet->network_id);
	assert(subnet->cidr.bits <= subnet->cidr.address.bits);
	assert(prefix_covers(&subnet->cidr, &subnet->cidr.address));
	cidr_format(&subnet->cidr, text);
	assert(!cidr_parse(text, &again, &why));
	assert(cidr_equal(&again, &subnet->cidr) && cidr_overlaps(&again, &subnet->cidr));
}

/* ---- its records ---- */

static void check_data(const struct port_record *record)
{
	struct address address;

	if (record->type == RR_PTR) {
		check_name(record->data);
		return;
	}
	assert(record->type == RR_A || record->type == RR_AAAA);
	assert(address_parse(record->data, 0, &address));
	assert(address.bits == (record->type == RR_A ? 32 : 128));
}

static void check_record(const struct port_record *record)
{
	struct name name = check_name(record->name), zone = check_name(record->zone);

	assert(name_is_below(&name, &zone) && !name_equal(&name, &zone));
	check_data(record);
}

static bool is_same_record(const struct port_record *a, const struct port_record *b)
{
	return a->type == b->type && !strcmp(a->name, b->name) &&
	       !strcmp(a->zone, b->zone) && !strcmp(a->data, b->data);
}

static size_t count_type(const struct port_record *records, size_t count, uint16_t type)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += records[i].type == type;
	return found;
}

/* Each address of a port that is called anything has its reverse, and once. */
static void check_records(const struct port_network *network,
                          const struct port_names *names, struct arena *arena)
{
	struct port_record *records;
	size_t count = port_records(network, names, arena, &records);
	bool has_names = network->domain.len || names->fqdn.len;

	for (size_t i = 0; i < count; i++) {
		check_record(&records[i]);
		for (size_t j = 0; j < i; j++)
			assert(!is_same_record(&records[i], &records[j]));
	}
	assert(count_type(records, count, RR_PTR) == (has_names ? names->count : 0));
}

/* ---- the lines of dnsmasq's files ---- */

/* A field up to END, which is skipped: visible ASCII and none of dnsmasq's signs. */
static const char *take_field(const char **at, char end, struct arena *arena)
{
	const char *from = *at;

	while (**at && **at != end) {
		assert(**at > ' ' && **at <= '~' && !strchr(",#\"\\", **at));
		++*at;
	}
	assert(**at == end);
	return arena_printf(arena, "%.*s", (int)((*at)++ - from), from);
}

/* Without its last dot. */
static void check_bare_name(const char *text, struct arena *arena)
{
	assert(strchr(text, '.') && text[strlen(text) - 1] != '.');
	check_name(arena_printf(arena, "%s.", text));
}

static void check_ip(const char *text, const struct address *wanted)
{
	struct address address;

	assert(address_parse(text, 0, &address));
	assert(address_same_host(&address, wanted));
}

/* "10.0.0.1\tvm01.example.com vm01\n": at most that, and that of the generated name. */
static void check_addn(const struct host *host, struct arena *arena)
{
	struct buf file = { 0 };
	const char *at;
	int lines = 0;

	hosts_addn(host, &file);
	for (at = buf_string(&file); *at; lines++) {
		const char *name, *own;

		check_ip(take_field(&at, '\t', arena), host->address);
		name = take_field(&at, ' ', arena);
		own = take_field(&at, '\n', arena);
		check_bare_name(name, arena);
		assert(*own && !strncmp(name, own, strlen(own)));
		assert(name[strlen(own)] == '.');
	}
	assert(lines <= !!host->fqdn + !!host->domain->len);
	assert(lines >= (host->fqdn || host->domain->len));
	buf_clear(&file);
}

static int count_of(const char *text, char c)
{
	int count = 0;

	for (; *text; text++)
		count += *text == c;
	return count;
}

/* "fa:16:3e:00:00:01,vm01.example.com,[2001:db8::1]\n", or without the name. */
static void check_dhcp(const struct host *host, struct arena *arena)
{
	struct buf file = { 0 };
	const char *at;
	struct why why;
	bool is_v6 = host->address->bits == 128;
	bool has_name = host->fqdn || host->domain->len;

	hosts_dhcp(host, &file);
	at = buf_string(&file);
	assert(!host->mac == !*at);
	if (*at) {
		assert(count_of(at, ',') == 1 + has_name);
		assert(!mac_check(take_field(&at, ',', arena), &why));
		if (has_name)
			check_bare_name(take_field(&at, ',', arena), arena);
		if (is_v6)
			take_field(&at, '[', arena);
		check_ip(take_field(&at, is_v6 ? ']' : '\n', arena), host->address);
		if (is_v6)
			take_field(&at, '\n', arena);
		assert(!*at);
	}
	buf_clear(&file);
}

/* ---- all that is published of it ---- */

static void check_in(const struct network_row *network, const struct port_row *port,
                     enum label_rules rules, struct arena *arena)
{
	const struct port_network as = { network->domain, REVERSE_V4_DEFAULT,
	                                 REVERSE_V6_DEFAULT };
	struct port_row named = *port;
	struct port_names names = { .addresses = port->addresses, .count = port->count };
	struct why why = { "" };

	if (port_update_set_fqdn(network, &named, rules, arena, &why))
		request_check_why(&why);
	if (named.dns_fqdn)
		names.fqdn = check_name(named.dns_fqdn);
	if (named.dns_domain)
		names.domain = check_name(named.dns_domain);
	check_records(&as, &names, arena);
	for (size_t i = 0; i < port->count; i++) {
		const struct host host = { &port->addresses[i], &network->domain,
		                           named.dns_fqdn ? &names.fqdn : NULL,
		                           port->mac };

		check_addn(&host, arena);
		check_dhcp(&host, arena);
	}
}

/* None, one, and one that could not be longer. */
static struct network_row network_in(int which)
{
	struct network_row network = { .domain_text = "" };
	const char *text = "example.org";
	char longest[PORT_NAME_MAX - HOST_LABEL_MAX] = "";
	struct why why;

	for (size_t i = 0; i + 1 < sizeof(longest); i++)
		longest[i] = (i + 1) % (NAME_MAX_LABEL + 1) ? 'd' : '.';
	if (which)
		assert(!codec_domain(which == 1 ? text : longest, "dns_domain",
		                     &network.domain, &why));
	return network;
}

void case_check_port(const struct port_row *port, enum label_rules rules,
                     struct arena *arena)
{
	check_values(port);
	for (int which = 0; which < 3; which++) {
		const struct network_row network = network_in(which);

		check_in(&network, port, rules, arena);
	}
}
