#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buf.h"

static void test_empty_is_valid(void **state)
{
	struct buf buf = { 0 };

	(void)state;
	assert_string_equal(buf_string(&buf), "");
	buf_reset(&buf);
	buf_clear(&buf);
	buf_append(&buf, NULL, 0);
	assert_string_equal(buf_string(&buf), "");
	assert_int_equal(buf.len, 0);
	buf_clear(&buf);
	assert_null(buf.data);
}

static void test_numbers_are_big_endian(void **state)
{
	static const uint8_t want[] = { 0xab, 0x12, 0x34, 0xde, 0xad, 0xbe, 0xef };
	struct buf buf = { 0 };

	(void)state;
	buf_u8(&buf, 0xab);
	buf_u16(&buf, 0x1234);
	buf_u32(&buf, 0xdeadbeef);
	assert_int_equal(buf.len, sizeof want);
	assert_memory_equal(buf.data, want, sizeof want);
	assert_int_equal(buf.data[buf.len], 0);
	buf_clear(&buf);
}

/* At every length, and so across every growth, it is a string behind len. */
static void test_growth_keeps_bytes_and_nul(void **state)
{
	struct buf buf = { 0 };

	(void)state;
	for (size_t i = 0; i < 5000; i++) {
		buf_u8(&buf, i);
		assert_int_equal(buf.len, i + 1);
		assert_true(buf.size > buf.len);
		assert_int_equal(buf.data[buf.len], 0);
	}
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(buf.data[i], (uint8_t)i);
	buf_clear(&buf);
}

/* Printing into every remainder of a block: the NUL never falls off its end. */
static void test_printf_at_every_length(void **state)
{
	(void)state;
	for (int len = 0; len < 300; len++) {
		struct buf buf = { 0 };

		buf_printf(&buf, "%*s", len, "");
		buf_printf(&buf, "<%s:%d>", "a", 7);
		assert_int_equal(buf.len, len + 5);
		assert_string_equal(buf_string(&buf) + len, "<a:7>");
		buf_clear(&buf);
	}
}

static void test_reset_keeps_memory(void **state)
{
	struct buf buf = { 0 };
	size_t size;

	(void)state;
	buf_text(&buf, "hello");
	size = buf.size;
	buf_reset(&buf);
	assert_string_equal(buf_string(&buf), "");
	assert_int_equal(buf.size, size);
	buf_text(&buf, "again");
	assert_string_equal(buf_string(&buf), "again");
	buf_clear(&buf);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_is_valid),
		cmocka_unit_test(test_numbers_are_big_endian),
		cmocka_unit_test(test_growth_keeps_bytes_and_nul),
		cmocka_unit_test(test_printf_at_every_length),
		cmocka_unit_test(test_reset_keeps_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
