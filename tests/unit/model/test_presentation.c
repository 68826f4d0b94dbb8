#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <stdlib.h>
#include <string.h>

#include "../rounds.h"
#include "model/presentation.h"
#include "model/presentation_field.h"
#include "model/presentation_type.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT64 "01234567890123456789012345678901" "23456789012345678901234567890123"

static struct why why;

static void types(void **state)
{
	static const struct {
		const char *text;
		enum err want;
		uint16_t type;
		const char *printed;
	} cases[] = {
		{ "A",           OK, 1,     "A" },
		{ "aaaa",        OK, 28,    "AAAA" },
		{ "Soa",         OK, 6,     "SOA" },
		{ "HTTPS",       OK, 65,    "HTTPS" },
		{ "TYPE1",       OK, 1,     "A" },
		{ "type65280",   OK, 65280, "TYPE65280" },
		{ "TYPE54",      OK, 54,    "TYPE54" },
		{ "NSAP-PTR",    OK, 23,    "NSAP-PTR" },
		{ "NSEC3PARAM",  OK, 51,    "NSEC3PARAM" },
		{ "TYPE65534",   OK, 65534, "TYPE65534" },
		{ "",            ERR_INVALID, 0, NULL },
		{ "TYPE",        ERR_INVALID, 0, NULL },
		{ "TYPE0",       ERR_INVALID, 0, NULL },
		{ "TYPE65535",   ERR_INVALID, 0, NULL },
		{ "TYPE65536",   ERR_INVALID, 0, NULL },
		{ "TYPE1x",      ERR_INVALID, 0, NULL },
		{ "TYPE-1",      ERR_INVALID, 0, NULL },
		{ "TYPE 1",      ERR_INVALID, 0, NULL },
		{ "A ",          ERR_INVALID, 0, NULL },
		{ "NOSUCH",      ERR_INVALID, 0, NULL },
		{ "NULL",        ERR_INVALID, 0, NULL },
		{ "OPT",         ERR_INVALID, 0, NULL },
		{ "TYPE41",      ERR_INVALID, 0, NULL },
		{ "TSIG",        ERR_INVALID, 0, NULL },
		{ "TKEY",        ERR_INVALID, 0, NULL },
		{ "IXFR",        ERR_INVALID, 0, NULL },
		{ "AXFR",        ERR_INVALID, 0, NULL },
		{ "MAILB",       ERR_INVALID, 0, NULL },
		{ "MAILA",       ERR_INVALID, 0, NULL },
		{ "ANY",         ERR_INVALID, 0, NULL },
		{ "TYPE128",     ERR_INVALID, 0, NULL },
		{ "AAAAAAAAAAAAAAAAAAAAAAAAAAA", ERR_INVALID, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint16_t type = 7;
		char printed[16];

		assert_int_equal(rrtype_parse(cases[i].text, "type", &type, &why),
		                 cases[i].want);
		assert_int_equal(type, cases[i].want ? 7 : cases[i].type);
		if (cases[i].want)
			continue;
		rrtype_format(type, printed);
		assert_string_equal(printed, cases[i].printed);
	}
}

#define BY_NUMBER \
	": if zonefleet does not know a type by its name, write its number and data " \
	"as, for example, TYPE261 \\# 2 0102"

static void similar_types(void **state)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "AAAAA",   "type: must be a record type, not 'AAAAA': did you mean "
		             "'AAAA'?" },
		{ "txtt",    "type: must be a record type, not 'txtt': did you mean "
		             "'TXT'?" },
		{ "MC",      "type: must be a record type, not 'MC': did you mean "
		             "'MX'?" },
		{ "CANME",   "type: must be a record type, not 'CANME': did you mean "
		             "'CNAME'?" },
		{ "NSEC3PARM", "type: must be a record type, not 'NSEC3PARM': did you "
		             "mean 'NSEC3PARAM'?" },
		{ "TYPE1x",  "type: must be a record type, not 'TYPE1x'" BY_NUMBER },
		{ "NINFO",   "type: zonefleet does not know the type 'NINFO' by its "
		             "name: write TYPE56 and its data as \\# LENGTH OCTETS" },
		{ "wallet",  "type: zonefleet does not know the type 'wallet' by its "
		             "name: write TYPE262 and its data as \\# LENGTH OCTETS" },
		{ "FOO",     "type: must be a record type, not 'FOO'" BY_NUMBER },
		{ "IXFF",    "type: must be a record type, not 'IXFF'" BY_NUMBER },
		{ "",        "type: must be a record type, not ''" BY_NUMBER },
	};
	uint16_t type;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(rrtype_parse(cases[i].text, "type", &type, &why),
		                 ERR_INVALID);
		assert_string_equal(why.text, cases[i].want);
	}
}

