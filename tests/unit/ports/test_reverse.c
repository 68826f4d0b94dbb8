#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/reverse.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *address;
	uint8_t bits;			/* of the zone */
	const char *zone, *name;
} rows[] = {
	{ "10.224.36.4", 24, "36.224.10.in-addr.arpa.", "4.36.224.10.in-addr.arpa." },
	{ "10.224.36.4", 16, "224.10.in-addr.arpa.", "4.36.224.10.in-addr.arpa." },
	{ "10.224.36.4", 8, "10.in-addr.arpa.", "4.36.224.10.in-addr.arpa." },
	{ "fd5d:19f:52e9::2", 64, "0.0.0.0.9.e.2.5.f.9.1.0.d.5.d.f.ip6.arpa.",
	  "2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.9.e.2.5.f.9.1.0.d.5.d.f.ip6.arpa." },
	{ "fd5d:19f:52e9::2", 4, "f.ip6.arpa.",
	  "2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.9.e.2.5.f.9.1.0.d.5.d.f.ip6.arpa." },
	{ "2001:db8::ab", 124,
	  "a.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa.",
	  "b.a.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa." },
};

static void each_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[NAME_MAX_TEXT + 1];
		struct address address;
		struct name name;

		assert_true(address_parse(rows[i].address, 0, &address));
		reverse_zone(&address, rows[i].bits, &name);
		name_format(&name, text);
		assert_string_equal(text, rows[i].zone);
		reverse_name(&address, &name);
		name_format(&name, text);
		assert_string_equal(text, rows[i].name);
	}
}

/* Each name is in its zone, whose depth is that of its bits, and is read as a name. */
static void any_address(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 5000; i++) {
		struct address address = { .bits = rand() % 2 ? 32 : 128 };
		int step = address.bits == 32 ? 8 : 4;
		struct name name, again;
		struct why why;
		char text[NAME_MAX_TEXT + 1];

		for (int at = 0; at < address.bits / 8; at++)
			address.octets[at] = (uint8_t)rand();
		reverse_name(&address, &name);
		name_format(&name, text);
		assert_int_equal(name_parse(text, "name", &again, &why), OK);
		assert_true(name_equal(&name, &again));
		assert_int_equal(name_labels(&name), address.bits / step + 2);
		for (int bits = step; bits < address.bits; bits += step) {
			struct name zone;

			reverse_zone(&address, (uint8_t)bits, &zone);
			assert_true(name_is_below(&name, &zone));
			assert_int_equal(name_labels(&zone), bits / step + 2);
		}
	}
}

static void which_bits(void **state)
{
	struct why why;

	(void)state;
	for (int bits = -1; bits < 300; bits++) {
		assert_int_equal(reverse_check(32, bits, &why),
		                 bits == 8 || bits == 16 || bits == 24 ? OK
		                                                       : ERR_INVALID);
		assert_int_equal(reverse_check(128, bits, &why),
		                 bits >= 4 && bits <= 124 && bits % 4 == 0 ? OK
		                                                           : ERR_INVALID);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row), cmocka_unit_test(any_address),
		cmocka_unit_test(which_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
