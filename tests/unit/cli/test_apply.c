#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "base/buf.h"
#include "base/mem.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ZONE "example.org."

static struct why why;
static struct quotes quotes;

static enum err parse(const char *text, json_t **changes)
{
	struct apply apply = { .file = "f", .domain = ZONE };
	char *copy = xstrdup(text);
	enum err err = apply_parse(&apply, copy, &why);

	*changes = json_incref(apply.changes);
	quotes_clear(&quotes);
	quotes = apply.quotes;
	apply.quotes = (struct quotes){ 0 };
	apply_clear(&apply);
	free(copy);
	return err;
}

static void good(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "add www 300 A 192.0.2.1\n",
		  "[{'op': 'add', 'name': 'www.example.org.', 'ttl': 300, 'type': 'A', "
		  "'records': ['192.0.2.1']}]" },
		{ "  add\twww 5m A 192.0.2.1",
		  "[{'op': 'add', 'name': 'www.example.org.', 'ttl': 300, 'type': 'A', "
		  "'records': ['192.0.2.1']}]" },
		{ "set @ - MX 10 mail.example.org.\r\n",
		  "[{'op': 'set', 'name': 'example.org.', 'ttl': null, 'type': 'MX', "
		  "'records': ['10 mail.example.org.']}]" },
		{ "# comment\n\n; another\ndelete a.example.org. - A\n",
		  "[{'op': 'delete', 'name': 'a.example.org.', 'type': 'A'}]" },
		/* lines of one record set are one change */
		{ "set w 60 A 192.0.2.1\nset w 60 A 192.0.2.2\n",
		  "[{'op': 'set', 'name': 'w.example.org.', 'ttl': 60, 'type': 'A', "
		  "'records': ['192.0.2.1', '192.0.2.2']}]" },
		{ "add w 60 A 192.0.2.1\nadd w - A 192.0.2.2\n",
		  "[{'op': 'add', 'name': 'w.example.org.', 'ttl': 60, 'type': 'A', "
		  "'records': ['192.0.2.1']}, {'op': 'add', 'name': 'w.example.org.', "
		  "'ttl': null, 'type': 'A', 'records': ['192.0.2.2']}]" },
		/* deleting a whole set is not deleting one more of it */
		{ "delete w - A 192.0.2.1\ndelete w - A\n",
		  "[{'op': 'delete', 'name': 'w.example.org.', 'type': 'A', "
		  "'records': ['192.0.2.1']}, {'op': 'delete', 'name': 'w.example.org.', "
		  "'type': 'A'}]" },
		/* names in letters outside ASCII */
		{ "add bücher - CNAME www.bücher.example.\nadd @ - MX 10 ü.x.\n",
		  "[{'op': 'add', 'name': 'xn--bcher-kva.example.org.', "
		  "'ttl': null, 'type': 'CNAME', "
		  "'records': ['www.xn--bcher-kva.example.']}, {'op': 'add', "
		  "'name': 'example.org.', 'ttl': null, 'type': 'MX', "
		  "'records': ['10 xn--tda.x.']}]" },
		/* the data of a line is one value */
		{ "add @ - TXT bücher\n",
		  "[{'op': 'add', 'name': 'example.org.', 'ttl': null, 'type': 'TXT', "
		  "'records': ['\\'bücher\\'']}]" },
		{ "add @ - TXT v=spf1 -all ; x\n",
		  "[{'op': 'add', 'name': 'example.org.', 'ttl': null, 'type': 'TXT', "
		  "'records': ['\\'v=spf1 -all ; x\\'']}]" },
		{ "delete @ - TXT \"a b\" c\n",
		  "[{'op': 'delete', 'name': 'example.org.', 'type': 'TXT', "
		  "'records': ['\\'a b\\' c']}]" },
		{ "set @ - CAA 0 issue ;\nset @ - NOSUCH a b\n",
		  "[{'op': 'set', 'name': 'example.org.', 'ttl': null, 'type': 'CAA', "
		  "'records': ['0 issue \\';\\'']}, {'op': 'set', "
		  "'name': 'example.org.', 'ttl': null, 'type': 'NOSUCH', "
		  "'records': ['a b']}]" },
		{ "[{\"op\": \"add\", \"name\": \"w\", \"type\": \"TXT\", "
		  "\"records\": [\"a b\"]}]",
		  "[{'op': 'add', 'name': 'w.example.org.', 'type': 'TXT', "
		  "'records': ['a b']}]" },
		{ " [{\"op\": \"add\", \"name\": \"w\", \"type\": \"A\", "
		  "\"records\": [\"192.0.2.1\"]}]",
		  "[{'op': 'add', 'name': 'w.example.org.', 'type': 'A', "
		  "'records': ['192.0.2.1']}]" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = xstrdup(cases[i].want);
		json_t *changes, *want;

		for (char *at = text; (at = strchr(at, '\'')); )
			*at = '"';
		want = json_loads(text, 0, NULL);
		assert_non_null(want);
		assert_int_equal(parse(cases[i].text, &changes), OK);
		assert_true(json_equal(changes, want));
		json_decref(changes);
		json_decref(want);
		free(text);
	}
}

