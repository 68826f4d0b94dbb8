#include "runtime/trust.h"

#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/secret.h"
#include "runtime/envelope.h"
#include "runtime/metrics.h"
#include "runtime/rpc.h"

enum {
	MAX_AHEAD_MS = 5 * 60 * 1000,
	MAX_AGE_MS = 7 * 86400 * 1000,
	LOG_PERIOD_MS = 10 * 1000,
	USERS_MAX_BYTES = 255,		/* AMQP's short string */
};

#define AT(field) offsetof(struct trust_config, field)

const struct option trust_fleet_options[] = {
	{ "keys", OPTION_SECRET, AT(keys), NULL, 0, 4096,
	  "keys that sign messages between the fleet's programs: ID:BASE64, one a line; "
	  "the first signs, all verify; best in a file that only the programs can read: "
	  "\"@/etc/zonefleet/fleet.keys\"",
	  .reloadable = true },
	{ "max_age", OPTION_DURATION, AT(max_age_ms), "1d", 1000, MAX_AGE_MS,
	  "refuse the fleet's messages that are older; orders wait in their queues while "
	  "the program that takes them is away",
	  .reloadable = true },
	{ "trust_broker", OPTION_BOOL, AT(trust_broker), "false", 0, 0,
	  "accept the fleet's messages without a signature, from all accounts that may "
	  "send to the topic: while you hand out the first keys, or where accounts and "
	  "topic permissions keep others away",
	  .reloadable = true },
	{ 0 }
};

const struct option trust_broker_options[] = {
	{ "require_user_id", OPTION_BOOL, AT(require_user_id), "false", 0, 0,
	  "refuse requests that do not name the account that sends them (AMQP's user_id, "
	  "which RabbitMQ checks); clients of oslo.messaging name none",
	  .reloadable = true },
	{ "administrators", OPTION_TEXTS, AT(administrators), "", 1, USERS_MAX_BYTES,
	  "accept is_admin from these accounts and the fleet's own programs only; empty: "
	  "from all accounts",
	  .reloadable = true },
	{ 0 }
};

enum err trust_check(const struct trust_config *config, bool is_fleet, struct why *why)
{
	struct signature_keys keys = { .count = 0 };
	struct why rule;
	enum err err = OK;

	if (config->keys)
		err = signature_keys_parse(config->keys, &keys, &rule);
	explicit_bzero(&keys.key, sizeof keys.key);
	if (err)
		return fail(why, err, "fleet.keys: %s", rule.text);
	if (is_fleet && !keys.count && !config->trust_broker)
		return fail(why, ERR_INVALID, "fleet.keys: has no key. All programs of the "
		            "fleet need the same: echo \"1:$(openssl rand -base64 32)\" "
		            "makes one. Without keys, set fleet.trust_broker = true: "
		            "then everyone with an account at the broker can give orders");
	return OK;
}

/* ---- what is refused, and why ---- */

/* Behind the verdicts on signatures. */
enum refusal {
	NO_USER = SIGNATURE_VERDICTS,
	NOT_ADMINISTRATOR,
	REFUSALS
};

struct trust {
	const struct trust_config *config;
	struct signature_keys keys;
	struct metric *refused[REFUSALS];	/* by the reason */
	struct metric *unchecked;
	int64_t quiet_until_ms, quiet_count;	/* of the log, and what it left out */
};

static const char *refusal_name(int refusal)
{
	if (refusal < SIGNATURE_VERDICTS)
		return signature_verdict_name((enum signature_verdict)refusal);
	return refusal == NO_USER ? "no_user" : "not_administrator";
}

static struct metric *refused_metric(int refusal)
{
	return metric_new(METRIC_COUNTER, "messages_refused_total",
	                  "requests whose sender may not send them", "reason",
	                  refusal_name(refusal));
}

static struct metric *unchecked_metric(void)
{
	return metric_new(METRIC_COUNTER, "messages_unchecked_total",
	                  "the fleet's messages without a good signature that "
	                  "fleet.trust_broker accepted", NULL, NULL);
}

void trust_metrics(void)
{
	for (int refusal = SIGNATURE_GOOD + 1; refusal < REFUSALS; refusal++)
		refused_metric(refusal);
	unchecked_metric();
}

