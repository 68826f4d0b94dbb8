#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/suffix.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_entries(void **state)
{
	static const struct {
		const char *text, *want;	/* NULL: refused */
		const char *words;
	} cases[] = {
		{ "org",          "org.",         NULL },
		{ "Co.UK.",       "co.uk.",       NULL },
		{ "*.ck",         "*.ck.",        NULL },
		{ "*",            "*.",           NULL },
		{ "!www.ck",      "!www.ck.",     NULL },
		{ "!WWW.ck.",     "!www.ck.",     NULL },
		{ "xn--p1ai",     "xn--p1ai.",    NULL },
		{ "0/25.2.0.192.in-addr.arpa", "0/25.2.0.192.in-addr.arpa.", NULL },
		{ "",             NULL, "must not be the root" },
		{ ".",            NULL, "must not be the root" },
		{ "!",            NULL, "must not be the root" },
		{ "!.",           NULL, "must not be the root" },
		{ "!ck",          NULL, "tld.name: an exception must have two labels or "
		                        "more and no '*', such as '!www.ck', not "
		                        "'!ck'" },
		{ "!*.ck",        NULL, "not '!*.ck'" },
		{ "!!www.ck",     NULL, "the name '!www.ck.' may contain only" },
		{ "a.*.ck",       NULL, "may contain only" },
		{ "a..ck",        NULL, "empty label" },
		{ ".ck",          NULL, "empty label" },
		{ "a b.ck",       NULL, "tld.name: " },
		{ "a\\.b.ck",     NULL, "tld.name: " },
		{ "\xc3\xbc.ck",  NULL, "tld.name: " },
	};
	struct arena *arena = arena_new();
	const char *entry;
	struct why why;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		enum err err = suffix_parse(cases[i].text, "tld.name", arena, &entry,
		                            &why);

		print_message("  '%s'\n", cases[i].text);
		assert_int_equal(err, cases[i].want ? OK : ERR_INVALID);
		if (err)
			print_message("    %s\n", why.text);
		if (cases[i].want)
			assert_string_equal(entry, cases[i].want);
		else
			assert_non_null(strstr(why.text, cases[i].words));
	}
	arena_free(&arena);
}

/* The entries of a small list. */
static const char *const list[] = {
	"com.", "biz.", "uk.com.", "ac.", "*.mm.", "jp.", "ac.jp.", "kyoto.jp.",
	"ide.kyoto.jp.", "*.kobe.jp.", "!city.kobe.jp.", "*.ck.", "!www.ck.", "us.",
	"ak.us.", "k12.ak.us.", "uk.", "co.uk.", "xn--55qx5d.cn.", "cn.", "xn--fiqs8s.",
	"a.deep.", "*.b.a.deep.", "!c.b.a.deep.",
};

/* The order of the entries must not matter. */
static enum suffix_result decide_both(const struct name *name,
                                       const char *const *entries, size_t count)
{
	enum suffix_result verdict = suffix_decide(name, entries, count);
	const char *turned[SUFFIX_KEYS_MAX];

	for (size_t i = 0; i < count; i++)
		turned[i] = entries[count - 1 - i];
	assert_int_equal(suffix_decide(name, turned, count), verdict);
	return verdict;
}

static enum suffix_result decide(const char *text, const char *const *entries,
                                  size_t count)
{
	const char *keys[SUFFIX_KEYS_MAX], *found[SUFFIX_KEYS_MAX];
	struct arena *arena = arena_new();
	size_t key_count, found_count = 0;
	enum suffix_result verdict;
	struct name name;
	struct why why;

	assert_int_equal(name_parse(text, "name", &name, &why), OK);
	key_count = suffix_keys(&name, arena, keys);
	assert_true(key_count <= SUFFIX_KEYS_MAX);
	for (size_t i = 0; i < key_count; i++)
		for (size_t j = 0; j < count; j++)
			if (!strcmp(keys[i], entries[j]))
				found[found_count++] = entries[j];
	verdict = decide_both(&name, found, found_count);
	arena_free(&arena);
	return verdict;
}

