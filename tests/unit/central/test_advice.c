#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdio.h>
#include <string.h>

#include "core/advice.h"
#include "model/presentation.h"
#include "model/rr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LINES = 6 };

static const struct name *apex_of(struct zone *zone)
{
	struct why why;

	assert_int_equal(name_parse("example.org.", "name", &zone->apex, &why), OK);
	return &zone->apex;
}

/* "www A 192.0.2.1", relative to example.org. */
static struct rrset *put(struct rrsets *sets, const char *line)
{
	char owner[64], type_name[16], data[64], full[128];
	struct record *record = arena_alloc(sets->arena, sizeof(*record));
	struct rrset *set;
	struct name name;
	struct why why;
	uint16_t type;

	assert_int_equal(sscanf(line, "%63s %15s %63[^\n]", owner, type_name, data), 3);
	snprintf(full, sizeof full, "%s%sexample.org.", strcmp(owner, "@") ? owner : "",
	         strcmp(owner, "@") ? "." : "");
	assert_int_equal(name_parse_owner(full, "name", &name, &why), OK);
	assert_int_equal(rrtype_parse(type_name, "type", &type, &why), OK);
	*record = (struct record){ .data = "" };
	assert_int_equal(rdata_parse(type, data, "data", sets->arena, &record->rdata,
	                             &record->rdata_len, &why), OK);
	set = rrsets_get(sets, &name, arena_strdup(sets->arena, full), type);
	set->was = record;
	set->was_count = 1;
	return set;
}

static const struct {
	const char *record, *known[LINES];
	const char *words;		/* NULL: no warning */
} cases[] = {
	/* hosts of others are not looked at */
	{ "@ NS ns1.example.net.", { NULL }, NULL },
	{ "@ MX 10 mail.notexample.org.", { NULL }, NULL },
	/* an address with a final dot is a name outside the zone */
	{ "@ MX 10 192.0.2.1.", { NULL }, "is an IPv4 address" },
	{ "@ NS 192.0.2.1.", { NULL }, "is an IPv4 address" },
	{ "@ SRV 0 0 1 192.0.2.1.", { NULL }, "is an IPv4 address" },
	{ "@ MX 10 192.0.2.256.", { NULL }, NULL },
	{ "@ MX 0 .", { NULL }, NULL },
	/* the host is in the zone */
	{ "@ NS ns1.example.org.", { NULL }, "no A or AAAA" },
	{ "@ NS ns1.example.org.", { "ns1 A 192.0.2.1" }, NULL },
	{ "@ NS NS1.Example.ORG.", { "ns1 AAAA 2001:db8::1" }, NULL },
	{ "@ NS ns1.example.org.", { "ns1 TXT x" }, "no A or AAAA" },
	{ "@ NS ns1.example.org.", { "ns1 CNAME x.example.net." }, "not a CNAME" },
	{ "@ MX 10 mail.example.org.", { NULL }, "'example.org. MX': the host 'mail." },
	{ "@ MX 10 example.org.", { "@ A 192.0.2.1" }, NULL },
	{ "@ MX 0 .", { NULL }, NULL },
	{ "_sip._tcp SRV 1 2 5060 sip.example.org.", { NULL }, "no A or AAAA" },
	{ "_sip._tcp SRV 1 2 5060 sip.example.org.", { "sip A 192.0.2.1" }, NULL },
	/* wildcards */
	{ "@ MX 10 mail.example.org.", { "* A 192.0.2.1" }, NULL },
	{ "@ MX 10 mail.example.org.", { "* CNAME x.example.net." }, "not a CNAME" },
	{ "@ MX 10 mail.example.org.", { "* A 192.0.2.1", "mail TXT x" },
	  "no A or AAAA" },
	{ "@ MX 10 a.b.example.org.", { "* A 192.0.2.1", "b TXT x" }, "no A or AAAA" },
	{ "@ MX 10 a.b.example.org.", { "* A 192.0.2.1" }, NULL },
	/* delegations */
	{ "sub NS ns.sub.example.org.", { "sub NS ns.sub.example.org." }, "glue" },
	{ "sub NS ns.sub.example.org.", { "sub NS ns.sub.example.org.",
	  "ns.sub A 192.0.2.1" }, NULL },
	{ "sub NS ns.other.example.org.", { "sub NS ns.other.example.org.",
	  "other NS ns.example.net." }, NULL },
	{ "sub NS ns.example.org.", { "sub NS ns.example.org." }, "no A or AAAA" },
	{ "@ MX 10 mail.sub.example.org.", { "sub NS ns.example.net." }, NULL },
	{ "@ NS ns.sub.example.org.", { "sub NS ns.example.net." }, NULL },
};

