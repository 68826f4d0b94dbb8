#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "core/refusal.h"

static const struct {
	enum err err;
	enum rcode rcode;
	uint16_t code;
} rows[] = {
	{ ERR_NOT_FOUND, RCODE_REFUSED, 20 },
	{ ERR_INVALID, RCODE_SERVFAIL, 0 },
	{ ERR_BUSY, RCODE_SERVFAIL, 14 },
	{ ERR_UNREACHABLE, RCODE_SERVFAIL, 23 },
	{ ERR_INTERNAL, RCODE_SERVFAIL, 23 },
	{ ERR_TIMEOUT, RCODE_SERVFAIL, 23 },
};

static void each_failure_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum refusal refusal = refusal_of(rows[i].err);

		assert_int_equal(refusal_rcode(refusal), rows[i].rcode);
		assert_int_equal(refusal_error(refusal)->code, rows[i].code);
	}
	assert_int_equal(refusal_error(REFUSAL_NOT_ALLOWED)->code, 18);
	assert_int_equal(refusal_rcode(REFUSAL_NOT_ALLOWED), RCODE_REFUSED);
	assert_int_equal(refusal_rcode(REFUSAL_NOT_AN_APEX), RCODE_NOTAUTH);
	assert_int_equal(refusal_error(REFUSAL_NOT_READ)->code, 14);
	assert_int_equal(refusal_rcode(REFUSAL_NOT_READ), RCODE_SERVFAIL);
}

/* In 512 octets there is room for the longest name, a cookie and each of them. */
static void each_has_words_that_fit(void **state)
{
	(void)state;
	for (int i = 0; i < REFUSAL_COUNT; i++) {
		size_t len = strlen(refusal_error(i)->text);

		assert_true(len > 0);
		assert_true(12 + 255 + 4 + 11 + 28 + 6 + len <= 512);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failure_is_told),
		cmocka_unit_test(each_has_words_that_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
