#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/id.h"
#include "core/mark.h"
#include "core/mark_seal.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD "heritage=external-dns,external-dns/owner=owner,external-dns/resource="

/*
 * Made by python3-cryptography's AESGCM and Python's gzip; the nonce of row N is N, then
 * N and 17, N and 34 ...
 */
static const char key_text[] = "0123456789abcdefghijklmnopqrstuv";
static const struct {
	const char *text, *sealed;
} vectors[] = {
	{ HEAD "ingress/default/my-ingress",
	  "ABEiM0RVZneImaq74gVHu7Lr942Yb7/2hZqLaWeoKh/dxLp+oXZMKrxXUvlw/TNtllbf"
	  "WOdl/B+g7qJh0nwUoQszjF16g8latCaEBDEcxEL7DgSFH3wIDpA1mT39fZRhYYJ/L0Gc"
	  "YUHxUufbXL+e" },
	/* with a file's name and a time */
	{ HEAD "service/default/web",
	  "ARIjNEVWZ3iJmqu8RlFJykkeMGm0i7uooXOcmFDqWFnFkGoAOZImtpbBD7UmynhmMAcn"
	  "YLpOzUFoEHsxbP4DamlvHYLYDQdLH9aNPkwum5zwPXnTfJEGOoVL3vgTmgPow2hSo1C8"
	  "+BOvS0lgtn1JokKpIXYLOXE=" },
	/* flushed and then closed, as Go does it */
	{ HEAD "service/default/web",
	  "AhMkNUZXaHmKm6y91SXyfpkhwFLWT3hSs8k+V/dJoO2TZ3C0a+X5LNSAzov2NyLYAzkw"
	  "cIhteSrNRtlm358P4b1fFKfYcK49UN6XuNCQgRUnapfil16BU6M95ZBORTe5bMTZgOGq"
	  "DaSGzhCY01/gZ5DMV0Nl" },
	/* not compressed */
	{ "external-dns-1",
	  "AxQlNkdYaXqLnK2+O8znNR4lrPbrLuyP74ut9clQT9XtpVYS8CzSYUCXXXP21RuwMz80"
	  "vMVSNLzy//WURK6Amgs=" },
	{ "",
	  "BBUmN0hZanuMna6/YGKNuUBM2zikeksi8OpJkl3Ny5Dk8FO/DIi7LCR+p4ehgY0/" },
	{ "F\xc3\xa4hre",
	  "BRYnOElaa3yNnq/AP/RpLPiAd1u02AbevzITz8PiW1W8jQ2gWAR2FNmIinljogpUN0S4"
	  "8uMi" },
};

/* Of MARK_TEXT_MAX times "a". */
static const char longest[] =
	"BhcoOUpbbH2On7DBqg5A7rQ21X39djAJv4EeHg60HWA4HIgr6P1Kj0HWsElcQ7QC1GKX"
	"vX5BnCY3w0TwV/nJyWqCGb8=";

/* Sealed with the key, and still no gzip of a text that may be. */
static const char *const refused[] = {
	/* and once more */
	"BxgpOktcbX6PoLHCTtwU0WfTSS5LRLOeHrvs0dWFVCBlisUsQ/5AjPyjbT8FkhF7q1Zg"
	"+pgjdLSPXpRKo3tyTlsOpHA=",
	/* a zero within */
	"CBkqO0xdbn+QobLDsomEuAbyy3S4OR1kyJd0YeJPYxfZmBdqx9tL4rKJl6CU1lzJVMAY",
	/* two in a row */
	"CRorPE1eb4CRorPEBiQ2bMJf3nPZvSKejIV2IyoEuxkJZAjpTkSAP02UzBFg0Jod1wCI"
	"4knwr7mJouFtj1ijck8vLIQBmg==",
	/* an octet behind it */
	"ChssPU5fcIGSo7TFxqsD3+j7sHdoyJmljTaq6y9j1sMemax4P3glqlLGkpwsHEUsBJE=",
	/* without its last octet */
	"CxwtPk9gcYKTpLXGFPxHMawNwW3dESHTOHPE8ESGTCOdkVGCCEpMI0fBMLYMKLq0NeI=",
	/* another checksum */
	"DB0uP1BhcoOUpbbHQceV7SRnCqmyg73gPFdmWGWJqTD+MaZzB9eSu9b7P2xEmvYG9sZZ",
	/* zlib's own form */
	"DR4vQFFic4SVprfIRRSwM/uL+mwAEVu3H6bT1x1aMMikqD38fyel",
	/* not compressed at all */
	"Dh8wQVJjdIWWp7jJyT4uAaT1fbXnvy4nTWd2jyftgw==",
	/* nothing at all */
	"DyAxQlNkdYaXqLnKDyVgPnIPJ7w4uouPXPbXxg==",
};

static const uint8_t *const key = (const uint8_t *)key_text;
static const uint8_t some_nonce[MARK_NONCE] = "a nonce, 12";

