#include "runtime/trust.h"

#include <openssl/sha.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/log.h"
#include "base/secret.h"
#include "runtime/envelope.h"
#include "runtime/metrics.h"
#include "runtime/refused_log.h"
#include "runtime/rpc.h"

enum {
	MAX_AGE_MS = 7 * 86400 * 1000,
	USERS_MAX_BYTES = 255,		/* AMQP's short string */
};

#define AT(field) offsetof(struct trust_config, field)

const struct option trust_fleet_options[] = {
	{ "keys", OPTION_SECRET, AT(keys), NULL, 0, 4096,
	  "signature keys of the fleet's programs, one key per line: ID:BASE64. "
	  "Programs sign with the first key and verify with all keys. Keep the keys in "
	  "a file that only the programs can read: "
	  "\"@/etc/zonefleet/fleet.keys\"", .reloadable = true },
	{ "agent_keys", OPTION_SECRET, AT(agent_keys), NULL, 0, 4096,
	  "signature keys of the agents. These keys are valid only for messages between "
	  "an agent and zonefleet-ports or zonefleet-routes. Write agent_keys in the "
	  "same form as fleet.keys. If an agent has no fleet.keys, the agent signs with "
	  "the first key in agent_keys. \"\": each agent needs "
	  "fleet.keys", .reloadable = true },
	{ "max_age", OPTION_DURATION, AT(max_age_ms), "1d", 1000, MAX_AGE_MS,
	  "maximum age of a message of the fleet. Programs refuse a message that is "
	  "older than max_age. They also refuse a message whose timestamp is more than "
	  "max_age in the future. While a program is down, its messages wait in the "
	  "queues. So max_age must be longer than the longest outage that you expect",
	  .reloadable = true },
	{ "trust_broker", OPTION_BOOL, AT(trust_broker), "false", 0, 0,
	  "accept fleet messages and answers without a valid signature. If trust_broker "
	  "is true, any account that may send to a topic or reply queue can send such "
	  "messages. Set trust_broker to true while you distribute the first keys. You "
	  "can also use true if topic permissions of RabbitMQ prevent all other "
	  "accounts from sending to the topics", .reloadable = true },
	{ 0 }
};

const struct option trust_broker_options[] = {
	{ "require_user_id", OPTION_BOOL, AT(require_user_id), "false", 0, 0,
	  "refuse requests without a user_id (AMQP). The user_id names the account of "
	  "the sender, and RabbitMQ verifies this name. Clients of oslo.messaging do "
	  "not send a user_id. A request with a signature of the fleet does not need a "
	  "user_id", .reloadable = true },
	{ "administrators", OPTION_TEXTS, AT(administrators), "", 1, USERS_MAX_BYTES,
	  "RabbitMQ accounts that may make calls as an administrator (is_admin). The "
	  "fleet's own programs may always make such calls. Empty list: all accounts "
	  "may make such calls", .reloadable = true },
	{ 0 }
};

/* The keys of the two settings. */
struct trust_keys {
	struct signature_keys fleet, agents;
};

static enum err trust_key_setting_read(const char *setting, const char *text,
                                       struct signature_keys *keys, struct why *why)
{
	struct why rule;
	enum err err = signature_keys_parse(text ? text : "", keys, &rule);

	return err ? fail(why, err, "%s: %s", setting, rule.text) : OK;
}

/* A common key would make each agent a program of the fleet. */
static enum err trust_keys_differ(const struct signature_key *agent,
                                  const struct signature_keys *fleet, struct why *why)
{
	for (size_t i = 0; i < fleet->count; i++) {
		const struct signature_key *key = &fleet->key[i];

		if (!strcmp(key->id, agent->id))
			return fail(why, ERR_INVALID, "fleet.agent_keys: fleet.keys also "
			            "contains the id %s: use a different id", agent->id);
		if (key->len == agent->len &&
		    !memcmp(key->secret, agent->secret, key->len))
			return fail(why, ERR_INVALID, "fleet.agent_keys: key %s has the "
			            "same octets as key %s of fleet.keys: generate a new "
			            "key", agent->id, key->id);
	}
	return OK;
}

static enum err trust_keys_read(const struct trust_config *config,
                                struct trust_keys *keys, struct why *why)
{
	enum err err =
	    trust_key_setting_read("fleet.keys", config->keys, &keys->fleet, why);

