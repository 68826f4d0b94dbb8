#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../rounds.h"
#include "core/route_name.h"
#include "model/name.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define A8  "aaaaaaaa"
#define A63 A8 A8 A8 A8 A8 A8 A8 "aaaaaaa"
#define A50 A8 A8 A8 A8 A8 A8 "aa"

/* ---- hosts ---- */

/* WANT: the host; NULL: it is refused. WILD: taken with "*" only. */
static const struct {
	const char *given, *want;
	bool wild;
} hosts[] = {
	{ "www.example.org",       "www.example.org",   false },
	{ "WWW.Example.ORG.",      "www.example.org",   false },
	{ "a.b",                   "a.b",               false },
	{ "0.example",             "0.example",         false },
	{ "xn--bcher-kva.example", "xn--bcher-kva.example", false },
	{ "a--b.c-d.e",            "a--b.c-d.e",        false },
	{ "a.1b",                  "a.1b",              false },
	{ A63 ".org",              A63 ".org",          false },
	{ "*.example.org",         "*.example.org",     true  },
	{ "*.Example",             "*.example",         true  },
	{ A63 "." A63 "." A63 "." A50 "aaaaaaaaaaa",
	  A63 "." A63 "." A63 "." A50 "aaaaaaaaaaa",    false },
	/* of 254 */
	{ A63 "." A63 "." A63 "." A50 "aaaaaaaaaaaa",   NULL, false },
	{ "a" A63 ".org", NULL, false }, { "example",     NULL, false },
	{ "example.",     NULL, false }, { "",            NULL, false },
	{ ".",            NULL, false }, { "..",          NULL, false },
	{ "a..b",         NULL, false }, { ".a.b",        NULL, false },
	{ "a.b..",        NULL, false }, { "-a.b",        NULL, false },
	{ "a-.b",         NULL, false }, { "a.-b",        NULL, false },
	{ "a.b-",         NULL, false }, { "a_b.org",     NULL, false },
	{ "a b.org",      NULL, false }, { "a.b\n",       NULL, false },
	{ "a\\.b.org",    NULL, false }, { "\\065.org",   NULL, false },
	{ "b\xc3\xbc" "cher.org", NULL, false },
	{ "10.0.0.1",     NULL, false }, { "a.1",         NULL, false },
	{ "a.1.",         NULL, false }, { "::1",         NULL, false },
	{ "*",            NULL, false }, { "*.",          NULL, false },
	{ "*..",          NULL, false }, { "*.1",         NULL, false },
	{ "*.*.org",      NULL, false }, { "a.*.org",     NULL, false },
	{ "*a.org",       NULL, false }, { "**.org",      NULL, false },
};

static void check_host(const char *given, bool wildcard, const char *want)
{
	char host[ROUTE_HOST_MAX + 1];
	struct why why = { "" };
	enum err err = host_normalize(given, "host", wildcard, host, &why);

	print_message("  \"%s\": %s\n", given, err ? why.text : host);
	assert_int_equal(err, want ? OK : ERR_INVALID);
	if (err)
		assert_int_equal(strncmp(why.text, "host: ", 6), 0);
	else
		assert_string_equal(host, want);
}

static void each_host(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(hosts); i++) {
		check_host(hosts[i].given, true, hosts[i].want);
		check_host(hosts[i].given, false, hosts[i].wild ? NULL : hosts[i].want);
	}
}

/* What is a host is a name that a record can have, and the same when it is read again. */
static void check_taken(const char *host)
{
	char again[ROUTE_HOST_MAX + 1], full[ROUTE_HOST_MAX + 2], text[NAME_MAX_TEXT + 1];
	struct name name;
	struct why why;

	assert_true(strlen(host) <= ROUTE_HOST_MAX);
	assert_int_equal(host_normalize(host, "host", true, again, &why), OK);
	assert_string_equal(again, host);
	snprintf(full, sizeof(full), "%s.", host);
	assert_int_equal(name_parse_owner(full, "host", &name, &why), OK);
	name_format(&name, text);
	assert_string_equal(text, full);
	assert_true(*host_parent(host));
	assert_true(host_is_in(host, host_parent(host)));
	assert_false(host_is_in(host_parent(host), host));
	assert_int_equal(host_is_wildcard(host), host[0] == '*');
}

static void fill(char *text, size_t size, const char *alphabet)
{
	size_t len = (size_t)rand() % size;

	for (size_t i = 0; i < len; i++)
		text[i] = alphabet[(size_t)rand() % strlen(alphabet)];
	text[len] = '\0';
}

