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
#define AGENT_KEYS "b:EBESExQVFhcYGRobHB0eHw=="
#define OTHERS "a://////////////////////////////////////////8="

enum { DAY_MS = 86400 * 1000 };

/* ---- settings ---- */

static const struct {
	const char *keys, *agent_keys;
	bool trust_broker, is_fleet, is_agent;
	const char *why;
} configs[] = {
	{ KEYS,     NULL,       false, true,  false, NULL },
	{ KEYS,     NULL,       true,  true,  false, NULL },
	{ NULL,     NULL,       true,  true,  false, NULL },
	{ NULL,     NULL,       false, false, false, NULL },
	{ KEYS,     NULL,       false, false, false, NULL },
	{ NULL,     NULL,       false, true,  false, "fleet.keys: has no key" },
	{ "",       NULL,       false, true,  false, "fleet.keys: has no key" },
	{ "a:AAEC", NULL,       true,  true,  false, "fleet.keys: key a must be" },
	{ "a:AAEC", NULL,       false, false, false, "fleet.keys: key a must be" },
	/* the agents' keys are for agents only */
	{ NULL,     AGENT_KEYS, false, true,  true,  NULL },
	{ KEYS,     NULL,       false, true,  true,  NULL },
	{ KEYS,     AGENT_KEYS, false, true,  true,  NULL },
	{ KEYS,     AGENT_KEYS, false, true,  false, NULL },
	{ NULL,     NULL,       true,  true,  true,  NULL },
	{ NULL,     AGENT_KEYS, false, true,  false, "fleet.keys: has no key" },
	{ NULL,     NULL,       false, true,  true,  "fleet.agent_keys: has no key" },
	{ KEYS,     "b:AAEC",   false, true,  false, "fleet.agent_keys: key b must be" },
	/* and no key of the fleet is one */
	{ KEYS,     KEYS,       false, true,  false, "fleet.keys also contains the id" },
	{ KEYS,     OTHERS,     false, true,  false, "fleet.keys also contains the id" },
	{ KEYS,     AGENT_KEYS " c:AAECAwQFBgcICQoLDA0ODw==", true, true, false,
	  "fleet.agent_keys: key c has the same octets as key a" },
};

static void test_check(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
		const struct trust_config config = {
			.keys = (char *)configs[i].keys,
			.agent_keys = (char *)configs[i].agent_keys,
			.trust_broker = configs[i].trust_broker,
		};
		struct why why = { "" };

		assert_int_equal(trust_check(&config, configs[i].is_fleet,
		                             configs[i].is_agent, &why),
		                 configs[i].why ? ERR_INVALID : OK);
		if (configs[i].why)
			assert_non_null(strstr(why.text, configs[i].why));
		assert_null(strstr(why.text, "AAEC"));
	}
}

/* ---- signing ---- */

static const struct {
	const char *keys, *agent_keys;
	const char *want, *to_agents;	/* ids */
} signers[] = {
	{ NULL, NULL,       NULL, NULL },
	{ KEYS, NULL,       "a",  "a"  },
	{ KEYS, AGENT_KEYS, "a",  "b"  },
	{ NULL, AGENT_KEYS, "b",  "b"  },
};

static void assert_signer(const struct trust *trust, bool to_agents, const char *id)
{
	const struct signature_key *key = trust_signer(trust, to_agents);

	assert_int_equal(key != NULL, id != NULL);
	if (id)
		assert_string_equal(key->id, id);
}

static void test_signer(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof signers / sizeof signers[0]; i++) {
		const struct trust_config config = {
			.keys = (char *)signers[i].keys,
			.agent_keys = (char *)signers[i].agent_keys,
		};
		struct trust *trust = trust_new(&config, false);

		assert_signer(trust, false, signers[i].want);
		assert_signer(trust, true, signers[i].to_agents);
		trust_free(&trust);
	}
}

/* ---- judging ---- */

enum sent { UNSIGNED, SIGNED, BY_OTHERS, YESTERDAY, TOMORROW, ELSEWHERE, BY_AGENT,
            BY_AGENT_YESTERDAY, BY_AGENT_ELSEWHERE };