	if (!err)
		err = trust_key_setting_read("fleet.agent_keys", config->agent_keys,
		                             &keys->agents, why);
	for (size_t i = 0; !err && i < keys->agents.count; i++)
		err = trust_keys_differ(&keys->agents.key[i], &keys->fleet, why);
	return err;
}

static enum err trust_no_key(bool is_agent, struct why *why)
{
	const char *setting = is_agent ? "agent_keys" : "keys";
	const char *id = is_agent ? "agent1" : "1";
	const char *who = is_agent ? "All agents, zonefleet-ports and zonefleet-routes"
	                           : "All programs of the fleet";

	return fail(why, ERR_INVALID, "fleet.%s: has no key. %s need the same key. This "
	            "command generates a key: echo \"%s:$(openssl rand -base64 32)\". To "
	            "run without keys, set fleet.trust_broker = true. Then each account "
	            "of the broker can send orders", setting, who, id);
}

enum err trust_check(const struct trust_config *config, bool is_fleet, bool is_agent,
                     struct why *why)
{
	struct trust_keys keys = { .fleet.count = 0 };
	enum err err = trust_keys_read(config, &keys, why);
	size_t count = keys.fleet.count + (is_agent ? keys.agents.count : 0);

	explicit_bzero(&keys, sizeof keys);
	if (!err && is_fleet && !count && !config->trust_broker)
		err = trust_no_key(is_agent, why);
	return err;
}

/* ---- refusals ---- */

/* Continues the results of signature checks. */
enum refusal {
	NO_USER = SIGNATURE_RESULTS,
	NOT_ADMINISTRATOR,
	/* a valid signature, but the method is not for agents */
	AGENT_KEY,
	REFUSALS
};

struct trust {
	const struct trust_config *config;
	bool is_agent;
	struct trust_keys keys;
	struct metric *refused[REFUSALS];	/* by reason */
	struct metric *unchecked;
};

static const char *trust_refusal_name(int refusal)
{
	static const char *const names[] = {
		[NO_USER] = "no_user", [NOT_ADMINISTRATOR] = "not_administrator",
		[AGENT_KEY] = "agent_key",
	};

	if (refusal < SIGNATURE_RESULTS)
		return signature_result_name((enum signature_result)refusal);
	return names[refusal];
}

static struct metric *trust_refused_metric(int refusal)
{
	return metric_new(METRIC_COUNTER, "messages_refused_total",
	                  "messages that the program refused, by reason. The sender did "
	                  "not prove its right to send the message",
	                  "reason", trust_refusal_name(refusal));
}

static struct metric *trust_unchecked_metric(void)
{
	return metric_new(METRIC_COUNTER, "messages_unchecked_total",
	                  "fleet messages that the program accepted without a valid "
	                  "signature. The setting fleet.trust_broker allows such "
	                  "messages. A later check of the program can refuse the "
	                  "message for a different reason", NULL, NULL);
}

void trust_metrics(void)
{
	for (int refusal = SIGNATURE_GOOD + 1; refusal < REFUSALS; refusal++)
		trust_refused_metric(refusal);
	trust_unchecked_metric();
}

static enum err trust_refuse(struct trust *trust, struct refused_message *message,
                             int refusal)
{
	metric_add(trust->refused[refusal], 1);
	message->reason = trust_refusal_name(refusal);
	refused_log(message);
	return ERR_DENIED;
}

static enum err trust_refuse_request(struct trust *trust,
                                     const struct trust_request *request, int refusal,
                                     struct why *why)
{
	return trust_refuse(trust, &(struct refused_message){
		.topic = request->topic, .method = request->method->name,
		.account = request->user, .why = why->text,
		.is_answered = request->envelope->msg_id,
	}, refusal);
}

/* ---- the rules ---- */

static enum signature_result trust_verify(const struct trust *trust,
                                          const struct signature_keys *keys,
                                          const struct trust_request *request)
{
	const struct envelope_proof *proof = &request->envelope->proof;

	return signature_verify(keys,
	                        &(struct signed_text){ request->topic, proof->text,
	                                               proof->text_len },
	                        proof->signature,
	                        &(struct signature_time){ clock_unix_ms(),
	                                                  trust->config->max_age_ms });
}

