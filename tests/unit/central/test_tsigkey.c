#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "codec_tsigkey.h"
#include "core/tsigkey.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define SECRET16 "c2l4dGVlbiBvY3RldHMhIQ=="

/* ---- what there may be ---- */

static void test_algorithms(void **state)
{
	static const struct {
		const char *name;
		size_t octets;
	} cases[] = {
		{ "hmac-sha1", 20 }, { "hmac-sha224", 28 }, { "hmac-sha256", 32 },
		{ "hmac-sha384", 48 }, { "hmac-sha512", 64 },
		{ "", 0 }, { "hmac-md5", 0 }, { "hmac-md5.sig-alg.reg.int", 0 },
		{ "hmac-sha256.", 0 }, { "HMAC-SHA256", 0 }, { "hmac-sha256-128", 0 },
		{ "hmac-sha25", 0 }, { "sha256", 0 }, { " hmac-sha256", 0 },
	};
	struct why why;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		enum err want = cases[i].octets ? OK : ERR_INVALID, err;

		assert_int_equal(tsigkey_hash_octets(cases[i].name), cases[i].octets);
		err = tsigkey_check_algorithm(cases[i].name, &why);
		assert_int_equal(err, want);
		assert_in_range(cases[i].octets, 0, TSIGKEY_HASH_MAX);
	}
	assert_int_equal(tsigkey_check_algorithm(TSIGKEY_ALGORITHM, &why), OK);
}

static void test_names(void **state)
{
	static const struct {
		const char *name;
		enum err want;
	} cases[] = {
		{ "xfr.", OK }, { "a.b-c.example.", OK }, { "a_b.", OK },
		{ ".", ERR_INVALID }, { "*.", ERR_INVALID }, { "*.a.", ERR_INVALID },
	};
	struct name name;
	struct why why;
	enum err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		err = name_parse_owner(cases[i].name, "name", &name, &why);
		assert_int_equal(err, OK);
		assert_int_equal(tsigkey_check_name(&name, &why), cases[i].want);
	}
}

/* Every length; the reason has nothing of the text. */
static void test_lengths_of_secrets(void **state)
{
	enum { LEN = TSIGKEY_OCTETS_MAX + 8 };
	uint8_t octets[LEN];
	char text[BASE64_LEN(LEN) + 1];
	struct why why;

	(void)state;
	random_fill(octets, sizeof octets);
	for (size_t len = 0; len <= LEN; len++) {
		bool fits = len >= TSIGKEY_OCTETS_MIN && len <= TSIGKEY_OCTETS_MAX;
		enum err want = fits ? OK : ERR_INVALID;

		base64_encode(octets, len, text);
		assert_int_equal(tsigkey_check_secret(text, &why), want);
		assert_true(fits || !len || !strstr(why.text, text));
	}
}

static void test_secrets(void **state)
{
	static const struct {
		const char *text;
		enum err want;
	} cases[] = {
		{ SECRET16,                     OK          },
		{ " " SECRET16,                 ERR_INVALID },
		{ SECRET16 "\n",                ERR_INVALID },
		{ "c2l4dGVlbiBv Y3RldHMhIQ==",  ERR_INVALID },
		{ "c2l4dGVlbiBvY3RldHMhIQ=",    ERR_INVALID },
		{ "c2l4dGVlbiBvY3RldHMhIQ",     ERR_INVALID },
		{ "c2l4dGVlbiBvY3RldHMhIR==",   ERR_INVALID },
		{ "c2l4dGVlbiBvY3RldHMhIQ====", ERR_INVALID },
		{ "c2l4dGVlbiBv-3RldHMhIQ==",   ERR_INVALID },
	};
	struct why why;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(tsigkey_check_secret(cases[i].text, &why),
		                 cases[i].want);
}

/* ---- from JSON ---- */

struct spec_case {
	const char *json;
	const char *words;	/* of the refusal; NULL: it is good */
};

typedef enum err decode_fn(const json_t *json, struct arena *arena,
                           struct tsigkey_spec *spec, struct why *why);

static enum err decode_values(const json_t *json, struct arena *arena,
                              struct tsigkey_spec *spec, struct why *why)
{
	(void)arena;
	return codec_tsigkey_values(json, spec, why);
}

static void check(decode_fn *decode, const struct spec_case *cases, size_t count)
{
	struct arena *arena = arena_new();

	for (size_t i = 0; i < count; i++) {
		json_t *json = json_loads(cases[i].json, 0, NULL);
		struct tsigkey_spec spec;
		struct why why = { "" };
		enum err err = decode(json, arena, &spec, &why);

		print_message("  %s: %s\n", cases[i].json, why.text);
		assert_int_equal(err, cases[i].words ? ERR_INVALID : OK);
		if (cases[i].words)
			assert_non_null(strstr(why.text, cases[i].words));
		assert_null(strstr(why.text, "c2l4"));
		json_decref(json);
	}
	arena_free(&arena);
}

