#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/presentation.h"
#include "model/presentation_svcb.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define COM "03666f6f076578616d706c6503636f6d00"
#define ORG "03666f6f076578616d706c65036f726700"

/* ---- text to wire and back; the first ones are those of RFC 9460, D.1 and D.2 ---- */

static const struct good {
	const char *text, *wire;
	const char *want;	/* canonical; NULL: the same text */
} goods[] = {
	{ "0 foo.example.com.", "0000" COM, NULL },
	{ "1 .", "000100", NULL },
	{ "16 foo.example.com. port=53", "0010" COM "000300020035", NULL },
	{ "1 foo.example.com. key667=hello", "0001" COM "029b000568656c6c6f", NULL },
	{ "1 foo.example.com. key667=\"hello\\210qoo\"",
	  "0001" COM "029b000968656c6c6fd2716f6f", NULL },
	{ "1 foo.example.com. ipv6hint=\"2001:db8::1,2001:db8::53:1\"",
	  "0001" COM "0006002020010db800000000000000000000000120010db80000000000000000"
	  "00530001", "1 foo.example.com. ipv6hint=2001:db8::1,2001:db8::53:1" },
	{ "1 foo.example.com. ipv6hint=\"2001:db8:122:344::192.0.2.33\"",
	  "0001" COM "0006001020010db8012203440000" "0000c0000221",
	  "1 foo.example.com. ipv6hint=2001:db8:122:344::c000:221" },
	{ "16 foo.example.org. (alpn=h2,h3-19 mandatory=ipv4hint,alpn "
	  "ipv4hint=192.0.2.1)",
	  "0010" ORG "0000000400010004" "00010009026832" "0568332d3139"
	  "00040004c0000201",
	  "16 foo.example.org. mandatory=alpn,ipv4hint alpn=h2,h3-19 "
	  "ipv4hint=192.0.2.1" },
	{ "16 foo.example.org. alpn=\"f\\\\\\\\oo\\\\,bar,h2\"",
	  "0010" ORG "0001000c08665c6f6f2c626172026832", NULL },
	{ "16 foo.example.org. alpn=f\\\\\\092oo\\092,bar,h2",
	  "0010" ORG "0001000c08665c6f6f2c626172026832",
	  "16 foo.example.org. alpn=\"f\\\\\\\\oo\\\\,bar,h2\"" },
	{ "1 . alpn=h1\\\\,h2,h3", "000100" "00010009" "0568312c6832" "026833",
	  "1 . alpn=\"h1\\\\,h2,h3\"" },
	{ "1 . port=443 alpn=h2", "000100" "00010003026832" "0003000201bb",
	  "1 . alpn=h2 port=443" },
	{ "1 . alpn=a\\\\bc", "000100" "0001000403616263", "1 . alpn=abc" },
	{ "1 . alpn=\"a b;c\"", "000100" "000100060561" "20623b63", NULL },
	{ "1 . alpn=h2 no-default-alpn", "000100" "00010003026832" "00020000", NULL },
	{ "1 . no-default-alpn=\"\" alpn=h2", "000100" "00010003026832" "00020000",
	  "1 . alpn=h2 no-default-alpn" },
	{ "1 . key1=\\002h2", "000100" "00010003026832", "1 . alpn=h2" },
	{ "1 . key667=", "000100" "029b0000", "1 . key667" },
	{ "1 . key65535=x", "000100" "ffff000178", NULL },
	{ "1 . key667=a\\ b\\\"c", "000100" "029b0005612062" "2263",
	  "1 . key667=\"a b\\\"c\"" },
	{ "1 . ech=AAAA", "000100" "00050003000000", NULL },
	{ "1 . dohpath=/dns-query{?dns}",
	  "000100" "000700102f646e732d71756572797b3f646e737d", NULL },
	{ "1 . ohttp", "000100" "00080000", NULL },
	{ "1 . mandatory=key667 key667=x", "000100" "00000002029b" "029b000178", NULL },
};

static const uint8_t *unhex(struct arena *arena, const char *hex, uint16_t *len)
{
	char text[2048];
	const uint8_t *wire;
	struct why why;

	snprintf(text, sizeof(text), "\\# %zu %s", strlen(hex) / 2, hex);
	assert_int_equal(rdata_parse(65280, text, "hex", arena, &wire, len, &why), OK);
	return wire;
}

static void good_text(void **state)
{
	static const uint16_t types[] = { RR_SVCB, RR_HTTPS };
	struct arena *arena = arena_new();
	struct buf printed = { 0 };
	const uint8_t *wire, *want;
	uint16_t len, want_len;
	struct why why;

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(goods); i++) {
		const struct good *good = &goods[i / 2];
		uint16_t type = types[i % 2];

		print_message("  %s\n", good->text);
		want = unhex(arena, good->wire, &want_len);
		if (rdata_parse(type, good->text, "data", arena, &wire, &len, &why))
			fail_msg("%s", why.text);
		assert_int_equal(len, want_len);
		assert_memory_equal(wire, want, len);
		buf_reset(&printed);
		assert_int_equal(rdata_format(type, wire, len, &printed, &why), OK);
		assert_string_equal(buf_string(&printed),
		                    good->want ? good->want : good->text);
		assert_int_equal(rdata_parse(type, buf_string(&printed), "data", arena,
		                             &wire, &len, &why), OK);
		assert_int_equal(len, want_len);
		assert_memory_equal(wire, want, len);
	}
	buf_clear(&printed);
	arena_free(&arena);
}

