#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/access.h"
#include "core/map.h"

static const struct { const char *text, *host; int port; } listens[] = {
	{ "127.0.0.1:53", "127.0.0.1", 53 },
	{ "[::1]:5354", "::1", 5354 },
	{ "[::]:65535", "::", 65535 },
	{ "[::ffff:192.0.2.1]:53", "192.0.2.1", 53 },	/* one spelling for a peer */
	{ "127.0.0.1", NULL }, { "::1:53", NULL }, { "[::1]", NULL }, { "host:53", NULL },
	{ "127.0.0.1:65536", NULL }, { "127.0.0.1:", NULL }, { "127.0.0.1:-1", NULL },
	{ ":53", NULL }, { "[]:53", NULL }, { "[::1:53", NULL },
	{ "[127.0.0.1:53", NULL }, { "127.0.0.1:5x", NULL }, { "", NULL },
};

static void addresses_are_read(void **state)
{
	char text[ADDRESS_TEXT];
	struct address address;

	(void)state;
	for (size_t i = 0; i < sizeof(listens) / sizeof(listens[0]); i++) {
		bool good = address_parse_with_port(listens[i].text, &address);

		print_message("'%s'\n", listens[i].text);
		assert_int_equal(good, listens[i].host != NULL);
		if (!good)
			continue;
		address_format(&address, text);
		assert_string_equal(text, listens[i].host);
		assert_int_equal(address.port, listens[i].port);
	}
}

static const struct { const char *prefix, *address; bool covers; } prefixes[] = {
	{ "192.0.2.0/24", "192.0.2.255", true },
	{ "192.0.2.0/24", "192.0.3.0", false },
	{ "192.0.2.0/23", "192.0.3.1", true },
	{ "192.0.2.1", "192.0.2.1", true },
	{ "192.0.2.1", "192.0.2.2", false },
	{ "0.0.0.0/0", "255.255.255.255", true },
	{ "0.0.0.0/0", "::1", false },
	{ "::/0", "2001:db8::1", true },
	{ "::/0", "::ffff:192.0.2.1", false },
	{ "2001:db8::/33", "2001:db8:7fff::1", true },
	{ "2001:db8::/33", "2001:db8:8000::1", false },
};

static void prefixes_cover(void **state)
{
	static const char *const bad[] = {
		"", "/", "192.0.2.0/33", "::/129", "192.0.2/24", "x",
	};
	struct prefix prefix;
	struct address address;

	(void)state;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		assert_true(prefix_parse(prefixes[i].prefix, &prefix));
		assert_true(address_parse(prefixes[i].address, 0, &address));
		assert_int_equal(prefix_covers(&prefix, &address), prefixes[i].covers);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(prefix_parse(bad[i], &prefix));
}

static void only_the_pool_s_servers_may(void **state)
{
	char net[] = "198.51.100.0/24", nonsense[] = "nonsense", *texts[] = { net };
	struct option_texts always = { texts, 1 };
	struct access access = { 0 };
	struct access_server *servers = calloc(1, sizeof(*servers));
	struct address peer;
	struct why why;

	(void)state;
	snprintf(servers->pool, sizeof(servers->pool), "default");
	address_parse("192.0.2.1", 53, &servers->address);
	access_set_servers(&access, &servers, 1);
	assert_null(servers);
	assert_int_equal(access_set_prefixes(&access, &always, &why), OK);
	address_parse("192.0.2.1", 40000, &peer);
	assert_true(access_allows(&access, "default", &peer));
	assert_false(access_allows(&access, "other", &peer));
	address_parse("192.0.2.2", 40000, &peer);
	assert_false(access_allows(&access, "default", &peer));
	address_parse("198.51.100.7", 40000, &peer);
	assert_true(access_allows(&access, "any", &peer));
	texts[0] = nonsense;
	assert_int_equal(access_set_prefixes(&access, &always, &why), ERR_INVALID);
	assert_true(access_allows(&access, "any", &peer));	/* the old list stays */
	access_clear(&access);
}

static void a_map_holds_what_was_put(void **state)
{
	struct map *map = map_new(7);
	int values[1000];

	(void)state;
	/* 3 octets: some keys are equal */
	for (int i = 0; i < 1000; i++)
		map_put(map, &i, i % 2 ? 4 : 3, &values[i]);
	for (int i = 999; i >= 0; i -= 2)
		assert_ptr_equal(map_get(map, &i, 4), &values[i]);
	for (int i = 1; i < 1000; i += 4)
		assert_ptr_equal(map_remove(map, &i, 4), &values[i]);
	for (int i = 1; i < 1000; i += 2)
		assert_ptr_equal(map_get(map, &i, 4),
		                 i % 4 == 1 ? NULL : (void *)&values[i]);
	assert_null(map_remove(map, "", 0));
	assert_int_equal(map_count(map), 750);
	assert_non_null(map_any(map));
	map_free(&map);
	assert_null(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_read),
		cmocka_unit_test(prefixes_cover),
		cmocka_unit_test(only_the_pool_s_servers_may),
		cmocka_unit_test(a_map_holds_what_was_put),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
