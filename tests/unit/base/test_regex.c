#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/regex.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Of processor time. regex.c stops a search after 10 ms; the rest is for one item of the
 * pattern, and for the sanitizers.
 */
enum { SLOW_MS = 60 };
#define EXAMPLES "^([a-z0-9_-]+\\.)*example\\.com\\.$"
#define NOT_DEV "^(?!dev\\.)[^.]+\\.example\\.com\\.$"

static void test_searches(void **state)
{
	static const struct {
		const char *pattern, *text;
		enum regex_result want;
	} cases[] = {
		{ "foo",          "foo.example.",         REGEX_FOUND  },
		{ "foo",          "a.xfoox.example.",     REGEX_FOUND  },
		{ "FOO",          "foo.example.",         REGEX_FOUND  },
		{ "foo",          "FOO.example.",         REGEX_FOUND  },
		{ "foo",          "fo.o.example.",        REGEX_ABSENT },
		{ "^foo",         "foo.example.",         REGEX_FOUND  },
		{ "^foo",         "xfoo.example.",        REGEX_ABSENT },
		{ "le\\.$",       "foo.example.",         REGEX_FOUND  },
		{ "le$",          "foo.example.",         REGEX_ABSENT },
		{ "a|b",          "xxbxx.",               REGEX_FOUND  },
		{ "^(a|b)\\.",    "b.example.",           REGEX_FOUND  },
		{ "^(a|b)\\.",    "c.example.",           REGEX_ABSENT },
		{ "(?x) f o o",   "foo.",                 REGEX_FOUND  },
		{ "\\bfoo\\b",    "a-foo.",               REGEX_FOUND  },
		{ "\\bfoo\\b",    "afoo.",                REGEX_ABSENT },
		{ "(?!foo)bar",   "foobar.",              REGEX_FOUND  },
		{ "(?<!foo)bar",  "foobar.",              REGEX_ABSENT },
		{ "(?<=\\.)bar",  "foo.bar.",             REGEX_FOUND  },
		{ EXAMPLES, "example.com.",     REGEX_FOUND  },
		{ EXAMPLES, "a.b.example.com.", REGEX_FOUND  },
		{ EXAMPLES, "aexample.com.",    REGEX_ABSENT },
		{ NOT_DEV, "www.example.com.", REGEX_FOUND  },
		{ NOT_DEV, "dev.example.com.", REGEX_ABSENT },
		{ "(?>a+)b",      "aaab.",                REGEX_FOUND  },
		{ "a{3}",         "aa.aaa.",              REGEX_FOUND  },
		{ "a{3}",         "aa.aa.",               REGEX_ABSENT },
		{ "[]()*+]",      "a.",                   REGEX_ABSENT },
		{ "[(*]",         "a(.",                  REGEX_FOUND  },
		{ "[(?C]",        "a.c",                  REGEX_FOUND  },
		{ "[(?1]",        "a1.",                  REGEX_FOUND  },
		{ "[^](*]",       "](*",                  REGEX_ABSENT },
		{ "[](*]",        "a].",                  REGEX_FOUND  },
		{ "[\\](*]",      "a].",                  REGEX_FOUND  },
		{ "[^\\](?R]",    "](?R",                 REGEX_ABSENT },
		{ "[[:digit:](*]", "a(.",                 REGEX_FOUND  },
		{ "[[:^digit:](*]", "11(",                REGEX_FOUND  },
		{ "[[(*]",        "a[.",                  REGEX_FOUND  },
		{ "[\\E](*]",     "a].",                  REGEX_FOUND  },
		{ "[^\\E](*]",    "](*",                  REGEX_ABSENT },
		{ "(?#(*)a",      "a.",                   REGEX_FOUND  },
		{ "\\c[a",        "\033a",                REGEX_FOUND  },
		{ "xx[(*]",       "xx(",                  REGEX_FOUND  },
		{ ".+foo",        "a.foo.",               REGEX_FOUND  },
		{ ".+foo",        "foo.",                 REGEX_ABSENT },
		{ "x*",           "",                     REGEX_FOUND  },
	};
	struct regex *regex;
	struct why why;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t left_us = REGEX_BUDGET_US;

		print_message("  %s in %s\n", cases[i].pattern, cases[i].text);
		assert_int_equal(regex_check(cases[i].pattern, "pattern", &why), OK);
		assert_int_equal(regex_new(cases[i].pattern, "pattern", &regex, &why),
		                 OK);
		assert_int_equal(regex_search(regex, cases[i].text, &left_us),
		                 cases[i].want);
		regex_free(&regex);
		assert_null(regex);
	}
}

