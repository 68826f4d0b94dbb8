#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/serial.h"

/* RFC 1982 3.2, in its own words and in 64 bits. */
static bool newer_in_64_bits(int64_t a, int64_t b)
{
	const int64_t half = INT64_C(1) << 31;

	return (a < b && b - a > half) || (a > b && a - b < half);
}

static const uint32_t edges[] = { 0, 1, 1000, 1u << 30, 1u << 31, 3u << 30, 4294967295u };

enum { EDGES = sizeof(edges) / sizeof(edges[0]), REACH = 3 };

static void check_pair(uint32_t a, uint32_t b)
{
	assert_int_equal(serial_newer(a, b), newer_in_64_bits(a, b));
	assert_int_equal(serial_covers(a, b), a == b || newer_in_64_bits(a, b));
	assert_false(serial_newer(a, b) && serial_newer(b, a));
}

static void order_is_that_of_rfc_1982(void **state)
{
	(void)state;
	for (int i = 0; i < EDGES; i++)
		for (int j = 0; j < EDGES; j++)
			for (int k = -REACH; k <= REACH; k++)
				for (int l = -REACH; l <= REACH; l++)
					check_pair(edges[i] + k, edges[j] + l);
}

static void opposite_serials_have_no_order(void **state)
{
	(void)state;
	for (int i = 0; i < EDGES; i++) {
		uint32_t opposite = edges[i] + (1u << 31);

		assert_false(serial_newer(edges[i], opposite));
		assert_false(serial_covers(edges[i], opposite));
	}
}

static void next_is_newer_and_not_before_now(void **state)
{
	(void)state;
	for (int i = 0; i < EDGES; i++) {
		for (int j = 0; j < EDGES; j++) {
			uint32_t next = serial_next(edges[i], edges[j]);

			assert_true(next == edges[i] + 1 || next == edges[j]);
			assert_true(serial_newer(next, edges[i]) || next == edges[j]);
			assert_false(serial_newer(edges[j], next));
		}
	}
}

static void next_serials(void **state)
{
	static const struct {
		uint32_t serial, now, want;
	} cases[] = {
		{ 0,           0,           1 },
		{ 5,           1700000000,  1700000000 },
		{ 1700000000,  1700000000,  1700000001 },
		{ 1700000009,  1700000000,  1700000010 },
		{ 4294967295u, 1700000000,  1700000000 },
		{ 4294967295u, 0,           0 },
		{ 4294967295u, 4294967290u, 0 },
		{ 2147483647,  0,           2147483648u },
		{ 2147483648u, 0,           0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(serial_next(cases[i].serial, cases[i].now),
		                 cases[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_is_that_of_rfc_1982),
		cmocka_unit_test(opposite_serials_have_no_order),
		cmocka_unit_test(next_is_newer_and_not_before_now),
		cmocka_unit_test(next_serials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
