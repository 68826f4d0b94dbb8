#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <string.h>

#include "names.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ID "0123456789abcdef0123456789abcdef"

static struct why why;

static void domains_as_typed(void **state)
{
	static const struct {
		const char *word, *want;	/* NULL: refused */
	} cases[] = {
		{ "example.org",    "example.org." },
		{ "example.org.",   "example.org." },
		{ "Example.ORG",    "example.org." },
		{ ".",              "." },
		{ ID,               ID },
		{ "01234567-89ab-cdef-0123-456789abcdef",
		  "01234567-89ab-cdef-0123-456789abcdef" },
		{ "a\\046b.org",    "a\\.b.org." },
		{ "bücher.example", "xn--bcher-kva.example." },
		{ "",               NULL },
		{ "a..b",           NULL },
		{ ".org",           NULL },
		{ "☃.example",      NULL },
	};
	char text[NAME_MAX_TEXT + 1];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		enum err err = names_domain(cases[i].word, text, &why);

		assert_int_equal(err, cases[i].want ? OK : ERR_INVALID);
		if (cases[i].want)
			assert_string_equal(text, cases[i].want);
	}
}

static void suffixes_as_typed(void **state)
{
	static const struct {
		const char *word, *want;	/* NULL: refused */
	} cases[] = {
		{ "org",        "org." },
		{ "Co.UK.",     "co.uk." },
		{ "*.ck",       "*.ck." },
		{ "*",          "*." },
		{ "!www.ck",    "!www.ck." },
		{ "рф",         "xn--p1ai." },
		{ "*.рф",       "*.xn--p1ai." },
		{ "!公司.cn",   "!xn--55qx5d.cn." },
		{ ID,           ID "." },
		{ "",           NULL },
		{ "!",          NULL },
		{ "*.",         NULL },
		{ "a..b",       NULL },
		{ "!.ck",       NULL },
		{ "☃.example",  NULL },
	};
	char text[SUFFIX_TEXT];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		enum err err = names_suffix(cases[i].word, text, &why);

		print_message("  '%s'\n", cases[i].word);
		assert_int_equal(err, cases[i].want ? OK : ERR_INVALID);
		if (cases[i].want)
			assert_string_equal(text, cases[i].want);
	}
}

static void records_as_typed(void **state)
{
	static const struct {
		const char *word, *domain, *want;
	} cases[] = {
		{ "@",                "example.org.", "example.org." },
		{ "www",              "example.org.", "www.example.org." },
		{ "WWW",              "example.org.", "www.example.org." },
		{ "*.dev",            "example.org.", "*.dev.example.org." },
		{ "www.example.org.", "example.org.", "www.example.org." },
		{ "www.example.net.", "example.org.", "www.example.net." },
		{ "com",              ".",            "com." },
		{ "@",                ".",            "." },
		{ "org",              "example.org.", "org.example.org." },
		{ "bücher",           "example.org.", "xn--bcher-kva.example.org." },
		{ "*.ü",              "xn--bcher-kva.", "*.xn--tda.xn--bcher-kva." },
		/* a final dot was forgotten */
		{ "www.example.org",  "example.org.", NULL },
		{ "example.org",      "example.org.", NULL },
		{ "WWW.Example.Org",  "example.org.", NULL },
		{ "www.bücher",       "xn--bcher-kva.", NULL },
		{ "",                 "example.org.", NULL },
		{ "a..b",             "example.org.", NULL },
	};
	char text[NAME_MAX_TEXT + 1];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		enum err err = names_record(cases[i].word, cases[i].domain, text, &why);

		assert_int_equal(err, cases[i].want ? OK : ERR_INVALID);
		if (cases[i].want)
			assert_string_equal(text, cases[i].want);
	}
}