static void whatever_comes(void **state)
{
	static const char *const alphabets[] = {
		"aZ09-._ *\\\n\xff" "aaaa....", "ab-.", "aB1*.",
		"aaaaaaaaaaaaaaaaaaaaaaaaa.",
	};
	char given[300], host[ROUTE_HOST_MAX + 1];
	struct why why;
	size_t taken = 0;

	(void)state;
	srand(1);
	for (int i = 0; i < rounds(200000); i++) {
		fill(given, i % 16 ? 12 : sizeof(given), alphabets[i % COUNT(alphabets)]);
		if (host_normalize(given, "host", true, host, &why))
			continue;
		taken++;
		check_taken(host);
	}
	print_message("  %zu taken\n", taken);
	assert_true(taken > (size_t)rounds(5000));
}

static void in_and_below(void **state)
{
	static const struct {
		const char *host, *domain;
		bool want;
	} rows[] = {
		{ "a.org",     "a.org", true  }, { "x.a.org",  "a.org",   true  },
		{ "x.y.a.org", "a.org", true  }, { "xa.org",   "a.org",   false },
		{ "org",       "a.org", false }, { "a.org",    "x.a.org", false },
		{ "a.orgs",    "a.org", false }, { "*.a.org",  "a.org",   true  },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(host_is_in(rows[i].host, rows[i].domain), rows[i].want);
}

/* ---- namespaces and names ---- */

static void labels_and_names(void **state)
{
	static const struct {
		const char *text;
		bool is_label, is_name;
	} rows[] = {
		{ "a",    true,  true  }, { "a-b",     true,  true  },
		{ "0",    true,  true  }, { A63,       true,  true  },
		{ "a.b",  false, true  }, { "",        false, false },
		{ "a..b", false, false }, { ".a",      false, false },
		{ "a.",   false, false }, { "-a",      false, false },
		{ "a-",   false, false }, { "a.-b",    false, false },
		{ "A",    false, false }, { "a_b",     false, false },
		{ "a/b",  false, false }, { "a b",     false, false },
		{ "\xc3\xa4", false, false }, { "a" A63, false, false },
		{ A63 "." A63 "." A63 "." A50, false, true },
		{ A63 "." A63 "." A63 "." A63, false, false },
	};
	struct why why;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("  \"%s\"\n", rows[i].text);
		assert_int_equal(route_name_check_label(rows[i].text, "name", &why),
		                 rows[i].is_label ? OK : ERR_INVALID);
		assert_int_equal(route_name_check(rows[i].text, "name", &why),
		                 rows[i].is_name ? OK : ERR_INVALID);
	}
}

/* ---- generated ones ---- */

#define DNS "shard1.v3.example.com"

static void make(const char *namespace, const char *name, const char *salt,
                 char host[ROUTE_HOST_MAX + 1])
{
	struct why why;

	assert_int_equal(route_name_generate(namespace, name, DNS, salt, host, &why), OK);
}

static void generated(void **state)
{
	static const struct {
		const char *namespace, *name, *want;
	} rows[] = {
		{ "myapp", "test",    "myapp-test." DNS },
		{ "myapp", "a.b",     "myapp-a-b." DNS },
		{ "a",     "b",       "a-b." DNS },
		{ "aaaa",  A50 A8,    "aaaa-" A50 A8 "." DNS },
	};
	char host[ROUTE_HOST_MAX + 1];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		make(rows[i].namespace, rows[i].name, NULL, host);
		assert_string_equal(host, rows[i].want);
	}
}

/*
 * As `printf %s ns-a/b | sha256sum` (ns/a-b/0123 with a salt) says, in the base 32 of RFC
 * 4648.
 */
static void the_hash_is_known(void **state)
{
	char host[ROUTE_HOST_MAX + 1];
	struct why why;

	(void)state;
	assert_int_equal(route_name_generate("ns-a", "b", "d.e", "", host, &why), OK);
	assert_string_equal(host, "ns-a-b-mmii3p.d.e");
	assert_int_equal(route_name_generate("ns", "a-b", "d.e", "", host, &why), OK);
	assert_string_equal(host, "ns-a-b-7w5dyg.d.e");
	assert_int_equal(route_name_generate("ns", "a-b", "d.e", "0123", host, &why), OK);
	assert_string_equal(host, "ns-a-b-zecldl.d.e");
}

/* Of the longest names, too. */
static void each_id_has_its_own(void **state)
{
	char one[ROUTE_HOST_MAX + 1], other[ROUTE_HOST_MAX + 1], name[ROUTE_HOST_MAX + 1];
	struct why why;

	(void)state;
	memset(name, 'a', ROUTE_HOST_MAX);
	name[ROUTE_HOST_MAX] = '\0';
	assert_int_equal(route_name_generate(A63, name, "d.e",
	                                     "abababababababababababababababa0",
	                                     one, &why), OK);
	assert_int_equal(route_name_generate(A63, name, "d.e",
	                                     "abababababababababababababababa1",
	                                     other, &why), OK);
	assert_string_not_equal(one, other);
}

