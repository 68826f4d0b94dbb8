#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/err.h"

#undef fail	/* of cmocka */

/* Every code is described, and no two look alike in the log. */
static void test_table_is_complete(void **state)
{
	(void)state;
	for (enum err err = OK; err < ERR_COUNT; err++) {
		assert_non_null(err_name(err));
		assert_true(*err_name(err));
		assert_non_null(err_class(err));
		assert_non_null(err_module(err));
		assert_int_equal(*err_class(err) == 0, err == OK);
		for (enum err other = OK; other < err; other++)
			assert_string_not_equal(err_name(err), err_name(other));
	}
}

/* A class names its code again; to others all that passes is Busy. */
static void test_class_round_trip(void **state)
{
	(void)state;
	for (enum err err = OK + 1; err < ERR_COUNT; err++)
		assert_int_equal(err_from_class(err_class(err)),
				 strcmp(err_class(err), "Busy") == 0 ? ERR_BUSY : err);
	assert_int_equal(err_from_class("ZeroDivisionError"), ERR_REMOTE);
	assert_int_equal(err_from_class(""), ERR_REMOTE);
	assert_int_equal(err_from_class(NULL), ERR_REMOTE);
}

static void test_wire_names(void **state)
{
	static const struct {
		enum err err;
		const char *class, *module;
	} cases[] = {
		{ ERR_ARGUMENTS, "TypeError", "builtins" },
		{ ERR_METHOD, "NoSuchMethod", "oslo_messaging.rpc.dispatcher" },
		{ ERR_VERSION, "UnsupportedVersion", "oslo_messaging.rpc.dispatcher" },
		{ ERR_NOT_FOUND, "NotFound", "zonefleet.exceptions" },
		{ ERR_UNREACHABLE, "Unavailable", "zonefleet.exceptions" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_string_equal(err_class(cases[i].err), cases[i].class);
		assert_string_equal(err_module(cases[i].err), cases[i].module);
	}
}

static void test_fates(void **state)
{
	(void)state;
	for (enum err err = OK; err < ERR_COUNT; err++) {
		enum err_retry want = RETRY_NEVER;

		if (err == ERR_RACE || err == ERR_LOCKED)
			want = RETRY_NOW;
		if (err == ERR_BUSY || err == ERR_TIMEOUT || err == ERR_UNREACHABLE)
			want = RETRY_LATER;
		assert_int_equal(err_retry(err), want);
	}
}

static void test_fail_hands_the_code_back(void **state)
{
	struct why why;

	(void)state;
	assert_int_equal(fail(&why, ERR_EXISTS, "%s already exists", "example.org."),
			 ERR_EXISTS);
	assert_string_equal(why.text, "example.org. already exists");
}

static void test_fail_may_quote_the_old_reason(void **state)
{
	struct why why;

	(void)state;
	fail(&why, ERR_BUSY, "locked");
	fail(&why, ERR_BUSY, "server %d: %s", 3, why.text);
	assert_string_equal(why.text, "server 3: locked");
}

static void test_fail_cuts_long_words(void **state)
{
	char text[2000];
	struct why why;

	(void)state;
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = 0;
	fail(&why, ERR_INVALID, "%s", text);
	assert_int_equal(strlen(why.text), sizeof why.text - 1);
	assert_string_equal(why.text + sizeof why.text - 5, "x...");
	for (size_t i = 8; i < sizeof text - 1; i += 9)
		text[i] = ' ';
	fail(&why, ERR_INVALID, "%s", text);
	assert_string_equal(why.text + strlen(why.text) - 12, " xxxxxxxx...");
	memset(text, 'y', sizeof why.text - 1);
	text[sizeof why.text - 1] = 0;
	fail(&why, ERR_INVALID, "%s", text);
	assert_string_equal(why.text, text);
}

static void test_cut(void **state)
{
	static const struct {
		const char *text;
		size_t max, want;
	} cases[] = {
		{ "",              3,  0 },
		{ "one two",       7,  7 },
		{ "one two",       6,  3 },
		{ "one two",       4,  3 },
		{ "one two",       3,  3 },
		{ "a longword",    7,  7 },
		{ "a\xc3\xbc\xc3\xbc", 4, 3 },
		{ "x",             0,  0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(err_cut(cases[i].text, cases[i].max), cases[i].want);
}

/* A field ends at ": ". Only a path is sure to be a field: "nsd" may be a server. */
static void test_field_of_a_reason(void **state)
{
	static const struct {
		const char *reason;
		size_t len;
		const char *without;
	} cases[] = {
		{ "changes[0].name: is wrong", 15, "is wrong" },
		{ "changes[12]: is wrong",     11, "is wrong" },
		{ "domain.email: is wrong",    12, "is wrong" },
		{ "sort_key: is wrong",        8,  "sort_key: is wrong" },
		{ "nsd: no answer",            3,  "nsd: no answer" },
		{ "f:2: is wrong",             0,  "f:2: is wrong" },
		{ "there is no domain: a",     0,  "there is no domain: a" },
		{ "DATA: is wrong",            0,  "DATA: is wrong" },
		{ "changes[0]",                0,  "changes[0]" },
		{ "",                          0,  "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(err_field_len(cases[i].reason), cases[i].len);
		assert_string_equal(err_without_field(cases[i].reason), cases[i].without);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_is_complete),
		cmocka_unit_test(test_class_round_trip),
		cmocka_unit_test(test_wire_names),
		cmocka_unit_test(test_fates),
		cmocka_unit_test(test_fail_hands_the_code_back),
		cmocka_unit_test(test_fail_may_quote_the_old_reason),
		cmocka_unit_test(test_fail_cuts_long_words),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_field_of_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
