#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "backends/powerdns_api.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* As apiZoneNameToId() of PowerDNS has them. */
static void ids_are_those_of_the_server(void **unused)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{ ".",                        "=2E" },
		{ "example.org.",             "example.org." },
		{ "A-b.example.",             "A-b.example." },
		{ "key-without-a-dot",        "key-without-a-dot." },
		{ "",                         "=2E" },
		{ "_tcp.example.",            "=5Ftcp.example." },
		{ "0/25.2.0.192.in-addr.arpa.", "0=2F25.2.0.192.in-addr.arpa." },
		{ "../../config",             "..=2F..=2Fconfig." },
		{ "a=2E.example.",            "a=3D2E.example." },
		{ "a%2F?b#c d.example.",      "a=252F=3Fb=23c=20d.example." },
		{ "a\\032\\.\\\"b.example.",  "a=5C032=5C.=5C=22b.example." },
		{ "a\xc3\xa9\r\n.",           "a=C3=A9=0D=0A." },
	};

	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *id = powerdns_api_id(cases[i].name);

		assert_string_equal(json_string_value(id), cases[i].want);
		json_decref(id);
	}
}

static void settings_that_would_leave_their_place_are_refused(void **unused)
{
	static const struct {
		const char *text;
		enum err key, word;
	} cases[] = {
		/*                  key          word */
		{ "localhost",      OK,          OK          },
		{ "ns-1.a_b",       OK,          OK          },
		{ "Zq+/=!~",        OK,          ERR_INVALID },
		{ "a/b",            OK,          ERR_INVALID },
		{ "a?b",            OK,          ERR_INVALID },
		{ "a%2Fb",          OK,          ERR_INVALID },
		{ "a b",            ERR_INVALID, ERR_INVALID },
		{ "a\r\nX: b",      ERR_INVALID, ERR_INVALID },
		{ "a\tb",           ERR_INVALID, ERR_INVALID },
		{ "a\x7f",          ERR_INVALID, ERR_INVALID },
		{ "\xc3\xa9",       ERR_INVALID, ERR_INVALID },
	};
	struct why why;

	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(powerdns_api_check_key(cases[i].text, "key", &why),
		                 cases[i].key);
		assert_int_equal(powerdns_api_check_word(cases[i].text, "word", &why),
		                 cases[i].word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_those_of_the_server),
		cmocka_unit_test(settings_that_would_leave_their_place_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
