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
	{ "ZONEMD", "1 1 1 00", "of 48 octets for hash algorithm 1, SHA-384 (RFC 8976 "
	  "2.2.3); this digest has 1 octet" },
	{ "ZONEMD", "1 1 2 " OCTETS48, "of 64 octets for hash algorithm 2, SHA-512 (RFC "
	  "8976 2.2.3); this digest has 48 octets" },
	{ "ZONEMD", "1 1 240 00112233445566778899aa", "at least 12 octets (RFC 8976 "
	  "2.2.4); this digest has 11 octets" },
	{ "ZONEMD", "\\# 7 00000001010100", "RFC 8976 2.2" },
	{ "DS", "1 8 1 0011223344556677889900112233445566778899", NULL },
	{ "DS", "1 8 2 " OCTETS16 OCTETS16, NULL },
	{ "DS", "1 8 4 " OCTETS48, NULL },
	{ "DS", "1 8 200 00", NULL },
	{ "DS", "1 8 2 " OCTETS16, "of 32 octets for digest type 2, SHA-256 (RFC 4509 "
	  "2.2); this digest has 16 octets" },
	{ "DS", "1 8 1 " OCTETS16, "of 20 octets for digest type 1, SHA-1 (RFC 4034 "
	  "5.1.4); this digest has 16 octets" },
	{ "DS", "1 12 3 " OCTETS16, "of 32 octets for digest type 3, GOST" },
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
	{ "SSHFP", "4 1 " OCTETS16 "00112233", NULL },
	{ "SSHFP", "4 2 " OCTETS16 OCTETS16, NULL },
	{ "SSHFP", "4 9 00", NULL },
	{ "SSHFP", "4 1 00", "of 20 octets for fingerprint type 1, SHA-1 (RFC 4255 "
	  "3.1.3); this fingerprint has 1 octet" },
	{ "SSHFP", "4 2 " OCTETS16, "of 32 octets for fingerprint type 2, SHA-256 (RFC "
	  "6594 5); this fingerprint has 16 octets" },
	{ "SSHFP", "\\# 2 0401", "must have a fingerprint (RFC 4255 3.1.3)" },
	{ "NAPTR", "1 1 u s \"!^.*$!sip:a@b!\" .", NULL },
	{ "NAPTR", "1 1 u s \"/a/b/i\" .", NULL },
	{ "NAPTR", "1 1 u s \"!a\\\\!b!c!\" .", NULL },
	{ "NAPTR", "1 1 u s \"\" x.", NULL },
	{ "NAPTR", "1 1 u s \"!a!\" .", "RFC 3402 3.2" },
	{ "NAPTR", "1 1 u s \"!a!b!c!\" .", "RFC 3402 3.2" },
	{ "NAPTR", "1 1 u s \"!a\\\\!b!\" .", "RFC 3402 3.2" },
	{ "NAPTR", "1 1 u s \"1a1b1\" .", "RFC 3402 3.2" },
	{ "NAPTR", "1 1 u s \"iaibi\" .", "RFC 3402 3.2" },
	{ "NAPTR", "1 1 u s x .", "RFC 3402 3.2" },
	{ "X25", "\"3110\"", NULL },
	{ "X25", "\"311\"", "RFC 1183 3.1); the address has 3 octets" },
	{ "X25", "\"311a\"", "RFC 1183 3.1" },
	{ "KEY", "512 255 1 AQIDBA==", NULL },
	{ "KEY", "\\# 4 c0000301", "not valid for type KEY" },
	{ "KEY", "49152 3 1 AQIDBA==", "RFC 2535 3.1.2" },
	{ "TYPE11", "\\# 5 c000020106", NULL },
	{ "TYPE11", "\\# 4 c0000201", "RFC 1035 3.4.2" },
	{ "TYPE23", "\\# 3 016100", NULL },
	{ "TYPE23", "\\# 2 0001", "RFC 1706 6" },
	{ "TYPE30", "\\# 5 0162006201", NULL },
	{ "TYPE30", "\\# 4 00010200", "RFC 2535 5.2" },
	{ "TYPE30", "\\# 2 0161", "RFC 2535 5.2" },
	{ "TYPE34", "\\# 2 0001", NULL },
	{ "TYPE34", "\\# 1 00", "AF-SAA-0069" },
	{ "TYPE38", "\\# 17 00" OCTETS16, NULL },
	{ "TYPE38", "\\# 4 80016100", NULL },
	{ "TYPE38", "\\# 11 4000112233445566770000", "RFC 2874 3.1" },
	{ "TYPE38", "\\# 10 40001122334455667700", NULL },
	{ "TYPE38", "\\# 9 400011223344556677", "RFC 2874 3.1" },
	{ "TYPE38", "\\# 10 41801122334455667700", "RFC 2874 3.1" },
	{ "TYPE38", "\\# 1 81", "RFC 2874 3.1" },
	{ "TYPE38", "\\# 2 8000", NULL },
	{ "TYPE38", "\\# 0", "RFC 2874 3.1" },
	{ "TYPE40", "\\# 1 00", "kitchen-sink" },
	{ "TYPE259", "\\# 10 00000000000000010000", NULL },
	{ "TYPE259", "\\# 9 000000000000000100", "doa-over-dns" },
	{ "TYPE259", "\\# 10 00000000000000010001", "doa-over-dns" },
	{ "TYPE32768", "\\# 5 0001080a00", NULL },
	{ "TYPE32768", "\\# 4 0001080a", "RFC 4034 5.1" },
	{ "TYPE32768", "\\# 5 0001080100", "RFC 4034 5.1.4" },
	{ "TYPE32769", "\\# 5 0001080100", "RFC 4034 5.1.4" },
	{ "TYPE56", "\\# 2 0001", "character-strings" },
	{ "TYPE261", "\\# 2 0001", "character-strings" },
	{ "TYPE262", "\\# 3 016100", NULL },
	{ "TYPE262", "\\# 2 0001", "character-strings" },
	{ "TYPE57", "\\# 5 0000030101", NULL },
	{ "TYPE57", "\\# 5 0001030101", "dnsext-rkey" },
	{ "TYPE57", "\\# 4 00000301", "dnsext-rkey" },
	{ "NSEC", "x. A", NULL },
	{ "NSEC", "\\# 1 00", "RFC 4034 4.1.2" },
	{ "TYPE258", "\\# 2 0161", NULL },
	{ "TYPE258", "\\# 2 0001", "RFC 1035 3.3.14" },
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
