#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* ours is in err.h */

#include <stdlib.h>
#include <string.h>

#include "runtime/rpc.h"

static enum err run_echo(void *self, struct request *req)
{
	++*(int *)self;
	req->result = json_copy(json_object_get(req->args, "value"));
	return OK;
}

static enum err run_refuse(void *self, struct request *req)
{
	++*(int *)self;
	return fail(&req->why, ERR_QUOTA, "no more");
}

/* Every second one is told that it exists already. */
static void run_batch(void *self, struct request *const *reqs, size_t count,
                      enum err *errs)
{
	++*(int *)self;
	for (size_t i = 0; i < count; i++)
		errs[i] = i % 2 ? fail(&reqs[i]->why, ERR_EXISTS, "there") : OK;
}

static const struct rpc_method methods[] = {
	{ "echo",          run_echo,   "value" },
	{ "update_status", run_refuse, "domain status serial_number reason? hint?" },
	{ "nothing",       run_echo,   NULL },
	{ "many",          NULL,       "key", run_batch },
	{ "_private",      run_echo,   "*" },
	{ 0 }
};

/* The words are those of Python 3 for keyword-only arguments. */
static const struct {
	const char *method, *args;
	enum err want;
	const char *why;
	int runs;
} cases[] = {
	{ "echo", "{\"value\": 5}", OK, "", 1 },
	{ "echo", "{\"value\": null}", OK, "", 1 },
	{ "nothing", "{}", OK, "", 1 },
	{ "many", "{\"key\": 1}", OK, "", 1 },
	{ "oslo_rpc_server_ping", "{}", OK, "", 0 },
	{ "oslo_rpc_server_ping", "{\"any\": 1}", OK, "", 0 },
	{ "update_status", "{\"domain\": 1, \"status\": 2, \"serial_number\": 3}",
	  ERR_QUOTA, "no more", 1 },
	{ "update_status",
	  "{\"domain\": 1, \"status\": 2, \"serial_number\": 3, \"hint\": 1}",
	  ERR_QUOTA, "no more", 1 },
	{ "update_status", "{\"status\": 2, \"serial_number\": 3}", ERR_ARGUMENTS,
	  "update_status() missing 1 required keyword argument: 'domain'", 0 },
	{ "update_status", "{\"status\": 2}", ERR_ARGUMENTS,
	  "update_status() missing 2 required keyword arguments: "
	  "'domain' and 'serial_number'", 0 },
	{ "update_status", "{\"reason\": 2}", ERR_ARGUMENTS,
	  "update_status() missing 3 required keyword arguments: "
	  "'domain', 'status', and 'serial_number'", 0 },
	{ "update_status", "{\"domai\": 1}", ERR_ARGUMENTS,
	  "update_status() got an unexpected keyword argument 'domai'", 0 },
	{ "update_status", "{\"reason?\": 1}", ERR_ARGUMENTS,
	  "update_status() got an unexpected keyword argument 'reason?'", 0 },
	{ "echo", "{\"\": 1}", ERR_ARGUMENTS,
	  "echo() got an unexpected keyword argument ''", 0 },
	{ "nothing", "{\"x\": 1}", ERR_ARGUMENTS,
	  "nothing() got an unexpected keyword argument 'x'", 0 },
	{ "many", "{}", ERR_ARGUMENTS,
	  "many() missing 1 required keyword argument: 'key'", 0 },
	{ "nosuch", "{}", ERR_METHOD, "Endpoint does not support RPC method nosuch", 0 },
	{ "_private", "{}", ERR_METHOD,
	  "Endpoint does not support RPC method _private", 0 },
	{ "", "{}", ERR_METHOD, "Endpoint does not support RPC method ", 0 },
	{ "ech", "{\"value\": 5}", ERR_METHOD,
	  "Endpoint does not support RPC method ech", 0 },
};

static void test_dispatch(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		json_t *args = json_loads(cases[i].args, 0, NULL);
		struct request req = { .method = cases[i].method, .args = args };
		int runs = 0;

		assert_int_equal(rpc_dispatch(methods, &runs, &req), cases[i].want);
		assert_string_equal(req.why.text, cases[i].why);
		assert_int_equal(runs, cases[i].runs);
		json_decref(req.result);
		json_decref(args);
	}
}