/*
 * Returns the result of the signature check, or AGENT_KEY. No key id is in both settings.
 */
static int trust_check_signature(const struct trust *trust,
                                 const struct trust_request *request,
                                 enum trust_signer *signer)
{
	enum signature_result result = trust_verify(trust, &trust->keys.fleet, request);

	*signer = signature_is_genuine(result) ? TRUST_FLEET : TRUST_UNSIGNED;
	if (result != SIGNATURE_UNKNOWN_KEY)
		return result;
	result = trust_verify(trust, &trust->keys.agents, request);
	*signer = signature_is_genuine(result) ? TRUST_AGENTS : TRUST_UNSIGNED;
	if (result == SIGNATURE_GOOD && !request->method->agents)
		return AGENT_KEY;
	return result;
}

static bool trust_is_administrator(const struct trust *trust, const char *user)
{
	const struct option_texts *users = &trust->config->administrators;

	for (size_t i = 0; i < users->count; i++)
		if (strcmp(users->item[i], user) == 0)
			return true;
	return !users->count;
}

static const char *trust_refusal_words(int refusal)
{
	if (refusal == AGENT_KEY)
		return "a key of fleet.agent_keys signed the message";
	return signature_result_words((enum signature_result)refusal);
}

static enum err trust_authorize_fleet(struct trust *trust,
                                      const struct trust_request *request,
                                      int refusal, struct why *why)
{
	const char *method = request->method->name;

	if (refusal == SIGNATURE_GOOD)
		return OK;
	if (trust->config->trust_broker) {
		metric_add(trust->unchecked, 1);
		return OK;
	}
	fail(why, ERR_DENIED, "only programs of the fleet may send %s: %s",
	     *method ? method : "a message without a method",
	     trust_refusal_words(refusal));
	return trust_refuse_request(trust, request, refusal, why);
}

/* The rules for a sender without a valid signature. */
static enum err trust_authorize_account(struct trust *trust,
                                        const struct trust_request *request,
                                        struct why *why)
{
	if (trust->config->require_user_id && !*request->user) {
		fail(why, ERR_DENIED, "broker.require_user_id: the message does not name "
		     "the broker account that sends it (user_id)");
		return trust_refuse_request(trust, request, NO_USER, why);
	}
	if (request->is_admin && !trust_is_administrator(trust, request->user)) {
		fail(why, ERR_DENIED, "broker.administrators: must list the account "
		     "\"%s\" before this account may set is_admin", request->user);
		return trust_refuse_request(trust, request, NOT_ADMINISTRATOR, why);
	}
	return OK;
}

enum err trust_authorize(struct trust *trust, const struct trust_request *request,
                         struct trust_verdict *verdict, struct why *why)
{
	int refusal = trust_check_signature(trust, request, &verdict->signer);

	verdict->is_foreign_admin = false;
	if (request->method->fleet)
		return trust_authorize_fleet(trust, request, refusal, why);
	if (refusal == SIGNATURE_GOOD)
		return OK;
	verdict->is_foreign_admin = request->is_admin;
	if (!request->is_admin && !trust->config->require_user_id)
		return OK;
	return trust_authorize_account(trust, request, why);
}

/* ---- answers ---- */

const struct signature_key *trust_answer_key(const struct trust *trust,
                                             enum trust_signer signer)
{
	const struct signature_keys *keys =
		signer == TRUST_AGENTS ? &trust->keys.agents : &trust->keys.fleet;

	return signer != TRUST_UNSIGNED && keys->count ? &keys->key[0] : NULL;
}

/* A key of the agents is enough for the answer to a call that such a key signed. */
static enum signature_result trust_verify_answer(const struct trust *trust,
                                                 const struct trust_answer *answer)
{
	const struct envelope_proof *proof = &answer->envelope->proof;
	const struct signed_text what = { answer->queue, proof->text, proof->text_len };
	enum signature_result result =
		signature_verify(&trust->keys.fleet, &what, proof->signature, NULL);

	if (result == SIGNATURE_UNKNOWN_KEY && trust->is_agent &&
	    !trust->keys.fleet.count)
		result = signature_verify(&trust->keys.agents, &what, proof->signature,
		                          NULL);
	return result;
}

enum err trust_check_answer(struct trust *trust, const struct trust_answer *answer,
                            struct why *why)
{
	enum signature_result result;

