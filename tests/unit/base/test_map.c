#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdlib.h>

#include "base/map.h"

enum { COUNT = 3000 };

static uint32_t numbers[COUNT];

static void fill(struct map *map, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		numbers[i] = (uint32_t)i;
		map_put(map, &numbers[i], sizeof(numbers[i]), &numbers[i]);
	}
}

static void each_is_found_until_it_is_removed(void **state)
{
	struct map *map = map_new(1);

	(void)state;
	fill(map, 0, COUNT);
	assert_int_equal(map_count(map), COUNT);
	for (size_t i = 0; i < COUNT; i += 2)
		assert_ptr_equal(map_remove(map, &numbers[i], sizeof(numbers[i])),
		                 &numbers[i]);
	for (size_t i = 0; i < COUNT; i++)
		assert_ptr_equal(map_get(map, &numbers[i], sizeof(numbers[i])),
		                 i % 2 ? &numbers[i] : NULL);
	assert_int_equal(map_count(map), COUNT / 2);
	map_free(&map);
}

static size_t take_down(struct map *map, size_t count)
{
	uint32_t *any;
	size_t taken = 0;

	for (; taken < count && (any = map_any(map)); taken++)
		assert_ptr_equal(map_remove(map, any, sizeof(*any)), any);
	return taken;
}

/* In part, and filled again, at each step of its growth: none is left behind. */
static void it_is_taken_down_whole(void **state)
{
	(void)state;
	for (size_t part = 0; part <= COUNT; part += 37) {
		struct map *map = map_new((uint32_t)part);

		fill(map, 0, part);
		take_down(map, part / 2);
		fill(map, part, COUNT);
		assert_int_equal(take_down(map, COUNT), COUNT - part / 2);
		assert_int_equal(map_count(map), 0);
		assert_null(map_any(map));
		fill(map, 0, 3);
		assert_int_equal(take_down(map, COUNT), 3);
		map_free(&map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_found_until_it_is_removed),
		cmocka_unit_test(it_is_taken_down_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
