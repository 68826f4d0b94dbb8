#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>

#include "base/backoff.h"

static const uint32_t randoms[] = {
	0, 1, 0x40000000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
};

/* The middle of the random range gives the wait without jitter. */
static void test_doubles_up_to_the_limit(void **state)
{
	static const struct {
		struct backoff backoff;
		int attempt, want;
	} cases[] = {
		{ { 100, 10000 }, 0, 100 },
		{ { 100, 10000 }, 1, 200 },
		{ { 100, 10000 }, 2, 400 },
		{ { 100, 10000 }, 6, 6400 },
		{ { 100, 10000 }, 7, 10000 },
		{ { 100, 10000 }, 8, 10000 },
		{ { 100, 10000 }, INT_MAX, 10000 },
		{ { 100, 10000 }, -1, 100 },
		{ { 100, 10000 }, INT_MIN, 100 },
		{ { 500, 100 }, 0, 100 },
		{ { 0, 100 }, INT_MAX, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(
			backoff_ms(&cases[i].backoff, cases[i].attempt, 0x80000000),
			cases[i].want);
}

static void test_jitter_is_a_quarter(void **state)
{
	static const struct backoff backoff = { 1000, 60000 };

	(void)state;
	assert_int_equal(backoff_ms(&backoff, 0, 0), 750);
	assert_int_equal(backoff_ms(&backoff, 0, UINT32_MAX), 1250);
	for (int attempt = 0; attempt < 20; attempt++)
		for (size_t i = 0; i < sizeof randoms / sizeof randoms[0]; i++) {
			int middle = backoff_ms(&backoff, attempt, 0x80000000);
			int wait = backoff_ms(&backoff, attempt, randoms[i]);

			assert_in_range(wait, middle - middle / 4, middle + middle / 4);
		}
}

static void test_huge_waits_do_not_wrap(void **state)
{
	static const struct backoff backoff = { INT_MAX, INT_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof randoms / sizeof randoms[0]; i++)
		assert_true(backoff_ms(&backoff, 5, randoms[i]) > INT_MAX / 2);
	assert_int_equal(backoff_ms(&backoff, 0, UINT32_MAX), INT_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doubles_up_to_the_limit),
		cmocka_unit_test(test_jitter_is_a_quarter),
		cmocka_unit_test(test_huge_waits_do_not_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
