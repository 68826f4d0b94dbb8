#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/name.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define L10 "0123456789"
#define L63 L10 L10 L10 L10 L10 L10 "012"

static struct why why;

static struct name parsed(const char *text)
{
	struct name name;

	assert_int_equal(name_parse(text, "name", &name, &why), OK);
	return name;
}

static void canonical_text(void **state)
{
	static const struct {
		const char *text, *want;
		int labels;
	} cases[] = {
		{ ".",                        ".",                  0 },
		{ "Example.ORG.",             "example.org.",       2 },
		{ "*.a_b-c/d.x.",             "*.a_b-c/d.x.",       3 },
		{ "a\\.b.x.",                 "a\\.b.x.",           2 },
		{ "a\\046b.x.",               "a\\.b.x.",           2 },
		{ "a\\\\b.x.",                "a\\\\b.x.",          2 },
		{ "\\065\\A\\097.x.",         "aaa.x.",             2 },
		{ "\\000\\255\\032.x.",       "\\000\\255\\032.x.", 2 },
		{ "a\\\"b$@;().x.",           "a\\034b\\036\\064\\059\\040\\041.x.", 2 },
		{ "\\@.x.",                   "\\064.x.",           2 },
		{ L63 ".",                    L63 ".",              1 },
		{ L63 "." L63 "." L63 "." L10 L10 L10 L10 L10 L10 "0.",
		  L63 "." L63 "." L63 "." L10 L10 L10 L10 L10 L10 "0.", 4 },
	};
	char text[NAME_MAX_TEXT + 1];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct name name = parsed(cases[i].text);

		name_format(&name, text);
		assert_string_equal(text, cases[i].want);
		assert_int_equal(name_labels(&name), cases[i].labels);
		assert_int_equal(name_wire_len(name.wire, name.len), name.len);
	}
}

static void refused(void **state)
{
	static const char *const cases[] = {
		"", "..", ".a.", "a..", "a..b.", "a", "a.b", "@", "a b.", " a.", "a. ",
		"a\n.", "a.\n", "\xc3\xa9.x.", "\x7f.", "a\\", "a\\.", "a\\1.", "a\\12.",
		"a\\12x.", "a\\256.", "a\\999.", "a\\\n.",
		L63 "4.",
		L63 "." L63 "." L63 "." L10 L10 L10 L10 L10 L10 "01.",
		L63 "." L63 "." L63 "." L63 ".",
	};
	struct name name;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		why.text[0] = '\0';
		assert_int_equal(name_parse(cases[i], "zone", &name, &why), ERR_INVALID);
		assert_memory_equal(why.text, "zone: ", 6);
	}
}

/* A relative name where no name completes it: the reason says what to write. */
static void final_dots(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "mail",   "must end in a dot: write the full name, for example "
			    "'mail.example.org.'" },
		{ "a\\.b", "for example 'a\\.b.example.org.'" },
		{ "www.example.org", "must end in a dot: write 'www.example.org.'" },
		{ "@",      "must be a full name, for example 'example.org.'" },
	};
	struct name name;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(name_parse(cases[i].text, "zone", &name, &why),
		                 ERR_INVALID);
		assert_non_null(strstr(why.text, cases[i].want));
	}
}

static void owners(void **state)
{
	static const struct {
		const char *text;
		enum err want;
	} cases[] = {
		{ "www.Example.org.",       OK },
		{ "*.example.org.",         OK },
		{ "*.",                     OK },
		{ ".",                      OK },
		{ "_25._tcp.example.org.",  OK },
		{ "0/25.2.0.192.in-addr.arpa.", OK },
		{ "a--b.x.",                OK },
		{ "-a.x.",                  ERR_INVALID },
		{ "a-.x.",                  ERR_INVALID },
		{ "-.x.",                   ERR_INVALID },
		{ "**.x.",                  ERR_INVALID },
		{ "*a.x.",                  ERR_INVALID },
		{ "a.*.x.",                 ERR_INVALID },
		{ "a\\.b.x.",               ERR_INVALID },
		{ "a\\000.x.",              ERR_INVALID },
		{ "a\\255.x.",              ERR_INVALID },
		{ "www",                    ERR_INVALID },
	};
	struct name name;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(name_parse_owner(cases[i].text, "name", &name, &why),
		                 cases[i].want);
}

