#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <string.h>

#include "core/pattern.h"

static void test_patterns(void **state)
{
	static const struct { const char *text, *want; bool is_like; } cases[] = {
		{ "example.org.",      "example.org.",     false },
		{ "example.org",       "example.org.",     false },
		{ "EXAMPLE.Org",       "example.org.",     false },
		{ "",                  ".",                false },
		{ ".",                 ".",                false },
		{ "*",                 "%",                true  },
		{ "***",               "%",                true  },
		{ "*Example*",         "%example%",        true  },
		{ "*example.org",      "%example.org.",    true  },
		{ "*example.org.",     "%example.org.",    true  },
		{ "shop*",             "shop%",            true  },
		{ "a*b*C",             "a%b%c.",           true  },
		{ "100%_!*",           "100!%!_!!%",       true  },
		{ "100%_!",            "100%_!.",          false },
		{ "\\*.www",           "*.www.",           false },
		{ "\\*.www*",          "*.www%",           true  },
		{ "a.\\*",             "a.*.",             false },
		{ "a\\.",              "a\\..",            false },
		{ "a\\\\*",            "a\\\\%",           true  },
		{ "a\\",               "a\\.",             false },
		{ "My\\032Printer*",   "my\\032printer%",  true  },
	};
	struct arena *arena = arena_new();
	struct pattern got;
	struct why why;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("  %s\n", cases[i].text);
		assert_int_equal(pattern_parse(cases[i].text, "name", arena, &got, &why),
		                 OK);
		assert_string_equal(got.text, cases[i].want);
		assert_int_equal(got.is_like, cases[i].is_like);
	}
	arena_free(&arena);
}

static void test_stars(void **state)
{
	struct arena *arena = arena_new();
	struct pattern got;
	struct why why;

	(void)state;
	assert_int_equal(pattern_parse("a*a*a*a*a*a*a*a*", "name", arena, &got, &why),
	                 OK);
	assert_int_equal(pattern_parse("a*a*a*a*a*a*a*a*a*", "name", arena, &got, &why),
	                 ERR_INVALID);
	assert_string_equal(why.text, "name: must have at most 8 '*', not 9");
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_stars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
