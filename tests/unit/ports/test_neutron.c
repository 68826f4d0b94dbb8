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
#define LONGEST A51 "." A51 "." A51 "." A17 A17 "aaaaaaaaaaaaaa"	/* with an address */

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(domains_of_networks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