static void bad(void **state)
{
	static const struct {
		const char *text, *words;	/* that must stand in the reason */
	} cases[] = {
		{ "",                                    "at least one change" },
		{ "# nothing\n",                         "at least one change" },
		{ "[]",                                  "at least one change" },
		{ "add www 300 A",                       "f:1: DATA: must not be empty" },
		{ "\nreplace w 300 A 192.0.2.1",         "f:2: operation: must be" },
		{ "add w x A 192.0.2.1",                 "of the domain, not 'x'" },
		{ "add w 2147483648 A 192.0.2.1",        "TTL: must be" },
		{ "add w 300",                           "add|set|delete NAME" },
		{ "add w..w 300 A 192.0.2.1",            "empty label" },
		{ "add w.example.org 300 A 192.0.2.1",   "final dot" },
		{ "delete w 300 TXT \xff",                "must be UTF-8" },
		{ "\nadd w - CNAME ☃.x.",             "f:2: DATA: '☃' is not valid" },
		{ "add ☃ - A 192.0.2.1",              "f:1: the record's name: '☃'" },
		{ "[1]",                                 "f: changes[0]: must" },
		{ "[{\"op\": \"add\"}]",                 "is empty" },
		{ "[{\"op\": \"add\", \"op\": \"set\"}]", "f:1: not valid" },
		{ "[\n\n",                               "f:3: not valid" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *changes;

		assert_int_equal(parse(cases[i].text, &changes), ERR_INVALID);
		assert_non_null(strstr(why.text, cases[i].words));
		json_decref(changes);
	}
}

#define ONE(line) "zonefleet: note: line " line " has one string: "
#define TWO(line) "zonefleet: note: line " line " has 2 strings, which clients join " \
	"without a blank: "

/* The client says what it made of data that can be read in two ways. */
static void surprises_are_noted(void **state)
{
	static const struct {
		const char *text, *notes;
	} cases[] = {
		{ "add @ - TXT hello\n",                   "" },
		{ "add @ - TXT \"v=spf1 -all\"\n",         "" },
		{ "add @ - TXT v=spf1 -all\n",             ONE("1") "\"v=spf1 -all\"\n" },
		{ "add @ - TXT a;b\n",                     ONE("1") "\"a;b\"\n" },
		{ "\nadd @ - TXT \"a\" \"b\"\n",          TWO("2") "\"a\" \"b\"\n" },
		{ "add @ - TXT x\nadd @ - TXT a  b\nadd @ - TXT \"c\" \"d\"\n",
		  ONE("2") "\"a  b\"\n" TWO("3") "\"c\" \"d\"\n" },
		{ "delete @ - TXT a b\n",                  ONE("1") "\"a b\"\n" },
		{ "add @ - CAA 0 issue ca.example\n",      "" },
		{ "add @ - CAA 0 issue ca.example; a=b\n",
		  ONE("1") "0 issue \"ca.example; a=b\"\n" },
		{ "add @ - HINFO PC Linux\n",              "" },
		{ "add @ - MX 10 mail.example.org.\n",     "" },
		{ "add @ - CAA 0 issu? ca.example; b\n",   "" },
		{ "add @ - NOSUCH a b\n",                  "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *changes;

		assert_int_equal(parse(cases[i].text, &changes), OK);
		assert_string_equal(buf_string(&quotes.notes), cases[i].notes);
		json_decref(changes);
	}
}

/* Each argument has its own number, and many notes are counted. */
static void values_are_numbered(void **state)
{
	static const char *const values[] = {
		"one", "two words", "three", "\"a\" \"b\"",
	};
	struct quotes notes = { 0 };
	json_t *records = json_array();

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++)
		assert_int_equal(quote_append(records, "TXT", values[i], &notes, &why),
		                 OK);
	assert_string_equal(buf_string(&notes.notes),
	                    "zonefleet: note: value 2 has one string: \"two words\"\n"
	                    "zonefleet: note: value 4 has 2 strings, which clients join "
	                    "without a blank: \"a\" \"b\"\n");
	assert_int_equal(quote_append(records, "CNAME", "\xe2\x98\x83.x.", &notes, &why),
	                 ERR_INVALID);
	assert_memory_equal(why.text, "value 5: ", 9);
	for (int i = 0; i < 20; i++)
		assert_int_equal(quote_append(records, "TXT", "a b", &notes, &why), OK);
	assert_int_equal(notes.count, 22);
	assert_null(strstr(buf_string(&notes.notes), "value 14"));
	quotes_clear(&notes);
	json_decref(records);
}

/* DKIM keys are longer than a string. */
static void long_values_are_noted(void **state)
{
	struct buf text = { 0 };
	json_t *changes;

	(void)state;
	buf_text(&text, "add @ - TXT v=DKIM1; p=");
	for (int i = 0; i < 600; i++)
		buf_text(&text, "A");
	assert_int_equal(parse(buf_string(&text), &changes), OK);
	assert_non_null(strstr(buf_string(&quotes.notes), "line 1 has 3 strings, "));
	json_decref(changes);
	buf_clear(&text);
}

/* More than central takes at once is refused before it is sent. */
static void too_many(void **state)
{
	json_t *changes;
	struct buf text = { 0 };

	(void)state;
	for (int i = 0; i < 5000; i++)
		buf_printf(&text, "add w%d - A 192.0.2.1\n", i);
	assert_int_equal(parse(buf_string(&text), &changes), OK);
	assert_int_equal(json_array_size(changes), 5000);
	json_decref(changes);
	buf_text(&text, "add last - A 192.0.2.1\n");
	assert_int_equal(parse(buf_string(&text), &changes), ERR_TOO_LARGE);
	json_decref(changes);
	buf_clear(&text);
}

/* Central names the change and the record; the user knows lines. */
static void lines_of_reasons(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "changes[0].records[0]: is wrong", "f:2: is wrong" },
		{ "changes[0].records[1]: is wrong", "f:3: is wrong" },
		{ "changes[0].name: is wrong",       "f:2: name: is wrong" },
		{ "changes[1]: is wrong",            "f:6: is wrong" },
		{ "changes[1].records[0]: is wrong", "f:6: is wrong" },
		{ "changes[0].records[2]: is wrong",
		  "f: changes[0].records[2]: is wrong" },
		{ "changes[2]: is wrong",            "f: changes[2]: is wrong" },
		{ "changes: is wrong",               NULL },
		{ "x changes[0]: is wrong",          NULL },
	};
	char text[] = "# a\nadd w 60 A 192.0.2.1\nadd w 60 A 192.0.2.2\n\n\n"
	              "delete w - MX\n";
	struct apply apply = { .file = "f", .domain = ZONE };

	(void)state;
	assert_int_equal(apply_parse(&apply, text, &why), OK);
	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(why.text, sizeof(why.text), "%s", cases[i].text);
		apply_show_line(&apply, &why);
		assert_string_equal(why.text, cases[i].want ? cases[i].want
		                                            : cases[i].text);
	}
	apply_clear(&apply);
}