static void log_refused(struct trust *trust, const struct trust_claim *claim, int refusal,
                        const struct why *why)
{
	if (!log_is_due(&trust->quiet_until_ms, LOG_PERIOD_MS)) {
		trust->quiet_count++;
		return;
	}
	log_warn("message refused: topic=%s method=\"%s\" account=\"%s\" reason=%s "
	         "unlogged=%lld why=\"%s\"", claim->topic, claim->method->name, claim->user,
	         refusal_name(refusal), (long long)trust->quiet_count, why->text);
	trust->quiet_count = 0;
}

static enum err refuse(struct trust *trust, const struct trust_claim *claim, int refusal,
                       struct why *why)
{
	metric_add(trust->refused[refusal], 1);
	log_refused(trust, claim, refusal, why);
	return ERR_DENIED;
}

/* ---- the rules ---- */

static enum signature_verdict judge_signature(const struct trust *trust,
                                              const struct trust_claim *claim)
{
	const struct envelope_request *envelope = claim->envelope;

	return signature_verify(&trust->keys,
	                        &(struct signed_text){ claim->topic, envelope->text,
	                                               envelope->text_len },
	                        envelope->signature,
	                        &(struct signature_time){ clock_unix_ms(),
	                                                  trust->config->max_age_ms,
	                                                  MAX_AHEAD_MS });
}

static bool is_administrator(const struct trust *trust, const char *user)
{
	const struct option_texts *users = &trust->config->administrators;

	for (size_t i = 0; i < users->count; i++)
		if (strcmp(users->item[i], user) == 0)
			return true;
	return !users->count;
}

static enum err judge_fleet(struct trust *trust, const struct trust_claim *claim,
                            struct why *why)
{
	enum signature_verdict verdict = judge_signature(trust, claim);

	if (verdict == SIGNATURE_GOOD)
		return OK;
	if (trust->config->trust_broker) {
		metric_add(trust->unchecked, 1);
		return OK;
	}
	fail(why, ERR_DENIED, "%s is for the fleet's own programs: %s",
	     claim->method->name, signature_verdict_words(verdict));
	return refuse(trust, claim, verdict, why);
}

/* The rules for a sender without a good signature. */
static enum err judge_stranger(struct trust *trust, const struct trust_claim *claim,
                               struct why *why)
{
	if (trust->config->require_user_id && !*claim->user) {
		fail(why, ERR_DENIED, "broker.require_user_id: the message does not name "
		     "the broker account that sends it (user_id)");
		return refuse(trust, claim, NO_USER, why);
	}
	if (claim->is_admin && !is_administrator(trust, claim->user)) {
		fail(why, ERR_DENIED, "broker.administrators: does not list the account "
		     "\"%s\", so it may not say is_admin", claim->user);
		return refuse(trust, claim, NOT_ADMINISTRATOR, why);
	}
	return OK;
}

enum err trust_judge(struct trust *trust, const struct trust_claim *claim,
                     bool *is_foreign_admin, struct why *why)
{
	*is_foreign_admin = false;
	if (claim->method->fleet)
		return judge_fleet(trust, claim, why);
	if (!claim->is_admin && !trust->config->require_user_id)
		return OK;
	if (judge_signature(trust, claim) == SIGNATURE_GOOD)
		return OK;
	*is_foreign_admin = claim->is_admin;
	return judge_stranger(trust, claim, why);
}

/* ---- its life ---- */

const struct signature_key *trust_signer(const struct trust *trust)
{
	return trust->keys.count ? &trust->keys.key[0] : NULL;
}

/* The log tells the operator that this process has the new keys. */
void trust_reload(struct trust *trust)
{
	const struct signature_key *signer;
	struct why why;

	explicit_bzero(&trust->keys, sizeof trust->keys);
	if (trust->config->keys)	/* trust_check() has passed them */
		signature_keys_parse(trust->config->keys, &trust->keys, &why);
	signer = trust_signer(trust);
	log_info("fleet keys taken: signs=%s keys=%zu trust_broker=%d",
	         signer ? signer->id : "-", trust->keys.count, trust->config->trust_broker);
}

struct trust *trust_new(const struct trust_config *config)
{
	struct trust *trust = secret_alloc(sizeof *trust);	/* it has keys */

	trust->config = config;
	for (int refusal = SIGNATURE_GOOD + 1; refusal < REFUSALS; refusal++)
		trust->refused[refusal] = refused_metric(refusal);
	trust->unchecked = unchecked_metric();
	trust_reload(trust);
	return trust;
}

void trust_free(struct trust **trust)
{
	secret_free(*trust);
	*trust = NULL;
}
