#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* ours is in err.h */

#include <stdlib.h>

#include "tenants.h"

/* Tenants of a table, and which of them are in doubt, as JSON. */
static const struct {
	const char *tenants[4];
	const char *want;
} cases[] = {
	{ { "alice", "bob" }, "[]" },
	{ { "alice", "alice" }, "[]" },
	{ { "alice", "alice " },
	  "[{\"like\": [\"alice \"], \"rows\": {\"t\": 1}, \"tenant\": \"alice\"}, "
	  "{\"like\": [\"alice\"], \"problem\": "
	  "\"tenant: 'alice ' must not begin or end with a blank\", "
	  "\"rows\": {\"t\": 1}, \"tenant\": \"alice \"}]" },
	{ { "Alice", "aLICE" },
	  "[{\"like\": [\"aLICE\"], \"rows\": {\"t\": 1}, \"tenant\": \"Alice\"}, "
	  "{\"like\": [\"Alice\"], \"rows\": {\"t\": 1}, \"tenant\": \"aLICE\"}]" },
	{ { "bob\n" },
	  "[{\"like\": [], \"problem\": "
	  "\"tenant: must not contain a control character\", "
	  "\"rows\": {\"t\": 1}, \"tenant\": \"bob\\\\010\"}]" },
	{ { "\xff" },
	  "[{\"like\": [], \"problem\": \"tenant: must be UTF-8\", "
	  "\"rows\": {\"t\": 1}, \"tenant\": \"\\\\255\"}]" },
	/* letters that only look alike: another tenant, and no doubt */
	{ { "alice", "\xef\xbd\x81lice" }, "[]" },
};

static void test_in_doubt(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tenants *tenants = tenants_new();
		json_t *got;
		char *text;

		for (size_t j = 0; j < 4 && cases[i].tenants[j]; j++)
			tenants_add(tenants, "t", cases[i].tenants[j], 1);
		got = tenants_in_doubt(tenants);
		text = json_dumps(got, JSON_SORT_KEYS);
		assert_string_equal(text, cases[i].want);
		free(text);
		json_decref(got);
		tenants_free(&tenants);
	}
}

/* The rows of each table, of one tenant. */
static void test_rows(void **state)
{
	struct tenants *tenants = tenants_new();
	json_t *got, *rows;

	(void)state;
	tenants_add(tenants, "domains", "bob ", 7);
	tenants_add(tenants, "ports", "bob ", 2);
	got = tenants_in_doubt(tenants);
	assert_int_equal(json_array_size(got), 1);
	rows = json_object_get(json_array_get(got, 0), "rows");
	assert_int_equal(json_integer_value(json_object_get(rows, "domains")), 7);
	assert_int_equal(json_integer_value(json_object_get(rows, "ports")), 2);
	json_decref(got);
	tenants_free(&tenants);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_doubt),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
