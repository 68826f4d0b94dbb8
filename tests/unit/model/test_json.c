#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <string.h>

#include "model/json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ARRAYS_31 "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
#define CLOSE_31  "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"

static struct why why;

static void bodies(void **state)
{
	static const struct {
		const char *body;
		enum err want;
	} cases[] = {
		{ "{}",                                     OK },
		{ " {\"a\": 1} \n",                         OK },
		{ "{\"a\":" ARRAYS_31 CLOSE_31 "}",         OK },
		{ "{\"a\":[" ARRAYS_31 CLOSE_31 "]}",       ERR_INVALID },
		{ "{\"a\":\"" ARRAYS_31 ARRAYS_31 "\"}",    OK },
		{ "{\"a\":\"\\\"" ARRAYS_31 ARRAYS_31 "\"}", OK },
		{ "{\"a\":\"\\\\\",\"b\":" ARRAYS_31 "[" CLOSE_31 "]}", ERR_INVALID },
		{ "{\"a\":[]]]]]]]]]]]]]]]]]" ARRAYS_31 ARRAYS_31, ERR_INVALID },
		{ "",                                       ERR_INVALID },
		{ "[]",                                     ERR_INVALID },
		{ "1",                                      ERR_INVALID },
		{ "null",                                   ERR_INVALID },
		{ "{} {}",                                  ERR_INVALID },
		{ "{\"a\":1,\"a\":2}",                      ERR_INVALID },
		{ "{\"b\":{\"a\":1,\"a\":2}}",              ERR_INVALID },
		{ "{\"a\":1",                               ERR_INVALID },
		{ "{\"a\":\"",                              ERR_INVALID },
		{ "{\"a\":\"\\",                            ERR_INVALID },
		{ "{\"a\":\"\xff\"}",                       ERR_INVALID },
		{ "{\"a\":\"\\u0000\"}",                    ERR_INVALID },
		{ "{\"a\":99999999999999999999}",           ERR_INVALID },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *object = NULL;
		enum err err = json_decode_object(cases[i].body, strlen(cases[i].body),
		                                  1000, &object, &why);

		assert_int_equal(err, cases[i].want);
		assert_int_equal(!object, !!err);
		json_decref(object);
	}
}

static void size_is_capped(void **state)
{
	json_t *object;

	(void)state;
	assert_int_equal(json_decode_object("{ }", 3, 2, &object, &why), ERR_TOO_LARGE);
	assert_int_equal(json_decode_object("{ }", 3, 3, &object, &why), OK);
	json_decref(object);
	assert_int_equal(json_decode_object("{}\0", 3, 9, &object, &why), ERR_INVALID);
}

enum kind { TEXT, U32, INT, BOOL, OBJECT, ARRAY, ID, KINDS };

/* Reads field "x"; true in *touched when the result was written. */
static enum err get(const json_t *object, enum kind kind, int flags, bool *touched)
{
	const char *text = NULL;
	const json_t *json = NULL;
	uint32_t u32 = 77;
	int64_t number = 77;
	bool flag = false;
	char id[33] = "";
	enum err err = OK;

	switch (kind) {
	case TEXT:
		err = json_get_text(object, "x", flags, 3, &text, &why);
		break;
	case U32:
		err = json_get_u32(object, "x", flags, 4294967295u, &u32, &why);
		break;
	case INT:
		err = json_get_int(object, "x", flags, -5, 5, &number, &why);
		break;
	case BOOL:
		err = json_get_bool(object, "x", flags, &flag, &why);
		break;
	case OBJECT:
		err = json_get_object(object, "x", flags, &json, &why);
		break;
	case ARRAY:
		err = json_get_array(object, "x", flags, 2, &json, &why);
		break;
	case ID:
		err = json_get_id(object, "x", flags, id, &why);
		break;
	case KINDS:
		break;
	}
	*touched = text || u32 != 77 || number != 77 || flag || json || id[0];
	return err;
}