static const struct {
	bool trust_broker, require_user_id, one_administrator;
	bool fleet_method, is_admin;
	const char *user;
	enum sent sent;
	enum err want;
	bool foreign_admin;
	bool agents_method;
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
	/* an agent's key is none for what only the fleet may, */
	{ false, false, false,   true,   true,  "p",     BY_AGENT,  ERR_DENIED },
	{ false, true,  true,    true,   true,  "boss",  BY_AGENT,  ERR_DENIED },
	{ true,  false, false,   true,   true,  "p",     BY_AGENT,  OK },
	/* nor for what everybody may, */
	{ false, false, false,   false,  true,  "p",     BY_AGENT,  OK, true },
	{ false, false, true,    false,  true,  "p",     BY_AGENT,  ERR_DENIED, true },
	{ false, true,  false,   false,  false, "",      BY_AGENT,  ERR_DENIED },
	/* but for what agents are told, and for what they call */
	{ false, false, false,   true,   true,  "p",     BY_AGENT,  OK, false, true },
	{ false, false, false,   true,   true,  "p",     SIGNED,    OK, false, true },
	{ false, false, false,   true,   true,  "p",     UNSIGNED,  ERR_DENIED, false,
	  true },
	{ false, false, false,   true,   true,  "p",     BY_OTHERS, ERR_DENIED, false,
	  true },
	{ false, false, false,   true,   true,  "p",     BY_AGENT_YESTERDAY, ERR_DENIED,
	  false, true },
	{ false, false, false,   true,   true,  "p",     BY_AGENT_ELSEWHERE, ERR_DENIED,
	  false, true },
	{ false, true,  true,    false,  true,  "",      BY_AGENT,  OK, false, true },
	{ false, true,  true,    false,  true,  "",      SIGNED,    OK, false, true },
	{ false, false, true,    false,  true,  "p",     UNSIGNED,  ERR_DENIED, true,
	  true },
	{ false, false, true,    false,  true,  "p",     BY_AGENT_YESTERDAY, ERR_DENIED,
	  true, true },
};

static const char *const signed_by[] = {
	[SIGNED] = KEYS, [BY_OTHERS] = OTHERS, [YESTERDAY] = KEYS, [TOMORROW] = KEYS,
	[ELSEWHERE] = KEYS, [BY_AGENT] = AGENT_KEYS, [BY_AGENT_YESTERDAY] = AGENT_KEYS,
	[BY_AGENT_ELSEWHERE] = AGENT_KEYS,
};

static const enum trust_signer signers_of[] = {
	[UNSIGNED] = TRUST_UNSIGNED, [SIGNED] = TRUST_FLEET,
	[BY_OTHERS] = TRUST_UNSIGNED, [YESTERDAY] = TRUST_FLEET, [TOMORROW] = TRUST_FLEET,
	[ELSEWHERE] = TRUST_UNSIGNED, [BY_AGENT] = TRUST_AGENTS,
	[BY_AGENT_YESTERDAY] = TRUST_AGENTS, [BY_AGENT_ELSEWHERE] = TRUST_UNSIGNED,
};

static void request_make(enum sent sent, struct envelope_request *request)
{
	struct signature_keys keys;
	json_t *args = json_object();
	struct envelope_signer signer = {
		.topic = sent == ELSEWHERE || sent == BY_AGENT_ELSEWHERE ? "central"
		                                                         : "minidns",
		.unix_ms = clock_unix_ms(),
	};
	const struct envelope_call call = {
		.method = "f", .args = args, .signer = sent == UNSIGNED ? NULL : &signer,
	};
	struct buf body = { 0 };
	struct why why;

	if (signed_by[sent])
		bug_if(signature_keys_parse(signed_by[sent], &keys, &why));
	signer.key = &keys.key[0];
	if (sent == YESTERDAY || sent == BY_AGENT_YESTERDAY)
		signer.unix_ms -= DAY_MS + 1000;
	if (sent == TOMORROW)
		signer.unix_ms += DAY_MS + 1000;
	envelope_request_encode(&call, &body);
	bug_if(envelope_request_decode(body.data, body.len, 65536, request, &why));
	buf_clear(&body);
	json_decref(args);
}

static enum err judge(size_t i, struct trust_verdict *verdict)
{
	char *boss = (char[]){ "boss" };
	const struct trust_config config = {
		.keys = (char[]){ KEYS },
		.agent_keys = (char[]){ AGENT_KEYS },
		.max_age_ms = DAY_MS,
		.trust_broker = cases[i].trust_broker,
		.require_user_id = cases[i].require_user_id,
		.administrators = { &boss, cases[i].one_administrator },
	};
	const struct rpc_method method = { "f", .fleet = cases[i].fleet_method,
	                                   .agents = cases[i].agents_method };
	struct trust *trust = trust_new(&config, false);
	struct envelope_request request;
	struct why why;
	enum err err;