static void test_specs(void **state)
{
	static const struct spec_case cases[] = {
		{ "{\"name\": \"k.\"}", NULL },
		{ "{\"name\": \"k.\", \"algorithm\": null, \"secret\": null, "
		  "\"domain\": null}", NULL },
		{ "{\"name\": \"k.\", \"secret\": \"" SECRET16 "\", "
		  "\"algorithm\": \"hmac-sha512\", \"domain\": \"example.org.\"}", NULL },
		{ "{}", "tsigkey.name" },
		{ "{\"name\": \"k\"}", "tsigkey.name" },
		{ "{\"name\": \"k k.\"}", "tsigkey.name" },
		{ "{\"name\": \"k\\\\\\\".\"}", "tsigkey.name" },
		{ "{\"name\": \".\"}", "tsigkey.name" },
		{ "{\"name\": \"k.\", \"algorithm\": \"hmac-md5\"}",
		  "tsigkey.algorithm" },
		{ "{\"name\": \"k.\", \"algorithm\": 5}", "tsigkey.algorithm" },
		{ "{\"name\": \"k.\", \"secret\": \"\"}", "tsigkey.secret" },
		{ "{\"name\": \"k.\", \"secret\": \"c2l4dGVlbg==\"}", "tsigkey.secret" },
		{ "{\"name\": \"k.\", \"secret\": \"c2l4dGVlbiBvY3RldHMhIR==\"}",
		  "tsigkey.secret" },
		{ "{\"name\": \"k.\", \"domain\": \"example.org\"}", "tsigkey.domain" },
		{ "{\"name\": \"k.\", \"domain\": 7}", "tsigkey.domain" },
		{ "{\"name\": \"k.\", \"new_secret\": true}", "no field" },
		{ "{\"name\": \"k.\", \"id\": \"x\"}", "no field" },
	};

	(void)state;
	check(codec_tsigkey_spec, cases, COUNT(cases));
}

static void test_values(void **state)
{
	static const struct spec_case cases[] = {
		{ "{}", NULL },
		{ "{\"algorithm\": \"hmac-sha1\"}", NULL },
		{ "{\"secret\": \"" SECRET16 "\"}", NULL },
		{ "{\"secret\": \"" SECRET16 "\", \"new_secret\": false}", NULL },
		{ "{\"secret\": null, \"new_secret\": true}", NULL },
		{ "{\"secret\": \"" SECRET16 "\", \"new_secret\": true}",
		  "values.new_secret" },
		{ "{\"new_secret\": 1}", "values.new_secret" },
		{ "{\"secret\": \"c2l4dGVlbiBvY3RldHMhIQ\"}", "values.secret" },
		{ "{\"algorithm\": \"\"}", "values.algorithm" },
		{ "{\"name\": \"k.\"}", "no field" },
		{ "{\"domain\": null}", "no field" },
	};

	(void)state;
	check(decode_values, cases, COUNT(cases));
}

static void test_what_is_left_out(void **state)
{
	struct arena *arena = arena_new();
	json_t *json = json_pack("{s:s}", "name", "KEY.Example.");
	struct tsigkey_spec spec;
	struct why why;

	(void)state;
	assert_int_equal(codec_tsigkey_spec(json, arena, &spec, &why), OK);
	assert_string_equal(spec.name, "key.example.");
	assert_null(spec.algorithm);
	assert_null(spec.secret);
	assert_false(spec.has_domain);
	json_decref(json);
	arena_free(&arena);
}

/* ---- to JSON ---- */

static void test_what_is_shown_has_no_secret(void **state)
{
	const struct tsigkey key = {
		.id = "1", .name = "k.", .algorithm = "hmac-sha1", .secret = SECRET16,
		.created_at = "then", .updated_at = "now",
	};
	json_t *json = codec_tsigkey_encode(&key);
	char *text = json_dumps(json, 0);

	(void)state;
	assert_null(json_object_get(json, "secret"));
	assert_null(strstr(text, SECRET16));
	assert_true(json_is_null(json_object_get(json, "domain")));
	free(text);
	json_decref(json);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_algorithms),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_lengths_of_secrets),
		cmocka_unit_test(test_secrets),
		cmocka_unit_test(test_specs),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_what_is_left_out),
		cmocka_unit_test(test_what_is_shown_has_no_secret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
