/*
 * trust -- decides from the message alone which requests a sender may make: from its
 * account at the broker, its signature (signature.h), and its context.
 *
 * A method that only programs of the fleet call (rpc_method.fleet) needs a signature by
 * one of fleet.keys. A signature by one of fleet.agent_keys counts only for the methods
 * that agents send or receive (rpc_method.agents). Every broker account may call all
 * other methods, and the accounts of broker.administrators may say `is_admin`. The
 * handlers check the rights of the tenant. A refused request is ERR_DENIED, counted by
 * its reason, and logged (refused_log.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/option.h"
#include "runtime/signature.h"

struct envelope_request;
struct rpc_method;

struct trust_config {
	char *keys, *agent_keys;	/* in the form of signature_keys_parse() */
	int max_age_ms;
	bool trust_broker;
	bool require_user_id;
	struct option_texts administrators;
};
extern const struct option trust_fleet_options[];	/* group "fleet" */
extern const struct option trust_broker_options[];	/* group "broker" */

/*
 * IS_FLEET: the program needs a key, because it sends or answers messages that only the
 * fleet may send. IS_AGENT: one of fleet.agent_keys is enough. ERR_INVALID also for a key
 * that is in both settings.
 */
enum err trust_check(const struct trust_config *config, bool is_fleet, bool is_agent,
                     struct why *why);
void trust_metrics(void);	/* before the fork */

/*
 * Of one process; the config is borrowed. IS_AGENT: the process logs a warning if it has
 * fleet.keys.
 */
struct trust;
struct trust *trust_new(const struct trust_config *config, bool is_agent);
void trust_free(struct trust **trust);
void trust_reload(struct trust *trust);		/* after a valid change of the config */

/*
 * The key that this process signs with: the first of fleet.keys. The first of
 * fleet.agent_keys, if there are any, signs messages to agents (TO_AGENTS). It signs all
 * messages if there are no fleet.keys. NULL: the process has no key.
 */
const struct signature_key *trust_signer(const struct trust *trust, bool to_agents);

/*
 * A copy of a message in a delay queue names the account of its original in a header. The
 * proof shows that one of the fleet's programs wrote it: a signature over the topic, the
 * account and the body. "" without a key of the fleet.
 */
struct trust_sender {
	const char *topic, *user;
	const void *body;
	size_t len;
};

void trust_prove_sender(const struct trust *trust, const struct trust_sender *sender,
                        char proof[SIGNATURE_SIZE]);
/* True also if this process has no key of the fleet to check it. */
bool trust_is_sender_proven(const struct trust *trust, const struct trust_sender *sender,
                            const char *proof);

/* A received request, before its checks. */
struct trust_request {
	const char *topic;			/* of the queue */
	const struct rpc_method *method;
	const struct envelope_request *envelope;
	const char *user;			/* the broker account; "": unknown */
	bool is_admin;				/* of its context */
};

/*
 * ERR_DENIED: do not run it. *is_foreign_admin: an administrator's request that does not
 * come from the fleet.
 */
enum err trust_authorize(struct trust *trust, const struct trust_request *request,
                         bool *is_foreign_admin, struct why *why);
