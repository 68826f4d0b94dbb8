#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/source.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *what;
	struct source_report report;
	struct source_state want;
} rows[] = {
	{ "the first list", { true, 3, 0, 0, false, 10 }, { true, 3 } },
	{ "nothing, as ever", { true, 0, 0, 0, false, 10 }, { true, 0 } },
	{ "some more", { false, 3, 4, 4, true, 10 }, { false, 7 } },
	{ "nothing more", { false, 0, 4, 4, true, 10 }, { false, 4 } },
	{ "fewer", { true, 3, 97, 100, true, 10 }, { true, 3 } },
	{ "none of few", { true, 0, 9, 9, true, 10 }, { true, 0 } },
	{ "none of many", { true, 0, 10, 10, true, 10 }, { false, 10 } },
	{ "and once more", { true, 0, 0, 10, true, 10 }, { false, 10 } },
	{ "when it is approved, and gone", { true, 0, 0, 10, false, 10 }, { true, 0 } },
	{ "when it is back", { true, 8, 0, 10, true, 10 }, { true, 8 } },
	{ "none of many, of which none was made", { true, 0, 99, 99, false, 10 },
	  { true, 0 } },
	{ "where nothing is few", { true, 0, 1, 1, true, 0 }, { false, 1 } },
};

static void each_report(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct source_state is = source_decide(&rows[i].report);

		print_message("  %s\n", rows[i].what);
		assert_int_equal(is.is_complete, rows[i].want.is_complete);
		assert_int_equal(is.endpoints, rows[i].want.endpoints);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_report) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
