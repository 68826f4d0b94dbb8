#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/usage.h"

enum { MAX = 5 };

static const struct {
	struct usage_change changes[MAX];
	size_t count;
	struct usage_change want[MAX];
	size_t want_count;
} cases[] = {
	{ { { 0 } }, 0, { { 0 } }, 0 },
	{ { { 0 }, { 0 } }, 2, { { 0 } }, 0 },
	{ { { "a", 1, 5 } }, 1, { { "a", 1, 5 } }, 1 },
	{ { { "b", -1, -1 }, { 0 }, { "a", 1, -1 } }, 3,
	  { { "a", 1, -1 }, { "b", -1, -1 } }, 2 },
	/* the lowest limit */
	{ { { "a", 1, 7 }, { "a", 1, -1 }, { "a", 1, 5 } }, 3, { { "a", 3, 5 } }, 1 },
	{ { { "a", 1, -1 }, { "a", 1, 0 } }, 2, { { "a", 2, 0 } }, 1 },
	/* the same number */
	{ { { "a", 1, 5 }, { "b", -1, -1 }, { "a", -1, -1 } }, 3,
	  { { "b", -1, -1 } }, 1 },
	/* octets: upper case, then lower case, then other letters */
	{ { { "\xc3\xa9", -1, -1 }, { "a", -1, -1 }, { "", -1, -1 }, { "B", -1, -1 },
	    { "a ", -1, -1 } }, 5,
	  { { "", -1, -1 }, { "B", -1, -1 }, { "a", -1, -1 }, { "a ", -1, -1 },
	    { "\xc3\xa9", -1, -1 } }, 5 },
};

static void changes_of_a_tenant_are_merged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct usage_change changes[MAX];

		for (size_t c = 0; c < MAX; c++)
			changes[c] = cases[i].changes[c];
		assert_int_equal(usage_merge(changes, cases[i].count),
		                 cases[i].want_count);
		for (size_t c = 0; c < cases[i].want_count; c++) {
			assert_string_equal(changes[c].tenant, cases[i].want[c].tenant);
			assert_int_equal(changes[c].domains, cases[i].want[c].domains);
			assert_int_equal(changes[c].max, cases[i].want[c].max);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_of_a_tenant_are_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
