#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "core/pace.h"

static void it_stays_within_its_bounds(void **state)
{
	struct pace pace;

	(void)state;
	pace_init(&pace);
	for (int i = 0; i < 1000; i++)
		pace_learn(&pace, PACE_FROM_NOTIFY, true);
	assert_int_equal(pace_ms(&pace, PACE_FROM_NOTIFY), 1);
	for (int i = 0; i < 1000; i++)
		pace_learn(&pace, PACE_FROM_NOTIFY, false);
	assert_int_equal(pace_ms(&pace, PACE_FROM_NOTIFY), 100);
	assert_int_equal(pace_ms(&pace, PACE_FROM_TRANSFER), 10);
}

/* A delay between LOW and LOW + SPREAD, all alike likely. */
static int percent_served(struct pace *pace, int low_us, int spread_us)
{
	enum { POLLS = 20000 };
	int served = 0;

	for (int i = 0; i < POLLS; i++) {
		int delay_us = low_us + (spread_us ? rand() % spread_us : 0);
		int wait_ms = pace_ms(pace, PACE_FROM_TRANSFER);

		served += 1000 * wait_ms >= delay_us;
		pace_learn(pace, PACE_FROM_TRANSFER, 1000 * wait_ms >= delay_us);
	}
	return 100 * served / POLLS;
}

/* Whatever the delay is, and after it has changed: four of five come right. */
static void four_of_five_come_right(void **state)
{
	static const struct { int low_us, spread_us; } delays[] = {
		{ 2000, 8000 }, { 30000, 40000 }, { 5000, 1000 }, { 60000, 0 },
		{ 3000, 3000 },
	};
	struct pace pace;

	(void)state;
	srand(1);
	pace_init(&pace);
	for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
		int percent = percent_served(&pace, delays[i].low_us,
		                             delays[i].spread_us);

		print_message("%d us and up to %d: %d %%\n", delays[i].low_us,
		              delays[i].spread_us, percent);
		assert_in_range(percent, 72, 88);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_stays_within_its_bounds),
		cmocka_unit_test(four_of_five_come_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
