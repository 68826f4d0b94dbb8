#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <string.h>

#include "core/pages.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { RECORDS = 10, OCTETS = 100, NOW = 5000, WHOLE = 1000, PAGES = 4 };

/* '.': taken; 'a': begun again. */
static const struct {
	const char *name;
	struct {
		struct page page;
		int after_ms;
	} pages[PAGES];
	const char *want;
	enum err err;			/* of the last of them */
} cases[] = {
	{ "one", { { { 7, 1, 10 } } }, ".", OK },
	{ "as much as may be", { { { 7, 5, 50 } }, { { 7, 5, 50 }, WHOLE } }, "..", OK },
	{ "a record too many", { { { 7, 10, 1 } }, { { 7, 1, 1 } } }, "..",
	  ERR_TOO_LARGE },
	{ "an octet too many", { { { 7, 1, 100 } }, { { 7, 1, 1 } } }, "..",
	  ERR_TOO_LARGE },
	{ "too late", { { { 7, 1, 1 } }, { { 7, 1, 1 }, WHOLE + 1 } }, "..",
	  ERR_TIMEOUT },
	{ "too late, and another", { { { 7, 1, 1 } }, { { 8, 1, 1 }, WHOLE + 1 } }, "..",
	  ERR_TIMEOUT },
	{ "without records", { { { 7, 1, 1 } }, { { 7, 0, 0 } } }, "..", ERR_REMOTE },
	{ "another", { { { 7, 1, 1 } }, { { 8, 1, 1 } }, { { 8, 1, 1 } } }, ".a.", OK },
	{ "what came before does not count",
	  { { { 7, 9, 90 } }, { { 8, 9, 90 } }, { { 8, 9, 90 } } }, ".a.", OK },
	{ "an older one", { { { 7, 1, 1 } }, { { 6, 1, 1 } } }, ".a", OK },
	{ "of serial 0", { { { 0, 1, 1 } }, { { 0, 1, 1 } }, { { 1, 1, 1 } } }, "..a",
	  OK },
};

static void pages_are_of_one_serial_and_not_without_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct axfr_limits limits = { RECORDS, OCTETS };
		size_t last = strlen(cases[i].want) - 1;
		struct pages pages;
		struct why why;

		print_message("  %s\n", cases[i].name);
		pages_init(&pages, &limits, NOW, WHOLE);
		for (size_t n = 0; n <= last; n++) {
			bool is_another = true;

			assert_int_equal(pages_take(&pages, &cases[i].pages[n].page,
			                            NOW + cases[i].pages[n].after_ms,
			                            &is_another, &why),
			                 n < last ? OK : cases[i].err);
			assert_int_equal(is_another, cases[i].want[n] == 'a');
		}
	}
}

/* As often as a zone is begun, and no more; time passes through all of it. */
static void a_domain_that_always_changes_is_not_read(void **state)
{
	const struct axfr_limits limits = { RECORDS, OCTETS };
	struct page page = { 0, 1, 1 };
	struct pages pages;
	struct why why;
	bool is_another;

	(void)state;
	pages_init(&pages, &limits, NOW, WHOLE);
	for (int begun = 1; begun <= PAGES_BEGUN_MAX; begun++) {
		enum err want = begun < PAGES_BEGUN_MAX ? OK : ERR_BUSY;

		page.serial++;
		assert_int_equal(pages_take(&pages, &page, NOW, &is_another, &why), OK);
		assert_false(is_another);
		page.serial++;
		assert_int_equal(pages_take(&pages, &page, NOW, &is_another, &why), want);
		assert_int_equal(is_another, !want);
	}
	assert_string_equal(why.text, "the domain changes while it is read");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_of_one_serial_and_not_without_end),
		cmocka_unit_test(a_domain_that_always_changes_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
