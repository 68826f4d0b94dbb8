#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "agent/version_gaps.h"

enum { VERSIONS = 400, WALKS = 100 };

static void in_order_nothing_is_missing(void **state)
{
	struct version_gaps gaps = { 0 };

	(void)state;
	for (uint64_t version = 1; version <= 200; version++) {
		assert_false(version_gaps_none_up_to(&gaps, version));
		version_gaps_received(&gaps, version);
		assert_true(version_gaps_none_up_to(&gaps, version));
	}
}

static void a_gap_is_missed_until_it_is_filled(void **state)
{
	struct version_gaps gaps = { 0 };

	(void)state;
	version_gaps_read(&gaps, 10);
	version_gaps_received(&gaps, 12);
	version_gaps_received(&gaps, 13);
	assert_true(version_gaps_none_up_to(&gaps, 10));
	assert_false(version_gaps_none_up_to(&gaps, 11));
	assert_false(version_gaps_none_up_to(&gaps, 13));
	version_gaps_received(&gaps, 11);
	assert_true(version_gaps_none_up_to(&gaps, 13));
	assert_false(version_gaps_none_up_to(&gaps, 14));
}

static void who_reads_anew_knows_nothing_later(void **state)
{
	struct version_gaps gaps = { 0 };

	(void)state;
	version_gaps_read(&gaps, 100);
	version_gaps_received(&gaps, 102);
	version_gaps_read(&gaps, 3);	/* it was made anew */
	assert_false(version_gaps_none_up_to(&gaps, 4));
	version_gaps_read(&gaps, 100);
	assert_false(version_gaps_none_up_to(&gaps, 102));
	version_gaps_received(&gaps, 101);
	version_gaps_read(&gaps, 100);	/* 101 was told while that was read */
	assert_true(version_gaps_none_up_to(&gaps, 101));
}

/* Against a list of what is known, from wherever it was read last. */
struct model {
	uint64_t read;
	bool is_known[VERSIONS];
};

static bool model_has(const struct model *model, uint64_t version)
{
	for (uint64_t at = model->read + 1; at <= version; at++)
		if (!model->is_known[at])
			return false;
	return true;
}

static void walk(unsigned seed)
{
	struct version_gaps gaps = { 0 };
	struct model model = { 0 };
	uint64_t newest = 1;

	srand(seed);
	for (int step = 0; newest + VERSION_GAPS_AHEAD / 4 < VERSIONS; step++) {
		/* the next ones, in some order, some twice and some never */
		uint64_t version = newest + (uint64_t)(rand() % (VERSION_GAPS_AHEAD / 4));

		if (rand() % 8) {
			version_gaps_received(&gaps, version);
			model.is_known[version] = true;
		} else if (!version_gaps_none_up_to(&gaps, newest)) {
			version_gaps_read(&gaps, newest);
			model.read = newest;
		}
		newest += rand() % 3 == 0;
		while (newest > gaps.all + VERSION_GAPS_AHEAD / 2) {
			version_gaps_read(&gaps, newest);
			model.read = newest;
		}
		for (uint64_t at = model.read; at < VERSIONS; at++)
			assert_int_equal(version_gaps_none_up_to(&gaps, at),
			                 model_has(&model, at));
	}
}

static void as_a_list_would_have_it(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < WALKS; seed++)
		walk(seed);
}

/* What is too far ahead is not known, and never taken for known. */
static void far_ahead_is_a_gap(void **state)
{
	struct version_gaps gaps = { 0 };

	(void)state;
	version_gaps_received(&gaps, VERSION_GAPS_AHEAD + 2);
	for (uint64_t version = 1; version <= VERSION_GAPS_AHEAD + 1; version++)
		version_gaps_received(&gaps, version);
	assert_true(version_gaps_none_up_to(&gaps, VERSION_GAPS_AHEAD + 1));
	assert_false(version_gaps_none_up_to(&gaps, VERSION_GAPS_AHEAD + 2));
	version_gaps_received(&gaps, UINT64_MAX);
	version_gaps_read(&gaps, UINT64_MAX);
	assert_true(version_gaps_none_up_to(&gaps, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_nothing_is_missing),
		cmocka_unit_test(a_gap_is_missed_until_it_is_filled),
		cmocka_unit_test(who_reads_anew_knows_nothing_later),
		cmocka_unit_test(as_a_list_would_have_it),
		cmocka_unit_test(far_ahead_is_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
