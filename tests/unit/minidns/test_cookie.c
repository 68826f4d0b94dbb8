#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cookie.h"

#define A_SECRET "e5e973e5a6b2a43f48e7dc849e37bfcf"
#define OLD_SECRET "dd3bdf9344b678b185a6f5cb60fca715"
#define NEW_SECRET "445536bcd2513298075a5d379663c962"

enum { NOON = 1700000000 };

static struct cookie_secrets secrets_of(const char *current, const char *other)
{
	static const struct siphash_key unset;
	struct cookie_secrets secrets;
	struct why why;

	assert_int_equal(cookie_secrets_parse(&(struct cookie_texts){ current, other },
	                                      &unset, &secrets, &why), OK);
	return secrets;
}

static size_t from_digits(const char *digits, uint8_t *octets)
{
	size_t len = strlen(digits) / 2;

	for (size_t i = 0; i < len; i++)
		assert_int_equal(sscanf(digits + 2 * i, "%2hhx", &octets[i]), 1);
	return len;
}

static struct cookie check(const struct cookie_secrets *secrets, const char *client,
                           const uint8_t *option, size_t len, uint32_t now)
{
	struct address address;

	assert_true(address_parse(client, 40000, &address));
	return cookie_check(secrets, &(struct cookie_request){ option, len, &address,
	                                                       now });
}

/* A cookie that was given out at NOON. */
static struct cookie given(const struct cookie_secrets *secrets, const char *client)
{
	return check(secrets, client, (const uint8_t *)"resolver", COOKIE_CLIENT_LEN,
	             NOON);
}

/* ---- RFC 9018, appendix A ---- */

static const struct vector {
	const char *name, *current, *other, *client;
	uint32_t now;
	const char *option;
	enum cookie_result result;
	const char *answer;
} vectors[] = {
	{ "A.1, a new client", A_SECRET, NULL, "198.51.100.100", 1559731985,
	  "2464c4abcf10c957", COOKIE_CLIENT_ONLY,
	  "2464c4abcf10c957010000005cf79f111f8130c3eee29480" },
	{ "A.2, the same 40 minutes later", A_SECRET, NULL, "198.51.100.100", 1559734385,
	  "2464c4abcf10c957010000005cf79f111f8130c3eee29480", COOKIE_VALID,
	  "2464c4abcf10c957010000005cf7a871d4a564a1442aca77" },
	{ "A.3, its reserved octets are set; it is older than an hour", A_SECRET, NULL,
	  "203.0.113.203", 1559734700,
	  "fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5", COOKIE_BAD,
	  "fc93fc62807ddb86010000005cf7a9acf73a7810aca2381e" },
	{ "A.3, when it was new: as it came", A_SECRET, NULL, "203.0.113.203", 1559727985,
	  "fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5", COOKIE_VALID,
	  "fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5" },
	{ "A.4, IPv6, made with the old secret", NEW_SECRET, OLD_SECRET,
	  "2001:db8:220:1:59de:d0f4:8769:82b8", 1559741961,
	  "22681ab97d52c298010000005cf7c57926556bd0934c72f8", COOKIE_VALID,
	  "22681ab97d52c298010000005cf7c609a6bb79d16625507a" },
	{ "A.4, when the old secret is gone", NEW_SECRET, NULL,
	  "2001:db8:220:1:59de:d0f4:8769:82b8", 1559741961,
	  "22681ab97d52c298010000005cf7c57926556bd0934c72f8", COOKIE_BAD,
	  "22681ab97d52c298010000005cf7c609a6bb79d16625507a" },
};

static void the_rfc_s_vectors_come_out(void **state)
{
	uint8_t option[COOKIE_MAX_LEN], answer[COOKIE_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct vector *row = &vectors[i];
		struct cookie_secrets secrets = secrets_of(row->current, row->other);
		size_t len = from_digits(row->option, option);
		struct cookie cookie =
		    check(&secrets, row->client, option, len, row->now);

		print_message("%s\n", row->name);
		from_digits(row->answer, answer);
		assert_int_equal(cookie.result, row->result);
		assert_memory_equal(cookie.answer, answer, COOKIE_LEN);
		assert_int_equal(cookie.fresh, !!strcmp(row->option, row->answer));
	}
}

