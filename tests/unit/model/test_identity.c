#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* ours is in err.h */

#include <string.h>

#include "model/identity.h"

#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X250 X50 X50 X50 X50 X50

/* WHY "": it may be an identity. */
static const struct {
	const char *text, *why;
} cases[] = {
	{ "alice", "" },
	{ "Alice", "" },
	{ "a", "" },
	{ "my project", "" },
	{ "0f3c5d7e9a1b4c6d8e0f2a4b6c8d0e1f", "" },
	{ "default:alice@example.org/x", "" },
	{ "h\xc3\xa9", "" },
	{ "\xef\xbd\x81lice", "" },		/* full-width: another tenant */
	{ "\xc2\xa0", "" },			/* U+00A0, the first behind C1 */
	{ "'; drop table domains; --", "" },
	{ X250 "12345", "" },
	{ X250 "123456", "f: must have at most 255 bytes, not 256" },
	{ "", "f: must not be empty" },
	{ "alice ", "f: 'alice ' must not begin or end with a blank" },
	{ " alice", "f: ' alice' must not begin or end with a blank" },
	{ " ", "f: ' ' must not begin or end with a blank" },
	{ "alice\t", "f: must not contain a control character" },
	{ "alice\n", "f: must not contain a control character" },
	{ "al\x01ice", "f: must not contain a control character" },
	{ "al\x1b[2Jice", "f: must not contain a control character" },
	{ "alice\x7f", "f: must not contain a control character" },
	{ "alice\xc2\x80", "f: must not contain a control character" },
	{ "alice\xc2\x9f", "f: must not contain a control character" },
	{ "alice\xc3", "f: must be UTF-8" },
	{ "\xff\xfe", "f: must be UTF-8" },
	{ "\xc0\xa0", "f: must be UTF-8" },	/* a blank, in two octets */
	{ "\xed\xa0\x80", "f: must be UTF-8" },	/* half of a surrogate pair */
};

static void test_check(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct why why = { "" };
		enum err err = identity_check(cases[i].text, "f", &why);

		assert_string_equal(why.text, cases[i].why);
		assert_int_equal(err, *cases[i].why ? ERR_INVALID : OK);
	}
}

/* An argument: absent, null and "" are no error. */
static void test_get(void **state)
{
	static const struct {
		const char *json, *want, *why;
	} rows[] = {
		{ "{}", "before", "" },
		{ "{\"p\": null}", "before", "" },
		{ "{\"p\": \"\"}", "", "" },
		{ "{\"p\": \"bob\"}", "bob", "" },
		{ "{\"p\": \"bob \"}", "before",
		  "p: 'bob ' must not begin or end with a blank" },
		{ "{\"p\": 7}", "before", "p: must be a string, not a whole number" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		json_t *json = json_loads(rows[i].json, 0, NULL);
		const char *into = "before";
		struct why why = { "" };
		enum err err = identity_get(json, "p", &into, &why);

		assert_string_equal(why.text, rows[i].why);
		assert_string_equal(into, rows[i].want);
		assert_int_equal(err, *rows[i].why ? ERR_INVALID : OK);
		json_decref(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_get),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
