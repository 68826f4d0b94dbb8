#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "runtime/sql_script.h"

enum { STATEMENTS_MAX = 4 };

static const struct {
	const char *name, *text;
	const char *want[STATEMENTS_MAX];
	int line[STATEMENTS_MAX];
} cases[] = {
	{ "nothing", "", { NULL } },
	{ "blanks and comments only", " \n-- a; b\n# c;\n/* d; */ ;;\n--", { NULL } },
	{ "one, not ended", "SELECT 1", { "SELECT 1" }, { 1 } },
	{ "two, and their lines", "A;\n\n-- c\nB\nC;\n", { "A", "B\nC" }, { 1, 4 } },
	{ "in quotes", "A ';' \";\" `;` B;C", { "A ';' \";\" `;` B", "C" }, { 1, 1 } },
	{ "doubled quotes", "A 'it''s; so';B", { "A 'it''s; so'", "B" }, { 1, 1 } },
	{ "escaped quotes", "A '\\';' \"\\\";\";B",
	  { "A '\\';' \"\\\";\"", "B" }, { 1, 1 } },
	{ "no escapes in names", "A `\\`;B", { "A `\\`", "B" }, { 1, 1 } },
	{ "in comments", "A /* ; ' */ B -- ; '\n, C # ;\n;D",
	  { "A /* ; ' */ B -- ; '\n, C # ;\n", "D" }, { 1, 3 } },
	{ "two minus signs", "A 1--1;B", { "A 1--1", "B" }, { 1, 1 } },
	{ "executable comments are text", "/*! A */;/*M! B */",
	  { "/*! A */", "/*M! B */" }, { 1, 1 } },
	{ "quote without an end", "A 'b;c", { "A 'b;c" }, { 1 } },
	{ "escape at the end", "A '\\", { "A '\\" }, { 1 } },
	{ "comment without an end", "A /* b;c", { "A /* b;c" }, { 1 } },
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct script script = script_start(cases[i].text);

		print_message("%s\n", cases[i].name);
		for (int n = 0; n < STATEMENTS_MAX && cases[i].want[n]; n++) {
			assert_true(script_next(&script));
			assert_int_equal(script.len, strlen(cases[i].want[n]));
			assert_memory_equal(script.statement, cases[i].want[n],
			                    script.len);
			assert_int_equal(script.line, cases[i].line[n]);
		}
		assert_false(script_next(&script));
		assert_false(script_next(&script));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
