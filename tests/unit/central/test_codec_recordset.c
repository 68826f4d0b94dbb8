#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "codec_recordset.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ZONEMD "1 241 1 e1846540e33a9e4189792d18d5d131f605fc283e"

/* A record may be older than the rule that its data violates. */
static void rules_about_data(void **state)
{
	static const struct { const char *op, *data; enum err want; } cases[] = {
		{ "add", ZONEMD, ERR_INVALID }, { "set", ZONEMD, ERR_INVALID },
		{ "delete", ZONEMD, OK },       { "expect", ZONEMD, OK },
		{ "delete", "1 241", ERR_INVALID },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arena *arena = arena_new();
		json_t *json = json_pack("[{s:s, s:s, s:s, s:[s]}]", "op", cases[i].op,
		                         "name", "example.org.", "type", "ZONEMD",
		                         "records", cases[i].data);
		struct why why = { .text = "" };
		struct change *changes;
		size_t count;

		print_message("  %s %s\n", cases[i].op, cases[i].data);
		assert_int_equal(codec_changes(json, arena, &changes, &count, &why),
		                 cases[i].want);
		if (!cases[i].want)
			assert_int_equal(changes->records->len, 26);
		json_decref(json);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_about_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