static void keep_warning(void *self, const char *text)
{
	buf_printf(self, "%s\n", text);
}

#define LIST(type, data) "[{\"op\": \"add\", \"name\": \"w\", \"type\": \"" type \
	"\", \"records\": [" data "]}]"
#define WORDS(place, type, strings) "f: changes[0].records[" place "]: " type \
	" data without quotes: " strings ": one value needs quotes\n"

/* In a list, central reads TXT data as in a zone file: each word is a string. */
static void words_of_a_list(void **state)
{
	static const struct {
		const char *text, *warnings;
	} cases[] = {
		{ LIST("TXT", "\"a b\""), WORDS("0", "TXT",
		  "2 strings, which clients join without a blank: \"a\" \"b\"") },
		{ LIST("TXT", "\"a\", \"v=spf1 mx -all\""), WORDS("1", "TXT",
		  "3 strings, which clients join without a blank: \"v=spf1\" \"mx\" "
		  "\"-all\"") },
		{ LIST("SPF", "\"a b\""), WORDS("0", "SPF",
		  "2 strings, which clients join without a blank: \"a\" \"b\"") },
		{ LIST("TXT", "\"\\\"a b\\\"\""),                "" },
		{ LIST("TXT", "\"\\\"a\\\" \\\"b\\\"\""),      "" },
		{ LIST("TXT", "\"a\", 1, null"),                 "" },
		{ LIST("MX", "\"10 mail.example.org.\""),        "" },
		{ LIST("NOSUCH", "\"a b\""),                     "" },
		{ "add w - TXT a b\n",                           "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf warnings = { 0 };
		struct apply apply = { .file = "f", .domain = ZONE, .warn = keep_warning,
		                       .self = &warnings };
		char *text = xstrdup(cases[i].text);

		assert_int_equal(apply_parse(&apply, text, &why), OK);
		assert_string_equal(buf_string(&warnings), cases[i].warnings);
		apply_clear(&apply);
		buf_clear(&warnings);
		free(text);
	}
}

static void ttls_of_one_set(void **state)
{
	char text[] = "add w 60 A 192.0.2.1\nadd w 60 MX 1 a.\nset v 70 A 192.0.2.1\n"
	              "add w - A 192.0.2.3\ndelete w 30 A 192.0.2.9\n"
	              "add w 5m A 192.0.2.2\nadd w 300 A 192.0.2.4\n";
	struct buf warnings = { 0 };
	struct apply apply = { .file = "f", .domain = ZONE, .warn = keep_warning,
	                       .self = &warnings };

	(void)state;
	assert_int_equal(apply_parse(&apply, text, &why), OK);
	assert_string_equal(buf_string(&warnings),
	                    "f:6: the TTL is 300, but line 1 gives this record set the "
	                    "TTL 60: the record set gets the TTL 300\n");
	apply_clear(&apply);
	buf_clear(&warnings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
		cmocka_unit_test(surprises_are_noted),
		cmocka_unit_test(values_are_numbered),
		cmocka_unit_test(long_values_are_noted),
		cmocka_unit_test(too_many),
		cmocka_unit_test(lines_of_reasons),
		cmocka_unit_test(ttls_of_one_set),
		cmocka_unit_test(words_of_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
