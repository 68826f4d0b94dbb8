#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/share.h"
#include "model/rr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct name parsed(const char *text)
{
	struct name name;
	struct why why;

	assert_int_equal(name_parse(text, "name", &name, &why), OK);
	return name;
}

static void test_changes(void **state)
{
	static const struct {
		const char *share, *name;
		enum change_op op;
		uint16_t type;
		enum err want;
	} cases[] = {
		{ "example.org.", "www.example.org.", CHANGE_ADD, RR_A,
		  OK },
		{ "example.org.", "a.b.example.org.", CHANGE_SET, RR_AAAA,
		  OK },
		{ "example.org.", "example.org.", CHANGE_ADD, RR_TXT,
		  ERR_DENIED },
		{ "example.org.", "example.org.", CHANGE_EXPECT, RR_TXT,
		  ERR_DENIED },
		{ "g.example.org.", "g.example.org.", CHANGE_ADD, RR_A,
		  OK },
		{ "g.example.org.", "a.G.Example.org.", CHANGE_ADD, RR_A,
		  OK },
		{ "g.example.org.", "xg.example.org.", CHANGE_ADD, RR_A,
		  ERR_DENIED },
		{ "g.example.org.", "example.org.", CHANGE_ADD, RR_A,
		  ERR_DENIED },
		{ "g.example.org.", "*.g.example.org.", CHANGE_ADD, RR_A,
		  OK },
		{ "example.org.", "w.example.org.", CHANGE_ADD, RR_NS,
		  ERR_DENIED },
		{ "example.org.", "w.example.org.", CHANGE_SET, RR_DS,
		  ERR_DENIED },
		{ "example.org.", "w.example.org.", CHANGE_ADD, RR_DNAME,
		  ERR_DENIED },
		{ "example.org.", "w.example.org.", CHANGE_DELETE, RR_NS,
		  OK },
		{ "example.org.", "w.example.org.", CHANGE_EXPECT, RR_NS,
		  OK },
	};
	struct zone zone = { .is.name = "example.org.", .apex = parsed("example.org.") };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct name name = parsed(cases[i].share);
		struct share_rights rights = { "guest", &name, 1 };
		struct change change = { .op = cases[i].op, .type = cases[i].type,
		                         .name = parsed(cases[i].name),
		                         .owner = cases[i].name, .field = "changes[0]" };
		struct why why;

		print_message("  %s in %s, type %u\n", cases[i].name, cases[i].share,
		              cases[i].type);
		assert_int_equal(share_check_changes(&rights, &zone, &change, 1, &why),
		                 cases[i].want);
	}
}

/* Of each kind of record set: whether a guest may change it, and whose it is then. */
static void test_record_sets(void **state)
{
	static const struct {
		bool has_records, is_changed;
		const char *stored;
		enum err want;
		const char *of_guest, *of_owner;
	} cases[] = {
		{ false, true,  NULL,    OK,         "guest", "" },
		{ false, true,  "",      OK,         "guest", "" },
		{ false, true,  "other", OK,         "guest", "" },
		{ true,  true,  "guest", OK,         "guest", "guest" },
		{ true,  true,  "",      ERR_DENIED, NULL,    "" },
		{ true,  true,  "other", ERR_DENIED, NULL,    "other" },
		{ true,  false, "other", OK,         "other", "other" },
	};
	const struct share_rights rights = { "guest", NULL, 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rrset set = { .owner = "w.example.org.", .type = RR_A,
		                     .stored_tenant = cases[i].stored,
		                     .stored = cases[i].stored != NULL,
		                     .was_count = cases[i].has_records,
		                     .field = cases[i].is_changed ? "changes[0]" : NULL };
		struct rrset *items = &set;
		struct rrsets sets = { .items = &items, .count = 1 };
		struct why why;

		print_message("  %d %d '%s'\n", cases[i].has_records, cases[i].is_changed,
		              cases[i].stored ? cases[i].stored : "-");
		assert_int_equal(share_check_sets(&rights, &sets, &why), cases[i].want);
		if (cases[i].of_guest) {
			share_assign(&rights, &sets);
			assert_string_equal(set.tenant, cases[i].of_guest);
		}
		share_assign(NULL, &sets);
		assert_string_equal(set.tenant, cases[i].of_owner);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_record_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
