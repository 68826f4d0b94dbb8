#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "neutron.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define A17 "aaaaaaaaaaaaaaaaa"
#define A51 A17 A17 A17
/* with an address */
#define LONGEST A51 "." A51 "." A51 "." A17 A17 "aaaaaaaaaaaaaa"

/* The domain that a network has by what Neutron says; "": it is left out. */
static const struct row {
	const char *said, *domain;
} rows[] = {
	{ "",                 "" },
	{ "example.com",      "example.com." },
	{ "Example.COM.",     "example.com." },
	{ "2.0.192._in/25.a", "2.0.192._in/25.a." },
	/* what central cannot have */
	{ ".",                "" },
	{ "*",                "" },
	{ "*.example.com",    "" },
	{ "a..b",             "" },
	{ "a.-b",             "" },
	{ "a b",              "" },
	{ "b\xc3\xa4" "d",    "" },
	/* what leaves no room for the names of addresses */
	{ LONGEST "a",        "" },
	{ LONGEST "a.",       "" },
	{ LONGEST,            LONGEST "." },
	{ LONGEST ".",        LONGEST "." },
};

static void check_network(const struct row *row)
{
	json_t *json = json_pack("{s:s, s:s}", "id", "0123456789abcdef0123456789abcdef",
	                         "dns_domain", row->said);
	struct arena *arena = arena_new();
	char text[NAME_MAX_TEXT + 1] = "";
	struct network_row network;
	struct why why;

	print_message("  \"%s\"\n", row->said);
	assert_int_equal(neutron_network(json, arena, &network, &why), OK);
	assert_string_equal(network.domain_text, row->domain);
	if (network.domain.len)
		name_format(&network.domain, text);
	assert_string_equal(text, row->domain);
	arena_free(&arena);
	json_decref(json);
}

static void domains_of_networks(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check_network(&rows[i]);
}

/*
 * Whose a network and a port are. What no caller can be is a blank; it must not be
 * nobody's.
 */
static const struct {
	const char *said, *project;
} projects[] = {
	{ "{}",                                              "" },
	{ "{\"project_id\": \"\", \"tenant_id\": \"\"}",     "" },
	{ "{\"project_id\": \"alice\"}",                     "alice" },
	{ "{\"tenant_id\": \"alice\"}",                      "alice" },
	{ "{\"project_id\": \"bob\", \"tenant_id\": \"x\"}", "bob" },
	{ "{\"project_id\": \"alice \"}",                    " " },
	{ "{\"project_id\": \"al\\nice\"}",                  " " },
	{ "{\"tenant_id\": \" \"}",                          " " },
	{ "{\"project_id\": \"" LONGEST LONGEST "\"}",       " " },
};

static void check_projects(const char *said, const char *project)
{
	json_t *json = json_loads(said, 0, NULL);
	struct arena *arena = arena_new();
	struct network_row network;
	struct port_row port;
	struct why why;

	print_message("  %.60s\n", said);
	json_object_set_new(json, "id", json_string("0123456789abcdef0123456789abcdef"));
	json_object_set_new(json, "network_id",
	                    json_string("0123456789abcdef0123456789abcdef"));
	assert_int_equal(neutron_network(json, arena, &network, &why), OK);
	assert_string_equal(network.project_id, project);
	assert_int_equal(neutron_port(json, arena, &port, &why), OK);
	assert_string_equal(port.project_id, project);
	arena_free(&arena);
	json_decref(json);
}

static void projects_of_neutron(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(projects); i++)
		check_projects(projects[i].said, projects[i].project);
}

/* Of a port: what is no host's is left out, and the others stay. */
static void addresses_of_no_host(void **state)
{
	static const char *const said[] = {
		"127.0.0.1", "192.0.2.1", "169.254.192.3", "224.0.0.1", "255.255.255.255",
		"::1", "fe80::1", "2001:db8::1", "0.0.0.0", "no address",
	};
	json_t *list = json_array();
	json_t *json = json_pack("{s:s, s:s, s:o}",
	                         "id", "0123456789abcdef0123456789abcdef",
	                         "network_id", "0123456789abcdef0123456789abcdef",
	                         "fixed_ips", list);
	struct arena *arena = arena_new();
	struct port_row port;
	char text[ADDRESS_TEXT];
	struct why why;

	(void)state;
	for (size_t i = 0; i < COUNT(said); i++)
		json_array_append_new(list, json_pack("{s:s}", "ip_address", said[i]));
	assert_int_equal(neutron_port(json, arena, &port, &why), OK);
	assert_int_equal(port.count, 2);
	address_format(&port.addresses[0], text);
	assert_string_equal(text, "192.0.2.1");
	address_format(&port.addresses[1], text);
	assert_string_equal(text, "2001:db8::1");
	arena_free(&arena);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_of_no_host),
		cmocka_unit_test(domains_of_networks),
		cmocka_unit_test(projects_of_neutron),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
