#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/delegation.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_below(void **state)
{
	static const struct {
		const char *dns, *parent;
		bool want;
	} rows[] = {
		{ "a.example.com", "example.com", true },
		{ "b.a.example.com", "example.com", true },
		{ "example.com", "example.com", false },
		{ "aexample.com", "example.com", false },
		{ ".example.com", "example.com", false },
		{ "com", "example.com", false },
		{ "a.example.com", "", false },
		{ "a.example.net", "example.com", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (delegation_is_below(rows[i].dns, rows[i].parent) != rows[i].want)
			fail_msg("%s in %s", rows[i].dns, rows[i].parent);
}

static void check(const char *ns, const char *zone, const char *want)
{
	json_t *servers = json_loads(ns, 0, NULL), *has = json_loads(zone, 0, NULL);
	json_t *wanted = json_loads(want, 0, NULL);
	json_t *endpoints = delegation_endpoints("s.example", servers, has);

	assert_non_null(wanted);
	assert_true(json_equal(endpoints, wanted));
	json_decref(servers);
	json_decref(has);
	json_decref(wanted);
	json_decref(endpoints);
}

#define NS "{\"dnsname\": \"s.example.\", \"type\": \"NS\", \"targets\": "

static void test_endpoints(void **state)
{
	(void)state;
	check("[]", "{}", "[]");
	check("[\"ns.other.\"]", "{\"records\": [{\"name\": \"ns\", \"type\": \"A\", "
	      "\"records\": [\"192.0.2.1\"]}]}", "[" NS "[\"ns.other.\"]}]");
	check("[\"ns1.s.example.\", \"ns.other.\"]",
	      "{\"records\": [{\"name\": \"NS1\", \"type\": \"A\", \"records\": "
	      "[\"192.0.2.1\"]},"
	      "{\"name\": \"ns1\", \"type\": \"TXT\", \"records\": [\"x\"]},"
	      "{\"name\": \"ns1.s.example.\", \"type\": \"AAAA\", \"records\": "
	      "[\"2001:db8::1\"]},"
	      "{\"name\": \"@\", \"type\": \"A\", \"records\": [\"192.0.2.2\"]}]}",
	      "[" NS "[\"ns1.s.example.\", \"ns.other.\"]},"
	      "{\"dnsname\": \"ns1.s.example.\", \"type\": \"A\", \"targets\": "
	      "[\"192.0.2.1\"]},"
	      "{\"dnsname\": \"ns1.s.example.\", \"type\": \"AAAA\", \"targets\": "
	      "[\"2001:db8::1\"]}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_below),
		cmocka_unit_test(test_endpoints),
	};

	return cmocka_run_group_tests_name("delegation", tests, NULL, NULL);
}
