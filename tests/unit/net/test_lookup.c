#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include "net/lookup.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct addresses addresses_of(const char *const *texts)
{
	struct addresses found = { .count = 0 };

	for (; texts[found.count]; found.count++)
		assert_true(address_parse(texts[found.count], 53,
		                          &found.item[found.count]));
	return found;
}

static void which_one_is_used(void **state)
{
	static const struct {
		const char *found[LOOKUP_MAX + 1], *last;
		size_t want;
	} rows[] = {
		{ { "192.0.2.1", "192.0.2.2" }, NULL, 0 },
		{ { "192.0.2.1", "192.0.2.2" }, "192.0.2.1", 0 },
		{ { "192.0.2.1", "192.0.2.2" }, "192.0.2.2", 1 },
		{ { "192.0.2.1", "192.0.2.2" }, "192.0.2.3", 0 },
		{ { "2001:db8::1", "192.0.2.2", "192.0.2.3" }, "192.0.2.3", 2 },
		{ { "2001:db8::1" }, "192.0.2.3", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct addresses found = addresses_of(rows[i].found);
		struct address last;

		if (rows[i].last)
			assert_true(address_parse(rows[i].last, 53, &last));
		assert_int_equal(lookup_keep(&found, rows[i].last ? &last : NULL),
		                 rows[i].want);
	}
}

static void order_makes_no_difference(void **state)
{
	static const struct {
		const char *a[LOOKUP_MAX + 1], *b[LOOKUP_MAX + 1];
		bool want;
	} rows[] = {
		{ { NULL }, { NULL }, true },
		{ { "192.0.2.1" }, { NULL }, false },
		{ { NULL }, { "192.0.2.1" }, false },
		{ { "192.0.2.1", "2001:db8::1" }, { "2001:db8::1", "192.0.2.1" }, true },
		{ { "192.0.2.1", "192.0.2.2" }, { "192.0.2.1", "192.0.2.3" }, false },
		{ { "192.0.2.1" }, { "192.0.2.1", "192.0.2.3" }, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct addresses a = addresses_of(rows[i].a);
		const struct addresses b = addresses_of(rows[i].b);

		assert_int_equal(lookup_same(&a, &b), rows[i].want);
	}
}

static void an_address_is_itself(void **state)
{
	struct addresses found;
	struct why why;

	(void)state;
	assert_int_equal(lookup_now("2001:db8::1", 5353, &found, &why), OK);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.item[0].port, 5353);
	assert_int_equal(lookup_now("no name at all", 53, &found, &why), ERR_UNREACHABLE);
	assert_int_equal(found.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_one_is_used),
		cmocka_unit_test(order_makes_no_difference),
		cmocka_unit_test(an_address_is_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