static void test_refused(void **state)
{
	/* the speed of the machine can decide between WORDS and OTHER */
	static const struct { const char *pattern, *words, *other; } cases[] = {
		{ "",            "pattern: must have 1 to 255 characters, not 0" },
		{ "a\tb",        "other one at offset 1" },
		{ "b\xc3\xbc",   "only printable ASCII characters, but has another one "
		                 "at offset 1" },
		{ "(",           "not a valid regular expression: at offset 1: missing "
		                 "closing parenthesis" },
		{ "a)|(b",       "at offset 1: unmatched closing parenthesis" },
		{ "a[b",         "at offset 3: missing terminating ]" },
		{ "*a",          "at offset 0: quantifier does not follow" },
		{ "(?x)a #b",    "missing closing parenthesis" },
		{ "(a)\\1",      "must not contain a back-reference, but has \\1" },
		{ "(?<n>a)\\k<n>", "a back-reference, but has one at offset 7" },
		{ "(?<n>a)(?P=n)", "a back-reference" },
		{ "(a)\\g1",     "a back-reference" },
		{ "a(?R)?",      "a recursion, but has one at offset 1" },
		{ "(a)(?1)",     "a recursion" },
		{ "(a)(?-1)",    "a recursion" },
		{ "(a)(?+1)",    "a recursion" },
		{ "(?<n>a)(?&n)", "a recursion" },
		{ "(?<n>a)(?P>n)", "a recursion" },
		{ "(a)?(?(1)b)", "a condition" },
		{ "(?C1)a",      "a callout" },
		{ "(*UTF)a",     "a verb" },
		{ "a(*ACCEPT)b", "a verb" },
		{ "a\\Kb",       "\\K" },
		{ "a\\Cb",       "\\C" },
		{ "\\Qa",        "\\Q" },
		/* a class and a comment end at the same place as for PCRE2 */
		{ "[a](*ACCEPT)", "a verb, but has one at offset 3" },
		{ "[]a](?R)",    "a recursion" },
		{ "[^]a](?R)",   "a recursion" },
		{ "[\\]a](?R)",  "a recursion" },
		{ "[a\\](?R)",   "missing terminating ]" },
		{ "[[:alpha:]](?R)", "a recursion" },
		{ "[[:](?R)",    "a recursion" },
		{ "[[:a](?R)]:]", "a recursion" },
		{ "[\\c]](?R)",  "a recursion" },
		{ "[a\\Q](?R)",  "\\Q" },
		{ "\\[(*ACCEPT)]", "a verb" },
		{ "\\c[(*ACCEPT)]", "a verb" },
		{ "\\c\\(*ACCEPT)", "a verb" },
		{ "(?#[)(*ACCEPT)(?#])", "a verb" },
		{ "(?xx)[ ][](*ACCEPT)]", "a verb" },
		{ "(?i-s^xx:[ ][](*ACCEPT)])", "a verb" },
		{ "(?[a])",      "an extended class" },
		{ "((((a{0,99}){0,99}){0,99}){0,99}){0,99}", "too large" },
		{ "(?<=a+)b",    "lookbehind assertion is not fixed length" },
		{ "(a?){99}b",   "PCRE2 cannot search a text of 255 octets: workspace "
		                 "size exceeded in DFA matching: write a simpler "
		                 "pattern" },
		{ "(?=.*a(?=.*a(?=.*b)))", "may take at most 10000 us",
		  "match limit exceeded" },
	};
	struct regex *regex = NULL;
	char longest[REGEX_MAX + 2];
	struct why why;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		print_message("  %s\n", cases[i].pattern);
		assert_int_equal(regex_check(cases[i].pattern, "pattern", &why),
		                 ERR_INVALID);
		print_message("    %s\n", why.text);
		assert_true(strstr(why.text, cases[i].words) ||
		            (cases[i].other && strstr(why.text, cases[i].other)));
		assert_int_equal(strncmp(why.text, "pattern: ", 9), 0);
	}
	memset(longest, 'a', sizeof longest);
	longest[REGEX_MAX + 1] = '\0';
	assert_int_equal(regex_new(longest, "pattern", &regex, &why), ERR_INVALID);
	longest[REGEX_MAX] = '\0';
	assert_int_equal(regex_check(longest, "pattern", &why), OK);
	/* an escaped backslash before a letter is not an escape of this letter */
	assert_int_equal(regex_check("\\\\Ka", "pattern", &why), OK);
}

