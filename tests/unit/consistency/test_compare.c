#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "consistency/compare.h"

/* Each sight in the first round, the second, and under the lock, against the table. */

enum { NOW = 1000000, HOUR = 3600 * 1000, LIMIT = 3 };

static const struct compare_terms terms = { .repairs_an_hour = LIMIT };

static const struct row {
	struct sight sight;
	enum difference is;
} sights[] = {
	{ { .in_master = true, .master_version = 2 }, DIFF_CREATE },
	{ { .in_master = true, .master_version = 0 }, DIFF_CREATE },
	{ { .in_slave = true, .slave_version = 2 }, DIFF_DELETE },
	{ { .in_slave = true, .slave_version = 0 }, DIFF_DELETE },
	{ { false, true, true, 2, 1, false }, DIFF_UPDATE },
	{ { false, true, true, 3, 1, false }, DIFF_UPDATE },
	{ { false, true, true, 3, 2, false }, DIFF_UPDATE },
	{ { false, true, true, 0, 1, false }, DIFF_UPDATE },
	{ { false, true, true, 1, 1, true }, DIFF_UPDATE },	/* by content */
	{ { false, true, true, 2, 2, false }, DIFF_NONE },
	{ { false, true, true, 0, 0, false }, DIFF_NONE },
	{ { .in_master = false, .in_slave = false }, DIFF_NONE },
	{ { .failed = true }, DIFF_NONE },
	{ { true, true, false, 2, 0, false }, DIFF_NONE },
};
enum { SIGHTS = sizeof(sights) / sizeof(sights[0]) };

static enum compare_advice saw(struct compare *compare, const char *id,
                               const struct sight *sight)
{
	enum compare_advice advice;

	compare_begin(compare);
	advice = compare_saw(compare, id, strlen(id), sight, NOW);
	compare_end(compare, NOW);
	return advice;
}

static enum difference confirm(struct compare *compare, const char *id,
                               const struct sight *sight)
{
	return compare_confirm(compare, id, strlen(id), sight, NOW);
}

/* As appendix D says it, row by row. */
static bool stands(const struct row *before, const struct row *after)
{
	if (before->is == DIFF_NONE || before->is != after->is)
		return false;
	return before->is != DIFF_UPDATE ||
	       before->sight.slave_version == after->sight.slave_version;
}

static void what_stands_three_times_is_done(void **state)
{
	(void)state;
	for (int i = 0; i < SIGHTS * SIGHTS * SIGHTS; i++) {
		const struct row *first = &sights[i % SIGHTS];
		const struct row *second = &sights[i / SIGHTS % SIGHTS];
		const struct row *third = &sights[i / SIGHTS / SIGHTS];
		struct compare *compare = compare_new(1, &terms);
		bool believed = stands(first, second);

		assert_int_equal(saw(compare, "x", &first->sight), COMPARE_NOTHING);
		assert_int_equal(saw(compare, "x", &second->sight),
		                 believed ? COMPARE_REPAIR : COMPARE_NOTHING);
		if (believed)
			assert_int_equal(confirm(compare, "x", &third->sight),
			                 stands(second, third) ? third->is : DIFF_NONE);
		compare_free(&compare);
	}
}

static void a_failed_reading_says_nothing(void **state)
{
	struct compare *compare = compare_new(1, &terms);
	const struct sight failed = { .failed = true };

	(void)state;
	assert_int_equal(saw(compare, "x", &sights[0].sight), COMPARE_NOTHING);
	assert_int_equal(saw(compare, "x", &failed), COMPARE_NOTHING);
	assert_int_equal(saw(compare, "x", &sights[0].sight), COMPARE_REPAIR);
	assert_int_equal(confirm(compare, "x", &failed), DIFF_NONE);
	assert_int_equal(confirm(compare, "x", &sights[0].sight), DIFF_CREATE);
	assert_int_equal(compare_pending(compare), 0);
	compare_free(&compare);
}

/* But what was not read for long is not believed any more. */
static void memory_ends(void **state)
{
	struct compare *compare = compare_new(1, &terms);

	(void)state;
	saw(compare, "x", &sights[0].sight);
	assert_int_equal(compare_pending(compare), 1);
	for (int i = 0; i < 3; i++)
		saw(compare, "y", &sights[9].sight);
	assert_int_equal(compare_pending(compare), 0);
	assert_int_equal(saw(compare, "x", &sights[0].sight), COMPARE_NOTHING);
	compare_free(&compare);
}

static void who_is_repaired_too_often_is_parked(void **state)
{
	struct compare *compare = compare_new(1, &terms);
	const struct sight *sight = &sights[4].sight;
	int64_t now = NOW;

	(void)state;
	for (int i = 0; i < LIMIT; i++, now += 1000) {
		compare_begin(compare);
		compare_saw(compare, "x", 1, sight, now);
		assert_int_equal(compare_saw(compare, "x", 1, sight, now), COMPARE_REPAIR);
		assert_int_equal(compare_confirm(compare, "x", 1, sight, now), DIFF_UPDATE);
		compare_end(compare, now);
	}
	compare_begin(compare);
	assert_int_equal(compare_saw(compare, "x", 1, sight, now), COMPARE_NOTHING);
	assert_int_equal(compare_saw(compare, "x", 1, sight, now), COMPARE_PARKED);
	assert_int_equal(compare_parked(compare, now), 1);
	assert_int_equal(compare_confirm(compare, "x", 1, sight, now), DIFF_NONE);
	/* an hour after the first one */
	assert_int_equal(compare_saw(compare, "x", 1, sight, NOW + HOUR), COMPARE_REPAIR);
	assert_int_equal(compare_parked(compare, NOW + HOUR), 0);
	compare_end(compare, NOW + 2 * HOUR);
	compare_free(&compare);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stands_three_times_is_done),
		cmocka_unit_test(a_failed_reading_says_nothing),
		cmocka_unit_test(memory_ends),
		cmocka_unit_test(who_is_repaired_too_often_is_parked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