/* ---- form and time ---- */

static void a_length_says_what_it_is(void **state)
{
	static const uint8_t zeroes[COOKIE_LEN];
	struct cookie_secrets secrets = secrets_of(A_SECRET, NULL);
	uint8_t option[100] = { 0 };

	(void)state;
	for (size_t len = 0; len <= sizeof(option); len++) {
		struct cookie cookie = check(&secrets, "::1", option, len, NOON);
		bool good = len == 8 || (len >= 16 && len <= 40);

		assert_int_equal(cookie.result, !good      ? COOKIE_MALFORMED
		                                : len == 8 ? COOKIE_CLIENT_ONLY
		                                           : COOKIE_BAD);
		assert_int_equal(cookie.fresh, good);
		assert_int_equal(!memcmp(cookie.answer, zeroes, COOKIE_LEN), !good);
	}
}

/* A server cookie with more behind it is not one of ours. */
static void what_follows_a_valid_one_spoils_it(void **state)
{
	struct cookie_secrets secrets = secrets_of(A_SECRET, NULL);
	struct cookie cookie = given(&secrets, "192.0.2.1");
	uint8_t option[COOKIE_MAX_LEN] = { 0 };

	(void)state;
	memcpy(option, cookie.answer, COOKIE_LEN);
	for (size_t len = 16; len <= sizeof(option); len++)
		assert_int_equal(
		    check(&secrets, "192.0.2.1", option, len, NOON).result,
		    len == COOKIE_LEN ? COOKIE_VALID : COOKIE_BAD);
}

/* With a hash that would be right: a version to come may mean all else by it. */
static void another_version_is_bad(void **state)
{
	struct cookie_secrets secrets = secrets_of(A_SECRET, NULL);
	struct cookie cookie = given(&secrets, "192.0.2.1");
	uint8_t text[20] = { [16] = 192, 0, 2, 1 };

	(void)state;
	for (int version = 0; version < 256; version++) {
		uint64_t hash;

		cookie.answer[8] = version;
		memcpy(text, cookie.answer, 16);
		hash = htole64(siphash(&secrets.key[0], text, sizeof(text)));
		memcpy(cookie.answer + 16, &hash, sizeof(hash));
		assert_int_equal(check(&secrets, "192.0.2.1", cookie.answer, COOKIE_LEN,
		                       NOON).result,
		                 version == 1 ? COOKIE_VALID : COOKIE_BAD);
	}
}

static const struct { int64_t age; enum cookie_result result; bool fresh; } ages[] = {
	{ 0, COOKIE_VALID, false },
	{ 1800, COOKIE_VALID, false },
	{ 1801, COOKIE_VALID, true },
	{ 3600, COOKIE_VALID, true },
	{ 3601, COOKIE_BAD, true },
	{ -1, COOKIE_VALID, false },
	{ -300, COOKIE_VALID, false },
	{ -301, COOKIE_BAD, true },
	{ INT32_MAX, COOKIE_BAD, true },
	{ INT32_MIN, COOKIE_BAD, true },
};

/* RFC 9018 4.3; also when the 32 bits of the time have come to their end. */
static void a_cookie_has_its_time(void **state)
{
	static const uint32_t births[] = { NOON, 0, 200, UINT32_MAX, UINT32_MAX - 1000 };
	struct cookie_secrets secrets = secrets_of(A_SECRET, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(births) / sizeof(births[0]); i++)
		for (size_t j = 0; j < sizeof(ages) / sizeof(ages[0]); j++) {
			struct cookie born =
			    check(&secrets, "::1", (const uint8_t *)"resolver",
			          COOKIE_CLIENT_LEN, births[i]);
			struct cookie cookie =
			    check(&secrets, "::1", born.answer, COOKIE_LEN,
			          births[i] + (uint32_t)ages[j].age);

			assert_int_equal(cookie.result, ages[j].result);
			assert_int_equal(cookie.fresh, ages[j].fresh);
			assert_int_equal(
			    !memcmp(cookie.answer, born.answer, COOKIE_LEN),
			    !ages[j].fresh);
		}
}

