#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <string.h>

#include "core/route_backend.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Of the namespace "shop" of the project "p1". */
static const struct {
	const char *patterns, *backend;
	bool want;
} matching[] = {
	{ "NAMESPACE_*", "shop_web", true },
	{ "NAMESPACE_*", "shop_", true },
	{ "NAMESPACE_*", "shop_web.v2:8080", true },
	{ "NAMESPACE_*", "shop", false },
	{ "NAMESPACE_*", "shop2_web", false },
	{ "NAMESPACE_*", "bank_web", false },
	{ "NAMESPACE_*", "bank_shop_web", false },
	{ "NAMESPACE_*", "Shop_web", false },
	{ "NAMESPACE_*", "NAMESPACE_web", false },
	{ "NAMESPACE_*", "stats", false },
	{ "NAMESPACE_*", "", false },
	{ "be_http:NAMESPACE:*", "be_http:shop:web", true },
	{ "be_http:NAMESPACE:*", "be_http:bank:web", false },
	{ "*-NAMESPACE", "web-shop", true },
	{ "*-NAMESPACE", "web-shop-shop", true },
	{ "*-NAMESPACE", "web-shop-bank", false },
	{ "PROJECT/*", "p1/web", true },
	{ "PROJECT/*", "p2/web", false },
	{ "NAMESPACE_* static", "static", true },
	{ "NAMESPACE_*   static", "shop_a", true },
	{ "NAMESPACE_* static", "static2", false },
	{ "PROJECT-NAMESPACE", "p1-shop", true },
	{ "NAMESPACENAMESPACE", "shopshop", true },
	{ "NAME", "NAME", true },
	{ "*", "anything", true },
};

static void a_backend_belongs_to_a_namespace(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(matching); i++) {
		print_message("  %s: %s\n", matching[i].patterns, matching[i].backend);
		assert_int_equal(route_backend_matches(matching[i].patterns, "shop", "p1",
		                                       matching[i].backend),
		                 matching[i].want);
	}
	/* one that nobody has a project for matches nothing by it */
	assert_false(route_backend_matches("PROJECT*", "shop", "", "bank_web"));
}

/* The tenant is "p1". */
static const struct {
	const char *patterns, *namespace;
	bool want;
} claims[] = {
	{ "*", "be", true },
	{ "t-*", "t-shop", true },
	{ "t-*", "be", false },
	{ "t-*", "bet-shop", false },
	{ "PROJECT", "p1", true },
	{ "PROJECT", "p1-shop", false },
	{ "PROJECT", "p2", false },
	{ "PROJECT-*", "p1-shop", true },
	{ "PROJECT-*", "p1", false },
	{ "PROJECT t-*", "t-shop", true },
	{ "PROJECT t-*", "be", false },
	{ "NAMESPACE", "be", false },
	{ "NAMESPACE*", "be", false },
};

static void a_tenant_claims_a_namespace_that_matches(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(claims); i++) {
		print_message("  %s: %s\n", claims[i].patterns, claims[i].namespace);
		assert_int_equal(route_backend_allows_namespace(claims[i].patterns, "p1",
		                                                claims[i].namespace),
		                 claims[i].want);
	}
	assert_false(route_backend_allows_namespace("PROJECT*", "", "be"));
}

static void its_default_is_of_its_namespace(void **unused)
{
	char name[ROUTE_HOST_MAX + 1], backend[BACKEND_MAX + 1];

	(void)unused;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	route_backend_default("shop", name, backend);
	assert_int_equal(strlen(backend), strlen("shop_") + 190);
	assert_true(route_backend_matches("NAMESPACE_*", "shop", "p1", backend));
}

static const struct {
	const char *patterns, *words;
} wrong[] = {
	{ "", "must contain at least one pattern" },
	{ "   ", "must contain at least one pattern" },
	{ "a **", "'**' contains more than one *" },
	{ "*NAMESPACE* b", "'*NAMESPACE*' contains more than one *" },
};

static void patterns_have_one_star(void **unused)
{
	struct why why;

	(void)unused;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(route_backend_check_patterns(wrong[i].patterns, "f",
		                                              &why),
		                 ERR_INVALID);
		print_message("  %s\n", why.text);
		assert_non_null(strstr(why.text, wrong[i].words));
	}
	assert_int_equal(route_backend_check_patterns("a* *b c", "f", &why), OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_backend_belongs_to_a_namespace),
		cmocka_unit_test(a_tenant_claims_a_namespace_that_matches),
		cmocka_unit_test(its_default_is_of_its_namespace),
		cmocka_unit_test(patterns_have_one_star),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