/* ---- text that is refused; the first ones are those of RFC 9460, D.3 ---- */

static const struct bad {
	const char *params, *words;
} bads[] = {
	{ "key123=abc key123=def", "'key123' must not appear twice" },
	{ "mandatory", "must be a list of keys" },
	{ "alpn", "one or more protocols" },
	{ "port", "must be a number from 0 to 65535" },
	{ "ipv4hint", "must be a list of IPv4 addresses" },
	{ "ipv6hint", "must be a list of IPv6 addresses" },
	{ "no-default-alpn=abc", "must have no value" },
	{ "mandatory=key123", "the keys that 'mandatory' lists (RFC 9460 8)" },
	{ "mandatory=mandatory", "not 'mandatory' itself (RFC 9460 8)" },
	{ "mandatory=key123,key123 key123=abc", "each once" },
	{ "mandatory=alpn", "the keys that 'mandatory' lists (RFC 9460 8)" },
	{ "mandatory=alpn,port alpn=h2", "the keys that 'mandatory' lists" },
	{ "mandatory=alpn,key7 key7=/{?dns} port=1", "the keys that 'mandatory' lists" },
	{ "no-default-alpn", "without 'alpn' (RFC 9460 7.1.1)" },
	{ "port=1 port=1", "'port' must not appear twice" },
	{ "key3=\\001\\187 port=443", "'port' must not appear twice" },
	{ "key3=x", "'port' a number of two octets" },
	{ "ALPN=h2", "'ALPN' is unknown" },
	{ "key01=x", "'key01' is unknown" },
	{ "key65536=x", "'key65536' is unknown" },
	{ "=x", "'' is unknown" },
	{ "alpn=h2, h3", "'h3' is unknown" },
	{ "alpn=h2,,h3", "none of them empty" },
	{ "alpn=", "none of them empty" },
	{ "alpn=h2\\\\", "must not end in a backslash" },
	{ "alpn=h\"2\"", "a quote in the middle of a value" },
	{ "alpn=\"h2\"x", "a quote in the middle of a value" },
	{ "\"alpn=h2\"", "a quote in the middle" },
	{ "port=65536", "must be a number from 0 to 65535" },
	{ "port=80\\000", "must be a number from 0 to 65535" },
	{ "key667=\\256", "has an invalid escape" },
	{ "ipv4hint=192.0.2.1,", "must be a list of IPv4 addresses" },
	{ "ipv6hint=192.0.2.1", "must be a list of IPv6 addresses" },
	{ "ech=AA", "must be base64" },
	{ "ech", "must be base64" },
	{ "dohpath=dns{?dns}", "(RFC 9461 5)" },
	{ "dohpath=/dns", "(RFC 9461 5)" },
	{ "ohttp=1", "must have no value" },
};

static void bad_text(void **state)
{
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT(bads); i++) {
		char text[256];
		const uint8_t *wire;
		uint16_t len;
		struct why why = { .text = "" };

		snprintf(text, sizeof(text), "1 foo.example.com. %s", bads[i].params);
		assert_int_equal(rdata_parse(RR_SVCB, text, "data", arena, &wire, &len,
		                             &why), ERR_INVALID);
		if (!strstr(why.text, bads[i].words) || strncmp(why.text, "data: ", 6))
			fail_msg("%s: %s", bads[i].params, why.text);
	}
	arena_free(&arena);
}

/* ---- params on the wire ---- */

static void params_on_the_wire(void **state)
{
	static const struct {
		const char *hex;
		bool is_good;
		const char *text;	/* NULL: not printed */
	} cases[] = {
		{ "", true, "" },
		{ "0001000302683200030002" "01bb", true, "alpn=h2 port=443" },
		{ "00030002" "01bb" "00010003026832", false, NULL },
		{ "00010003026832" "00010003026832", false, NULL },
		{ "0003", false, NULL },
		{ "00030002" "01", false, NULL },
		{ "00030001" "01", false, "key3=\"\\001\"" },
		{ "000000020001", false, "mandatory=alpn" },
		{ "00010003036832", false, "key1=\"\\003h2\"" },
		{ "00010000", false, "key1" },
	};
	struct arena *arena = arena_new();
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint16_t len = 0;
		const uint8_t *wire = *cases[i].hex ? unhex(arena, cases[i].hex, &len)
		                                    : (const uint8_t *)"";

		buf_reset(&text);
		assert_int_equal(!svcb_check(wire, len), cases[i].is_good);
		assert_int_equal(svcb_print(wire, len, &text), cases[i].text != NULL);
		if (cases[i].text)
			assert_string_equal(buf_string(&text), cases[i].text);
	}
	buf_clear(&text);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_text),
		cmocka_unit_test(bad_text),
		cmocka_unit_test(params_on_the_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
