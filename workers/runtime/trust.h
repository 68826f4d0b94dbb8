/*
 * trust -- decides which requests a sender may make. The decision depends only on the
 * sender's broker account, the signature of the message (signature.h) and the context of
 * the message.
 *
 * Some methods accept requests only from programs of the fleet (rpc_method.fleet). A
 * request for such a method must have a signature with one of fleet.keys. A signature
 * with one of fleet.agent_keys is valid only in messages that agents send or receive
 * (rpc_method.agents). Every broker account may call all other methods. The accounts in
 * broker.administrators may set `is_admin`. The handlers check the rights of the tenant.
 * A refused request ends in ERR_DENIED. The metrics count refused requests by reason, and
 * the log contains lines about them (refused_log.h).
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
 * fleet may send. IS_AGENT: a key of fleet.agent_keys is enough. ERR_INVALID: a key is
 * missing, is malformed, or occurs in both settings.
 */
enum err trust_check(const struct trust_config *config, bool is_fleet, bool is_agent,
                     struct why *why);
void trust_metrics(void);	/* before the fork */

/*
 * The trust of one process; borrows CONFIG. IS_AGENT: logs a warning if the settings also
 * contain fleet.keys.
 */
struct trust;
struct trust *trust_new(const struct trust_config *config, bool is_agent);
void trust_free(struct trust **trust);
void trust_reload(struct trust *trust);		/* after a valid change of the config */

/*
 * The key with which this process signs: the first of fleet.keys. For messages to agents
 * (TO_AGENTS), the key is the first of fleet.agent_keys, if that option is set. If
 * fleet.keys is not set, the agent key signs all messages. NULL: the process has no key.
 */
const struct signature_key *trust_signer(const struct trust *trust, bool to_agents);

/*
 * A copy of a message in a delay queue contains a header with the account of the
 * original. The proof shows that a program of the fleet wrote this header. The proof is a
 * signature of the topic, the account and the body. If the process has no key of the
 * fleet, the proof is "".
 */
struct trust_sender {
	const char *topic, *user;
	const void *body;
	size_t len;
};

void trust_prove_sender(const struct trust *trust, const struct trust_sender *sender,
                        char proof[SIGNATURE_SIZE]);
/* Also true if this process has no key of the fleet and cannot check the proof. */
bool trust_is_sender_proven(const struct trust *trust, const struct trust_sender *sender,
                            const char *proof);

/* A received request, before its checks. */
struct trust_request {
	const char *topic;			/* of the queue */
	const struct rpc_method *method;
	const struct envelope_request *envelope;
	const char *user;			/* the broker account; "": unknown */
	bool is_admin;				/* according to its context */
};

/*
 * ERR_DENIED: do not run the request. *is_foreign_admin: an administrator outside the
 * fleet has sent the request.
 */
enum err trust_authorize(struct trust *trust, const struct trust_request *request,
                         bool *is_foreign_admin, struct why *why);