static void test_names(void **state)
{
	static const struct {
		const char *name;
		enum suffix_result want;
	} cases[] = {
		{ ".",                     SUFFIX_NO_ENTRY  },
		{ "com.",                  SUFFIX_ITSELF    },
		{ "example.com.",          SUFFIX_PERMITTED },
		{ "b.example.com.",        SUFFIX_PERMITTED },
		{ "uk.com.",               SUFFIX_ITSELF    },
		{ "example.uk.com.",       SUFFIX_PERMITTED },
		{ "a.b.example.uk.com.",   SUFFIX_PERMITTED },
		{ "example.",              SUFFIX_NO_ENTRY  },
		{ "example.example.",      SUFFIX_NO_ENTRY  },
		{ "test.ac.",              SUFFIX_PERMITTED },
		/* a wildcard */
		{ "mm.",                   SUFFIX_NO_ENTRY  },
		{ "c.mm.",                 SUFFIX_ITSELF    },
		{ "b.c.mm.",               SUFFIX_PERMITTED },
		{ "a.b.c.mm.",             SUFFIX_PERMITTED },
		/* entries at several depths */
		{ "jp.",                   SUFFIX_ITSELF    },
		{ "test.jp.",              SUFFIX_PERMITTED },
		{ "ac.jp.",                SUFFIX_ITSELF    },
		{ "test.ac.jp.",           SUFFIX_PERMITTED },
		{ "kyoto.jp.",             SUFFIX_ITSELF    },
		{ "ide.kyoto.jp.",         SUFFIX_ITSELF    },
		{ "b.ide.kyoto.jp.",       SUFFIX_PERMITTED },
		{ "other.kyoto.jp.",       SUFFIX_PERMITTED },
		{ "kobe.jp.",              SUFFIX_PERMITTED },
		{ "c.kobe.jp.",            SUFFIX_ITSELF    },
		{ "b.c.kobe.jp.",          SUFFIX_PERMITTED },
		/* an exception */
		{ "city.kobe.jp.",         SUFFIX_PERMITTED },
		{ "www.city.kobe.jp.",     SUFFIX_PERMITTED },
		{ "ck.",                   SUFFIX_NO_ENTRY  },
		{ "test.ck.",              SUFFIX_ITSELF    },
		{ "b.test.ck.",            SUFFIX_PERMITTED },
		{ "www.ck.",               SUFFIX_PERMITTED },
		{ "www.www.ck.",           SUFFIX_PERMITTED },
		{ "c.b.a.deep.",           SUFFIX_PERMITTED },
		{ "d.b.a.deep.",           SUFFIX_ITSELF    },
		{ "b.a.deep.",             SUFFIX_PERMITTED },
		{ "a.deep.",               SUFFIX_ITSELF    },
		{ "deep.",                 SUFFIX_NO_ENTRY  },
		/* the shorter suffix is also an entry */
		{ "us.",                   SUFFIX_ITSELF    },
		{ "test.us.",              SUFFIX_PERMITTED },
		{ "ak.us.",                SUFFIX_ITSELF    },
		{ "test.ak.us.",           SUFFIX_PERMITTED },
		{ "k12.ak.us.",            SUFFIX_ITSELF    },
		{ "test.k12.ak.us.",       SUFFIX_PERMITTED },
		{ "co.uk.",                SUFFIX_ITSELF    },
		{ "example.co.uk.",        SUFFIX_PERMITTED },
		{ "xco.uk.",               SUFFIX_PERMITTED },
		/* names with letters outside ASCII */
		{ "xn--85x722f.xn--55qx5d.cn.", SUFFIX_PERMITTED },
		{ "xn--55qx5d.cn.",        SUFFIX_ITSELF    },
		{ "xn--85x722f.xn--fiqs8s.", SUFFIX_PERMITTED },
		{ "xn--fiqs8s.",           SUFFIX_ITSELF    },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		print_message("  %s\n", cases[i].name);
		assert_int_equal(decide(cases[i].name, list, COUNT(list)),
		                 cases[i].want);
	}
}

/* "*" alone is the rule of the Public Suffix List for all other names. */
static void test_star(void **state)
{
	static const char *const entries[] = { "*.", "co.uk." };
	static const struct {
		const char *name;
		enum suffix_result want;
	} cases[] = {
		{ "org.",           SUFFIX_ITSELF    },
		{ "example.org.",   SUFFIX_PERMITTED },
		{ "co.uk.",         SUFFIX_ITSELF    },
		{ "example.co.uk.", SUFFIX_PERMITTED },
		{ "other.uk.",      SUFFIX_PERMITTED },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(decide(cases[i].name, entries, COUNT(entries)),
		                 cases[i].want);
	assert_int_equal(decide("example.org.", NULL, 0), SUFFIX_NO_ENTRY);
}

static void test_longest_name(void **state)
{
	const char *keys[SUFFIX_KEYS_MAX];
	struct arena *arena = arena_new();
	char text[NAME_MAX_WIRE];
	struct name name;
	struct why why;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof text; i++)
		text[i] = i % 2 ? '.' : 'a';
	text[sizeof text - 1] = '\0';
	assert_int_equal(name_parse(text, "name", &name, &why), OK);
	assert_int_equal(name_labels(&name), 127);
	assert_int_equal(suffix_keys(&name, arena, keys), 3 * 127 - 1);
	for (size_t i = 0; i < 3 * 127 - 1; i++)
		assert_true(strlen(keys[i]) <= SUFFIX_TEXT_MAX);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_star),
		cmocka_unit_test(test_longest_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
