#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdio.h>
#include <string.h>

#include "core/limits.h"
#include "model/presentation.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LINES = 4 };

/* "*.w NS": relative to example.org., with COUNT records. */
static struct rrset *put(struct rrsets *sets, const char *line, size_t count)
{
	char owner[64], type_name[16], full[128];
	struct rrset *set;
	struct name name;
	struct why why;
	uint16_t type;

	assert_int_equal(sscanf(line, "%63s %15s", owner, type_name), 2);
	snprintf(full, sizeof full, "%s.example.org.", owner);
	assert_int_equal(name_parse(full, "name", &name, &why), OK);
	assert_int_equal(rrtype_parse(type_name, "type", &type, &why), OK);
	set = rrsets_get(sets, &name, arena_strdup(sets->arena, full), type);
	set->was = arena_alloc(sets->arena, count * sizeof(*set->was));
	memset((void *)set->was, 0, count * sizeof(*set->was));
	set->was_count = count;
	return set;
}

static void advise(const struct limits_found *found, struct arena *arena,
                   struct advice *advice)
{
	static const struct limit_server servers[] = {
		{ "k1", "knot" }, { "b1", "bind9" }, { "b2", "bind9" }, { "n1", "nsd" },
	};

	*advice = (struct advice){ .count = 0 };
	if (found)
		limits_advise(found, servers, COUNT(servers), arena, advice);
}

static const struct {
	const char *lines[LINES];
	size_t records;
	const char *want[LINES];
} cases[] = {
	{ { "*.w NS" }, 1, { "'*.w.example.org. NS': BIND (b1, b2) refuses the whole "
	  "zone, because BIND accepts no NS records at a wildcard name" } },
	{ { "w NS" }, 1, { NULL } },
	{ { "w A", "w AAAA" }, 100, { NULL } },
	{ { "w A", "w AAAA" }, 101, { "'w.example.org. A': BIND",
	  "'w.example.org. AAAA': BIND" } },
	/* one warning for a name */
	{ { "k KEY", "k CNAME", "l KEY" }, 1, { "'k.example.org.': Knot (k1) refuses" } },
	/* the pool has no PowerDNS */
	{ { "a+b A", "x RRSIG" }, 1, { NULL } },
};

static void what_servers_of_the_pool_do_not_take(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arena *arena = arena_new();
		struct rrsets sets;
		struct advice advice;
		size_t want = 0;

		print_message("  %s\n", cases[i].lines[0]);
		rrsets_init(&sets, arena);
		for (size_t k = 0; k < LINES && cases[i].lines[k]; k++)
			put(&sets, cases[i].lines[k], cases[i].records);
		advise(limits_find_rows(&sets), arena, &advice);
		for (; want < LINES && cases[i].want[want]; want++) {
			assert_true(want < advice.count);
			print_message("    %s\n", advice.texts[want]);
			assert_memory_equal(advice.texts[want], cases[i].want[want],
			                    strlen(cases[i].want[want]));
		}
		assert_int_equal(advice.count, want);
		arena_free(&arena);
	}
}

/* What was there before the change is not its business, but counts at its name. */
static void only_what_changes(void **unused)
{
	struct arena *arena = arena_new();
	struct rrsets sets;
	struct rrset *key;

	(void)unused;
	rrsets_init(&sets, arena);
	put(&sets, "*.w NS", 1);
	put(&sets, "k CNAME", 1);
	key = put(&sets, "k KEY", 1);
	for (size_t i = 0; i < sets.count; i++)
		rrset_begin(sets.items[i], arena);
	rrsets_sort(&sets);
	assert_null(limits_find(&sets));
	key->field = "changes[0]";
	const struct limits_found *found = limits_find(&sets);
	assert_non_null(found);
	for (size_t i = 0; i < SERVER_LIMITS; i++)
		assert_int_equal(found->rows[i].count,
		                 !strcmp(server_limits[i].backend, "knot"));
	key->wanted_count = 0;		/* the change deletes it */
	assert_null(limits_find(&sets));
	arena_free(&arena);
}

