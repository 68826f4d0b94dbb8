#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/tx_list.h"

static size_t count_places(const char *sql)
{
	size_t count = 0;

	for (; (sql = strchr(sql, '?')); sql++)
		count++;
	return count;
}

/* For each number there is a text with places enough, and there are few texts. */
static void few_texts_do_for_all(void **state)
{
	size_t sizes = 0, last = 0;

	(void)state;
	for (size_t count = 1; count <= TX_LIST_MAX; count++) {
		struct arena *arena = arena_new();
		size_t places;
		const char *sql = tx_list(arena, "IN (", ")", count, &places);

		assert_true(places >= count && places <= TX_LIST_MAX);
		assert_true(places <= 2 * count);
		assert_int_equal(count_places(sql), places);
		sizes += places != last;
		last = places;
		arena_free(&arena);
	}
	assert_true(sizes <= 12);
}

static void texts_read_as_written(void **state)
{
	struct arena *arena = arena_new();
	size_t places;

	(void)state;
	assert_string_equal(tx_list(arena, "a IN (", ")", 1, &places), "a IN (?)");
	assert_string_equal(tx_list(arena, "a IN (", ")", 3, &places), "a IN (?,?,?)");
	assert_string_equal(tx_list_of(arena, "(", "(a = ? AND b = ?)", " OR ", ")", 2,
	                               &places),
	                    "((a = ? AND b = ?) OR (a = ? AND b = ?))");
	arena_free(&arena);
}

static void places_left_over_name_the_last(void **state)
{
	static const char *const texts[] = { "a", "b", "c", "d", "e" };
	struct tx_value values[8];

	(void)state;
	tx_list_fill(values, texts, 5, 8);
	for (size_t i = 0; i < 8; i++)
		assert_string_equal(values[i].data, texts[i < 5 ? i : 4]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_texts_do_for_all),
		cmocka_unit_test(texts_read_as_written),
		cmocka_unit_test(places_left_over_name_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