/* Null counts as absent, if the argument is optional. */
static void test_null(void **state)
{
	static const struct { const char *method, *args, *left; } given[] = {
		{ "update_status", "{\"domain\":1,\"status\":null,\"serial_number\":3,"
		  "\"reason\":null,\"hint\":{\"x\":null}}",
		  "{\"domain\":1,\"status\":null,\"serial_number\":3,"
		  "\"hint\":{\"x\":null}}" },
		{ "update_status", "{\"domain\":1,\"status\":2,\"serial_number\":3,"
		  "\"reason\":null,\"hint\":null}",
		  "{\"domain\":1,\"status\":2,\"serial_number\":3}" },
		{ "echo", "{\"value\":null}", "{\"value\":null}" },
	};
	struct why why;

	(void)state;
	for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
		json_t *args = json_loads(given[i].args, 0, NULL);
		const struct rpc_method *method;

		assert_int_equal(rpc_find(methods, given[i].method, &method, &why), OK);
		assert_int_equal(rpc_take_keywords(method, args, &why), OK);

		char *left = json_dumps(args, JSON_COMPACT);

		assert_string_equal(left, given[i].left);
		free(left);
		json_decref(args);
	}
}

static void test_results(void **state)
{
	json_t *args = json_pack("{s:i}", "value", 7);
	struct request echo = { .method = "echo", .args = args };
	struct request ping = { .method = "oslo_rpc_server_ping", .args = args };
	int runs = 0;

	(void)state;
	assert_int_equal(rpc_dispatch(methods, &runs, &echo), OK);
	assert_int_equal(json_integer_value(echo.result), 7);
	assert_int_equal(rpc_dispatch(methods, &runs, &ping), OK);
	assert_string_equal(json_string_value(ping.result), "pong");
	json_decref(ping.result);
	json_decref(echo.result);
	json_decref(args);
}

static void test_batch_has_an_error_each(void **state)
{
	struct request one = { .method = "many" }, two = { .method = "many" };
	struct request *const reqs[] = { &one, &two };
	enum err errs[2] = { ERR_COUNT, ERR_COUNT };
	const struct rpc_method *method;
	struct why why;
	int runs = 0;

	(void)state;
	assert_int_equal(rpc_find(methods, "many", &method, &why), OK);
	rpc_run(method, &runs, reqs, 2, errs);
	assert_int_equal(runs, 1);
	assert_int_equal(errs[0], OK);
	assert_int_equal(errs[1], ERR_EXISTS);
	assert_string_equal(two.why.text, "there");
}

static const struct {
	const char *namespace, *version;
	enum err want;
	const char *why;
} versions[] = {
	{ NULL,    NULL,  OK, "" },
	{ NULL,    "1.0", OK, "" },
	{ NULL,    "1.1", OK, "" },
	{ NULL,    "1.2", ERR_VERSION,
	  "Endpoint does not support RPC version 1.2. Attempted method: f" },
	{ NULL,    "abc", ERR_VERSION,
	  "Endpoint does not support RPC version abc. Attempted method: f" },
	{ "",      NULL,  ERR_VERSION,
	  "Endpoint does not support RPC version 1.0. Attempted method: f" },
	{ "other", "1.1", ERR_VERSION,
	  "Endpoint does not support RPC version 1.1. Attempted method: f" },
};

static void test_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		struct why why = { "" };

		assert_int_equal(rpc_check_version("1.1", "f", versions[i].namespace,
		                                   versions[i].version, &why),
		                 versions[i].want);
		assert_string_equal(why.text, versions[i].why);
	}
}

#define IN_CONTEXT "the request's context: "

