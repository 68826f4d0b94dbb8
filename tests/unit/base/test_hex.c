#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/hex.h"

static void test_encode(void **state)
{
	static const uint8_t octets[] = { 0x00, 0x0f, 0xa5, 0xff };
	char text[2 * sizeof octets + 2] = "~~~~~~~~~";

	(void)state;
	hex_encode(octets, 0, text);
	assert_string_equal(text, "");
	assert_int_equal(text[1], '~');
	hex_encode(octets, sizeof octets, text);
	assert_string_equal(text, "000fa5ff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
