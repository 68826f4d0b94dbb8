#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

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

static void an_address_of_no_host_is_unfit(void **state)
{
	static const struct {
		const char *address, *words;	/* NULL: it can be a host's */
	} cases[] = {
		{ "192.0.2.1", NULL }, { "10.0.0.255", NULL }, { "1.0.0.0", NULL },
		{ "126.255.255.255", NULL }, { "128.0.0.1", NULL },
		{ "169.253.1.1", NULL },
		{ "223.255.255.255", NULL }, { "240.0.0.1", NULL },
		{ "255.255.255.254", NULL },
		{ "2001:db8::1", NULL }, { "fd00::1", NULL }, { "fec0::1", NULL },
		{ "::2", NULL },
		{ "0.0.0.0", "unspecified" }, { "0.1.2.3", "unspecified" },
		{ "127.0.0.1", "loopback" }, { "127.255.255.254", "loopback" },
		{ "169.254.169.254", "link-local" }, { "224.0.0.1", "multicast" },
		{ "239.255.255.255", "multicast" }, { "255.255.255.255", "broadcast" },
		{ "::", "unspecified" }, { "::1", "loopback" },
		{ "fe80::1", "link-local" },
		{ "febf::1", "link-local" }, { "ff02::1", "multicast" },
		{ "::ffff:127.0.0.1", "loopback" }, { "::ffff:224.0.0.1", "multicast" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct address address;
		struct why why;

		print_message("  %s\n", cases[i].address);
		assert_true(address_parse(cases[i].address, 0, &address));
		if (cases[i].words)
			assert_non_null(strstr(address_unfit(&address), cases[i].words));
		else
			assert_null(address_unfit(&address));
		assert_int_equal(address_parse_host("at", cases[i].address, &address,
		                                    &why),
		                 cases[i].words ? ERR_INVALID : OK);
		if (cases[i].words)
			assert_non_null(strstr(why.text, cases[i].words));
	}
}

static void a_text_that_is_none_is_no_hosts(void **state)
{
	static const char *const texts[] = { "", "192.0.2", "2001:db8::1%1", "a\"b" };
	struct address address;
	struct why why;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(address_parse_host("at", texts[i], &address, &why),
		                 ERR_INVALID);
		assert_non_null(strstr(why.text, "at: must be an IP"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_of_no_host_is_unfit),
		cmocka_unit_test(a_text_that_is_none_is_no_hosts),
		cmocka_unit_test(a_site_is_a_v4_host_or_a_v6_56),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
