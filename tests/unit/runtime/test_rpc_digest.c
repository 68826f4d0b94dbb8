#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* ours is in err.h */

#include <string.h>

#include "runtime/rpc_digest.h"

/* SAME: as the first row. */
static const struct {
	const char *tenant, *method, *args;
	bool is_admin, same;
} cases[] = {
	{ "alice",  "create_domain", "{\"a\": 1, \"b\": [1, {}]}", false, true },
	{ "alice",  "create_domain", "{\"a\":1,\"b\":[1,{}]}",     false, true },
	{ "alice",  "create_domain", "{\"b\": [1, {}], \"a\": 1}", false, true },
	{ "bob",    "create_domain", "{\"a\": 1, \"b\": [1, {}]}", false, false },
	{ "alice ", "create_domain", "{\"a\": 1, \"b\": [1, {}]}", false, false },
	{ "",       "create_domain", "{\"a\": 1, \"b\": [1, {}]}", false, false },
	{ "alice",  "create_domain", "{\"a\": 1, \"b\": [1, {}]}", true,  false },
	{ "alice",  "delete_domain", "{\"a\": 1, \"b\": [1, {}]}", false, false },
	{ "alice",  "create_domain", "{\"a\": 2, \"b\": [1, {}]}", false, false },
	{ "alice",  "create_domain", "{\"a\": \"1\", \"b\": [1, {}]}", false, false },
	{ "alice",  "create_domain", "{\"a\": 1, \"b\": [{}, 1]}", false, false },
	{ "alice",  "create_domain", "{\"a\": 1}",                 false, false },
	{ "alice",  "create_domain", "{}",                         false, false },
	{ "alic",   "ecreate_domain", "{\"a\": 1, \"b\": [1, {}]}", false, false },
};

static void test_digest(void **state)
{
	uint8_t first[RPC_DIGEST_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		json_t *args = json_loads(cases[i].args, 0, NULL);
		const struct request req = {
			.context = { .tenant = cases[i].tenant,
			             .is_admin = cases[i].is_admin },
			.method = cases[i].method, .args = args,
		};
		uint8_t digest[RPC_DIGEST_LEN];

		rpc_digest(&req, i ? digest : first);
		if (i)
			assert_int_equal(!memcmp(digest, first, sizeof first),
			                 cases[i].same);
		json_decref(args);
	}
}

static void test_without_arguments(void **state)
{
	const struct request req = { .context.tenant = "", .method = "m" };
	uint8_t digest[RPC_DIGEST_LEN];

	(void)state;
	rpc_digest(&req, digest);
}

static const struct {
	const char *id;
	bool is_signed;
	const char *want;
} ids[] = {
	{ "0123456789abcdef0123456789abcdef", false, "0123456789abcdef0123456789abcdef" },
	{ "0123456789abcdef0123456789abcdef", true,  "g123456789abcdef0123456789abcdef" },
	{ "9123456789abcdef0123456789abcdef", true,  "p123456789abcdef0123456789abcdef" },
	{ "f123456789abcdef0123456789abcdef", true,  "v123456789abcdef0123456789abcdef" },
};

/* No id of an unsigned call begins with a letter from g to v. */
static void test_stored_ids(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		const struct request req = { .unique_id = ids[i].id,
		                             .is_signed = ids[i].is_signed };
		char id[ID_LEN + 1];

		rpc_stored_id(&req, id);
		assert_string_equal(id, ids[i].want);
	}
}

static void test_conflict(void **state)
{
	const struct request req = { .method = "m",
	                             .unique_id = "0123456789abcdef0123456789abcdef" };
	struct why why;
	struct tx tx = { .why = &why };

	(void)state;
	rpc_digest_conflict(&tx, &req);
	assert_int_equal(tx.err, ERR_CONFLICT);
	assert_non_null(strstr(why.text, req.unique_id));
	assert_non_null(strstr(why.text, "did not run"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest),
		cmocka_unit_test(test_without_arguments),
		cmocka_unit_test(test_stored_ids),
		cmocka_unit_test(test_conflict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