static int64_t cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* Each search ends early, even with a pattern that the check refuses. */
static void test_time(void **state)
{
	static const char *const patterns[] = {
		"^(a+)+b$", "(a|a)*b", "(a|aa)+b", "(a*)*(a*)*(a*)*(a*)*b",
		"(a?){60}a{60}b", ".+b.+b", "(.+)+b.",
		"([a-z]+)*[0-9]", "(.*)*(.*)*(.*)*(.*)*b", ".{0,60}b", ".{0,200}b",
		"(.{0,9}){0,9}b", "(?=.*a(?=.*a(?=.*b)))", "(?:(?=.*?.*?.*?.*?b).)*b",
		"(?!(.{0,9}){0,8}b)a*b", "(?:a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|.)*b.b",
		"(?=(?=(?=(?=(?=(?=(?=(?=(?=(?=(?=a)))))))))))b",
	};
	char text[REGEX_TEXT_MAX + 1];

	(void)state;
	memset(text, 'a', sizeof text);
	memcpy(text + REGEX_TEXT_MAX - 2, "b.", 3);
	for (size_t i = 0; i < COUNT(patterns); i++) {
		struct regex *regex;
		struct why why;
		int64_t begin_ms, took_ms, left_us = REGEX_BUDGET_US;
		enum regex_result result;

		assert_int_equal(regex_new(patterns[i], "pattern", &regex, &why), OK);
		begin_ms = cpu_ms();
		result = regex_search(regex, text, &left_us);
		took_ms = cpu_ms() - begin_ms;
		print_message("  %d ms, result %d: %s\n", (int)took_ms, result,
		              patterns[i]);
		assert_true(took_ms < SLOW_MS);
		regex_free(&regex);
	}
}

static void test_long_text(void **state)
{
	int64_t left_us = REGEX_BUDGET_US;
	char text[REGEX_TEXT_MAX + 2];
	struct regex *regex;
	struct why why;

	(void)state;
	memset(text, 'a', sizeof text);
	text[REGEX_TEXT_MAX + 1] = '\0';
	assert_int_equal(regex_new("a", "pattern", &regex, &why), OK);
	assert_int_equal(regex_search(regex, text, &left_us), REGEX_STOPPED);
	text[REGEX_TEXT_MAX] = '\0';
	assert_int_equal(regex_search(regex, text, &left_us), REGEX_FOUND);
	regex_free(&regex);
}

/* All searches in a text share a budget. */
static void test_budget(void **state)
{
	int64_t left_us = REGEX_BUDGET_US, begin_ms = cpu_ms();
	char text[REGEX_TEXT_MAX + 1];
	struct regex *regex;
	struct why why;

	(void)state;
	memset(text, 'a', sizeof text);
	text[REGEX_TEXT_MAX] = '\0';
	assert_int_equal(regex_new("(?=.*a(?=.*a(?=.*[b])))", "pattern", &regex, &why),
	                 OK);
	for (int i = 0; i < 100; i++)
		assert_int_equal(regex_search(regex, text, &left_us), REGEX_STOPPED);
	print_message("  %d ms\n", (int)(cpu_ms() - begin_ms));
	assert_true(left_us <= 0);
	assert_true(cpu_ms() - begin_ms < 2 * REGEX_BUDGET_US / 1000 + SLOW_MS);
	regex_free(&regex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_searches),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