/* Every type that can be stored has one text, and it is read back. */
static void every_type_has_a_text(void **state)
{
	int storable = 0;

	(void)state;
	for (unsigned number = 0; number < 65536; number++) {
		uint16_t type;
		char text[16];

		rrtype_format(number, text);
		if (rrtype_parse(text, "type", &type, &why))
			continue;
		assert_int_equal(type, number);
		storable++;
	}
	assert_int_equal(storable, 65536 - 1 - 1 - 1 - 128 - 1);
}

struct text_case {
	const char *type, *text;
	const char *want;	/* canonical; NULL: refused */
};

static void check_text(struct arena *arena, const struct text_case *test)
{
	struct buf printed = { 0 };
	const uint8_t *rdata, *again;
	uint16_t type, len, again_len;
	enum err err;

	assert_int_equal(rrtype_parse(test->type, "type", &type, &why), OK);
	why.text[0] = '\0';
	err = rdata_parse(type, test->text, "data", arena, &rdata, &len, &why);
	if (!err != !!test->want)
		print_error("%s %.200s: %s\n", test->type, test->text, why.text);
	assert_int_equal(err, test->want ? OK : ERR_INVALID);
	if (err) {
		assert_memory_equal(why.text, "data: ", 6);
		return;
	}
	assert_int_equal(rdata_format(type, rdata, len, &printed, &why), OK);
	assert_string_equal(buf_string(&printed), test->want);
	assert_int_equal(rdata_parse(type, buf_string(&printed), "data", arena, &again,
	                             &again_len, &why), OK);
	assert_int_equal(again_len, len);
	assert_memory_equal(again, rdata, len);
	buf_clear(&printed);
}

static void check_texts(const struct text_case *cases, size_t count)
{
	struct arena *arena = arena_new();

	for (size_t i = 0; i < count; i++)
		check_text(arena, &cases[i]);
	arena_free(&arena);
}

