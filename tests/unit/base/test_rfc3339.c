#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rfc3339.h"

static void test_times(void **state)
{
	static const struct { int64_t unix_ms; const char *want; } cases[] = {
		{ 0,                 "1970-01-01T00:00:00.000Z" },
		{ 1,                 "1970-01-01T00:00:00.001Z" },
		{ -1,                "1969-12-31T23:59:59.999Z" },
		{ 1774483200123,     "2026-03-26T00:00:00.123Z" },
		{ 253402300799999,   "9999-12-31T23:59:59.999Z" },
		{ 253402300800000,   "" },
		{ -62135596800000,   "0001-01-01T00:00:00.000Z" },
		{ INT64_MAX,         "" },
		{ INT64_MIN + 1000,  "" },
	};
	char text[RFC3339_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(rfc3339_format(cases[i].unix_ms, text),
		                 *cases[i].want != 0);
		assert_string_equal(text, cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_times) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