static void criteria_as_typed(void **state)
{
	static const struct { const char *word, *domain, *want; } cases[] = {
		{ "www",       "example.org.", "www.example.org." },
		{ "@",         "example.org.", "example.org." },
		{ "*.www",     "example.org.", "\\*.www.example.org." },
		{ "*.Example.org.", "example.org.", "\\*.example.org." },
		{ "\\*",       "example.org.", "\\*.example.org." },
		{ "*",         "example.org.", "*" },
		{ "www*",      "example.org.", "www*" },
		{ "*www*",     "example.org.", "*www*" },
		{ "*.w*",      "example.org.", "*.w*" },
		{ "*_dmarc",   "example.org.", "*_dmarc.example.org." },
		{ "*example.org.", "example.org.", "*example.org." },
		{ "a*b\\*",    "example.org.", "a*b\\*.example.org." },
		{ "a*b\\.",    "example.org.", "a*b\\..example.org." },
		{ "a*b",       ".",            "a*b." },
		{ "a..b",      "example.org.", NULL },
	};
	char text[CRITERION_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum err err = names_criterion(cases[i].word, cases[i].domain, text,
		                               &why);

		print_message("  %s\n", cases[i].word);
		assert_int_equal(err, cases[i].want ? OK : ERR_INVALID);
		if (cases[i].want)
			assert_string_equal(text, cases[i].want);
	}
}

static void times_as_typed(void **state)
{
	static const struct {
		const char *text;
		int64_t max, want;	/* -1: refused */
	} cases[] = {
		{ "0",       100,       0 },
		{ "90",      100,       90 },
		{ "90s",     100,       90 },
		{ "2m",      1000,      120 },
		{ "1h30m",   10000,     5400 },
		{ "1H30M",   10000,     5400 },
		{ "2d",      1000000,   172800 },
		{ "1w",      1000000,   604800 },
		{ "100",     100,       100 },
		{ "101",     100,       -1 },
		{ "2m",      119,       -1 },
		{ "1m1m",    119,       -1 },
		{ "9223372036854775807w", INT64_MAX, -1 },
		{ "99999999999999999999", INT64_MAX, -1 },
		{ "",        100,       -1 },
		{ "m",       100,       -1 },
		{ "5x",      100,       -1 },
		{ "1h30",    10000,     -1 },	/* 30 of what? */
		{ "0h30",    10000,     -1 },
		{ "5",       4,         -1 },
		{ "-1",      100,       -1 },
		{ " 1",      100,       -1 },
		{ "1 h",     10000,     -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t seconds = -1;

		assert_int_equal(names_seconds(cases[i].text, cases[i].max, &seconds),
		                 cases[i].want >= 0);
		assert_int_equal(seconds, cases[i].want);
	}
}

static void durations(void **state)
{
	static const struct {
		int64_t seconds;
		const char *want;
	} cases[] = {
		{ -5,     "0 s" },
		{ 0,      "0 s" },
		{ 59,     "59 s" },
		{ 60,     "1 min" },
		{ 61,     "1 min 1 s" },
		{ 3600,   "1 h" },
		{ 3659,   "1 h" },
		{ 7500,   "2 h 5 min" },
		{ 86400,  "1 d" },
		{ 97200,  "1 d 3 h" },
		{ INT64_MAX, "106751991167300 d 15 h" },
	};
	char text[DURATION_TEXT];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		names_duration(cases[i].seconds, text);
		assert_string_equal(text, cases[i].want);
	}
}

static void moments(void **state)
{
	enum { NOON = 1795262400 };	/* 2026-11-21T12:00:00Z */
	static const struct {
		const char *time, *want;
	} cases[] = {
		{ "2026-11-21T12:00:00.123Z", "0 s ago" },
		{ "2026-11-21T11:59:57.999Z", "3 s ago" },
		{ "2026-11-21T12:02:00Z",     "in 2 min" },
		{ "2026-11-20T12:00:00.000Z", "1 d ago" },
		{ "",                         "" },
		{ "2026-11-21",               "2026-11-21" },
		{ "2026-11-21T12:00:00+01",   "2026-11-21T12:00:00+01" },
		{ "this is longer than any time that there could be in what is "
		  "answered here",
		  "this is longer than any time that there could be in "
		  "what is answered he" },
	};
	char text[MOMENT_TEXT], due[MOMENT_TEXT];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		names_moment(cases[i].time, NOON, text);
		assert_string_equal(text, cases[i].want);
		names_due(cases[i].time, NOON, due);
		assert_string_equal(due, strstr(text, " ago") ? "due now" : text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(domains_as_typed),
		cmocka_unit_test(suffixes_as_typed),
		cmocka_unit_test(records_as_typed),
		cmocka_unit_test(criteria_as_typed),
		cmocka_unit_test(times_as_typed),
		cmocka_unit_test(durations),
		cmocka_unit_test(moments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