static void accepted(void **state)
{
	static const struct text_case cases[] = {
		{ "A",     "192.0.2.1",              "192.0.2.1" },
		{ "A",     "  192.0.2.1\t",          "192.0.2.1" },
		{ "A",     "( 192.0.2.1 )",          "192.0.2.1" },
		{ "A",     "\\# 4 c0 00 0201",       "192.0.2.1" },
		{ "AAAA",  "2001:DB8:0::1",          "2001:db8::1" },
		{ "NS",    "NS1.Example.org.",       "NS1.Example.org." },
		{ "CNAME", "a\\.b\\032c.x.",         "a\\.b\\032c.x." },
		{ "CNAME", ".",                      "." },
		{ "MX",    "10  mail.x.",            "10 mail.x." },
		{ "MX",    "0 .",                    "0 ." },
		{ "SRV",   "1 2 65535 h.x.",         "1 2 65535 h.x." },
		{ "SOA",   "a.x. b.x. 4294967295 1h 15m 2w1d 5",
		           "a.x. b.x. 4294967295 3600 900 1296000 5" },
		{ "SOA",   "a.x. b.x. ( 1 2 3 4 5 )", "a.x. b.x. 1 2 3 4 5" },
		{ "TXT",   "hello world",            "\"hello\" \"world\"" },
		{ "TXT",   "\"hello world\"",        "\"hello world\"" },
		{ "TXT",   "\"\"",                   "\"\"" },
		{ "TXT",   "\"a\" \"\" b",           "\"a\" \"\" \"b\"" },
		{ "TXT",   "\"a;b(c)\\\"d\\\\\"",    "\"a;b(c)\\\"d\\\\\"" },
		{ "TXT",   "a\\ b\\;c",              "\"a b;c\"" },
		{ "TXT",   "\\000\\255\\010",        "\"\\000\\255\\010\"" },
		{ "TXT",   "\"caf\xc3\xa9\"",        "\"caf\\195\\169\"" },
		{ "SPF",   "\"v=spf1 -all\"",        "\"v=spf1 -all\"" },
		{ "CAA",   "128 issue \"ca.example.net\"",
		  "128 issue \"ca.example.net\"" },
		{ "CAA",   "0 issue \";\"",          "0 issue \";\"" },
		{ "CAA",   "0 issuewild letsencrypt.org",
		  "0 issuewild \"letsencrypt.org\"" },
		{ "SSHFP", "6 2 00112233445566778899aabbccddeeff"
		           "00112233445566778899aabbccddeeff",
		           "6 2 00112233445566778899aabbccddeeff"
		           "00112233445566778899aabbccddeeff" },
		{ "NAPTR", "100 10 \"S\" \"SIP+D2U\" \"!^.*$! a b !\" _sip._udp.x.",
		           "100 10 \"S\" \"SIP+D2U\" \"!^.*$! a b !\" _sip._udp.x." },
		{ "DS",    "20326 8 1 E06D 44B80B8F1D39A95C0B0D7C65D08458E88040",
		           "20326 8 1 e06d44b80b8f1d39a95c0b0d7c65d08458e88040" },
		{ "DS",    "20326 8 9 E06D 44B8", "20326 8 9 e06d44b8" },
		{ "DS",    "20326 RSASHA256 9 e06d", "20326 8 9 e06d" },
		{ "TLSA",  "3 1 1 00ff",             "3 1 1 00ff" },
		{ "DNSKEY", "257 3 8 AwEA AaY=",     "257 3 8 AwEAAaY=" },
		{ "NSEC",  "b.x. NS TYPE65280 A RRSIG", "b.x. A NS RRSIG TYPE65280" },
		{ "NSEC3PARAM", "1 0 5 -",           "1 0 5 -" },
		{ "NSEC3PARAM", "1 0 5 AABB",        "1 0 5 aabb" },
		{ "NSEC3", "1 1 0 - 2t7b4g4vsa5smi47k61mv5bv1a22bojr A RRSIG",
		           "1 1 0 - 2t7b4g4vsa5smi47k61mv5bv1a22bojr A RRSIG" },
		{ "RRSIG", "A 8 2 300 20260101000000 20250101000000 1 x. AQID",
		           "A 8 2 300 20260101000000 20250101000000 1 x. AQID" },
		{ "RRSIG", "A 8 2 300 1767225600 20250101000000 1 x. AQID",
		           "A 8 2 300 20260101000000 20250101000000 1 x. AQID" },
		{ "HTTPS", "1 . alpn=h3,h2 port=443 ipv4hint=192.0.2.1",
		           "1 . alpn=h3,h2 port=443 ipv4hint=192.0.2.1" },
		{ "SVCB",  "1 s.x. port=1 alpn=\"h2\"", "1 s.x. alpn=h2 port=1" },
		{ "MX",    "0 a\\034B.example.net.",
		           "0 a\\\"B.example.net." },
		{ "NS",    "a\\\"b.x.",             "a\\\"b.x." },
		{ "PTR",   "My\\032Printer\\;\\(\\)\\\\\\.\\000\\255.x.",
		           "My\\032Printer\\;\\(\\)\\\\\\.\\000\\255.x." },
		{ "SVCB",  "1 s.x. key65000=\"a b\"", "1 s.x. key65000=\"a b\"" },
		{ "HTTPS", "0 other.x.",             "0 other.x." },
		{ "IPSECKEY", "10 3 2 Gw.x. AQID",   "10 3 2 Gw.x. AQID" },
		{ "IPSECKEY", "10 1 2 192.0.2.1 AQID", "10 1 2 192.0.2.1 AQID" },
		{ "APL",   "1:192.0.2.0/24 !2:2001:db8::/32",
		           "1:192.0.2.0/24 "
		           "!2:2001:0db8:0000:0000:0000:0000:0000:0000/32" },
		{ "APL",   "",                       "" },
		{ "APL",   "\\# 0",                  "" },
		{ "LOC",   "52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m",
		           "52 22 23.000 N 04 53 32.000 E -2m 0.00m 10000m 10m" },
		{ "URI",   "10 1 \"https://x/ y\"",  "10 1 \"https://x/ y\"" },
		{ "HINFO", "PC-Intel \"Linux 6\"",   "\"PC-Intel\" \"Linux 6\"" },
		{ "EUI48", "00-00-5e-00-53-2a",      "00-00-5e-00-53-2a" },
		{ "CERT",  "PKIX 1 RSASHA256 AQID",  "PKIX 1 8 AQID" },
		{ "HIP",   "\\# 6 010200010102",     "2 01 Ag==" },
		{ "HIP",   "2 200100107B1A74DF365639CC39F1D578 AQID Rvs1.X. rvs2.x.",
		           "2 200100107b1a74df365639cc39f1d578 AQID Rvs1.X. rvs2.x." },
		{ "AMTRELAY", "10 0 0 .",            "10 0 0 ." },
		{ "AMTRELAY", "10 0 1 203.0.113.15", "10 0 1 203.0.113.15" },
		{ "amtrelay", "128 1 2 2001:DB8::15", "128 1 2 2001:db8::15" },
		{ "TYPE260", "10 1 3 amtrelays.X.",  "10 1 3 amtrelays.X." },
		{ "AMTRELAY", "\\# 2 0a80",          "10 1 0 ." },
		{ "NSAP-PTR", "\\# 1 00",            "\\# 1 00" },
		{ "SINK",     "\\# 4 01000041",       "\\# 4 01000041" },
		{ "TYPE65280", "\\# 0",              "\\# 0" },
	};

	(void)state;
	check_texts(cases, COUNT(cases));
}