/* Opens it; what is refused leaves nothing behind. */
static bool opens(const uint8_t *with, const char *sealed, struct buf *plain,
                  uint8_t nonce[MARK_NONCE])
{
	static const uint8_t before[MARK_NONCE] = "untouched";

	memcpy(nonce, before, MARK_NONCE);
	*plain = (struct buf){ 0 };
	buf_text(plain, "plain:");
	if (mark_open(with, sealed, plain, nonce)) {
		assert_memory_equal(plain->data, "plain:", 6);
		memmove(plain->data, plain->data + 6, plain->len - 6 + 1);
		plain->len -= 6;
		return true;
	}
	assert_string_equal(buf_string(plain), "plain:");
	assert_memory_equal(nonce, before, MARK_NONCE);
	buf_clear(plain);
	return false;
}

static void check_opens(const char *sealed, const char *want, const uint8_t *sealed_with)
{
	uint8_t nonce[MARK_NONCE];
	struct buf plain;

	assert_true(opens(key, sealed, &plain, nonce));
	assert_int_equal(plain.len, strlen(want));
	assert_string_equal(buf_string(&plain), want);
	assert_memory_equal(nonce, sealed_with, MARK_NONCE);
	buf_clear(&plain);
}

static void check_refused(const uint8_t *with, const char *sealed)
{
	uint8_t nonce[MARK_NONCE];
	struct buf plain;

	assert_false(opens(with, sealed, &plain, nonce));
}

static void check_octets_refused(const uint8_t *octets, size_t len)
{
	char *text = malloc(BASE64_LEN(len) + 1);

	base64_encode(octets, len, text);
	check_refused(key, text);
	free(text);
}

static struct buf seal(const uint8_t nonce[MARK_NONCE], const char *text)
{
	struct buf sealed = { 0 };

	mark_seal(key, nonce, text, &sealed);
	return sealed;
}

static void nonce_of_row(size_t row, uint8_t nonce[MARK_NONCE])
{
	for (size_t i = 0; i < MARK_NONCE; i++)
		nonce[i] = (uint8_t)(row + 17 * i);
}

static void what_another_sealed_is_read(void **state)
{
	char text[MARK_TEXT_MAX + 1];
	uint8_t nonce[MARK_NONCE];

	(void)state;
	for (size_t i = 0; i < COUNT(vectors); i++) {
		nonce_of_row(i, nonce);
		check_opens(vectors[i].sealed, vectors[i].text, nonce);
	}
	memset(text, 'a', MARK_TEXT_MAX);
	text[MARK_TEXT_MAX] = '\0';
	nonce_of_row(COUNT(vectors), nonce);
	check_opens(longest, text, nonce);
}

static void what_is_no_gzip_of_a_text_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) {
		print_message("  %s\n", refused[i]);
		check_refused(key, refused[i]);
	}
}

static void what_is_not_sealed_is_refused(void **state)
{
	static const char *const texts[] = {
		"", "=", "AAAA", HEAD "service/default/web", "external-dns-1", "\"",
		"\xff", "AAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		check_refused(key, texts[i]);
}

/* In the first 26 digits are the nonce and gzip's head, which has no name and no time. */
static void a_text_is_sealed_alike_always(void **state)
{
	struct buf one, again;
	uint8_t nonce[MARK_NONCE];

	(void)state;
	nonce_of_row(0, nonce);
	one = seal(nonce, vectors[0].text);
	again = seal(nonce, vectors[0].text);
	assert_string_equal(buf_string(&one), buf_string(&again));
	assert_memory_equal(one.data, vectors[0].sealed, 26);
	buf_clear(&again);

	again = seal(some_nonce, vectors[0].text);
	assert_string_not_equal(buf_string(&one), buf_string(&again));
	buf_clear(&again);
	buf_clear(&one);
}

static void it_is_appended(void **state)
{
	struct buf sealed = { 0 };

	(void)state;
	buf_text(&sealed, "\"");
	mark_seal(key, some_nonce, "text", &sealed);
	assert_int_equal(sealed.data[0], '"');
	check_opens(buf_string(&sealed) + 1, "text", some_nonce);
	buf_clear(&sealed);
}

/* Noise, which gzip makes longer, and words, which it makes shorter. */
static void texts_of_any_length_come_back(void **state)
{
	static const char words[] = HEAD "service/default/web,";
	char noise[MARK_TEXT_MAX + 1], wordy[MARK_TEXT_MAX + 1];
	uint8_t nonce[MARK_NONCE];

	(void)state;
	srandom(1);
	for (size_t len = 0; len <= MARK_TEXT_MAX; len++) {
		const char *const texts[] = { noise, wordy };

		noise[len] = wordy[len] = '\0';
		for (size_t i = 0; i < COUNT(texts); i++) {
			random_fill(nonce, sizeof(nonce));

			struct buf sealed = seal(nonce, texts[i]);

			check_opens(buf_string(&sealed), texts[i], nonce);
			buf_clear(&sealed);
		}
		noise[len] = (char)(random() % 255 + 1);
		wordy[len] = words[len % strlen(words)];
	}
}

/* Of "a": 16 MiB are some 16 KiB in gzip, so that they would fit into a record. */
static void what_grows_without_end_is_refused(void **state)
{
	static const size_t lengths[] = { MARK_TEXT_MAX + 1, 1u << 16, 1u << 24 };

	(void)state;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		char *text = malloc(lengths[i] + 1);
		struct buf sealed;

		memset(text, 'a', lengths[i]);
		text[lengths[i]] = '\0';
		sealed = seal(some_nonce, text);
		assert_true(sealed.len < 1u << 15);
		check_refused(key, buf_string(&sealed));
		buf_clear(&sealed);
		free(text);
	}
}

