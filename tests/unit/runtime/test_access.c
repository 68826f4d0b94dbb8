#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* ours is in err.h */

#include <string.h>

#include "runtime/access.h"

/* Who asks, and whose it is. IS_OWNER: it may be seen and changed; FILTER: of a list. */
static const struct {
	const char *tenant;
	bool is_admin;
	const char *owner;
	bool is_owner;
	const char *filter;		/* NULL: everyone's; "-": ERR_DENIED */
} cases[] = {
	{ "alice", false, "alice",            true,  "alice" },
	{ "alice", false, "bob",              false, "alice" },
	{ "alice", false, "",                 false, "alice" },
	{ "alice", false, "alice ",           false, "alice" },
	{ "alice", false, " alice",           false, "alice" },
	{ "alice", false, "Alice",            false, "alice" },
	{ "alice", false, "alic",             false, "alice" },
	{ "alice", false, "alicee",           false, "alice" },
	{ "alice", false, "\xef\xbd\x81lice", false, "alice" },
	{ "",      false, "",                 false, "-" },
	{ "",      false, "alice",            false, "-" },
	{ "",      false, " ",                false, "-" },
	{ "",      true,  "",                 true,  NULL },
	{ "",      true,  "alice",            true,  NULL },
	{ "bob",   true,  "alice",            true,  NULL },
};

static void check_filter(struct request *req, const char *want)
{
	const char *tenant = "untouched";
	struct access access = { "untouched", false };

	if (want && !strcmp(want, "-")) {
		assert_int_equal(access_filter(req, &tenant), ERR_DENIED);
		assert_int_equal(access_of(req, &access), ERR_DENIED);
		assert_string_equal(tenant, "untouched");
		assert_string_equal(access.tenant, "untouched");
		return;
	}
	assert_int_equal(access_filter(req, &tenant), OK);
	assert_int_equal(access_of(req, &access), OK);
	assert_int_equal(access.all, !want);
	if (want)
		assert_string_equal(tenant, want);
	else
		assert_null(tenant);
}

/* Only an administrator may list what all tenants have. */
static void check_all_tenants(struct request *req, const char *filter)
{
	struct access access;

	req->context.all_tenants = true;
	assert_int_equal(access_of_list(req, &access), filter ? ERR_DENIED : OK);
	assert_int_equal(access_filter(req, &(const char *){ NULL }),
	                 filter ? ERR_DENIED : OK);
}

/* An administrator who is kept to its own tenant. */
static void test_own_tenant_only(void **state)
{
	static const struct { const char *tenant, *owner; bool is_owner; } own[] = {
		{ "",      "",       true  },
		{ "",      "alice",  false },
		{ "alice", "alice",  true  },
		{ "alice", "",       false },
		{ "alice", "alice ", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
		struct request req = { .method = "m", .context = {
			.tenant = own[i].tenant, .is_admin = true,
			.own_tenant_only = true } };
		struct access access;
		const char *tenant = NULL;

		assert_int_equal(access_is_owner(&req, own[i].owner), own[i].is_owner);
		assert_int_equal(access_of(&req, &access), OK);
		assert_false(access.all);
		assert_int_equal(access_has(&access, own[i].owner), own[i].is_owner);
		assert_int_equal(access_filter(&req, &tenant), OK);
		assert_string_equal(tenant, own[i].tenant);
		assert_int_equal(access_require_admin(&req), OK);
	}
}

static void test_access(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct request req = { .method = "m", .context = {
			.tenant = cases[i].tenant, .is_admin = cases[i].is_admin } };

		assert_int_equal(access_is_owner(&req, cases[i].owner),
		                 cases[i].is_owner);
		assert_int_equal(access_check(&req, cases[i].owner),
		                 cases[i].is_owner ? OK : ERR_DENIED);
		assert_int_equal(access_require_admin(&req),
		                 cases[i].is_admin ? OK : ERR_DENIED);
		check_filter(&req, cases[i].filter);
		check_all_tenants(&req, cases[i].filter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_own_tenant_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
