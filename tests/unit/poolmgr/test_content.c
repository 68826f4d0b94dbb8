#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/consensus.h"
#include "core/content.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void all_cases(void **state)
{
	static const struct {
		struct content_case of;
		enum content want;
	} cases[] = {
		/* compared, differs, made to transfer, settled -> */
		{ { COMPARED_EQUAL,   false, false }, CONTENT_TRUSTED },
		{ { COMPARED_EQUAL,   false, true  }, CONTENT_TRUSTED },
		{ { COMPARED_EQUAL,   true,  false }, CONTENT_TRUSTED },
		{ { COMPARED_EQUAL,   true,  true  }, CONTENT_TRUSTED },
		{ { COMPARED_DIFFERS, false, false }, CONTENT_DIFFERS },
		{ { COMPARED_DIFFERS, false, true  }, CONTENT_DIFFERS },
		{ { COMPARED_DIFFERS, true,  false }, CONTENT_DIFFERS },
		{ { COMPARED_DIFFERS, true,  true  }, CONTENT_DIFFERS },
		{ { COMPARED_REFUSED, false, false }, CONTENT_AS_BEFORE },
		{ { COMPARED_REFUSED, false, true  }, CONTENT_AS_BEFORE },
		{ { COMPARED_REFUSED, true,  false }, CONTENT_DIFFERS },
		{ { COMPARED_REFUSED, true,  true  }, CONTENT_TRUSTED },
		{ { COMPARED_EQUAL,   false, false, true }, CONTENT_TRUSTED },
		{ { COMPARED_EQUAL,   false, true,  true }, CONTENT_TRUSTED },
		{ { COMPARED_EQUAL,   true,  false, true }, CONTENT_TRUSTED },
		{ { COMPARED_EQUAL,   true,  true,  true }, CONTENT_TRUSTED },
		{ { COMPARED_DIFFERS, false, false, true }, CONTENT_TRUSTED },
		{ { COMPARED_DIFFERS, false, true,  true }, CONTENT_TRUSTED },
		{ { COMPARED_DIFFERS, true,  false, true }, CONTENT_TRUSTED },
		{ { COMPARED_DIFFERS, true,  true,  true }, CONTENT_TRUSTED },
		/* the text of a refusal is no difference, so it is never settled */
		{ { COMPARED_REFUSED, false, false, true }, CONTENT_AS_BEFORE },
		{ { COMPARED_REFUSED, false, true,  true }, CONTENT_AS_BEFORE },
		{ { COMPARED_REFUSED, true,  false, true }, CONTENT_DIFFERS },
		{ { COMPARED_REFUSED, true,  true,  true }, CONTENT_TRUSTED },
	};

	(void)state;
	assert_int_equal(COUNT(cases), COMPARED_COUNT * 8);
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(content_decide(&cases[i].of), cases[i].want);
}

/* Whatever its row says, it reaches nothing, and has failed at what is wanted. */
static void one_that_differs_counts_against_the_domain(void **state)
{
	static const enum observed seen[] = {
		OBSERVED_NOTHING, OBSERVED_SUCCESS, OBSERVED_ERROR, OBSERVED_NO_DOMAIN,
	};

	(void)state;
	for (size_t i = 0; i < COUNT(seen); i++) {
		struct observation servers[3] = {
			{ OBSERVED_SUCCESS, true, 9, false, 0 },
			{ OBSERVED_SUCCESS, true, 9, false, 0 },
			{ seen[i], true, 9, seen[i] > OBSERVED_SUCCESS, 8 },
		};
		struct consensus consensus;

		consensus_discount(&servers[2], 9);
		consensus = consensus_of(servers, 3, 100, 9);
		assert_false(consensus.reached);
		assert_true(consensus.failed);
		assert_int_equal(consensus.failed_serial, 9);
		consensus = consensus_of(servers, 3, 67, 9);
		assert_true(consensus.reached);
		assert_int_equal(consensus.serial, 9);
		assert_false(consensus.failed);
	}
}

static void repairs_leave_a_transfer_its_time(void **state)
{
	static const int64_t want_ms[] = { 0, 10000, 40000, 160000, 640000, 640000 };

	(void)state;
	for (size_t i = 0; i < COUNT(want_ms); i++)
		assert_int_equal(content_repair_pause_ms((int)i), want_ms[i]);
	assert_int_equal(content_repair_pause_ms(INT32_MAX), 640000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_cases),
		cmocka_unit_test(one_that_differs_counts_against_the_domain),
		cmocka_unit_test(repairs_leave_a_transfer_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