static void each_bit_that_is_flipped_is_seen(void **state)
{
	uint8_t octets[200], other_key[MARK_KEY];
	ssize_t len = base64_decode(vectors[0].sealed, octets, sizeof(octets));

	(void)state;
	assert_true(len > 0);
	for (size_t bit = 0; bit < 8 * (size_t)len; bit++) {
		octets[bit / 8] ^= (uint8_t)(1u << bit % 8);
		check_octets_refused(octets, (size_t)len);
		octets[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t bit = 0; bit < 8 * MARK_KEY; bit++) {
		memcpy(other_key, key, MARK_KEY);
		other_key[bit / 8] ^= (uint8_t)(1u << bit % 8);
		check_refused(other_key, vectors[0].sealed);
	}
}

static void what_is_cut_off_or_goes_on_is_refused(void **state)
{
	char text[400] = "";
	uint8_t octets[200] = { 0 };
	ssize_t len = base64_decode(vectors[0].sealed, octets, sizeof(octets));

	(void)state;
	assert_true(len > 0 && (size_t)len < sizeof(octets));
	for (size_t part = 0; part < strlen(vectors[0].sealed); part++) {
		memcpy(text, vectors[0].sealed, part);
		check_refused(key, text);
	}
	for (size_t part = 0; part < (size_t)len; part++) {
		check_octets_refused(octets, part);
		check_octets_refused(octets + 1 + part, (size_t)len - 1 - part);
	}
	check_octets_refused(octets, (size_t)len + 1);
}

static const struct {
	const char *text;
	const char *octets;		/* NULL: refused */
} keys[] = {
	{ "0123456789abcdefghijklmnopqrstuv", "0123456789abcdefghijklmnopqrstuv" },
	{ "s%zF`.*'5`9.AhI2!B,.~hmbs^.*TL?;", "s%zF`.*'5`9.AhI2!B,.~hmbs^.*TL?;" },
	{ "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
	{ "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=",
	  "0123456789abcdefghijklmnopqrstuv" },
	{ "+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=",
	  "\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb"
	  "\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb" },
	{ "-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s=",
	  "\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb"
	  "\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb\xfb" },
	{ "" },
	{ "0123456789abcdefghijklmnopqrstu" },
	{ "0123456789abcdefghijklmnopqrstuvw" },
	{ "0123456789abcdefghijklmnopqrstuv\n" },
	{ "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=\n" },
	{ "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY" },
	{ "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dQ==" },	/* 31 */
	{ "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3" },	/* 33 */
	{ "+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7-_s=" },	/* both alphabets */
};

static void which_texts_are_keys(void **state)
{
	static const uint8_t before[MARK_KEY] = "untouched";

	(void)state;
	for (size_t i = 0; i < COUNT(keys); i++) {
		const char *want = keys[i].octets;
		uint8_t got[MARK_KEY];
		struct why why = { "" };

		memcpy(got, before, MARK_KEY);
		assert_int_equal(mark_key_parse(keys[i].text, "mark_key", got, &why),
		                 want ? OK : ERR_INVALID);
		assert_memory_equal(got, want ? (const void *)want : before, MARK_KEY);
		if (want)
			continue;
		assert_memory_equal(why.text, "mark_key: ", 10);
		assert_true(!*keys[i].text || !strstr(why.text, keys[i].text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_another_sealed_is_read),
		cmocka_unit_test(what_is_no_gzip_of_a_text_is_refused),
		cmocka_unit_test(what_is_not_sealed_is_refused),
		cmocka_unit_test(a_text_is_sealed_alike_always),
		cmocka_unit_test(it_is_appended),
		cmocka_unit_test(texts_of_any_length_come_back),
		cmocka_unit_test(what_grows_without_end_is_refused),
		cmocka_unit_test(each_bit_that_is_flipped_is_seen),
		cmocka_unit_test(what_is_cut_off_or_goes_on_is_refused),
		cmocka_unit_test(which_texts_are_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