static void refused(void **state)
{
	static const struct text_case cases[] = {
		{ "A",     "" },
		{ "A",     "192.0.2" },
		{ "A",     "192.0.2.256" },
		{ "A",     "192.0.2.1 192.0.2.2" },
		{ "A",     "\"192.0.2.1\"" },
		{ "A",     "192.0.2.1;" },
		{ "A",     "192.0.2.1\n" },
		{ "A",     "192.0.2.1\r" },
		{ "A",     "(192.0.2.1" },
		{ "A",     "192.0.2.1)" },
		{ "A",     "((192.0.2.1))" },
		{ "A",     "\\# 3 c00002" },
		{ "A",     "\\# 5 c000020100" },
		{ "A",     "\\# 4 c000020" },
		{ "A",     "\\# 4 c0000201 00" },
		{ "A",     "\\# 4" },
		{ "A",     "\\#" },
		{ "A",     "\\# 0" },
		{ "A",     "\\# -1 00" },
		{ "A",     "\\# 65536 00" },
		{ "AAAA",  "2001:db8::g" },
		{ "AAAA",  "192.0.2.1" },
		{ "NS",    "ns1" },
		{ "NS",    "ns1.example.org" },
		{ "NS",    "@" },
		{ "NS",    "ns1..org." },
		{ "NS",    "a\"b.x." },
		{ "NS",    "\\# 2 c000" },		/* compressed */
		{ "NS",    "\\# 4 0161c000" },
		{ "NS",    "\\# 3 016100 ff" },
		{ "SOA",
		  "\\# 26 c000016100000000010000000100000001000000010000000100" },
		{ "MX",    "10 mail" },
		{ "MX",    "mail.x." },
		{ "MX",    "65536 mail.x." },
		{ "MX",    "-1 mail.x." },
		{ "MX",    "0x10 mail.x." },
		{ "MX",    "10 mail.x. y." },
		{ "SRV",   "1 2 3 host" },
		{ "NAPTR", "1 2 \"\" \"\" \"\" host" },
		{ "RP",    "a.x. b" },
		{ "RRSIG", "A 8 2 300 20260101000000 20250101000000 1 x AQID" },
		{ "RRSIG", "A 8 2 300 99999999999 20250101000000 1 x. AQID" },
		{ "NSEC",  "b A" },
		{ "NSEC",  "b.x." },
		{ "NSEC",  "b.x. A NOSUCH" },
		{ "SVCB",  "1 s port=1" },
		{ "SVCB",  "1 s.x. port=1 port=2" },
		{ "SVCB",  "1 s.x. port=x" },
		{ "IPSECKEY", "10 3 2 gw AQID" },
		{ "IPSECKEY", "10 4 2 gw.x. AQID" },
		{ "IPSECKEY", "266 3 2 gw.x. AQID" },
		{ "APL",   "1:192.0.2.0/33" },
		{ "APL",   "3:192.0.2.0/24" },
		{ "APL",   "1:192.0.2.0" },
		{ "DS",    "1 8 2 abc" },
		{ "DS",    "1 8 2 xx" },
		{ "DS",    "1 8 2" },
		{ "DS",    "1 NOSUCH 2 00" },
		{ "CERT",  "+0 1 RSASHA256 AQID" },
		{ "NSEC3PARAM", "1 0 5 abc" },
		{ "DNSKEY", "257 3 8 !!!" },
		{ "TXT",   "" },
		{ "TXT",   "\"open" },
		{ "TXT",   "a\"b\"" },
		{ "TXT",   "\"a\"b" },
		{ "TXT",   "a\\" },
		{ "TXT",   "\\256" },
		{ "TXT",   "\\1a" },
		{ "TXT",   "\"a\nb\"" },
		{ "TXT",   "\"a\x01\"" },
		{ "TXT",   "v=DKIM1; k=rsa" },
		{ "HIP",   "2 200100107B1A74DF365639CC39F1D57 AQID" },
		{ "HIP",   "2 200100107B1A74DF365639CC39F1D578" },
		{ "HIP",   "2 \"00\" AQID" },
		{ "HIP",   "2 00 AQI" },
		{ "HIP",   "2 00 AQID rvs" },
		{ "HIP",   "256 00 AQID" },
		{ "AMTRELAY", "10 0 0 x." },
		{ "AMTRELAY", "10 0 0" },
		{ "AMTRELAY", "10 2 0 ." },
		{ "AMTRELAY", "10 0 1 2001:db8::15" },
		{ "AMTRELAY", "10 0 3 relay" },
		{ "AMTRELAY", "10 0 4 ." },
		{ "AMTRELAY", "10 0 1 203.0.113.15 x" },
		{ "WKS",   "192.0.2.1 tcp smtp" },
		{ "TYPE65280", "abc" },
		{ "TYPE65280", "\\# 1 0" },
		{ "HINFO", TEXT64 TEXT64 TEXT64 TEXT64 " x" },
	};

	(void)state;
	check_texts(cases, COUNT(cases));
}

