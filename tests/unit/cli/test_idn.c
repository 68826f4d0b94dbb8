#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <locale.h>
#include <string.h>

#include "idn.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define U50 "üüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüü"

static struct why why;

static void names_of_people(void **state)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "bücher.example",       "xn--bcher-kva.example" },
		{ "bücher.example.",      "xn--bcher-kva.example." },
		{ "BÜCHER.example",       "xn--bcher-kva.example" },
		{ "bu\xcc\x88" "cher.example", "xn--bcher-kva.example" },	/* NFC */
		{ "straße.example",       "xn--strae-oqa.example" },	/* not "ss" */
		{ "www.例え.テスト",      "www.xn--r8jz45g.xn--zckzah" },
		{ "例え。テスト",         "xn--r8jz45g.xn--zckzah" },	/* a wide dot */
		{ "*.bücher.example",     "*.xn--bcher-kva.example" },
		{ "_dmarc.bücher",        "_dmarc.xn--bcher-kva" },
		{ "ns1.bücher, ns2.b",    "ns1.xn--bcher-kva, ns2.b" },
		{ "10 mail.bücher.",      "10 mail.xn--bcher-kva." },
		{ "dns@bücher.example",   "dns@xn--bcher-kva.example" },
		/* ASCII stays, whatever it is */
		{ "",                     "" },
		{ "@",                    "@" },
		{ "a..b",                 "a..b" },
		{ "A\\046b.*x",           "A\\046b.*x" },
		{ "xn--bcher-kva",        "xn--bcher-kva" },
		{ "xn--",                 "xn--" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf ascii = { 0 };

		assert_int_equal(idn_to_ascii(cases[i].text, "", &ascii, &why), OK);
		assert_string_equal(buf_string(&ascii), cases[i].want);
		buf_clear(&ascii);
	}
}

static void not_names(void **state)
{
	static const struct { const char *text, *words; } cases[] = {
		{ "☃.example",     "--ns: '☃' is not valid in a domain name: string "
		                   "contains a disallowed character" },
		{ "a.-ü",          "--ns: '-ü' is not valid in a domain name: " },
		{ "\xcc\x88u",     "--ns: " },	/* begins with a combining mark */
		{ "a.\xc3",        "--ns: '\xc3' is not valid" },
		{ "a\xd7\x90.b",   "--ns: 'a\xd7\x90' is not valid" },	/* RFC 5893 */
		{ "*ücher.x",      "--ns: '*ücher' contains characters outside ASCII, so "
		                   "this label must not contain '*' or '\\'" },
		{ "ü\\046.x",      "must not contain '*' or '\\'" },
		{ U50 U50 ".x",    "--ns: " },
		{ U50 U50 U50 ".x", "octets: a label may have at most 63" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf ascii = { 0 };

		assert_int_equal(idn_to_ascii(cases[i].text, "--ns", &ascii, &why),
		                 ERR_INVALID);
		assert_non_null(strstr(why.text, cases[i].words));
		buf_clear(&ascii);
	}
}

static void shown(void **state)
{
	static const struct { const char *name, *want; } cases[] = {
		{ "xn--bcher-kva.example.", "bücher.example. (xn--bcher-kva.example.)" },
		{ "a.xn--r8jz45g.",         "a.例え. (a.xn--r8jz45g.)" },
		{ "example.org.",           "example.org." },
		{ ".",                      "." },
		{ "",                       "" },
		/* not what IDNA2008 makes of any text, or not fit for a terminal */
		{ "xn--a.",                 "xn--a." },
		{ "xn--zzzzzzzzzz9999.",    "xn--zzzzzzzzzz9999." },
		{ "xn--n3h.example.",       "xn--n3h.example." },	/* a snowman */
		{ "xn--abc-hma\\.x.",       "xn--abc-hma\\.x." },
		{ "XN--BCHER-KVA.",         "XN--BCHER-KVA." },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf text = { 0 };

		idn_show(cases[i].name, &text);
		assert_string_equal(buf_string(&text), cases[i].want);
		buf_clear(&text);
	}
}

/* A terminal without UTF-8 gets ASCII, not octets. */
static void shown_in_ascii(void **state)
{
	struct buf text = { 0 };

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C"));
	idn_show("xn--bcher-kva.example.", &text);
	assert_string_equal(buf_string(&text), "xn--bcher-kva.example.");
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	buf_clear(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_people),
		cmocka_unit_test(not_names),
		cmocka_unit_test(shown),
		cmocka_unit_test(shown_in_ascii),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
