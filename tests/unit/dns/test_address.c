#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dns/address.h"

static void a_site_is_a_v4_host_or_a_v6_56(void **state)
{
	static const struct {
		const char *a, *b;
		bool want;
	} cases[] = {
		{ "192.0.2.1", "192.0.2.1", true },
		{ "192.0.2.1", "192.0.2.2", false },
		{ "192.0.2.1", "::ffff:192.0.2.1", true },
		{ "2001:db8:0:100::1", "2001:db8:0:100::2", true },
		{ "2001:db8:0:100::1", "2001:db8:0:1ff:f::1", true },
		{ "2001:db8:0:100::1", "2001:db8:0:200::1", false },
		{ "c000:201::", "192.0.2.1", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct address a, b;

		assert_true(address_parse(cases[i].a, 53, &a));
		assert_true(address_parse(cases[i].b, 1024, &b));
		assert_int_equal(address_same_site(&a, &b), cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_site_is_a_v4_host_or_a_v6_56),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
