#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "agent/file_entries.h"

static bool put(struct file_entries *entries, const char *key, const char *first,
                const char *second)
{
	return file_entries_put(entries, key,
	                        (const char *[ENTRY_FILES]){ first, second });
}

static void assert_file(const struct file_entries *entries, int file, const char *want)
{
	struct buf text = { 0 };

	file_entries_print(entries, file, &text);
	assert_string_equal(buf_string(&text), want);
	buf_clear(&text);
}

static void lines_stand_by_their_keys(void **state)
{
	struct file_entries entries = { 0 };

	(void)state;
	assert_true(put(&entries, "b", "b\n", "B\n"));
	assert_true(put(&entries, "d", "d\n", NULL));
	assert_true(put(&entries, "a", "a\n", ""));
	assert_true(put(&entries, "c", NULL, "C\n"));
	assert_file(&entries, 0, "a\nb\nd\n");
	assert_file(&entries, 1, "B\nC\n");
	assert_true(put(&entries, "b", "other\n", "B\n"));
	assert_file(&entries, 0, "a\nother\nd\n");
	assert_true(file_entries_drop(&entries, "b"));
	assert_false(file_entries_drop(&entries, "b"));
	assert_file(&entries, 0, "a\nd\n");
	assert_true(file_entries_has(&entries, "c"));
	assert_false(file_entries_has(&entries, "b"));
	file_entries_clear(&entries);
	assert_file(&entries, 0, "");
}

static void the_same_is_nothing_new(void **state)
{
	struct file_entries entries = { 0 };

	(void)state;
	assert_true(put(&entries, "a", "a\n", NULL));
	assert_false(put(&entries, "a", "a\n", NULL));
	assert_false(put(&entries, "a", "a\n", ""));
	assert_true(put(&entries, "a", "a\n", "A\n"));
	assert_true(put(&entries, "a", NULL, "A\n"));
	assert_true(put(&entries, "empty", NULL, NULL));
	assert_false(put(&entries, "empty", NULL, NULL));
	file_entries_clear(&entries);
}

static void in_whatever_order(void **state)
{
	struct file_entries entries = { 0 };
	char key[8], want[4 * 100 + 1] = "";

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "%02d\n", i * 37 % 100);
		assert_true(put(&entries, key, key, NULL));
	}
	for (int i = 0; i < 100; i++)
		snprintf(want + strlen(want), sizeof(want) - strlen(want), "%02d\n", i);
	assert_file(&entries, 0, want);
	for (int i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "%02d\n", i * 73 % 100);
		assert_true(file_entries_drop(&entries, key));
		assert_int_equal(entries.count, 99 - i);
	}
	file_entries_clear(&entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_stand_by_their_keys),
		cmocka_unit_test(the_same_is_nothing_new),
		cmocka_unit_test(in_whatever_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
