#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <string.h>

#include "codec_recordset.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PLACE "'name': 'w.example.org.', 'type': 'A'"
#define DATA "'records': ['192.0.2.1']"
#define NO_TTL \
	"changes[0].ttl: is allowed only if op is add, set or delete. A change with " \
	"the op 'expect' does not compare the TTL"

/* WANT: the reason of the refusal; NULL: central accepts the change. */
static const struct { const char *change, *want; size_t count; } cases[] = {
	{ "{'op': 'delete', " PLACE ", " DATA "}", NULL, 1 },
	{ "{'op': 'delete', " PLACE "}", NULL, 0 },
	{ "{'op': 'delete', " PLACE ", 'records': null}", NULL, 0 },
	{ "{'op': 'delete', " PLACE ", 'records': []}",
	  "changes[0].records: must not be empty: leave out `records` to delete the "
	  "whole record set", 0 },
	{ "{'op': 'delete', " PLACE ", 'records': [], 'managed_by': 'ports'}",
	  "changes[0].records: must not be empty: leave out `records` to delete the "
	  "whole record set", 0 },
	{ "{'op': 'add', " PLACE ", 'records': []}",
	  "changes[0].records: must not be empty", 0 },
	{ "{'op': 'add', " PLACE "}", "changes[0].records is missing", 0 },
	{ "{'op': 'set', " PLACE ", 'records': []}", NULL, 0 },
	{ "{'op': 'set', " PLACE ", 'records': null}", "changes[0].records is missing",
	  0 },
	{ "{'op': 'expect', " PLACE ", 'records': []}", NULL, 0 },
	{ "{'op': 'expect', " PLACE "}", "changes[0].records is missing", 0 },
	/* `expect` compares neither the TTL nor the producer */
	{ "{'op': 'expect', " PLACE ", " DATA ", 'ttl': 300}", NO_TTL, 0 },
	{ "{'op': 'expect', " PLACE ", " DATA ", 'ttl': null}", NO_TTL, 0 },
	{ "{'op': 'expect', " PLACE ", " DATA ", 'managed_by': 'ports'}",
	  "changes[0].managed_by: is allowed only if op is add, set or delete", 0 },
	{ "{'op': 'expect', " PLACE ", " DATA ", 'managed_by': null}", NULL, 1 },
	{ "{'op': 'add', " PLACE ", " DATA ", 'ttl': null}", NULL, 1 },
	{ "{'op': 'delete', " PLACE ", " DATA ", 'ttl': 300}", NULL, 1 },
};

/* JSON with ' instead of ". */
static json_t *json_of(const char *text, struct arena *arena)
{
	char *copy = arena_strdup(arena, text);

	for (char *at = copy; (at = strchr(at, '\''));)
		*at = '"';
	return json_loads(copy, 0, NULL);
}

static void changes_are_checked(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arena *arena = arena_new();
		json_t *array = json_pack("[o]", json_of(cases[i].change, arena));
		struct change *changes = NULL;
		struct why why = { "" };
		size_t count = 0;
		enum err err = codec_changes(array, arena, &changes, &count, &why);

		print_message("%s\n", cases[i].change);
		assert_string_equal(why.text, cases[i].want ? cases[i].want : "");
		assert_int_equal(err, cases[i].want ? ERR_INVALID : OK);
		if (!err) {
			assert_int_equal(count, 1);
			assert_int_equal(changes[0].count, cases[i].count);
		}
		json_decref(array);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