/* Rights come from a true, never from something like it. */
static const struct {
	const char *context;
	const char *request_id, *tenant, *user;
	bool is_admin, all_tenants, own_tenant_only;
	const char *why;		/* NULL: it is taken */
} contexts[] = {
	{ "{}", "u1", "", "" },
	{ "null", "u1", "", "" },
	{ "[]", "u1", "", "" },
	{ "{\"request_id\": \"req-1\", \"project_id\": \"p\", \"user_id\": \"u\"}",
	  "req-1", "p", "u" },
	{ "{\"tenant\": \"t\", \"user\": \"v\"}", "u1", "t", "v" },
	{ "{\"tenant\": \"t\", \"project_id\": \"p\"}", "u1", "p", "" },
	{ "{\"tenant\": \"t\", \"project_id\": null}", "u1", "t", "" },
	{ "{\"project_id\": \"\"}", "u1", "", "" },
	{ "{\"is_admin\": true, \"all_tenants\": true}", "u1", "", "", true, true },
	{ "{\"is_admin\": \"true\", \"all_tenants\": 1}", "u1", "", "" },
	{ "{\"is_admin\": [true], \"all_tenants\": null}", "u1", "", "" },
	{ "{\"is_admin\": false}", "u1", "", "" },
	/* a limit holds unless it is plainly off */
	{ "{\"is_admin\": true, \"own_tenant_only\": true}", "u1", "", "", true, false,
	  true },
	{ "{\"is_admin\": true, \"own_tenant_only\": 1}", "u1", "", "", true, false,
	  true },
	{ "{\"is_admin\": true, \"own_tenant_only\": \"\"}", "u1", "", "", true, false,
	  true },
	{ "{\"is_admin\": true, \"own_tenant_only\": false}", "u1", "", "", true },
	{ "{\"is_admin\": true, \"own_tenant_only\": null}", "u1", "", "", true },
	{ "{\"request_id\": {}}", "u1", "", "" },
	/* an identity that is none: no tenant, no rights */
	{ "{\"project_id\": 5, \"is_admin\": true}", "u1", "", "",
	  .why = IN_CONTEXT "project_id: must be a string" },
	{ "{\"user_id\": [], \"is_admin\": true, \"request_id\": \"r\"}", "r", "", "",
	  .why = IN_CONTEXT "user_id: must be a string" },
	{ "{\"project_id\": \"p \", \"is_admin\": true, \"all_tenants\": true}", "u1",
	  "", "",
	  .why = IN_CONTEXT "project_id: 'p ' must not begin or end with a blank" },
	{ "{\"tenant\": \"t\\t\", \"project_id\": \"p\"}", "u1", "", "",
	  .why = IN_CONTEXT "tenant: must not contain a control character" },
	{ "{\"project_id\": \"p\", \"user\": \"v\\n\"}", "u1", "", "",
	  .why = IN_CONTEXT "user: must not contain a control character" },
};

static void test_contexts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof contexts / sizeof contexts[0]; i++) {
		json_t *json = json_loads(contexts[i].context, JSON_DECODE_ANY, NULL);
		struct why why = { "" };
		struct context context;
		enum err err = context_decode(json, "u1", &context, &why);

		assert_int_equal(err, contexts[i].why ? ERR_DENIED : OK);
		assert_string_equal(why.text, contexts[i].why ? contexts[i].why : "");
		assert_string_equal(context.request_id, contexts[i].request_id);
		assert_string_equal(context.tenant, contexts[i].tenant);
		assert_string_equal(context.user, contexts[i].user);
		assert_int_equal(context.is_admin, contexts[i].is_admin);
		assert_int_equal(context.all_tenants, contexts[i].all_tenants);
		assert_int_equal(context.own_tenant_only, contexts[i].own_tenant_only);
		assert_ptr_equal(context.all, json);
		json_decref(json);
	}
}

static void test_no_context_is_nobody(void **state)
{
	struct context context;
	struct why why;

	(void)state;
	assert_int_equal(context_decode(NULL, "u1", &context, &why), OK);
	assert_string_equal(context.request_id, "u1");
	assert_string_equal(context.tenant, "");
	assert_false(context.is_admin);
	assert_false(context.all_tenants);
}

static void test_own_context(void **state)
{
	json_t *json = context_encode("req-7", true);
	struct context context;
	struct why why;

	(void)state;
	assert_int_equal(context_decode(json, "u1", &context, &why), OK);
	assert_string_equal(context.request_id, "req-7");
	assert_true(context.is_admin);
	assert_false(context.all_tenants);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dispatch),
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_batch_has_an_error_each),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_no_context_is_nobody),
		cmocka_unit_test(test_own_context),
	};

	return cmocka_run_group_tests_name("rpc dispatch", tests, NULL, NULL);
}
