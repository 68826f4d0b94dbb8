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
	struct heard heard = { 0 };

	(void)state;
	for (uint64_t version = 1; version <= 200; version++) {
		assert_false(heard_has(&heard, version));
		heard_one(&heard, version);
		assert_true(heard_has(&heard, version));
	}
}

static void a_gap_is_missed_until_it_is_filled(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	heard_all(&heard, 10);
	heard_one(&heard, 12);
	heard_one(&heard, 13);
	assert_true(heard_has(&heard, 10));
	assert_false(heard_has(&heard, 11));
	assert_false(heard_has(&heard, 13));
	heard_one(&heard, 11);
	assert_true(heard_has(&heard, 13));
	assert_false(heard_has(&heard, 14));
}

static void who_reads_anew_knows_nothing_later(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	heard_all(&heard, 100);
	heard_one(&heard, 102);
	heard_all(&heard, 3);		/* it was made anew */
	assert_false(heard_has(&heard, 4));
	heard_all(&heard, 100);
	assert_false(heard_has(&heard, 102));
	heard_one(&heard, 101);
	heard_all(&heard, 100);		/* 101 was told while that was read */
	assert_true(heard_has(&heard, 101));
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
	struct heard heard = { 0 };
	struct model model = { 0 };
	uint64_t newest = 1;

	srand(seed);
	for (int step = 0; newest + HEARD_AHEAD / 4 < VERSIONS; step++) {
		/* the next ones, in some order, some twice and some never */
		uint64_t version = newest + (uint64_t)(rand() % (HEARD_AHEAD / 4));

		if (rand() % 8) {
			heard_one(&heard, version);
			model.is_known[version] = true;
		} else if (!heard_has(&heard, newest)) {
			heard_all(&heard, newest);
			model.read = newest;
		}
		newest += rand() % 3 == 0;
		while (newest > heard.all + HEARD_AHEAD / 2) {
			heard_all(&heard, newest);
			model.read = newest;
		}
		for (uint64_t at = model.read; at < VERSIONS; at++)
			assert_int_equal(heard_has(&heard, at), model_has(&model, at));
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
	struct heard heard = { 0 };

	(void)state;
	heard_one(&heard, HEARD_AHEAD + 2);
	for (uint64_t version = 1; version <= HEARD_AHEAD + 1; version++)
		heard_one(&heard, version);
	assert_true(heard_has(&heard, HEARD_AHEAD + 1));
	assert_false(heard_has(&heard, HEARD_AHEAD + 2));
	heard_one(&heard, UINT64_MAX);
	heard_all(&heard, UINT64_MAX);
	assert_true(heard_has(&heard, UINT64_MAX));
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
