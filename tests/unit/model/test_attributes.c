#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdlib.h>
#include <string.h>

#include "model/attributes.h"

#define LONG_64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_get(void **state)
{
	static const struct { const char *json, *want; } rows[] = {
		{ "{}",                           "unchanged" },
		{ "{\"a\": null}",                "unchanged" },
		{ "{\"a\": {}}",                  "" },
		{ "{\"a\": {\"b\": \"x\", \"a\": \"y z\"}}",
		  "{\"a\":\"y z\",\"b\":\"x\"}" },
		{ "{\"a\": {\"t/x:1_-.\": \"ü\"}}", "{\"t/x:1_-.\":\"ü\"}" },
		{ "{\"a\": {\"" LONG_64 "\": \"" LONG_64 LONG_64 "\"}}",
		  "{\"" LONG_64 "\":\"" LONG_64 LONG_64 "\"}" },
		{ "{\"a\": []}",                  NULL },
		{ "{\"a\": {\"\": \"x\"}}",       NULL },
		{ "{\"a\": {\"b c\": \"x\"}}",    NULL },
		{ "{\"a\": {\"ü\": \"x\"}}",      NULL },
		{ "{\"a\": {\"" LONG_64 "0\": \"x\"}}", NULL },
		{ "{\"a\": {\"b\": \"\"}}",       NULL },
		{ "{\"a\": {\"b\": 1}}",          NULL },
		{ "{\"a\": {\"b\": null}}",       NULL },
		{ "{\"a\": {\"b\": \"x\\n\"}}",   NULL },
		{ "{\"a\": {\"b\": \"" LONG_64 LONG_64 "0\"}}", NULL },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		json_t *json = json_loads(rows[i].json, 0, NULL);
		const char *text = "unchanged";
		struct why why = { "" };
		enum err err = attributes_get(json, "a", arena, &text, &why);

		assert_int_equal(err, rows[i].want ? OK : ERR_INVALID);
		if (err)
			assert_memory_equal(why.text, "a:", 2);
		else
			assert_string_equal(text, rows[i].want);
		json_decref(json);
	}
	arena_free(&arena);
}

static void test_bounds(void **state)
{
	struct arena *arena = arena_new();
	json_t *json = json_pack("{s:{}}", "a"), *object = json_object_get(json, "a");
	const char *text = NULL;
	char key[8], value[ATTRIBUTE_VALUE_MAX + 1];
	struct why why;

	(void)state;
	memset(value, '"', ATTRIBUTE_VALUE_MAX);	/* two octets each in the text */
	value[ATTRIBUTE_VALUE_MAX] = '\0';
	for (int i = 0; i < ATTRIBUTES_MAX; i++) {
		snprintf(key, sizeof key, "k%d", i);
		json_object_set_new(object, key, json_string("x"));
	}
	assert_int_equal(attributes_get(json, "a", arena, &text, &why), OK);
	for (int i = 0; i < ATTRIBUTES_MAX; i++) {
		snprintf(key, sizeof key, "k%d", i);
		json_object_set_new(object, key, json_string(value));
	}
	assert_int_equal(attributes_get(json, "a", arena, &text, &why), ERR_INVALID);
	json_object_clear(object);
	for (int i = 0; i <= ATTRIBUTES_MAX; i++) {
		snprintf(key, sizeof key, "k%d", i);
		json_object_set_new(object, key, json_string("x"));
	}
	assert_int_equal(attributes_get(json, "a", arena, &text, &why), ERR_INVALID);
	json_decref(json);
	arena_free(&arena);
}

static void test_parse(void **state)
{
	static const char *const bad[] = { "{", "[]", "{\"a\":\"b\",\"a\":\"c\"}", "x" };
	struct arena *arena = arena_new();
	struct attributes attributes;
	json_t *json;

	(void)state;
	assert_true(attributes_parse("", arena, &attributes));
	assert_int_equal(attributes.count, 0);
	assert_true(attributes_parse("{\"a\":\"x\",\"b\":\"y\"}", arena, &attributes));
	assert_int_equal(attributes.count, 2);
	assert_string_equal(attributes_value(&attributes, "b"), "y");
	assert_null(attributes_value(&attributes, "c"));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_false(attributes_parse(bad[i], arena, &attributes));
		assert_null(attributes_encode(bad[i]));
	}
	json = attributes_encode("{\"a\":\"x\"}");
	assert_string_equal(json_string_value(json_object_get(json, "a")), "x");
	json_decref(json);
	arena_free(&arena);
}

static void test_cover(void **state)
{
	static const struct { const char *has, *wants; bool want; } rows[] = {
		{ "",                          "",                     true  },
		{ "{\"a\":\"x\"}",             "",                     true  },
		{ "",                          "{\"a\":\"x\"}",        false },
		{ "{\"a\":\"x\",\"b\":\"y\"}", "{\"a\":\"x\"}",        true  },
		{ "{\"a\":\"x\"}", "{\"a\":\"x\",\"b\":\"y\"}",        false },
		{ "{\"a\":\"x\"}",             "{\"a\":\"X\"}",        false },
		{ "{\"a\":\"true\"}",          "{\"a\":\"1\"}",        true  },
		{ "{\"a\":\"YES\"}",           "{\"a\":\"on\"}",       true  },
		{ "{\"a\":\"f\"}",             "{\"a\":\"No\"}",       true  },
		{ "{\"a\":\"true\"}",          "{\"a\":\"false\"}",    false },
		{ "{\"a\":\"truth\"}",         "{\"a\":\"true\"}",     false },
		{ "{\"a\":\"01\"}",            "{\"a\":\"1\"}",        false },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct attributes has, wants;

		assert_true(attributes_parse(rows[i].has, arena, &has));
		assert_true(attributes_parse(rows[i].wants, arena, &wants));
		assert_int_equal(attributes_cover(&has, &wants), rows[i].want);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_cover),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
