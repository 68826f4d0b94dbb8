#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/bind9_primaries.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ZONE(clauses) "zone \"a.example\" { type secondary; file \"1.db\";" clauses \
                      " masterfile-format raw; }; "
#define SAME BIND9_PRIMARIES_SAME
#define DIFFER BIND9_PRIMARIES_DIFFER
#define CUT BIND9_PRIMARIES_CUT

/* What BIND 9.18 and 9.16 print. */
static void all_cases(void **state)
{
	static const struct {
		const char *shown, *wanted;
		enum bind9_primaries want;
	} cases[] = {
		{ ZONE(" primaries { 192.0.2.1 port 53; };"), " 192.0.2.1 port 53;",
		  SAME },
		{ ZONE(" masters { 192.0.2.1 port 53; };"), " 192.0.2.1 port 53;", SAME },
		{ ZONE(" primaries { 192.0.2.1 port 53; };"), " 192.0.2.1 port 54;",
		  DIFFER },
		{ ZONE(" primaries { 192.0.2.1 port 53; };"), " 192.0.2.2 port 53;",
		  DIFFER },
		{ ZONE(" primaries { 192.0.2.1 port 53; };"),
		  " 192.0.2.1 port 53; 192.0.2.2 port 53;", DIFFER },
		{ ZONE(" primaries { 192.0.2.1 port 53; 192.0.2.2 port 53; };"),
		  " 192.0.2.1 port 53;", DIFFER },
		/* NOTIFY comes from the first one of them: their order counts */
		{ ZONE(" primaries { 192.0.2.1 port 53; 192.0.2.2 port 53; };"),
		  " 192.0.2.2 port 53; 192.0.2.1 port 53;", DIFFER },
		{ ZONE(" primaries { 2001:db8::1 port 53; };"),
		  " 2001:0DB8:0::1 port 53;", SAME },
		{ ZONE(" primaries { 192.0.2.1 port 53 key \"Pool.example.\"; };"),
		  " 192.0.2.1 port 53 key \"pool.example\";", SAME },
		{ ZONE(" primaries { 192.0.2.1 port 53 key \"pool.example.\"; };"),
		  " 192.0.2.1 port 53;", DIFFER },
		{ ZONE(" primaries { 192.0.2.1 port 53; };"),
		  " 192.0.2.1 port 53 key \"pool.example.\";", DIFFER },
		{ ZONE(" primaries { 192.0.2.1 port 53 key \"old\"; };"),
		  " 192.0.2.1 port 53 key \"new\";", DIFFER },
		/* after renew() */
		{ ZONE(" primaries { 192.0.2.1 port 53; }; alt-transfer-source 0.0.0.0 "
		       "port 2222; use-alt-transfer-source yes;"),
		  " 192.0.2.1 port 53;", SAME },
		{ ZONE(" primaries { \"others\"; };"), " 192.0.2.1 port 53;", DIFFER },
		{ ZONE(""), " 192.0.2.1 port 53;", DIFFER },
		{ "zone \"a.example\" { type secondary; primaries { 192.0.2.1 port",
		  " 192.0.2.1 port 53;", CUT },
		{ "", "", DIFFER },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		print_message("  %s | %s\n", cases[i].shown, cases[i].wanted);
		assert_int_equal(bind9_primaries_compare(cases[i].shown, cases[i].wanted),
		                 cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
