/*
 * trust -- decides which requests a sender may make, and which answers a program accepts.
 * The decision depends only on the sender's broker account, the signature of the message
 * (signature.h) and the context of the message.
 *
 * Some methods accept requests only from programs of the fleet (rpc_method.fleet). A
 * request for such a method must have a signature with one of fleet.keys. A signature
 * with one of fleet.agent_keys is valid only in messages that agents send or receive
 * (rpc_method.agents). Every broker account may call all other methods. The accounts in
 * broker.administrators may set `is_admin` (if this list is empty: all accounts). The
 * handlers check the rights of the tenant. A refused request ends in ERR_DENIED. The
 * metrics count refused requests by reason, and the log has lines about refused requests
 * (refused_log.h).
 *
 * A program with a key signs its messages, and accepts only signed answers to its calls.
 * A server signs the answer to a call that a known key signed. Otherwise another account
 * could call with the reply queue of the program, and the server would sign a false
 * answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/option.h"
#include "runtime/signature.h"

struct envelope_reply;
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
 * IS_FLEET: the program needs a key, because the program sends or receives signed
 * messages. With fleet.trust_broker, the program needs no key. IS_AGENT: a key of
 * fleet.agent_keys is enough. ERR_INVALID: a key is missing, is malformed, or occurs in
 * both settings.
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
 * Returns the key with which this process signs: the first of fleet.keys. For messages to
 * agents (TO_AGENTS), the key is the first of fleet.agent_keys, if that option is set. If
 * fleet.keys is not set, the first of fleet.agent_keys signs all messages. NULL: the
 * process has no key.
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
/*
 * True: the proof is valid, or this process has no key of the fleet to check the proof.
 */
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

/* The setting whose key signed a message. */
enum trust_signer {
	TRUST_UNSIGNED,		/* no known key signed the message */
	TRUST_FLEET,		/* fleet.keys */
	TRUST_AGENTS,		/* fleet.agent_keys */
};

struct trust_verdict {
	bool is_foreign_admin;	/* an administrator outside the fleet sent the request */
	enum trust_signer signer;	/* also if the signature is too old */
};

/* ERR_DENIED: do not run the request. Always fills in *verdict. */
enum err trust_authorize(struct trust *trust, const struct trust_request *request,
                         struct trust_verdict *verdict, struct why *why);
/*
 * Returns the key for the answer to a request that a key of SIGNER signed. NULL: do not
 * sign the answer.
 */
const struct signature_key *trust_answer_key(const struct trust *trust,
                                             enum trust_signer signer);

/* A received answer. */
struct trust_answer {
	const char *queue, *method;		/* of the call */
	const struct envelope_reply *envelope;
	const char *user;			/* the broker account; "": unknown */
};

/*
 * ERR_DENIED: the answer has no valid signature, so another program may have sent it.
 * A signature may have any time, because the id is new for each call. A process without a
 * key, or with fleet.trust_broker, accepts all answers.
 */
enum err trust_check_answer(struct trust *trust, const struct trust_answer *answer,
                            struct why *why);
