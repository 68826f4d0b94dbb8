#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <string.h>

#include "ttls.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void sets_are_told_apart(void **state)
{
	static const uint8_t a[] = "\1a", b[] = "\1b", covers_1[] = { 0, 1, 9 },
	                     covers_2[] = { 0, 2, 9 };
	const struct {
		struct rr rr;
		bool want;
		uint32_t before;
	} cases[] = {
		{ { a, RR_A,     60, 3, covers_1 }, false, 0 },
		{ { a, RR_A,     60, 3, covers_2 }, false, 0 },
		{ { b, RR_A,     70, 3, covers_1 }, false, 0 },
		{ { a, RR_MX,    80, 3, covers_1 }, false, 0 },
		{ { a, RR_A,     90, 3, covers_1 }, true, 60 },
		{ { a, RR_A,     90, 3, covers_1 }, false, 0 },
		{ { a, RR_A,     60, 3, covers_1 }, true, 90 },
		{ { a, RR_RRSIG, 10, 3, covers_1 }, false, 0 },
		{ { a, RR_RRSIG, 20, 3, covers_2 }, false, 0 },
		{ { a, RR_RRSIG, 30, 3, covers_2 }, true, 20 },
	};
	struct ttls ttls = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t before = 0;

		assert_int_equal(ttls_change(&ttls, &cases[i].rr, &before),
		                 cases[i].want);
		assert_int_equal(before, cases[i].before);
	}
	ttls_clear(&ttls);
}

/* The memory is bounded: later sets are not compared. */
static void many_sets(void **state)
{
	uint8_t name[] = "\4abcd";
	struct rr rr = { name, RR_A, 60, 0, NULL };
	struct ttls ttls = { 0 };
	uint32_t before;

	(void)state;
	for (uint32_t i = 0; i < TTLS_SETS_MAX + 1000; i++) {
		memcpy(name + 1, &i, sizeof(i));
		assert_false(ttls_change(&ttls, &rr, &before));
	}
	assert_int_equal(ttls.count, TTLS_SETS_MAX);
	assert_true(ttls.size <= 2 * TTLS_SETS_MAX);
	rr.ttl = 61;
	for (uint32_t i = 0; i < TTLS_SETS_MAX + 1000; i++) {
		memcpy(name + 1, &i, sizeof(i));
		assert_int_equal(ttls_change(&ttls, &rr, &before), i < TTLS_SETS_MAX);
	}
	ttls_clear(&ttls);
	assert_int_equal(ttls.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_are_told_apart),
		cmocka_unit_test(many_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