static void no_room(void **state)
{
	char host[ROUTE_HOST_MAX + 1];
	struct why why = { "" };

	(void)state;
	assert_int_equal(route_name_generate(A50, A8 "aaaa",
	                                     A63 "." A63 "." A50 ".exampleabc",
	                                     NULL, host, &why), OK);
	assert_int_equal(strlen(host), ROUTE_HOST_MAX);
	check_taken(host);
	assert_int_equal(route_name_generate(A50, A8 "aaaa", A63 "." A63 "." A50
	                                     ".exampleabcd", NULL, host, &why),
	                 ERR_INVALID);
	assert_non_null(strstr(why.text, "would have more than"));
}

static void random_label(char *text, size_t max)
{
	struct why why;

	do
		fill(text, max + 1, "ab-");
	while (route_name_check_label(text, "label", &why));
}

static void random_name(char *text)
{
	struct why why;

	do
		fill(text, 65, "ab-b-a.");
	while (route_name_check(text, "name", &why));
}

/* Whatever it is of: a label, the same one each time, which is cut before a hyphen. */
static void always_a_label(void **state)
{
	char namespace[64], name[72], host[ROUTE_HOST_MAX + 1], again[ROUTE_HOST_MAX + 1];
	char label[64];
	size_t cut = 0;
	struct why why;

	(void)state;
	srand(2);
	for (int i = 0; i < rounds(50000); i++) {
		const char *salt = rand() % 2 ? "" : NULL;
		size_t len, whole;

		random_label(namespace, i % 2 ? 8 : ROUTE_LABEL_MAX);
		random_name(name);
		whole = strlen(namespace) + 1 + strlen(name);
		make(namespace, name, salt, host);
		make(namespace, name, salt, again);
		assert_string_equal(host, again);
		assert_string_equal(host_parent(host), DNS);
		len = strlen(host) - strlen(host_parent(host)) - 1;
		assert_true(len <= ROUTE_LABEL_MAX);
		snprintf(label, sizeof(label), "%.*s", (int)len, host);
		assert_int_equal(route_name_check_label(label, "label", &why), OK);
		check_taken(host);
		cut += whole > ROUTE_LABEL_MAX;
		if (!salt && whole <= ROUTE_LABEL_MAX) {
			assert_int_equal(len, whole);
			continue;
		}
		assert_int_equal(label[len - 7], '-');	/* and the hash behind it */
		assert_int_not_equal(label[len - 8], '-');
	}
	print_message("  %zu cut\n", cut);
	assert_true(cut > (size_t)rounds(1000));
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* One that would be called WHOLE: cut at AT, and with dots for hyphens behind it. */
static void split(const char *whole, size_t at, bool dots, char *namespace, char *name)
{
	snprintf(namespace, 64, "%.*s", (int)at, whole);
	snprintf(name, 64, "%s", whole + at + 1);
	for (char *c = name; dots && *c; c++)
		if (*c == '-')
			*c = '.';
}

static void all_that_collide(void **state)
{
	static const char whole[] = "a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v-w-x-y-z";
	static char made[64][ROUTE_HOST_MAX + 1];
	char namespace[64], name[64], plain[ROUTE_HOST_MAX + 1];
	size_t count = 0;

	(void)state;
	for (size_t at = 1; at < strlen(whole); at += 2)
		for (int dots = 0; dots < 2; dots++) {
			split(whole, at, dots, namespace, name);
			if (dots && !strchr(name, '.'))
				continue;
			make(namespace, name, NULL, plain);
			assert_int_equal(strncmp(plain, whole, strlen(whole)), 0);
			make(namespace, name, "", made[count++]);
		}
	assert_int_equal(count, 49);
	qsort(made, count, sizeof(made[0]), compare);
	for (size_t i = 1; i < count; i++)
		assert_string_not_equal(made[i - 1], made[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_host),
		cmocka_unit_test(whatever_comes),
		cmocka_unit_test(in_and_below),
		cmocka_unit_test(labels_and_names),
		cmocka_unit_test(generated),
		cmocka_unit_test(the_hash_is_known),
		cmocka_unit_test(each_id_has_its_own),
		cmocka_unit_test(no_room),
		cmocka_unit_test(always_a_label),
		cmocka_unit_test(all_that_collide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
