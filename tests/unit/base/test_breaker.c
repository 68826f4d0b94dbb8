#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/breaker.h"

static const uint32_t HALF = UINT32_C(1) << 31;
static const struct breaker_terms terms = {
	3, { .first_ms = 1000, .max_ms = 60 * 1000 }
};

static struct breaker opened(int64_t now_ms)
{
	struct breaker breaker = { .terms = &terms };

	for (int i = 0; i < terms.failures; i++)
		breaker_failed(&breaker, now_ms, HALF);
	return breaker;
}

static void test_a_few_failures_do_not_open_it(void **unused)
{
	struct breaker breaker = { .terms = &terms };

	(void)unused;
	for (int i = 0; i < terms.failures - 1; i++)
		breaker_failed(&breaker, 1000, HALF);
	assert_false(breaker_open(&breaker));
	assert_true(breaker_allows(&breaker, 1000, HALF));
	breaker_failed(&breaker, 1000, HALF);
	assert_true(breaker_open(&breaker));
	assert_false(breaker_allows(&breaker, 1000, HALF));
}

/* However time goes on, an interval has one probe at most, and one always comes. */
static void test_probes_are_paced_and_go_on(void **unused)
{
	struct breaker breaker = opened(0);
	int64_t last_ms = 0, probes = 0;

	(void)unused;
	for (int64_t now_ms = 0; now_ms < 3600 * 1000; now_ms += 100) {
		if (!breaker_allows(&breaker, now_ms, (uint32_t)now_ms * 2654435761u))
			continue;
		assert_true(now_ms - last_ms >= 700);
		assert_true(now_ms - last_ms <= 76 * 1000);
		last_ms = now_ms;
		probes++;
		breaker_failed(&breaker, now_ms + 50, HALF);
	}
	assert_in_range(probes, 40, 90);
}

/* A hundred operations that were out when it opened are no hundred lessons. */
static void test_late_failures_teach_nothing(void **unused)
{
	struct breaker breaker = opened(1000);
	struct breaker before = breaker;

	(void)unused;
	for (int i = 0; i < 100; i++)
		breaker_failed(&breaker, 1001, HALF);
	assert_int_equal(breaker.failures, before.failures);
	assert_int_equal(breaker.probe_at_ms, before.probe_at_ms);
}

static void test_success_closes_it_once(void **unused)
{
	struct breaker breaker = opened(1000);

	(void)unused;
	assert_true(breaker_succeeded(&breaker));
	assert_false(breaker_succeeded(&breaker));
	assert_true(breaker_allows(&breaker, 1000, HALF));
	for (int i = 0; i < terms.failures; i++) {
		assert_false(breaker_open(&breaker));
		breaker_failed(&breaker, 2000, HALF);
	}
	assert_true(breaker_open(&breaker));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_few_failures_do_not_open_it),
		cmocka_unit_test(test_probes_are_paced_and_go_on),
		cmocka_unit_test(test_late_failures_teach_nothing),
		cmocka_unit_test(test_success_closes_it_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
