#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/access.h"
#include "base/map.h"

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

static void a_prefix_covers_its_hosts(void **state)
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

static const char pool_server[] = "192.0.2.1", keyed_server[] = "192.0.2.3",
	stranger[] = "192.0.2.2", always_allowed[] = "198.51.100.7";

static struct name key_name(const char *text)
{
	struct name name = { .len = 0 };
	struct why why;

	if (text)
		assert_int_equal(name_parse(text, "key", &name, &why), OK);
	return name;
}

/* Two servers of the pool "default", one with a key; a key of the domain "d1". */
static void fill_access(struct access *access)
{
	struct access_server *servers = calloc(2, sizeof(*servers));
	struct known_key keys[2] = { { .domain = "" } };

	snprintf(servers[0].pool, sizeof(servers[0].pool), "default");
	address_parse(pool_server, 53, &servers[0].address);
	servers[1] = servers[0];
	address_parse(keyed_server, 53, &servers[1].address);
	servers[1].key = key_name("server.key.");
	access_set_servers(access, &servers, 2);
	assert_null(servers);
	keys[0].key.name = key_name("server.key.");
	keys[1].key.name = key_name("domain.key.");
	snprintf(keys[1].domain, sizeof(keys[1].domain), "d1");
	for (int i = 0; i < 2; i++)
		keyring_add(&access->keys, &keys[i]);
	keyring_sort(&access->keys);
}

static void a_server_has_one_main_address(void **state)
{
	static const struct { const char *address, *main; } table[] = {
		{ "192.0.2.1", "192.0.2.1" }, { "2001:db8::1", "192.0.2.1" },
		{ "192.0.2.3", "192.0.2.3" }, { "192.0.2.9", "192.0.2.9" },
	};
	struct access access = { .server_count = 0 };
	struct access_server *servers = calloc(3, sizeof(*servers));
	char text[ADDRESS_TEXT];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		address_parse(table[i].address, 53, &servers[i].address);
	servers[2].first = 2;		/* the first two are of one server */
	access_set_servers(&access, &servers, 3);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct address address, main_address;

		address_parse(table[i].address, 53, &address);
		main_address = access_main_address(&access, &address);
		address_format(&main_address, text);
		assert_string_equal(text, table[i].main);
	}
	access_clear(&access);
}

static void servers_may_share_an_address(void **state)
{
	static const struct { const char *address; bool is_shared; } table[] = {
		{ "192.0.2.1", false }, { "192.0.2.1", false }, { "192.0.2.3", true },
		{ "192.0.2.3", true }, { "192.0.2.9", false },
	};
	struct access access = { .server_count = 0 };
	struct access_server *servers = calloc(4, sizeof(*servers));

	(void)state;
	for (size_t i = 0; i < 4; i++)
		address_parse(table[i].address, 53 + (int)i, &servers[i].address);
	servers[2].first = 2;		/* the first two rows are of one server */
	servers[3].first = 3;
	access_set_servers(&access, &servers, 4);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct address address;

		address_parse(table[i].address, 53, &address);
		assert_int_equal(access_is_shared(&access, &address),
		                 table[i].is_shared);
	}
	access_clear(&access);
}

static const struct { const char *pool, *domain, *peer, *key; bool may; } asks[] = {
	{ "default", "d1", pool_server, NULL, true },
	{ "default", "d1", pool_server, "server.key.", true },
	{ "other", "d1", pool_server, NULL, false },
	{ "default", "d1", stranger, NULL, false },
	{ "default", "d1", stranger, "server.key.", false },
	{ "default", "d1", keyed_server, NULL, false },
	{ "default", "d1", keyed_server, "server.key.", true },
	{ "other", "d1", keyed_server, "server.key.", false },
	{ "default", "d2", keyed_server, "domain.key.", false },
	{ "other", "d1", stranger, "domain.key.", true },
	{ "other", "d2", stranger, "domain.key.", false },
	{ "other", "", stranger, "server.key.", false },	/* it is of no domain */
	{ "other", "d2", always_allowed, NULL, true },
};

static void only_the_pool_s_servers_may(void **state)
{
	char net[] = "198.51.100.0/24", nonsense[] = "nonsense", *texts[] = { net };
	struct option_texts always = { texts, 1 };
	struct access access = { 0 };
	struct why why;

	(void)state;
	fill_access(&access);
	assert_int_equal(prefixes_set(&access.always, "always", &always, &why), OK);
	texts[0] = nonsense;
	/* the old list stays */
	assert_int_equal(prefixes_set(&access.always, "always", &always, &why),
	                 ERR_INVALID);
	assert_non_null(strstr(why.text, "not 'nonsense'"));
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		struct access_ask ask = { .key = key_name(asks[i].key) };

		snprintf(ask.pool, sizeof(ask.pool), "%s", asks[i].pool);
		snprintf(ask.domain, sizeof(ask.domain), "%s", asks[i].domain);
		address_parse(asks[i].peer, 40000, &ask.peer);
		print_message("%zu\n", i);
		assert_int_equal(access_allows(&access, &ask), asks[i].may);
	}
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
		cmocka_unit_test(a_prefix_covers_its_hosts),
		cmocka_unit_test(only_the_pool_s_servers_may),
		cmocka_unit_test(a_server_has_one_main_address),
		cmocka_unit_test(servers_may_share_an_address),
		cmocka_unit_test(a_map_holds_what_was_put),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