/* What a person writes is one value: the text that rdata_parse() gets. */
static void one_value_is_quoted(void **state)
{
	static const struct { const char *type, *text, *want; } cases[] = {
		{ "TXT",   "v=spf1 -all",            "\"v=spf1 -all\"" },
		{ "TXT",   "hello",                  "\"hello\"" },
		{ "TXT",   " \thello world \t",      " \t\"hello world\"" },
		{ "TXT",   "v=DKIM1; k=rsa; p=AQ==", "\"v=DKIM1; k=rsa; p=AQ==\"" },
		{ "TXT",   "a (b",                   "\"a (b\"" },
		{ "TXT",   "say \\\"hi\\\"",         "\"say \\\"hi\\\"\"" },
		{ "TXT",   "a\\032b\\;c",            "\"a\\032b\\;c\"" },
		{ "TXT",   "a\\ ",                   "\"a\\ \"" },
		{ "TXT",   "a\\\\ ",                 "\"a\\\\\"" },
		{ "TXT",   "\\#hash",                "\"\\#hash\"" },
		{ "SPF",   "v=spf1 -all",            "\"v=spf1 -all\"" },
		{ "TYPE16", "a b",                   "\"a b\"" },
		{ "X25",   "311061 700956",          "\"311061 700956\"" },
		{ "CAA",   "0 issue ca.example; a=b", "0 issue \"ca.example; a=b\"" },
		{ "CAA",   " 0  issue\t;",           " 0  issue\t\";\"" },
		{ "URI",   "10 1 https://x/ y;z",    "10 1 \"https://x/ y;z\"" },
		/* unchanged */
		{ "TXT",   "\"v=spf1\" \"-all\"",    NULL },
		{ "TXT",   "a \"b c\"",              NULL },
		{ "TXT",   "a\"b",                   NULL },
		{ "TXT",   "",                       NULL },
		{ "TXT",   " ",                      NULL },
		{ "TXT",   "a\\",                    NULL },
		{ "TXT",   "\\# 3 026162",           NULL },
		{ "TXT",   "\\#",                    NULL },
		{ "CAA",   "0 issue \"ca.example\"", NULL },
		{ "CAA",   "0 issue",                NULL },
		{ "CAA",   "0",                      NULL },
		{ "CAA",   "(0 issue ca.example)",   NULL },
		{ "CAA",   "\\# 8 000569737375653b", NULL },
		{ "URI",   "10 1",                   NULL },
		{ "HINFO", "PC Linux",               NULL },
		{ "ISDN",  "150862028003217 004",    NULL },
		{ "GPOS",  "-32.6 116.8 10.0",       NULL },
		{ "NAPTR", "1 1 S SIP !a b! x.",     NULL },
		{ "NSAP-PTR", "foo.x.",              NULL },
		{ "A",     "192.0.2.1",              NULL },
		{ "MX",    "10 mail.x.",             NULL },
		{ "TYPE65280", "abc def",            NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *want = cases[i].want ? cases[i].want : cases[i].text;
		struct buf text = { 0 };
		uint16_t type;

		assert_int_equal(rrtype_parse(cases[i].type, "type", &type, &why), OK);
		assert_int_equal(rdata_quote(type, cases[i].text, &text),
		                 cases[i].want != NULL);
		assert_string_equal(buf_string(&text), want);
		buf_reset(&text);
		assert_false(rdata_quote(type, want, &text));
		assert_string_equal(buf_string(&text), want);	/* once is enough */
		buf_clear(&text);
	}
}

#define IN_QUOTES "data: has too many fields: put each string in quotes"

/* The client does not guess where the quotes of several strings belong. */
static void several_strings_need_quotes(void **state)
{
	static const struct { const char *type, *text; const char *want; } cases[] = {
		{ "HINFO", "PC Linux 6",          IN_QUOTES " (HINFO: \"CPU\" \"OS\")" },
		{ "ISDN",  "1 2 3",               IN_QUOTES " (ISDN: \"ADDRESS\" "
		                                  "[\"SUBADDRESS\"])" },
		{ "GPOS",  "1 2 3 4",             IN_QUOTES " (GPOS: \"LONGITUDE\" "
		                                  "\"LATITUDE\" \"ALTITUDE\")" },
		{ "NAPTR", "1 1 S SIP !a b. x.",  IN_QUOTES " (NAPTR: ORDER PREFERENCE "
		                                  "\"FLAGS\" \"SERVICES\" \"REGEXP\" "
		                                  "REPLACEMENT)" },
		{ "CAA",   "0 issue a b",         IN_QUOTES " (CAA: FLAGS TAG "
		                                  "\"VALUE\")" },
		{ "A",     "192.0.2.1 192.0.2.2", "data: has too many fields" },
		{ "MX",    "10 a.x. b.x.",        "data: has too many fields (MX: "
		                                  "PREFERENCE HOST)" },
		{ "CAA",   "a.example",           "data: field 1 must be a number from 0 "
		                                  "to 255, not 'a.example' (CAA: "
		                                  "FLAGS TAG \"VALUE\")" },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const uint8_t *rdata;
		uint16_t type, len;

		assert_int_equal(rrtype_parse(cases[i].type, "type", &type, &why), OK);
		assert_int_equal(rdata_parse(type, cases[i].text, "data", arena, &rdata,
		                             &len, &why), ERR_INVALID);
		assert_string_equal(why.text, cases[i].want);
	}
	arena_free(&arena);
}

/* Data without a field names the fields of each type that needs several fields. */
static void missing_fields_are_named(void **state)
{
	struct arena *arena = arena_new();
	int forms = 0;

	(void)state;
	for (unsigned type = 1; type < 65535; type++) {
		const ldns_rr_descriptor *layout = field_layout(type);
		const uint8_t *rdata;
		char name[16], want[64];
		uint16_t len;

		if (!layout || presentation_minimum(layout) < 2)
			continue;
		rrtype_format(type, name);
		snprintf(want, sizeof(want), "data: has too few fields (%s: ", name);
		assert_int_equal(rdata_parse(type, "", "data", arena, &rdata, &len, &why),
		                 ERR_INVALID);
		assert_memory_equal(why.text, want, strlen(want));
		size_t words = 1;

		for (const char *at = why.text + strlen(want); *at; at++)
			words += *at == ' ';
		assert_int_equal(words, layout->_maximum);
		forms++;
	}
	assert_true(forms > 30);
	arena_free(&arena);
}

/* TEXT long strings of LEN, quoted or not, end as strings of 255 and a rest. */
static void check_long_string(size_t len, bool quoted, bool fits)
{
	struct arena *arena = arena_new();
	struct buf text = { 0 };
	const uint8_t *rdata;
	uint16_t got;

	buf_text(&text, quoted ? "\"" : "");
	for (size_t i = 0; i < len; i++)
		buf_u8(&text, 'a' + i % 26);
	buf_text(&text, quoted ? "\"" : "");

	enum err err = rdata_parse(RR_TXT, buf_string(&text), "data", arena, &rdata, &got,
	                           &why);

	assert_int_equal(err, fits ? OK : ERR_INVALID);
	for (size_t i = 0; fits && i < len; i++)
		assert_int_equal(rdata[i + i / 255 + 1], 'a' + i % 26);
	for (size_t at = 0; fits && at < got; at += 256)
		assert_int_equal(rdata[at], got - at > 256 ? 255 : got - at - 1);
	buf_clear(&text);
	arena_free(&arena);
}

static void long_strings_are_split(void **state)
{
	static const struct {
		size_t len;
		bool fits;
	} cases[] = {
		{ 1, true }, { 255, true }, { 256, true }, { 510, true }, { 511, true },
		{ 64581, true },	/* RDATA_MAX less a length octet each 255 */
		{ 64582, false }, { 65536, false }, { 4 * 65536, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		check_long_string(cases[i].len, true, cases[i].fits);
		check_long_string(cases[i].len, false, cases[i].fits);
	}
}

/* ldns_wire2rdf() would take the size of the whole rdata for each of these. */
static void many_strings_cost_little(void **state)
{
	struct arena *arena = arena_new();
	struct buf text = { 0 };
	const uint8_t *rdata;
	uint16_t len;

	(void)state;
	for (int i = 0; i < RDATA_MAX; i++)
		buf_text(&text, "\"\" ");
	assert_int_equal(rdata_parse(RR_TXT, buf_string(&text), "data", arena, &rdata,
	                             &len, &why), OK);
	assert_int_equal(len, RDATA_MAX);
	buf_clear(&text);
	arena_free(&arena);
}

/* Lists that ldns has no room for. */
static void long_lists(void **state)
{
	struct arena *arena = arena_new();
	struct buf list = { 0 };
	const uint8_t *rdata;
	uint16_t len;

	(void)state;
	buf_text(&list, "x. ");
	while (list.len < RDATA_MAX_TEXT - 2)
		buf_text(&list, "A ");
	assert_int_equal(rdata_parse(RR_NSEC, buf_string(&list), "data", arena, &rdata,
	                             &len, &why), OK);
	assert_int_equal(len, 3 + 3);
	buf_reset(&list);
	buf_text(&list, "1 . ipv6hint=::");
	while (list.len < 60000)
		buf_text(&list, ",::");
	assert_int_equal(rdata_parse(65, buf_string(&list), "data", arena, &rdata, &len,
	                             &why), ERR_INVALID);
	buf_clear(&list);
	arena_free(&arena);
}

/* ldns has no room of its own for these, and asserts. The list is not valid. */
static void long_parameters_are_printed(void **state)
{
	uint8_t rdata[7 + 1024] = { 0, 1 };	/* priority 1, target ".", mandatory */
	struct buf text = { 0 };

	(void)state;
	rdata[5] = 1024 >> 8;
	for (size_t i = 7; i < sizeof(rdata); i += 2)
		rdata[i + 1] = 2;	/* no-default-alpn */
	assert_int_equal(rdata_format(65, rdata, sizeof(rdata), &text, &why), OK);
	assert_true(text.len > 1024 * 4);
	buf_clear(&text);
}

/* Whatever wire is given: no crash, and text only for what reads back or is refused. */
static void any_wire_is_printed_or_refused(void **state)
{
	struct buf text = { 0 };
	uint8_t rdata[64];

	(void)state;
	srand(3597);
	for (int i = 0; i < rounds(200000); i++) {
		uint16_t len = rand() % sizeof(rdata);

		for (int j = 0; j < len; j++)
			rdata[j] = rand() % 3 ? rand() % 4 : rand();
		buf_reset(&text);
		rdata_format(rand() % 300, rdata, len, &text, &why);
	}
	buf_clear(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types),
		cmocka_unit_test(similar_types),
		cmocka_unit_test(every_type_has_a_text),
		cmocka_unit_test(accepted),
		cmocka_unit_test(refused),
		cmocka_unit_test(one_value_is_quoted),
		cmocka_unit_test(several_strings_need_quotes),
		cmocka_unit_test(missing_fields_are_named),
		cmocka_unit_test(long_strings_are_split),
		cmocka_unit_test(many_strings_cost_little),
		cmocka_unit_test(long_lists),
		cmocka_unit_test(long_parameters_are_printed),
		cmocka_unit_test(any_wire_is_printed_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