static void origin_completes(void **state)
{
	static const struct {
		const char *text, *origin;
		const char *want;	/* wire, behind it a zero; NULL: refused */
	} cases[] = {
		{ "www",   "Example.", "\3www\7example" },
		{ "WWW",   "example.", "\3WWW\7example" },
		{ "@",     "example.", "\7example" },
		{ "\\@",   "example.", "\1@\7example" },
		{ "a.b",   ".",        "\1a\1b" },
		{ "a.",    "example.", "\1a" },
		{ ".",     "example.", "" },
		{ L63,     L63 "." L63 "." L63 ".", NULL },
		{ "a.",    NULL,       "\1a" },
		{ "a",     NULL,       NULL },
		{ "@",     NULL,       NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct name origin, name;
		const char *want = cases[i].want;

		if (cases[i].origin)
			origin = parsed(cases[i].origin);
		assert_int_equal(name_parse_in(cases[i].text,
		                               cases[i].origin ? &origin : NULL,
		                               "data", &name, &why),
		                 want ? OK : ERR_INVALID);
		if (want) {
			assert_int_equal(name.len, strlen(want) + 1);
			assert_memory_equal(name.wire, want, name.len);
		}
	}
}

static void random_name(struct name *name)
{
	size_t at = 0, len;

	while (rand() % 6 && at < 190) {
		len = 1 + rand() % NAME_MAX_LABEL;
		name->wire[at++] = len;
		while (len--)
			name->wire[at++] = rand() % 256;
	}
	name->wire[at++] = 0;
	name->len = at;
	name_fold(name);
}

/* Any octets at all: text and back is the same name, and the same text. */
static void text_and_back(void **state)
{
	char text[NAME_MAX_TEXT + 1], again[NAME_MAX_TEXT + 1];

	(void)state;
	srand(1035);
	for (int i = 0; i < 20000; i++) {
		struct name name, back;

		random_name(&name);
		name_format(&name, text);
		assert_int_equal(name_parse(text, "name", &back, &why), OK);
		assert_true(name_equal(&name, &back));
		name_format(&back, again);
		assert_string_equal(text, again);
	}
}

static void every_octet_has_one_text(void **state)
{
	char text[NAME_MAX_TEXT + 1], escaped[16];

	(void)state;
	for (int octet = 0; octet < 256; octet++) {
		snprintf(escaped, sizeof(escaped), "\\%03d.", octet);

		struct name name = parsed(escaped), back;

		name_format(&name, text);
		back = parsed(text);
		assert_true(name_equal(&name, &back));
		assert_true(name.wire[1] == octet || (octet >= 'A' && octet <= 'Z'));
	}
}

static void wire_lengths(void **state)
{
	static const struct {
		const char *wire;
		size_t len, want;
	} cases[] = {
		{ "",               0, 0 },
		{ "\0",             1, 1 },
		{ "\1a\0",          3, 3 },
		{ "\1a\0zz",        5, 3 },
		{ "\1a",            2, 0 },
		{ "\1",             1, 0 },
		{ "\5ab",           3, 0 },
		{ "\300\14",        2, 0 },	/* compressed */
		{ "\1a\300\0",      4, 0 },
		{ "\100aaaa",       5, 0 },
	};
	uint8_t longest[300];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(name_wire_len((const uint8_t *)cases[i].wire,
		                               cases[i].len), cases[i].want);
	for (size_t i = 0; i < sizeof(longest); i += 2)
		memcpy(longest + i, "\1a", 2);
	longest[254] = 0;
	assert_int_equal(name_wire_len(longest, sizeof(longest)), 255);
	longest[254] = 1;
	longest[256] = 0;
	assert_int_equal(name_wire_len(longest, sizeof(longest)), 0);
}

static void below(void **state)
{
	static const struct {
		const char *name, *zone;
		bool want;
	} cases[] = {
		{ "a.example.",     "example.",   true },
		{ "example.",       "example.",   true },
		{ "a.b.example.",   "example.",   true },
		{ "example.",       "a.example.", false },
		{ "aexample.",      "example.",   false },
		{ "a.examplf.",     "example.",   false },
		{ "x.",             ".",          true },
		{ ".",              ".",          true },
		{ ".",              "x.",         false },
		{ "x\\007example.", "example.",   false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct name name = parsed(cases[i].name), zone = parsed(cases[i].zone);

		assert_int_equal(name_is_below(&name, &zone), cases[i].want);
	}
}

static void parents(void **state)
{
	struct name name = parsed("a.b."), want = parsed("b."), root = parsed(".");

	(void)state;
	assert_true(name_parent(&name, &name));
	assert_true(name_equal(&name, &want));
	assert_true(name_parent(&name, &name));
	assert_true(name_equal(&name, &root));
	assert_false(name_parent(&name, &name));
}

/* The list of RFC 4034 6.1, and more at its ends. */
static void canonical_order(void **state)
{
	static const char *const sorted[] = {
		".", "com.", "example.", "a.example.", "yljkjljk.a.example.",
		"Z.a.example.",
		"zABC.a.EXAMPLE.", "z.example.", "\\001.z.example.", "*.z.example.",
		"\\200.z.example.", "zz.", "zzz.",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(sorted); i++) {
		for (size_t j = 0; j < COUNT(sorted); j++) {
			struct name a, b;

			name_parse_in(sorted[i], NULL, "a", &a, &why);
			name_parse_in(sorted[j], NULL, "b", &b, &why);

			int order = name_compare_wire(a.wire, b.wire);

			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canonical_text),
		cmocka_unit_test(refused),
		cmocka_unit_test(final_dots),
		cmocka_unit_test(owners),
		cmocka_unit_test(origin_completes),
		cmocka_unit_test(text_and_back),
		cmocka_unit_test(every_octet_has_one_text),
		cmocka_unit_test(wire_lengths),
		cmocka_unit_test(below),
		cmocka_unit_test(parents),
		cmocka_unit_test(canonical_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