#define HEX32 "0123456789abcdef0123456789abcdef"

/* Each value against each getter: only those named in `fits` may take it. */
static void getters(void **state)
{
	static const struct {
		const char *value;
		unsigned fits;
	} cases[] = {
		{ "\"abc\"",             1 << TEXT },
		{ "\"\"",                1 << TEXT },
		{ "\"abcd\"",            0 },
		{ "\"" HEX32 "\"",       1 << ID },
		{ "\"01234567-89ab-cdef-0123-456789abcdef\"", 1 << ID },
		{ "\"" HEX32 "0\"",      0 },
		{ "0",                   1 << U32 | 1 << INT },
		{ "5",                   1 << U32 | 1 << INT },
		{ "6",                   1 << U32 },
		{ "-5",                  1 << INT },
		{ "-6",                  0 },
		{ "4294967295",          1 << U32 },
		{ "4294967296",          0 },
		{ "9223372036854775807", 0 },
		{ "1.0",                 0 },
		{ "true",                1 << BOOL },
		{ "{}",                  1 << OBJECT },
		{ "[]",                  1 << ARRAY },
		{ "[1,2]",               1 << ARRAY },
		{ "[1,2,3]",             0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *object = json_object();

		json_object_set_new(object, "x", json_loads(cases[i].value,
		                                            JSON_DECODE_ANY, NULL));
		for (enum kind kind = 0; kind < KINDS; kind++) {
			bool touched, fits = cases[i].fits & 1u << kind;

			why.text[0] = '\0';
			assert_int_equal(get(object, kind, 0, &touched),
			                 fits ? OK : ERR_INVALID);
			assert_int_equal(touched, fits);
			assert_memory_equal(why.text, fits ? "" : "x: ", fits ? 1 : 3);
		}
		json_decref(object);
	}
}

static void absent_and_null_are_one(void **state)
{
	static const char *const bodies_without[] = { "{}", "{\"x\":null}", "{\"y\":1}" };

	(void)state;
	for (size_t i = 0; i < COUNT(bodies_without); i++) {
		json_t *object = json_loads(bodies_without[i], 0, NULL);

		for (enum kind kind = 0; kind < KINDS; kind++) {
			bool touched;

			assert_int_equal(get(object, kind, 0, &touched), OK);
			assert_false(touched);
			assert_int_equal(get(object, kind, JSON_REQUIRED, &touched),
			                 ERR_INVALID);
			assert_string_equal(why.text, "x is missing");
			assert_false(touched);
		}
		json_decref(object);
	}
}

static void false_is_a_bool(void **state)
{
	json_t *object = json_pack("{s:b}", "x", 0);
	bool flag = true;

	(void)state;
	assert_int_equal(json_get_bool(object, "x", JSON_REQUIRED, &flag, &why), OK);
	assert_false(flag);
	json_decref(object);
}

static void only_known_fields(void **state)
{
	static const struct json_field fields[] = {
		{ "a", "number", "one", .is_fixed = true }, { "b", "null", "other" },
		{ 0 }
	};
	json_t *object = json_pack("{s:i, s:n}", "a", 1, "b");

	(void)state;
	assert_int_equal(json_only_fields(object, fields, "domain", &why), OK);
	assert_int_equal(json_only_changes(object, fields, "values", &why), ERR_INVALID);
	assert_string_equal(why.text, "values has no field 'a'");
	json_object_set_new(object, "c", json_null());
	assert_int_equal(json_only_fields(object, fields, "domain", &why), ERR_INVALID);
	assert_string_equal(why.text, "domain has no field 'c'");
	json_decref(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies),
		cmocka_unit_test(size_is_capped),
		cmocka_unit_test(getters),
		cmocka_unit_test(absent_and_null_are_one),
		cmocka_unit_test(false_is_a_bool),
		cmocka_unit_test(only_known_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
