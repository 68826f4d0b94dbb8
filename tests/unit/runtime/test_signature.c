#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "runtime/signature.h"

#define KEY_A "a:AAECAwQFBgcICQoLDA0ODw=="
#define KEY_B "2026-b://////////////////////////////////////////8="
#define TEXT "{\"method\":\"news\"}"
/* By Python's hmac, sent at 1000. */
#define BY_A "2f32416998f688e0ec70762501f22f5273df3e512d175f39ae4bff29dfa50d27"
#define BY_B "07a18cc692c1155b18718fa556ae730c59392fe70e0a9da83582655b5b51575d"

/* ---- keys ---- */

static const struct {
	const char *text;
	size_t count;		/* 0: refused if there is a reason, */
	const char *why;
} key_cases[] = {
	{ "",                                        0, NULL },
	{ " \n\t",                                   0, NULL },
	{ KEY_A,                                     1, NULL },
	{ KEY_A "\n" KEY_B "\n",                     2, NULL },
	{ "  " KEY_B " \r\n " KEY_A,                 2, NULL },
	{ KEY_A " " KEY_A,                           0, "two keys have the id a" },
	{ "a:AAECAwQFBgcICQoLDA0O",                  0, "16 to 64 random octets" },
	{ "a:AAECAwQFBgcICQoLDA0ODw",                0, "16 to 64 random octets" },
	{ "a:",                                      0, "16 to 64 random octets" },
	{ "a",                                       0, "key 1 must be ID:BASE64" },
	{ ":AAECAwQFBgcICQoLDA0ODw==",               0, "key 1 must be ID:BASE64" },
	{ KEY_A " b/c:AAECAwQFBgcICQoLDA0ODw==",     0, "key 2 must be ID:BASE64" },
	{ "a23456789012345678901234567890123:AAECAwQFBgcICQoLDA0ODw==",
	                                             0, "key 1 must be ID:BASE64" },
	{ "1:AAECAwQFBgcICQoLDA0ODw== 2:AAECAwQFBgcICQoLDA0ODw== "
	  "3:AAECAwQFBgcICQoLDA0ODw== 4:AAECAwQFBgcICQoLDA0ODw== "
	  "5:AAECAwQFBgcICQoLDA0ODw== 6:AAECAwQFBgcICQoLDA0ODw== "
	  "7:AAECAwQFBgcICQoLDA0ODw== 8:AAECAwQFBgcICQoLDA0ODw== "
	  "9:AAECAwQFBgcICQoLDA0ODw==",              0, "at most 8 keys" },
	{ "a:AAECAwQFBgcICQoLDA0ODw==AAECAwQFBgcICQoLDA0ODw==AAECAwQFBgcICQoLDA0ODw=="
	  "AAECAwQFBgcICQoLDA0ODw==AAECAwQFBgcICQoLDA0ODw==", 0, "must have at most" },
};

static void test_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof key_cases / sizeof key_cases[0]; i++) {
		struct signature_keys keys = { .count = 99 };
		struct why why = { "" };
		enum err err = signature_keys_parse(key_cases[i].text, &keys, &why);

		assert_int_equal(err, key_cases[i].why ? ERR_INVALID : OK);
		assert_int_equal(keys.count, err ? 99 : key_cases[i].count);
		if (err && !strstr(why.text, key_cases[i].why))
			fail_msg("\"%s\": %s", key_cases[i].text, why.text);
		assert_null(strstr(why.text, "AAEC"));	/* no secret is told */
	}
}

static void keys_read(const char *text, struct signature_keys *keys)
{
	struct why why;

	assert_int_equal(signature_keys_parse(text, keys, &why), OK);
}

/* ---- signatures ---- */