static void names_of_zones(void **unused)
{
	static const struct limit_server servers[] = {
		{ "n1", "nsd" }, { "b1", "bind9" }
	};
	struct zone zone = { .is.name = "0/25.2.0.192.in-addr.arpa." };
	struct arena *arena = arena_new();
	struct advice advice = { .count = 0 };
	struct why why;

	(void)unused;
	assert_int_equal(name_parse(zone.is.name, "name", &zone.apex, &why), OK);
	assert_true(limits_exclude_zone(&zone));
	limits_advise_zone(&zone, servers, COUNT(servers), arena, &advice);
	assert_int_equal(advice.count, 1);
	assert_string_equal(advice.texts[0], "'0/25.2.0.192.in-addr.arpa.': NSD (n1) "
	                    "does not get the zone, because NSD accepts no zone with / "
	                    "in its name, unless slash_names is true for the server "
	                    "in backends.nsd (deploy/name-servers.md, NSD 4.6)");
	limits_advise_zone(&zone, servers + 1, 1, arena, &advice);
	assert_int_equal(advice.count, 1);
	/* the length of this label is the code of "/" */
	assert_int_equal(name_parse("a2345678901234567890123456789012345678901234567"
	                            ".org.", "name", &zone.apex, &why), OK);
	assert_false(limits_exclude_zone(&zone));
	arena_free(&arena);
}

static void a_bounded_number_of_texts(void **unused)
{
	enum { SETS = 50 };
	struct arena *arena = arena_new();
	struct rrsets sets;
	struct advice advice;

	(void)unused;
	rrsets_init(&sets, arena);
	for (size_t i = 0; i < SETS; i++) {
		char line[32];

		snprintf(line, sizeof line, "*.w%zu NS", i);
		put(&sets, line, 1);
	}
	advise(limits_find_rows(&sets), arena, &advice);
	assert_int_equal(advice.count, ADVICE_MAX);
	assert_int_equal(advice.further, SETS - ADVICE_MAX);
	arena_free(&arena);
}

/* Each of the record sets is enough for the failure. */
static void causes_of_a_failure(void **unused)
{
	static const struct {
		const char *lines[6];
		const char *want;
	} rows[] = {
		{ { "w NS" }, NULL },
		{ { "*.v NS", "*.w NS" }, "likely cause: '*.v.example.org. NS', "
		  "'*.w.example.org. NS': BIND accepts no NS records at a wildcard "
		  "name" },
		{ { "*.v NS", "*.w NS", "*.x NS", "*.y NS", "*.z NS" },
		  "likely cause: '*.v.example.org. NS', '*.w.example.org. NS', "
		  "'*.x.example.org. NS': BIND accepts no NS records at a wildcard name; "
		  "and 2 more" },
	};
	const struct limit_failure failure = { "bind9", "answers with SERVFAIL", false };

	(void)unused;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arena *arena = arena_new();
		const struct limits_found *found;
		struct rrsets sets;
		const char *got;

		rrsets_init(&sets, arena);
		for (size_t k = 0; rows[i].lines[k]; k++)
			put(&sets, rows[i].lines[k], 1);
		found = limits_find_rows(&sets);
		got = found ? limits_explain(found, &failure, arena) : NULL;
		assert_int_equal(!got, !rows[i].want);
		if (got)
			assert_string_equal(got, rows[i].want);
		arena_free(&arena);
	}
}

/* Two limits: a set of 101 records, and NS records at a wildcard. */
static void causes_of_two_limits(void **unused)
{
	const struct limit_failure failure = { "bind9", "answers with SERVFAIL", false };
	struct arena *arena = arena_new();
	struct rrsets sets;

	(void)unused;
	rrsets_init(&sets, arena);
	put(&sets, "a A", 101);
	put(&sets, "*.w NS", 1);
	assert_string_equal(limits_explain(limits_find_rows(&sets), &failure, arena),
	                    "likely cause: '*.w.example.org. NS': BIND accepts no NS "
	                    "records at a wildcard name; 'a.example.org. A': BIND "
	                    "accepts at most 100 records in a record set, unless its "
	                    "option max-records-per-type allows more");
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_servers_of_the_pool_do_not_take),
		cmocka_unit_test(only_what_changes),
		cmocka_unit_test(names_of_zones),
		cmocka_unit_test(a_bounded_number_of_texts),
		cmocka_unit_test(causes_of_a_failure),
		cmocka_unit_test(causes_of_two_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