static void hosts_inside_the_zone(void **unused)
{
	struct zone zone = { .is.name = "example.org." };

	(void)unused;
	apex_of(&zone);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arena *arena = arena_new();
		const char *names[ADVICE_NAMES_MAX];
		struct rrsets sets, known;
		struct advice advice = { .count = 0 };

		print_message("  %s\n", cases[i].record);
		rrsets_init(&sets, arena);
		rrsets_init(&known, arena);
		put(&sets, cases[i].record);
		for (size_t k = 0; k < LINES && cases[i].known[k]; k++)
			put(&known, cases[i].known[k]);
		assert_true(advice_names(&zone, &sets, arena, names) < 10);
		advice_make(&zone, &sets, &known, arena, &advice);
		assert_int_equal(advice.count, cases[i].words != NULL);
		if (advice.count) {
			print_message("    %s\n", advice.texts[0]);
			assert_non_null(strstr(advice.texts[0], cases[i].words));
		}
		arena_free(&arena);
	}
}

static void names_to_read(void **unused)
{
	static const char *const want[] = {
		"a.b.example.org.", "b.example.org.", "*.b.example.org.", "example.org.",
		"*.example.org.",
	};
	struct zone zone = { .is.name = "example.org." };
	const char *names[ADVICE_NAMES_MAX];
	struct arena *arena = arena_new();
	struct rrsets sets;

	(void)unused;
	apex_of(&zone);
	rrsets_init(&sets, arena);
	put(&sets, "@ MX 10 a.b.example.org.");
	put(&sets, "@ NS ns1.example.net.");
	put(&sets, "@ TXT b.example.org.");
	assert_int_equal(advice_names(&zone, &sets, arena, names), COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++)
		assert_string_equal(names[i], want[i]);
	arena_free(&arena);
}

/* "+ @ MX 10 a.example.org.": adds the record. */
static void put_change(struct change *change, const char *line, struct arena *arena)
{
	static const char ops[] = { [CHANGE_ADD] = '+', [CHANGE_DELETE] = '-',
	                            [CHANGE_SET] = '=', [CHANGE_EXPECT] = '?' };
	struct rrsets scratch;
	const struct rrset *set;

	rrsets_init(&scratch, arena);
	set = put(&scratch, line + 2);
	*change = (struct change){
		.op = (enum change_op)((char *)memchr(ops, *line, sizeof ops) - ops),
		.name = set->name, .owner = set->owner, .type = set->type,
		.records = arena_alloc(arena, sizeof(*change->records)), .count = 1,
	};
	change->records[0] = (struct rdata){ .rdata = set->was->rdata, .data = "",
	                                     .len = set->was->rdata_len };
}

static void records_of_changes(void **unused)
{
	static const struct {
		const char *changes[LINES];
		size_t sets, records;
	} lists[] = {
		{ { "+ @ MX 10 a.example.org." }, 1, 1 },
		{ { "+ @ MX 10 a.example.org.", "+ @ MX 20 b.example.org." }, 1, 2 },
		{ { "+ @ MX 10 a.example.org.", "+ @ MX 10 A.example.org." }, 1, 1 },
		{ { "+ @ MX 10 a.example.org.", "= @ MX 20 b.example.org." }, 1, 1 },
		{ { "= @ MX 20 b.example.org.", "+ @ MX 10 a.example.org." }, 1, 2 },
		{ { "+ @ MX 10 a.example.org.", "- @ MX 10 a.example.org." }, 1, 0 },
		{ { "- @ MX 10 a.example.org.", "+ @ MX 10 a.example.org." }, 1, 1 },
		{ { "+ @ MX 10 a.example.org.", "+ w MX 10 a.example.org." }, 2, 2 },
		{ { "? @ MX 10 a.example.org.", "+ @ TXT x" }, 0, 0 },
	};

	(void)unused;
	for (size_t i = 0; i < COUNT(lists); i++) {
		struct arena *arena = arena_new();
		struct change changes[LINES];
		struct rrsets sets;
		size_t count = 0, records = 0;

		print_message("  %s\n", lists[i].changes[0]);
		for (; count < LINES && lists[i].changes[count]; count++)
			put_change(&changes[count], lists[i].changes[count], arena);
		rrsets_init(&sets, arena);
		advice_read_changes(&sets, changes, count);
		for (size_t s = 0; s < sets.count; s++)
			records += sets.items[s]->was_count;
		assert_int_equal(sets.count, lists[i].sets);
		assert_int_equal(records, lists[i].records);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_inside_the_zone),
		cmocka_unit_test(names_to_read),
		cmocka_unit_test(records_of_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
