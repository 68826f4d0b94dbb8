#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* ours is in err.h */

#include "runtime/broker.h"
#include "runtime/rpc_limit.h"

enum { NOW = 1000 * 1000 };			/* by clock_boot_ms() */
static const int64_t unix_ms = 1800000000000;	/* the same moment */

/*
 * LIMIT is what the caller waits, AGE how long ago the socket was empty, LEFT what is
 * left by the sender's clock (NONE: it does not tell). WANT is from now.
 */
enum { NONE = INT32_MIN };

static const struct {
	int limit, age, left;
	int want;
} cases[] = {
	/* by the delivery: less a margin of half a second, or a quarter */
	{ 60000, 0,     NONE,   59500 },
	{ 3000,  0,     NONE,   2500 },
	{ 2000,  0,     NONE,   1500 },
	{ 1000,  0,     NONE,   750 },
	{ 100,   0,     NONE,   75 },
	{ 1,     0,     NONE,   1 },
	/* the process was stopped: it may have come at once */
	{ 3000,  200,   NONE,   2300 },
	{ 3000,  4000,  NONE,   -1500 },
	/* the sender tells the end: what was spent in the queue counts */
	{ 3000,  0,     2990,   2490 },
	{ 3000,  0,     600,    100 },
	{ 3000,  0,     100,    -400 },
	{ 3000,  4000,  -1200,  -1700 },
	{ 60000, 0,     30000,  29500 },
	/* its clock is ahead: no later than a whole limit from now */
	{ 3000,  0,     3400,   2500 },
	{ 3000,  4000,  3500,   2500 },
	/* ahead by more than can be: by the delivery */
	{ 3000,  0,     999999, 2500 },
	{ 3000,  4000,  3501,   -1500 },
	{ 3000,  4000,  INT32_MAX, -1500 },
	/* the process was stopped, and the message came at the end */
	{ 3000,  1000,  2900,   2400 },
	{ 3000,  4000,  2900,   2400 },
	{ 60000, 59000, 59900,  59400 },
	/* behind by less than the margin, or by more than can be */
	{ 3000,  0,     -400,   -900 },
	{ 3000,  0,     -501,   2500 },
	{ 3000,  0,     -3600000, 2500 },
	{ 3000,  4000,  -4501,  -1500 },
};

static void test_ends(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct broker_delivery delivery = {
			.expiration_ms = cases[i].limit,
			.since_ms = NOW - cases[i].age,
			.limit_unix_ms = cases[i].left == NONE ? 0
			                                       : unix_ms + cases[i].left,
		};

		assert_int_equal(rpc_limit_end(&delivery, NOW, unix_ms) - NOW,
		                 cases[i].want);
	}
}

static void test_none(void **state)
{
	(void)state;
	assert_int_equal(rpc_limit_end(&(struct broker_delivery){ .since_ms = 1 }, NOW,
	                               unix_ms), 0);
	assert_int_equal(rpc_limit_end(&(struct broker_delivery){
		.limit_unix_ms = unix_ms }, NOW, unix_ms), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