	if (!trust_signer(trust, false))
		return OK;
	result = trust_verify_answer(trust, answer);
	if (result == SIGNATURE_GOOD)
		return OK;
	if (trust->config->trust_broker) {
		metric_add(trust->unchecked, 1);
		return OK;
	}
	fail(why, ERR_DENIED, "an answer to %s was refused: %s", answer->method,
	     result == SIGNATURE_MISSING ? "the answer has no signature, so the sender "
	                                   "does not have the key of this program, "
	                                   "or has an old version"
	                                 : signature_result_words(result));
	return trust_refuse(trust, &(struct refused_message){
		.topic = answer->queue, .method = answer->method, .account = answer->user,
		.why = why->text,
	}, (int)result);
}

/* ---- the senders of copies ---- */

enum { SENDER_SIZE = 256 + 2 * SHA256_DIGEST_LENGTH + 1 };

/* "USER <LF> DIGEST" with the digest of the body; returns its length. */
static size_t trust_sender_text(const struct trust_sender *sender, char text[SENDER_SIZE])
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	size_t len = (size_t)snprintf(text, SENDER_SIZE, "%.255s\n", sender->user);

	SHA256(sender->body, sender->len, digest);
	hex_encode(digest, sizeof digest, text + len);
	return len + 2 * sizeof digest;
}

void trust_prove_sender(const struct trust *trust, const struct trust_sender *sender,
                        char proof[SIGNATURE_SIZE])
{
	char text[SENDER_SIZE];

	proof[0] = '\0';
	if (trust->keys.fleet.count)
		signature_make(&trust->keys.fleet.key[0],
		               &(struct signed_text){ sender->topic, text,
		                                      trust_sender_text(sender, text) },
		               clock_unix_ms(), proof);
}

bool trust_is_sender_proven(const struct trust *trust, const struct trust_sender *sender,
                            const char *proof)
{
	char text[SENDER_SIZE];
	const struct signed_text what = { sender->topic, text,
		                          trust_sender_text(sender, text) };

	return !trust->keys.fleet.count ||
	       signature_verify(&trust->keys.fleet, &what, *proof ? proof : NULL,
	                        &(struct signature_time){ clock_unix_ms(),
	                            trust->config->max_age_ms }) == SIGNATURE_GOOD;
}

/* ---- the object ---- */

const struct signature_key *trust_signer(const struct trust *trust, bool to_agents)
{
	const struct signature_keys *agents = &trust->keys.agents;
	const struct signature_keys *fleet = &trust->keys.fleet;

	if (agents->count && (to_agents || !fleet->count))
		return &agents->key[0];
	return fleet->count ? &fleet->key[0] : NULL;
}

static const char *trust_signer_id(const struct trust *trust, bool to_agents)
{
	const struct signature_key *signer = trust_signer(trust, to_agents);

	return signer ? signer->id : "-";
}

/* The log tells the operator that this process has the new keys. */
void trust_reload(struct trust *trust)
{
	struct why why;

	/* trust_check() has checked them */
	explicit_bzero(&trust->keys, sizeof trust->keys);
	trust_keys_read(trust->config, &trust->keys, &why);
	log_info("fleet keys applied: signs=%s keys=%zu signs_to_agents=%s "
	         "agent_keys=%zu trust_broker=%d", trust_signer_id(trust, false),
	         trust->keys.fleet.count, trust_signer_id(trust, true),
	         trust->keys.agents.count, trust->config->trust_broker);
	if (trust->is_agent && trust->keys.fleet.count)
		log_warn("agent has a key of the fleet: reason=\"fleet.keys is set, "
		         "but an agent needs only fleet.agent_keys\"");
}

struct trust *trust_new(const struct trust_config *config, bool is_agent)
{
	/* secret memory, because it has keys */
	struct trust *trust = secret_alloc(sizeof *trust);

	trust->config = config;
	trust->is_agent = is_agent;
	for (int refusal = SIGNATURE_GOOD + 1; refusal < REFUSALS; refusal++)
		trust->refused[refusal] = trust_refused_metric(refusal);
	trust->unchecked = trust_unchecked_metric();
	trust_reload(trust);
	return trust;
}

void trust_free(struct trust **trust)
{
	secret_free(*trust);
	*trust = NULL;
}
