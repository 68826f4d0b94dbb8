#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdio.h>
#include <string.h>

#include "core/advice_set.h"
#include "model/presentation.h"
#include "model/rr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { RECORDS = 3 };

static const struct {
	const char *type, *records[RECORDS];
	const char *words;		/* NULL: no warning */
} cases[] = {
	{ "MX", { "0 ." }, NULL },
	{ "MX", { "10 a.example.net.", "20 b.example.net." }, NULL },
	{ "MX", { "10 a.example.net.", "0 ." },
	  "null MX record (0 .) must be the only MX" },
	{ "MX", { "10 ." , "0 ." }, "null MX" },
	{ "SRV", { "0 0 0 ." }, NULL },
	{ "SRV", { "0 0 0 .", "0 0 1 a.example.net." }, "(RFC 2782)" },
	{ "SRV", { "0 0 1 a.example.net.", "0 0 1 b.example.net." }, NULL },
	{ "HTTPS", { "0 a.example.net." }, NULL },
	{ "HTTPS", { "0 a.example.net.", "1 ." }, "AliasMode" },
	{ "HTTPS", { "1 a.example.net.", "256 b.example.net." }, NULL },
	{ "SVCB", { "0 a.example.net.", "0 b.example.net." }, "AliasMode" },
	{ "TXT", { "\"v=spf1 -all\"", "\"other\"" }, NULL },
	{ "TXT", { "\"v=spf1 -all\"", "\"v=spf10\"", "v=spf1x" }, NULL },
	{ "TXT", { "\"v=spf1 -all\"", "\"V=SPF1\"" }, "v=spf1" },
	{ "TXT", { "\"v=spf1 -all\"", "\"v=\" \"spf1 a\"" }, "RFC 7208" },
	{ "TXT", { "\"v=DMARC1; p=none\"", "\"v=DMARC1;p=reject\"" }, "RFC 7489" },
	{ "TXT", { "\"v=STSv1; id=1;\"", "\"v=STSv1; id=2;\"" }, "RFC 8461" },
	{ "TXT", { "\"v=TLSRPTv1;rua=a\"", "\"v=TLSRPTv1;rua=b\"" }, "RFC 8460" },
	{ "TXT", { "\"\"", "\"v=spf\"" }, NULL },
};

static void put(struct rrsets *sets, const char *type_name, const char *const *records)
{
	struct record *rows = arena_alloc(sets->arena, RECORDS * sizeof(*rows));
	struct rrset *set;
	struct name name;
	struct why why;
	uint16_t type;

	assert_int_equal(name_parse("example.org.", "name", &name, &why), OK);
	assert_int_equal(rrtype_parse(type_name, "type", &type, &why), OK);
	set = rrsets_get(sets, &name, "example.org.", type);
	set->was = rows;
	for (; set->was_count < RECORDS && records[set->was_count]; set->was_count++) {
		struct record *row = &rows[set->was_count];

		*row = (struct record){ .data = records[set->was_count] };
		assert_int_equal(rdata_parse(type, row->data, "data", sets->arena,
		                             &row->rdata, &row->rdata_len, &why), OK);
	}
	rrset_begin(set, sets->arena);
}

static void records_that_contradict_each_other(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arena *arena = arena_new();
		struct advice advice = { .count = 0 };
		struct rrsets sets;
		char subject[64];

		print_message("  %s %s\n", cases[i].type, cases[i].records[0]);
		rrsets_init(&sets, arena);
		put(&sets, cases[i].type, cases[i].records);
		advice_set_check(&sets, arena, &advice);
		assert_int_equal(advice.count, 0);	/* no change of the record set */
		sets.items[0]->field = "changes[0]";
		advice_set_check(&sets, arena, &advice);
		assert_int_equal(advice.count, cases[i].words != NULL);
		snprintf(subject, sizeof subject, "'example.org. %s': ", cases[i].type);
		if (advice.count) {
			print_message("    %s\n", advice.texts[0]);
			assert_non_null(strstr(advice.texts[0], cases[i].words));
			assert_memory_equal(advice.texts[0], subject, strlen(subject));
		}
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_that_contradict_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