	request_make(cases[i].sent, &request);
	err = trust_authorize(trust,
	                      &(struct trust_request){ "minidns", &method, &request,
	                                               cases[i].user, cases[i].is_admin },
	                      verdict, &why);
	envelope_request_clear(&request);
	trust_free(&trust);
	return err;
}

/* The reason names the method, or says that there is none. */
static void test_refused_methods(void **state)
{
	static const struct { const char *method, *want; } refused[] = {
		{ "f", "only programs of the fleet may send f: " },
		{ "",  "only programs of the fleet may send a message without a method: "
		},
	};
	const struct trust_config config = { .keys = (char[]){ KEYS } };

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		const struct rpc_method method = { refused[i].method, .fleet = true };
		struct trust *trust = trust_new(&config, false);
		struct envelope_request request;
		struct trust_verdict verdict;
		struct why why;

		request_make(UNSIGNED, &request);
		assert_int_equal(trust_authorize(trust,
		                                 &(struct trust_request){
			"minidns", &method, &request, "p", false }, &verdict, &why),
		                 ERR_DENIED);
		assert_memory_equal(why.text, refused[i].want, strlen(refused[i].want));
		envelope_request_clear(&request);
		trust_free(&trust);
	}
}

static void test_judge(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct trust_verdict verdict;
		enum err err = judge(i, &verdict);

		if (err != cases[i].want ||
		    verdict.is_foreign_admin != cases[i].foreign_admin)
			fail_msg("case %zu: %s, a foreign administrator: %d", i,
			         err_name(err), verdict.is_foreign_admin);
		assert_int_equal(verdict.signer, signers_of[cases[i].sent]);
	}
}

/* ---- answers ---- */

#define REPLY_QUEUE "reply_00112233445566778899aabbccddeeff"
#define OTHER_QUEUE "reply_ffeeddccbbaa99887766554433221100"

/* The key that signs an answer is of the setting whose key signed the call. */
static const struct {
	const char *keys, *agent_keys;
	enum trust_signer signer;
	const char *want;		/* the id of the key */
} answer_keys[] = {
	{ KEYS, AGENT_KEYS, TRUST_UNSIGNED, NULL },
	{ KEYS, AGENT_KEYS, TRUST_FLEET,    "a" },
	{ KEYS, AGENT_KEYS, TRUST_AGENTS,   "b" },
	/* the key was removed meanwhile */
	{ NULL, AGENT_KEYS, TRUST_FLEET,    NULL },
	{ KEYS, NULL,       TRUST_AGENTS,   NULL },
};

static void test_answer_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof answer_keys / sizeof answer_keys[0]; i++) {
		const struct trust_config config = {
			.keys = (char *)answer_keys[i].keys,
			.agent_keys = (char *)answer_keys[i].agent_keys,
		};
		struct trust *trust = trust_new(&config, false);
		const struct signature_key *key =
			trust_answer_key(trust, answer_keys[i].signer);

		if (answer_keys[i].want)
			assert_string_equal(key->id, answer_keys[i].want);
		else
			assert_null(key);
		trust_free(&trust);
	}
}

static const struct {
	const char *keys, *agent_keys;	/* of the caller */
	bool is_agent, trust_broker;
	const char *signed_by, *signed_for;
	enum err want;
} answers[] = {
	{ KEYS, NULL,       false, false, KEYS,       REPLY_QUEUE, OK },
	{ KEYS, NULL,       false, false, NULL,       NULL,        ERR_DENIED },
	{ KEYS, NULL,       false, false, OTHERS,     REPLY_QUEUE, ERR_DENIED },
	{ KEYS, NULL,       false, false, KEYS,       OTHER_QUEUE, ERR_DENIED },
	{ KEYS, NULL,       false, false, KEYS,       "central",   ERR_DENIED },
	{ KEYS, NULL,       false, true,  NULL,       NULL,        OK },
	{ KEYS, NULL,       false, true,  OTHERS,     REPLY_QUEUE, OK },
	/* it has no key, so it sends unsigned calls */
	{ NULL, NULL,       false, false, NULL,       NULL,        OK },
	/* only an agent that has no other key accepts a key of the agents */
	{ KEYS, AGENT_KEYS, false, false, AGENT_KEYS, REPLY_QUEUE, ERR_DENIED },
	{ KEYS, AGENT_KEYS, true,  false, AGENT_KEYS, REPLY_QUEUE, ERR_DENIED },
	{ NULL, AGENT_KEYS, true,  false, AGENT_KEYS, REPLY_QUEUE, OK },
	{ NULL, AGENT_KEYS, true,  false, AGENT_KEYS, OTHER_QUEUE, ERR_DENIED },
	{ NULL, AGENT_KEYS, true,  false, KEYS,       REPLY_QUEUE, ERR_DENIED },
	{ NULL, AGENT_KEYS, true,  false, NULL,       NULL,        ERR_DENIED },
};