/* Who verifies has KEY_A and KEY_B, and it is NOW. */
static const struct {
	const char *signature, *topic, *text;
	int64_t now;
	enum signature_result want;
} cases[] = {
	{ "1:a:1000:" BY_A,       "minidns", TEXT, 1000,  SIGNATURE_GOOD },
	{ "1:2026-b:1000:" BY_B,  "minidns", TEXT, 1000,  SIGNATURE_GOOD },
	{ "1:a:1000:" BY_A,       "minidns", TEXT, 61000, SIGNATURE_GOOD },
	{ "1:a:1000:" BY_A,       "minidns", TEXT, 61001, SIGNATURE_OLD },
	{ "1:a:1000:" BY_A,       "minidns", TEXT, -59000, SIGNATURE_GOOD },
	{ "1:a:1000:" BY_A,       "minidns", TEXT, -59001, SIGNATURE_AHEAD },
	{ NULL,                   "minidns", TEXT, 1000,  SIGNATURE_MISSING },
	/* what was signed is something else */
	{ "1:a:1000:" BY_A,       "central", TEXT, 1000,  SIGNATURE_WRONG },
	{ "1:a:1000:" BY_A,       "minidn",  TEXT, 1000,  SIGNATURE_WRONG },
	{ "1:a:1000:" BY_A,       "minidns", TEXT " ", 1000, SIGNATURE_WRONG },
	{ "1:a:1000:" BY_A,       "minidns", "",   1000,  SIGNATURE_WRONG },
	{ "1:a:1001:" BY_A,       "minidns", TEXT, 1000,  SIGNATURE_WRONG },
	{ "1:a:01000:" BY_A,      "minidns", TEXT, 1000,  SIGNATURE_WRONG },
	{ "1:a:1000:" BY_B,       "minidns", TEXT, 1000,  SIGNATURE_WRONG },
	{ "1:2026-b:1000:" BY_A,  "minidns", TEXT, 1000,  SIGNATURE_WRONG },
	/* a wrong one is wrong, however old it says that it is */
	{ "1:a:1:" BY_A,          "minidns", TEXT, 99000, SIGNATURE_WRONG },
	{ "1:A:1000:" BY_A,       "minidns", TEXT, 1000,  SIGNATURE_UNKNOWN_KEY },
	{ "1:aa:1000:" BY_A,      "minidns", TEXT, 1000,  SIGNATURE_UNKNOWN_KEY },
	{ "1:2026:1000:" BY_B,    "minidns", TEXT, 1000,  SIGNATURE_UNKNOWN_KEY },
	/* no signature by its form */
	{ "",                     "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "1",                    "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "1:",                   "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "2:a:1000:" BY_A,       "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "1:a:1000:",            "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "1:a::" BY_A,           "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "1::1000:" BY_A,        "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "1:a:-1000:" BY_A,      "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "1:a:1000000000000000:" BY_A, "minidns", TEXT, 1000, SIGNATURE_MALFORMED },
	{ "1:a:1000:" BY_A "0",   "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "1:a:1000:" BY_A ":",   "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "1:a:1000:2f",          "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "1:a:1000:2F32416998F688E0EC70762501F22F5273DF3E512D175F39AE4BFF29DFA50D27",
	                          "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
	{ "1:a23456789012345678901234567890123:1000:" BY_A,
	                          "minidns", TEXT, 1000,  SIGNATURE_MALFORMED },
};

static void test_verify(void **state)
{
	struct signature_keys keys;

	(void)state;
	keys_read(KEY_A " " KEY_B, &keys);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct signed_text what = { cases[i].topic, cases[i].text,
		                                  strlen(cases[i].text) };
		const struct signature_time when = { cases[i].now, 60000 };
		enum signature_result got =
			signature_verify(&keys, &what, cases[i].signature, &when);

		if (got != cases[i].want)
			fail_msg("case %zu, %s: %s, want %s", i, cases[i].signature,
			         signature_result_name(got),
			         signature_result_name(cases[i].want));
		/* without a time, the age does not matter */
		if (signature_is_genuine(got))
			got = SIGNATURE_GOOD;
		assert_int_equal(signature_verify(&keys, &what, cases[i].signature, NULL),
		                 got);
	}
}

static void test_make(void **state)
{
	const struct signed_text what = { "minidns", TEXT, strlen(TEXT) };
	char signature[SIGNATURE_SIZE];
	struct signature_keys keys;

	(void)state;
	keys_read(KEY_B " " KEY_A, &keys);
	signature_make(&keys.key[0], &what, 1000, signature);
	assert_string_equal(signature, "1:2026-b:1000:" BY_B);
	signature_make(&keys.key[1], &what, 1000, signature);
	assert_string_equal(signature, "1:a:1000:" BY_A);
}

/* The longest that can be is made, and read again; one octet of its text matters. */
static void test_largest(void **state)
{
	static char text[1 << 20];
	const struct signed_text what = { "pool_manager.default", text, sizeof text };
	const struct signature_time when = { 999999999999999, 0 };
	char signature[SIGNATURE_SIZE];
	struct signature_keys keys;

	(void)state;
	keys_read("a2345678901234567890123456789012:AAECAwQFBgcICQoLDA0ODw==", &keys);
	signature_make(&keys.key[0], &what, when.now_unix_ms, signature);
	assert_int_equal(signature_verify(&keys, &what, signature, &when),
	                 SIGNATURE_GOOD);
	text[sizeof text - 1] = 1;
	assert_int_equal(signature_verify(&keys, &what, signature, &when),
	                 SIGNATURE_WRONG);
}

/* None of its characters can be another one. */
static void test_each_character(void **state)
{
	const struct signed_text what = { "minidns", TEXT, strlen(TEXT) };
	const struct signature_time when = { 1000, 60000 };
	char signature[SIGNATURE_SIZE];
	struct signature_keys keys;

	(void)state;
	keys_read(KEY_A, &keys);
	signature_make(&keys.key[0], &what, 1000, signature);
	for (char *at = signature; *at; at++)
		for (int c = 1; c < 256; c++) {
			char was = *at;

			*at = (char)c;
			assert_int_equal(signature_verify(&keys, &what, signature, &when)
			                     == SIGNATURE_GOOD, (char)c == was);
			*at = was;
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_verify),
		cmocka_unit_test(test_make),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_each_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
