#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <string.h>

#include "core/paged_read.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { RECORDS = 10, OCTETS = 100, NOW = 5000, WHOLE = 1000, PAGES = 4 };

/* '.': taken; 'a': begun again. */
static const struct {
	const char *name;
	struct {
		struct read_page page;
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
		struct paged_read pages;
		struct why why;

		print_message("  %s\n", cases[i].name);
		paged_read_init(&pages, &limits, NOW, WHOLE);
		for (size_t n = 0; n <= last; n++) {
			bool is_restarted = true;

			assert_int_equal(paged_read_add(&pages, &cases[i].pages[n].page,
			                                NOW + cases[i].pages[n].after_ms,
			                                &is_restarted, &why),
			                 n < last ? OK : cases[i].err);
			assert_int_equal(is_restarted, cases[i].want[n] == 'a');
		}
	}
}

/* As often as a zone is begun, and no more; time passes through all of it. */
static void a_domain_that_always_changes_is_not_read(void **state)
{
	const struct axfr_limits limits = { RECORDS, OCTETS };
	struct read_page page = { 0, 1, 1 };
	struct paged_read pages;
	struct why why;
	bool is_restarted;

	(void)state;
	paged_read_init(&pages, &limits, NOW, WHOLE);
	for (int begun = 1; begun <= PAGED_READ_STARTS_MAX; begun++) {
		enum err want = begun < PAGED_READ_STARTS_MAX ? OK : ERR_BUSY;

		page.serial++;
		assert_int_equal(paged_read_add(&pages, &page, NOW, &is_restarted, &why),
		                 OK);
		assert_false(is_restarted);
		page.serial++;
		assert_int_equal(paged_read_add(&pages, &page, NOW, &is_restarted, &why),
		                 want);
		assert_int_equal(is_restarted, !want);
	}
	assert_string_equal(why.text, "the domain changed 6 times while "
	                    "zonefleet-ownership read the domain");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_of_one_serial_and_not_without_end),
		cmocka_unit_test(a_domain_that_always_changes_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
