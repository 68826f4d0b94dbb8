#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "runtime/envelope.h"
#include "runtime/rpc.h"
#include "runtime/trust.h"

#define KEYS "a:AAECAwQFBgcICQoLDA0ODw=="
#define OTHERS "a://////////////////////////////////////////8="

enum { DAY_MS = 86400 * 1000 };

/* ---- settings ---- */

static const struct {
	const char *keys;
	bool trust_broker, is_fleet;
	const char *why;
} configs[] = {
	{ KEYS,     false, true,  NULL },
	{ KEYS,     true,  true,  NULL },
	{ NULL,     true,  true,  NULL },
	{ NULL,     false, false, NULL },
	{ KEYS,     false, false, NULL },
	{ NULL,     false, true,  "fleet.keys: has no key" },
	{ "",       false, true,  "fleet.keys: has no key" },
	{ "a:AAEC", true,  true,  "fleet.keys: key a must be" },
	{ "a:AAEC", false, false, "fleet.keys: key a must be" },
};

static void test_check(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
		const struct trust_config config = {
			.keys = (char *)configs[i].keys,
			.trust_broker = configs[i].trust_broker,
		};
		struct why why = { "" };

		assert_int_equal(trust_check(&config, configs[i].is_fleet, &why),
		                 configs[i].why ? ERR_INVALID : OK);
		if (configs[i].why)
			assert_non_null(strstr(why.text, configs[i].why));
		assert_null(strstr(why.text, "AAEC"));
	}
}

/* ---- judging ---- */

enum sent { UNSIGNED, SIGNED, BY_OTHERS, YESTERDAY, TOMORROW, ELSEWHERE };

static const struct {
	bool trust_broker, require_user_id, one_administrator;
	bool fleet_method, is_admin;
	const char *user;
	enum sent sent;
	enum err want;
	bool foreign_admin;
} cases[] = {
	/*  config               method  admin  account  signature  */
	/* what only the fleet may */
	{ false, false, false,   true,   false, "p",     SIGNED,    OK },
	{ false, false, false,   true,   true,  "",      SIGNED,    OK },
	{ false, true,  true,    true,   true,  "",      SIGNED,    OK },
	{ false, false, false,   true,   true,  "boss",  UNSIGNED,  ERR_DENIED },
	{ false, false, true,    true,   true,  "boss",  UNSIGNED,  ERR_DENIED },
	{ false, false, false,   true,   true,  "p",     BY_OTHERS, ERR_DENIED },
	{ false, false, false,   true,   true,  "p",     YESTERDAY, ERR_DENIED },
	{ false, false, false,   true,   true,  "p",     TOMORROW,  ERR_DENIED },
	{ false, false, false,   true,   true,  "p",     ELSEWHERE, ERR_DENIED },
	{ true,  false, false,   true,   true,  "p",     UNSIGNED,  OK },
	{ true,  false, false,   true,   true,  "p",     BY_OTHERS, OK },
	/* what everybody may, each as himself */
	{ false, false, false,   false,  false, "",      UNSIGNED,  OK },
	{ false, false, true,    false,  false, "",      UNSIGNED,  OK },
	{ false, false, false,   false,  false, "p",     BY_OTHERS, OK },
	{ false, true,  false,   false,  false, "p",     UNSIGNED,  OK },
	{ false, true,  false,   false,  false, "",      UNSIGNED,  ERR_DENIED },
	{ false, true,  false,   false,  false, "",      BY_OTHERS, ERR_DENIED },
	{ true,  true,  false,   false,  false, "",      UNSIGNED,  ERR_DENIED },
	{ false, true,  false,   false,  false, "",      SIGNED,    OK },
	/* and as an administrator */
	{ false, false, false,   false,  true,  "",      UNSIGNED,  OK, true },
	{ false, false, false,   false,  true,  "p",     UNSIGNED,  OK, true },
	{ false, false, false,   false,  true,  "p",     ELSEWHERE, OK, true },
	{ false, false, false,   false,  true,  "p",     SIGNED,    OK },
	{ false, false, true,    false,  true,  "boss",  UNSIGNED,  OK, true },
	{ false, false, true,    false,  true,  "bos",   UNSIGNED,  ERR_DENIED, true },
	{ false, false, true,    false,  true,  "boss ", UNSIGNED,  ERR_DENIED, true },
	{ false, false, true,    false,  true,  "BOSS",  UNSIGNED,  ERR_DENIED, true },
	{ false, false, true,    false,  true,  "",      UNSIGNED,  ERR_DENIED, true },
	{ true,  false, true,    false,  true,  "p",     UNSIGNED,  ERR_DENIED, true },
	{ false, false, true,    false,  true,  "p",     BY_OTHERS, ERR_DENIED, true },
	{ false, true,  true,    false,  true,  "p",     SIGNED,    OK },
};

static void request_make(enum sent sent, struct envelope_request *request)
{
	struct signature_keys keys;
	json_t *args = json_object();
	struct envelope_signer signer = {
		.topic = sent == ELSEWHERE ? "central" : "minidns",
		.unix_ms = clock_unix_ms(),
	};
	const struct envelope_call call = {
		.method = "f", .args = args, .signer = sent == UNSIGNED ? NULL : &signer,
	};
	struct buf body = { 0 };
	struct why why;

	bug_if(signature_keys_parse(sent == BY_OTHERS ? OTHERS : KEYS, &keys, &why));
	signer.key = &keys.key[0];
	if (sent == YESTERDAY)
		signer.unix_ms -= DAY_MS + 1000;
	if (sent == TOMORROW)
		signer.unix_ms += 6 * 60 * 1000;
	envelope_request_encode(&call, &body);
	bug_if(envelope_request_decode(body.data, body.len, 65536, request, &why));
	buf_clear(&body);
	json_decref(args);
}

static enum err judge(size_t i, bool *foreign_admin)
{
	char *boss = (char[]){ "boss" };
	const struct trust_config config = {
		.keys = (char[]){ KEYS },
		.max_age_ms = DAY_MS,
		.trust_broker = cases[i].trust_broker,
		.require_user_id = cases[i].require_user_id,
		.administrators = { &boss, cases[i].one_administrator },
	};
	const struct rpc_method method = { "f", .fleet = cases[i].fleet_method };
	struct trust *trust = trust_new(&config);
	struct envelope_request request;
	struct why why;
	enum err err;

	request_make(cases[i].sent, &request);
	err = trust_judge(trust, &(struct trust_claim){ "minidns", &method, &request,
	                                          cases[i].user, cases[i].is_admin },
	                  foreign_admin, &why);
	envelope_request_clear(&request);
	trust_free(&trust);
	return err;
}

static void test_judge(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		bool foreign_admin;
		enum err err = judge(i, &foreign_admin);

		if (err != cases[i].want || foreign_admin != cases[i].foreign_admin)
			fail_msg("case %zu: %s, a foreign administrator: %d", i,
			         err_name(err), foreign_admin);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_judge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