/* Whatever is answered is valid, and needs no other, when it comes back at once. */
static void what_is_given_out_is_taken_back(void **state)
{
	struct cookie_secrets secrets = secrets_of(NEW_SECRET, OLD_SECRET);
	uint8_t option[COOKIE_MAX_LEN];

	(void)state;
	srand(1);
	for (int i = 0; i < 20000; i++) {
		size_t len = rand() % 2 ? COOKIE_CLIENT_LEN : 16 + rand() % 25;
		uint32_t now = (uint32_t)rand() * 3;
		struct cookie first, second;

		for (size_t j = 0; j < len; j++)
			option[j] = rand();
		first = check(&secrets, "2001:db8::53", option, len, now);
		second = check(&secrets, "2001:db8::53", first.answer, COOKIE_LEN, now);
		assert_memory_equal(first.answer, option, COOKIE_CLIENT_LEN);
		assert_int_equal(second.result, COOKIE_VALID);
		assert_false(second.fresh);
	}
}

/* ---- whose it is ---- */

static void any_flipped_bit_is_refused(void **state)
{
	struct cookie_secrets secrets = secrets_of(A_SECRET, OLD_SECRET);
	struct cookie cookie = given(&secrets, "192.0.2.1");

	(void)state;
	for (int bit = 0; bit < 8 * COOKIE_LEN; bit++) {
		cookie.answer[bit / 8] ^= 1 << bit % 8;
		assert_int_equal(check(&secrets, "192.0.2.1", cookie.answer, COOKIE_LEN,
		                       NOON).result, COOKIE_BAD);
		cookie.answer[bit / 8] ^= 1 << bit % 8;
	}
}

static void any_other_secret_refuses(void **state)
{
	struct cookie_secrets secrets = secrets_of(A_SECRET, NULL);
	struct cookie cookie = given(&secrets, "192.0.2.1");

	(void)state;
	for (int bit = 0; bit < 8 * SIPHASH_KEY_LEN; bit++) {
		struct cookie_secrets others = secrets;

		others.key[0].octets[bit / 8] ^= 1 << bit % 8;
		assert_int_equal(check(&others, "192.0.2.1", cookie.answer, COOKIE_LEN,
		                       NOON).result, COOKIE_BAD);
	}
}

static void any_other_address_is_refused(void **state)
{
	static const char *const clients[] = { "192.0.2.1", "2001:db8::1" };
	struct cookie_secrets secrets = secrets_of(A_SECRET, NULL);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct cookie cookie = given(&secrets, clients[i]);
		struct address address;
		struct cookie_request request = {
			cookie.answer, COOKIE_LEN, &address, NOON,
		};

		assert_true(address_parse(clients[i], 53, &address));
		assert_int_equal(cookie_check(&secrets, &request).result, COOKIE_VALID);
		for (int bit = 0; bit < address.bits; bit++) {
			address.octets[bit / 8] ^= 1 << bit % 8;
			assert_int_equal(cookie_check(&secrets, &request).result,
			                 COOKIE_BAD);
			address.octets[bit / 8] ^= 1 << bit % 8;
		}
	}
}

/* A client has one cookie, on whichever socket and from whichever port it asks. */
static void a_mapped_address_is_the_one_it_maps(void **state)
{
	struct cookie_secrets secrets = secrets_of(A_SECRET, NULL);
	struct cookie cookie = given(&secrets, "::ffff:192.0.2.1");

	(void)state;
	assert_int_equal(
	    check(&secrets, "192.0.2.1", cookie.answer, COOKIE_LEN, NOON).result,
	    COOKIE_VALID);
}

/* ---- secrets ---- */

static void instances_of_one_secret_agree(void **state)
{
	struct cookie_secrets one = secrets_of(A_SECRET, NULL);
	struct cookie_secrets two =
	    secrets_of("E5E973E5A6B2A43F48E7DC849E37BFCF", OLD_SECRET);
	struct cookie a = given(&one, "::1"), b = given(&two, "::1");

	(void)state;
	assert_memory_equal(a.answer, b.answer, COOKIE_LEN);
	assert_int_equal(check(&two, "::1", a.answer, COOKIE_LEN, NOON).result,
	                 COOKIE_VALID);
	assert_int_equal(check(&one, "::1", b.answer, COOKIE_LEN, NOON).result,
	                 COOKIE_VALID);
}

