#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "model/presentation.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OCTETS16 "00112233445566778899aabbccddeeff"
#define OCTETS48 OCTETS16 OCTETS16 OCTETS16

static const struct {
	const char *type, *text;
	const char *words;		/* NULL: accepted */
} cases[] = {
	{ "ZONEMD", "1 1 1 " OCTETS48, NULL },
	{ "ZONEMD", "1 241 1 " OCTETS48, NULL },
	{ "ZONEMD", "1 1 2 " OCTETS48 OCTETS16, NULL },
	{ "ZONEMD", "1 1 240 00112233445566778899aabb", NULL },
	{ "ZONEMD", "1 241 1 e1846540e33a9e4189792d18d5d131f605fc283e", "RFC 8976 2.2" },
	{ "ZONEMD", "1 1 2 " OCTETS48, "these data have 54 octets" },
	{ "ZONEMD", "1 1 240 00112233445566778899aa", "RFC 8976 2.2" },
	{ "ZONEMD", "\\# 7 00000001010100", "RFC 8976 2.2" },
	{ "DS", "1 8 1 0011223344556677889900112233445566778899", NULL },
	{ "DS", "1 8 2 " OCTETS16 OCTETS16, NULL },
	{ "DS", "1 8 4 " OCTETS48, NULL },
	{ "DS", "1 8 200 00", NULL },
	{ "DS", "1 8 2 " OCTETS16, "RFC 4509" },
	{ "DS", "1 8 1 " OCTETS16, "RFC 4034 5.1.4" },
	{ "CDS", "0 0 0 00", NULL },
	{ "CDS", "1 8 4 " OCTETS16, "RFC 6605" },
	{ "RRSIG", "A 8 2 2147483647 20300101000000 20200101000000 1 x. AAAA", NULL },
	{ "RRSIG", "A 8 2 2147483648 20300101000000 20200101000000 1 x. AAAA",
	  "RFC 2181 8" },
	{ "LOC", "90 N 180 E 10m", NULL },
	{ "LOC", "90 S 180 W -100000m", NULL },
	{ "LOC", "91 N 0 W 10m", "RFC 1876 2" },
	{ "LOC", "0 N 181 W 10m", "RFC 1876 2" },
	{ "LOC", "\\# 16 00aa16137fffffff7fffffff00989680", "RFC 1876 2" },
	{ "LOC", "\\# 16 0112161380000000800000000098968a", "RFC 1876 2" },
	{ "NSEC3PARAM", "1 0 0 -", NULL },
	{ "NSEC3PARAM", "1 0 5 aabb", NULL },
	{ "NSEC3PARAM", "\\# 4 00000000", "RFC 5155 4.2" },
	{ "NSEC3PARAM", "\\# 6 010000000200", "RFC 5155 4.2" },
	{ "HIP", "\\# 6 010200010102", NULL },
	{ "HIP", "\\# 9 010200010102016100", NULL },
	{ "HIP", "\\# 4 00000000", "RFC 8005 5" },
	{ "HIP", "\\# 5 0002000101", "RFC 8005 5" },
	{ "HIP", "\\# 5 0102000001", "RFC 8005 5" },
	{ "HIP", "\\# 5 0102000101", "RFC 8005 5" },
	{ "HIP", "\\# 8 0102000101020161", "RFC 8005 5" },
	{ "HIP", "\\# 8 010200010102c000", "RFC 8005 5" },
	{ "HIP", "\\# 0", "RFC 8005 5" },
	{ "TYPE260", "\\# 2 0a00", NULL },
	{ "TYPE260", "\\# 6 0a81c0000201", NULL },
	{ "TYPE260", "\\# 18 0a02" OCTETS16, NULL },
	{ "TYPE260", "\\# 5 0a03016100", NULL },
	{ "TYPE260", "\\# 3 0a0401", "RFC 8777 4.2" },
	{ "TYPE260", "\\# 1 0a", "RFC 8777 4.2" },
	{ "TYPE260", "\\# 3 0a0001", "RFC 8777 4.2" },
	{ "TYPE260", "\\# 5 0a01c00002", "RFC 8777 4.2" },
	{ "TYPE260", "\\# 6 0a0301610000", "RFC 8777 4.2" },
	{ "TYPE260", "\\# 4 0a030161", "RFC 8777 4.2" },
	{ "URI", "10 1 \"x\"", NULL },
	{ "URI", "10 1 \"\"", "RFC 7553 4.5" },
	{ "HTTPS", "\\# 10 00010000010003026832", NULL },
	{ "HTTPS", "\\# 9 000100000000020001", "RFC 9460 8" },
	{ "SVCB", "\\# 13 00010000030001010003000101", "data: " },
	{ "SVCB", "\\# 8 0001000003000250", "RFC 9460 2.2" },
};

static void data_of_one_record(void **state)
{
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct why why = { .text = "" };
		const uint8_t *rdata;
		uint16_t type, len;
		enum err err;

		print_message("  %s %s\n", cases[i].type, cases[i].text);
		assert_int_equal(rrtype_parse(cases[i].type, "type", &type, &why), OK);
		err = rdata_parse(type, cases[i].text, "data", arena, &rdata, &len, &why);
		assert_int_equal(err, cases[i].words ? ERR_INVALID : OK);
		if (err && !strstr(why.text, cases[i].words))
			fail_msg("%s", why.text);
	}
	arena_free(&arena);
}

/* No rule hinders the deletion of a record that is older than the rule. */
static void data_that_is_stored(void **state)
{
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct why why = { .text = "" };
		const uint8_t *rdata;
		uint16_t type, len;
		enum err err;

		assert_int_equal(rrtype_parse(cases[i].type, "type", &type, &why), OK);
		err = rdata_parse_stored(type, cases[i].text, "data", arena, &rdata, &len,
		                         &why);
		if (err)
			fail_msg("%s %s: %s", cases[i].type, cases[i].text, why.text);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_of_one_record),
		cmocka_unit_test(data_that_is_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
