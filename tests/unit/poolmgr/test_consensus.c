#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "consensus_model.h"

static void test_equals_the_model(void **unused)
{
	uint32_t state = 88172645;

	(void)unused;
	for (int round = 0; round < 400000; round++) {
		uint32_t wanted = any_serial(&state);
		size_t n = 1 + noise(&state) % 5;
		int threshold = (int)(noise(&state) % 101);
		struct observation servers[5];

		for (size_t i = 0; i < n; i++)
			servers[i] = any_observation(&state, wanted);

		struct consensus got = consensus_of(servers, n, threshold, wanted);
		struct consensus want = model(servers, n, threshold, wanted);

		assert_int_equal(got.reached, want.reached);
		assert_int_equal(got.failed, want.failed);
		if (want.reached)
			assert_int_equal(got.serial, want.serial);
		if (want.failed)
			assert_int_equal(got.failed_serial, want.failed_serial);
	}
}

/* All thresholds by all counts: `enough` and `too many` are exact, and complements. */
static void test_thresholds(void **unused)
{
	(void)unused;
	for (int t = 0; t <= 100; t++)
		for (size_t n = 1; n <= 20; n++)
			for (size_t ok = 0; ok <= n; ok++) {
				bool enough = model_share(ok, n) >= t;

				assert_int_equal(consensus_enough(t, ok, n), enough);
				assert_int_equal(consensus_too_many(t, n - ok, n),
				                 !enough);
			}
}

static const struct {
	const char *name;
	struct observation servers[3];
	size_t n;
	int threshold;
	uint32_t wanted;
	struct consensus want;
} cases[] = {
	{ "all at the serial",
	  { { OBSERVED_SUCCESS, true, 9 }, { OBSERVED_SUCCESS, true, 9 },
	    { OBSERVED_SUCCESS, true, 9 } },
	  3, 100, 9, { true, 9 } },
	{ "one server lags: 67 % is enough without it",
	  { { OBSERVED_SUCCESS, true, 9 }, { OBSERVED_ERROR, true, 5, true, 9 },
	    { OBSERVED_SUCCESS, true, 9 } },
	  3, 67, 9, { true, 9 } },
	{ "68 % of three servers are three: 2 of 3 are 67 %",
	  { { OBSERVED_SUCCESS, true, 9 }, { OBSERVED_ERROR, true, 5, true, 9 },
	    { OBSERVED_SUCCESS, true, 9 } },
	  3, 68, 9, { true, 5, true, 9 } },
	{ "100 % with one in error: consensus on what it serves, error for the rest",
	  { { OBSERVED_SUCCESS, true, 9 }, { OBSERVED_ERROR, true, 8, true, 9 },
	    { OBSERVED_SUCCESS, true, 9 } },
	  3, 100, 9, { true, 8, true, 9 } },
	{ "a server that went back counts below what it fails at now",
	  { { OBSERVED_ERROR, true, 9, true, 9 }, { OBSERVED_SUCCESS, true, 9 } },
	  2, 100, 9, { true, 8, true, 9 } },
	{ "a success settles an older failure",
	  { { OBSERVED_SUCCESS, true, 9, true, 8 }, { OBSERVED_SUCCESS, true, 9 } },
	  2, 100, 9, { true, 9 } },
	{ "nothing was ever seen",
	  { { OBSERVED_NOTHING }, { OBSERVED_SUCCESS, true, 9 } },
	  2, 100, 9, { false } },
	{ "a serial beyond ours is not issued by us",
	  { { OBSERVED_SUCCESS, true, 12 }, { OBSERVED_SUCCESS, true, 9 } },
	  2, 50, 9, { true, 9 } },
	{ "a serial beyond ours is no evidence",
	  { { OBSERVED_SUCCESS, true, 12 } }, 1, 100, 9, { false } },
	{ "a serial 2^31 away is no evidence",
	  { { OBSERVED_SUCCESS, true, UINT32_C(0x80000009) } }, 1, 100, 9, { false } },
	{ "over the wrap",
	  { { OBSERVED_SUCCESS, true, 2 },
	    { OBSERVED_SUCCESS, true, UINT32_C(0xfffffffe) } },
	  2, 100, 2, { true, UINT32_C(0xfffffffe) } },
	{ "no servers, no consensus", { { OBSERVED_NOTHING } }, 0, 0, 9, { false } },
};

static void test_cases(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct consensus got = consensus_of(cases[i].servers, cases[i].n,
		                                    cases[i].threshold, cases[i].wanted);

		print_message("  %s\n", cases[i].name);
		assert_int_equal(got.reached, cases[i].want.reached);
		assert_int_equal(got.serial, cases[i].want.serial);
		assert_int_equal(got.failed, cases[i].want.failed);
		assert_int_equal(got.failed_serial, cases[i].want.failed_serial);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_equals_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
