#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <stdio.h>
#include <string.h>

#include "places.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Three parts: a:1 to a:3; b:7; none; and records that no part has yet. */
static void fill(struct places *places)
{
	places_add(places, "a", 1);
	places_add(places, "a", 2);
	places_add(places, "a", 3);
	places_end_part(places);
	places_add(places, "dir/b", 7);
	places_end_part(places);
	places_end_part(places);
	places_add(places, "a", 9);
}

static void reasons(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "part 0, records[0]: is wrong",      "a:1: is wrong" },
		{ "part 0, records[2].name: is wrong", "a:3: name: is wrong" },
		{ "part 1, records[0]: is wrong",      "dir/b:7: is wrong" },
		{ "part 0, records[3]: is wrong",      NULL },
		{ "part 1, records[1]: is wrong",      NULL },
		{ "part 2, records[0]: is wrong",      NULL },
		{ "part 3, records[0]: is wrong",      NULL },
		{ "part 99999999999, records[0]: x",   NULL },
		{ "part 0, records[99999999999]: x",   NULL },
		{ "part 0, records: is wrong",         NULL },
		{ "part 0: is wrong",                  NULL },
		{ "zone:1: part 0, records[0]: x",     NULL },
		{ "",                                  NULL },
	};
	struct places places = { 0 };

	(void)state;
	fill(&places);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct why why;

		snprintf(why.text, sizeof(why.text), "%s", cases[i].text);
		places_show(&places, &why);
		assert_string_equal(why.text, cases[i].want ? cases[i].want
		                                            : cases[i].text);
	}
	places_clear(&places);
}

static void many_records(void **state)
{
	struct places places = { 0 };
	struct why why;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		places_add(&places, i % 2 ? "odd" : "even", i);
		if (i % 4000 == 3999)
			places_end_part(&places);
	}
	snprintf(why.text, sizeof(why.text), "part 24, records[3999]: x");
	places_show(&places, &why);
	assert_string_equal(why.text, "odd:99999: x");
	places_clear(&places);
	assert_int_equal(places.record_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reasons),
		cmocka_unit_test(many_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
