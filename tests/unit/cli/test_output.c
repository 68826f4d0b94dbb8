#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void escaping(void **state)
{
	static const struct {
		const char *text, *want;
		size_t columns;
	} cases[] = {
		/* at the end: CSI in one, right to left, of no width, broken, overlong */
		{ "",                        "",                         0 },
		{ "www.example.org.",        "www.example.org.",         16 },
		{ "a b\"\\",                 "a b\"\\",                  5 },
		{ "\033[31mred",             "\\027[31mred",             11 },
		{ "two\nlines\r",            "two\\010lines\\013",       16 },
		{ "\x7f",                    "\\127",                    4 },
		{ "gr\xc3\xbc\xc3\x9f" "e",  "gr\xc3\xbc\xc3\x9f" "e",   5 },
		{ "\xe6\x9d\xb1",            "\xe6\x9d\xb1",             2 },	/* wide */
		{ "\xc2\x9b" "31m",          "\\194\\15531m",            11 },
		{ "\xe2\x80\xae" "gro",      "\\226\\128\\174gro",       15 },
		{ "\xe2\x80\x8b",            "\\226\\128\\139",          12 },
		{ "a\xff" "b",               "a\\255" "b",               6 },
		{ "cut \xe6\x9d",            "cut \\230\\157",           12 },
		{ "\xc0\xaf",                "\\192\\175",               8 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf to = { 0 };

		assert_int_equal(output_escape(cases[i].text, &to), cases[i].columns);
		assert_string_equal(buf_string(&to), cases[i].want);
		buf_clear(&to);
	}
}

/* Whatever the bytes: what comes out has no control character, and is as it is again. */
static void escaping_is_harmless(void **state)
{
	(void)state;
	for (unsigned a = 1; a < 256; a++) {
		for (unsigned b = 1; b < 256; b++) {
			const char text[] = { (char)a, (char)b, 'x', '\0' };
			struct buf once = { 0 }, twice = { 0 };

			output_escape(text, &once);
			for (size_t i = 0; i < once.len; i++)
				assert_true(once.data[i] >= ' ' && once.data[i] != 0x7f);
			output_escape(buf_string(&once), &twice);
			assert_string_equal(buf_string(&once), buf_string(&twice));
			buf_clear(&once);
			buf_clear(&twice);
		}
	}
}

/* ---- tables ---- */

static const struct column columns[] = {
	{ "NAME",   COLUMN_LEFT },
	{ "SERIAL", COLUMN_RIGHT },
	{ "STATUS", COLUMN_STATUS },
	{ 0 }
};

struct printed {
	char *text;
	size_t len;
	FILE *to;
};

static void printed_open(struct printed *printed)
{
	*printed = (struct printed){ 0 };
	printed->to = open_memstream(&printed->text, &printed->len);
}

static void assert_printed(struct printed *printed, const char *want)
{
	fflush(printed->to);
	assert_string_equal(printed->text, want);
	fclose(printed->to);
	free(printed->text);
}

static void add_row(struct table *table, const char *name, int64_t serial,
                    const char *status)
{
	table_text(table, name);
	table_number(table, serial);
	table_text(table, status);
}

static void layout(void **state)
{
	static const struct {
		struct output out;
		const char *want;
	} cases[] = {
		{ { 0 },
		  "NAME              SERIAL  STATUS\n"
		  "example.org.          17  ACTIVE\n"
		  "gr\xc3\xbc\xc3\x9f" "e         4294967295  PENDING\n" },
		{ { .quiet = true },
		  "example.org.          17  ACTIVE\n"
		  "gr\xc3\xbc\xc3\x9f" "e         4294967295  PENDING\n" },
		{ { .color = true },
		  "NAME              SERIAL  STATUS\n"
		  "example.org.          17  \033[32mACTIVE\033[0m\n"
		  "gr\xc3\xbc\xc3\x9f" "e         4294967295  \033[33mPENDING\033[0m\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct printed printed;
		struct table table;

		printed_open(&printed);
		table_begin(&table, &cases[i].out, columns);
		add_row(&table, "example.org.", 17, "ACTIVE");
		add_row(&table, "gr\xc3\xbc\xc3\x9f" "e", 4294967295, "PENDING");
		table_flush(&table, printed.to);
		table_clear(&table);
		assert_printed(&printed, cases[i].want);
	}
}

/* The last report of a server that is silent now must not look good. */
static void a_plain_cell_has_no_color(void **state)
{
	static const struct output out = { .color = true, .quiet = true };
	struct printed printed;
	struct table table;

	(void)state;
	printed_open(&printed);
	table_begin(&table, &out, columns);
	table_text(&table, "ns1");
	table_number(&table, 17);
	table_plain(&table, "SUCCESS");
	add_row(&table, "ns2", 17, "SUCCESS");
	table_flush(&table, printed.to);
	table_clear(&table);
	assert_printed(&printed, "ns1       17  SUCCESS\n"
	                         "ns2       17  \033[32mSUCCESS\033[0m\n");
}

/* The header once; widths that only grow. */
static void layout_of_pages(void **state)
{
	static const struct output out = { 0 };
	struct printed printed;
	struct table table;

	(void)state;
	printed_open(&printed);
	table_begin(&table, &out, columns);
	add_row(&table, "longest.example.", 1, "ACTIVE");
	table_flush(&table, printed.to);
	add_row(&table, "a.", 22, "ERROR");
	table_flush(&table, printed.to);
	table_flush(&table, printed.to);
	table_clear(&table);
	assert_printed(&printed,
		"NAME              SERIAL  STATUS\n"
		"longest.example.       1  ACTIVE\n"
		"a.                    22  ERROR\n");
}

/* A command that failed before its first page prints nothing. */
static void nothing_unflushed_is_printed(void **state)
{
	static const struct output out = { 0 };
	struct printed printed;
	struct table table;

	(void)state;
	printed_open(&printed);
	table_begin(&table, &out, columns);
	add_row(&table, "a.", 1, "ACTIVE");
	table_clear(&table);
	assert_printed(&printed, "");
}

/* The document keeps the first ones, escaped, and says how many more there were. */
static void warnings_are_bounded(void **state)
{
	struct output out = { .quiet = true };
	json_t *document = json_object(), *none = json_object();

	(void)state;
	output_end_warnings(&out, none);
	assert_int_equal(json_object_size(none), 0);
	output_warn(&out, "a\nb");
	for (int i = 0; i < WARNINGS_MAX + 6; i++)
		output_warn(&out, "c");
	output_end_warnings(&out, document);
	assert_int_equal(json_array_size(json_object_get(document, "warnings")),
	                 WARNINGS_MAX);
	assert_string_equal(json_string_value(json_array_get(
	                    json_object_get(document, "warnings"), 0)), "a\\010b");
	assert_int_equal(json_integer_value(json_object_get(document, "more_warnings")),
	                 7);
	assert_null(out.warnings);
	json_decref(document);
	json_decref(none);
}

static int set_up(void **state)
{
	(void)state;
	return setlocale(LC_CTYPE, "C.UTF-8") ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escaping),
		cmocka_unit_test(escaping_is_harmless),
		cmocka_unit_test(layout),
		cmocka_unit_test(a_plain_cell_has_no_color),
		cmocka_unit_test(layout_of_pages),
		cmocka_unit_test(nothing_unflushed_is_printed),
		cmocka_unit_test(warnings_are_bounded),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
