#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/rare.h"

static const struct { int64_t now_ms; bool says; uint64_t unsaid; } events[] = {
	{ 5000, true, 0 },
	{ 5000, false }, { 5001, false }, { 5999, false },
	{ 6000, true, 3 },
	{ 6999, false },
	{ 60000, true, 1 },
	{ 61000, true, 0 },
};

static void one_a_second_is_said(void **state)
{
	struct rare rare = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		uint64_t unsaid = UINT64_MAX;

		assert_int_equal(rare_says(&rare, events[i].now_ms, &unsaid),
		                 events[i].says);
		if (events[i].says)
			assert_int_equal(unsaid, events[i].unsaid);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_a_second_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