/* The signature is two days old: the age of an answer does not matter. */
static void answer_make(const char *key, const char *queue, struct envelope_reply *reply)
{
	struct envelope_signer signer = { .topic = queue,
	                                  .unix_ms = clock_unix_ms() - 2 * DAY_MS };
	struct signature_keys keys;
	struct buf body = { 0 };
	struct why why;

	if (key)
		bug_if(signature_keys_parse(key, &keys, &why));
	signer.key = &keys.key[0];
	envelope_result_encode("m", NULL, key ? &signer : NULL, &body);
	bug_if(envelope_reply_decode(body.data, body.len, 65536, reply, &why));
	buf_clear(&body);
}

static void test_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		const struct trust_config config = {
			.keys = (char *)answers[i].keys,
			.agent_keys = (char *)answers[i].agent_keys,
			.max_age_ms = DAY_MS, .trust_broker = answers[i].trust_broker,
		};
		struct trust *trust = trust_new(&config, answers[i].is_agent);
		struct envelope_reply reply;
		struct why why;
		enum err err;

		answer_make(answers[i].signed_by, answers[i].signed_for, &reply);
		err = trust_check_answer(trust,
		                         &(struct trust_answer){ REPLY_QUEUE, "f", &reply,
		                                                 "p" }, &why);
		if (err != answers[i].want)
			fail_msg("answer %zu: %s", i, err_name(err));
		envelope_reply_clear(&reply);
		trust_free(&trust);
	}
}

/* ---- the senders of copies ---- */

#define BODY "{\"method\": \"m\"}"

static const struct {
	const char *keys;		/* of who looks */
	const char *topic, *user, *body;
	bool is_proven;
} senders[] = {
	{ KEYS,   "central", "boss",  BODY,       true  },
	{ KEYS,   "central", "chief", BODY,       false },
	{ KEYS,   "central", "",      BODY,       false },
	{ KEYS,   "central", "boss",  BODY " ",   false },
	{ KEYS,   "central", "boss",  "",         false },
	{ KEYS,   "ports",   "boss",  BODY,       false },
	{ OTHERS, "central", "boss",  BODY,       false },
	{ NULL,   "central", "chief", BODY,       true  },	/* has no key */
};

static void test_senders(void **state)
{
	const struct trust_config fleet = { .keys = (char *)KEYS, .max_age_ms = DAY_MS };
	struct trust *writer = trust_new(&fleet, false);
	char proof[SIGNATURE_SIZE];

	(void)state;
	trust_prove_sender(writer, &(struct trust_sender){ "central", "boss", BODY,
	                                                   strlen(BODY) }, proof);
	for (size_t i = 0; i < sizeof senders / sizeof senders[0]; i++) {
		const struct trust_config config = { .keys = (char *)senders[i].keys,
		                                     .max_age_ms = DAY_MS };
		const struct trust_sender sender = { senders[i].topic, senders[i].user,
			senders[i].body, strlen(senders[i].body) };
		struct trust *trust = trust_new(&config, false);

		assert_int_equal(trust_is_sender_proven(trust, &sender, proof),
		                 senders[i].is_proven);
		assert_int_equal(trust_is_sender_proven(trust, &sender, ""),
		                 !senders[i].keys);
		trust_free(&trust);
	}
	trust_free(&writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_signer),
		cmocka_unit_test(test_judge),
		cmocka_unit_test(test_refused_methods),
		cmocka_unit_test(test_answer_keys),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_senders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