/* While a fleet goes from step to step, instances of two steps stand side by side. */
static void a_fleet_changes_its_secret_without_a_refusal(void **state)
{
	static const struct cookie_texts steps[] = {
		{ OLD_SECRET, NULL },
		{ OLD_SECRET, NEW_SECRET },
		{ NEW_SECRET, OLD_SECRET },
		{ NEW_SECRET, NULL },
	};

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(steps) / sizeof(steps[0]); i++) {
		struct cookie_secrets here =
		    secrets_of(steps[i].current, steps[i].other);
		struct cookie_secrets there =
		    secrets_of(steps[i + 1].current, steps[i + 1].other);
		struct cookie a = given(&here, "::1"), b = given(&there, "::1");

		assert_int_equal(
		    check(&there, "::1", a.answer, COOKIE_LEN, NOON).result,
		    COOKIE_VALID);
		assert_int_equal(
		    check(&here, "::1", b.answer, COOKIE_LEN, NOON).result,
		    COOKIE_VALID);
	}
}

static const struct { const char *current, *other; bool good; } texts[] = {
	{ NULL, NULL, true },
	{ "", "", true },
	{ A_SECRET, "", true },
	{ A_SECRET, NEW_SECRET, true },
	{ "E5E973E5a6b2a43f48e7dc849e37bfCF", NULL, true },
	{ NULL, A_SECRET, false },			/* the other alone */
	{ "", A_SECRET, false },
	{ "e5e973e5a6b2a43f48e7dc849e37bfc", NULL, false },
	{ "e5e973e5a6b2a43f48e7dc849e37bfcf0", NULL, false },
	{ "e5e973e5a6b2a43f48e7dc849e37bfcg", NULL, false },
	{ "0xe973e5a6b2a43f48e7dc849e37bfcf", NULL, false },
	{ " e5e973e5a6b2a43f48e7dc849e37bfc", NULL, false },
	{ "-5e973e5a6b2a43f48e7dc849e37bfcf", NULL, false },
	{ A_SECRET, "x", false },
	{ A_SECRET, " ", false },
};

static void texts_are_read_or_refused(void **state)
{
	static const struct siphash_key unset = { "sixteen octets!" };
	static const uint8_t a_secret[] = {
		0xe5, 0xe9, 0x73, 0xe5, 0xa6, 0xb2, 0xa4, 0x3f,
		0x48, 0xe7, 0xdc, 0x84, 0x9e, 0x37, 0xbf, 0xcf,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct cookie_texts row = { texts[i].current, texts[i].other };
		struct cookie_secrets secrets = { .count = 77 };
		bool set = row.current && *row.current;
		struct why why;
		enum err err = cookie_secrets_parse(&row, &unset, &secrets, &why);

		print_message("row %zu\n", i);
		assert_int_equal(err, texts[i].good ? OK : ERR_INVALID);
		if (err) {
			assert_int_equal(secrets.count, 77);
			assert_null(strstr(why.text, "e5e9"));
			continue;
		}
		assert_int_equal(secrets.count, 1 + (row.other && *row.other));
		assert_memory_equal(secrets.key[0].octets,
		                    set ? a_secret : unset.octets, SIPHASH_KEY_LEN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rfc_s_vectors_come_out),
		cmocka_unit_test(a_length_says_what_it_is),
		cmocka_unit_test(what_follows_a_valid_one_spoils_it),
		cmocka_unit_test(another_version_is_bad),
		cmocka_unit_test(a_cookie_has_its_time),
		cmocka_unit_test(what_is_given_out_is_taken_back),
		cmocka_unit_test(any_flipped_bit_is_refused),
		cmocka_unit_test(any_other_secret_refuses),
		cmocka_unit_test(any_other_address_is_refused),
		cmocka_unit_test(a_mapped_address_is_the_one_it_maps),
		cmocka_unit_test(instances_of_one_secret_agree),
		cmocka_unit_test(a_fleet_changes_its_secret_without_a_refusal),
		cmocka_unit_test(texts_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
