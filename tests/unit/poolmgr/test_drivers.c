#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "driver_settings.h"
#include "servers.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define KEY "api_key = \"key\"; "

static const struct {
	const struct driver *driver;
	const char *rows;
	const char *key;		/* the wrong setting; NULL: all are right */
} cases[] = {
	{ &driver_bind9,    "",                                        NULL },
	{ &driver_bind9,    "stats_url = \"http://127.0.0.1:8053\";",  NULL },
	{ &driver_bind9,    "stats_url = \"127.0.0.1:8053\";",         "stats_url" },
	{ &driver_nsd,      "",                                        NULL },
	{ &driver_nsd,      "control = \"192.0.2.3\";",                NULL },
	{ &driver_nsd,      "control = \"ns3.example.org\";",          "control" },
	{ &driver_powerdns, KEY,                                       NULL },
	{ &driver_powerdns, KEY "url = \"ftp://127.0.0.1\";",          "url" },
	{ &driver_powerdns, "api_key = \"a b\";",                      "api_key" },
	{ &driver_powerdns, KEY "server_id = \"../..\";",              "server_id" },
	{ &driver_powerdns, KEY "account = \"a:b\";",                  "account" },
};

static void a_reason_begins_with_the_key(void **unused)
{
	char want[64];
	struct why why;

	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct driver *driver = cases[i].driver;
		enum err err = driver->check(driver_settings(driver, cases[i].rows),
		                             &why);

		assert_int_equal(err, cases[i].key ? ERR_INVALID : OK);
		if (!err)
			continue;
		snprintf(want, sizeof(want), "%s: m", cases[i].key);	/* must, may */
		assert_memory_equal(why.text, want, strlen(want));
	}
}

static void the_pool_manager_names_the_server(void **unused)
{
	static const struct option_section none[1];
	const struct option_schema schema = { "test", none, server_lists };
	char text[1024], want[128];
	struct servers *servers;
	struct why why;

	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *name = cases[i].driver->name, *key = cases[i].key;

		snprintf(text, sizeof(text), "backends: { fake: { servers: "
		         "({ id = \"ns1\"; host = \"127.0.0.1\"; }); }; %s: { servers: "
		         "({ id = \"ns2\"; host = \"127.0.0.1\"; %s }); }; };\n",
		         name, cases[i].rows);
		settings_load(&schema, text);
		assert_int_equal(servers_build(&servers, &why), key ? ERR_INVALID : OK);
		snprintf(want, sizeof(want), "backends.%s.%s of server 'ns2': m", name,
		         key ? key : "");
		if (key)
			assert_memory_equal(why.text, want, strlen(want));
		free(servers->item);
		free(servers);
		option_clear(&schema);
	}
}

static void a_refusal_has_the_words_of_the_server(void **unused)
{
	const struct driver_context context = { 0 };
	const struct domain_ref domain = { .name = "example.org." };
	const void *settings = driver_settings(&driver_fake, "fail_create = \"no\";");
	struct why why;

	(void)unused;
	assert_int_equal(driver_fake.create(settings, &context, &domain, &why),
	                 ERR_REMOTE);
	assert_string_equal(why.text, "no");
	assert_int_equal(driver_fake.delete(settings, &context, &domain, &why), OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_begins_with_the_key),
		cmocka_unit_test(the_pool_manager_names_the_server),
		cmocka_unit_test(a_refusal_has_the_words_of_the_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
