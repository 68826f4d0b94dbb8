/*
 * trust -- decides which requests a sender may make, and which answers a program accepts.
 * The decision depends on the settings, and on the sender's broker account, the signature
 * (signature.h) and the context of the message.
 *
 * Some methods accept requests only from programs of the fleet (rpc_method.fleet). A
 * request for such a method must have a valid signature. A signature with one of
 * fleet.keys is valid in all messages. A signature with one of fleet.agent_keys is valid
 * only in messages that agents send or receive (rpc_method.agents). If
 * fleet.trust_broker is set, a server also accepts these requests without a valid
 * signature. Every broker account may call all other methods. If broker.require_user_id
 * is set, a call of these other methods without a valid signature must name its account.
 * Only the accounts in broker.administrators may set `is_admin` without a valid
 * signature. If this list is empty, all accounts may set `is_admin`. The handlers check
 * the rights of the tenant. A refused request ends in ERR_DENIED. The metrics count the
 * refused requests by reason, and refused_log.h logs them.
 *
 * A program with a key signs its messages, and accepts only signed answers to its calls.
 * A server signs the answer to a call only if a known key signed the call. Otherwise
 * another account could make a call with the reply queue of the program, and the server
 * would sign a false answer for the program.
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
	/* lists of keys in the form of signature_keys_parse() */
	char *keys, *agent_keys;
	int max_age_ms;
	bool trust_broker;
	bool require_user_id;
	struct option_texts administrators;
};
extern const struct option trust_fleet_options[];	/* options of the group "fleet" */
/* options of the group "broker" */
extern const struct option trust_broker_options[];

/*
 * Checks the keys in CONFIG. IS_FLEET: the program sends or receives signed messages, so
 * the program needs a key, unless fleet.trust_broker is set. IS_AGENT: a key of
 * fleet.agent_keys is enough. ERR_INVALID: a key is missing, is malformed, or occurs in
 * both settings.
 */
enum err trust_check(const struct trust_config *config, bool is_fleet, bool is_agent,
                     struct why *why);
void trust_metrics(void);	/* call it before the fork */

/*
 * The keys and the counters of one process. trust_new() borrows CONFIG. IS_AGENT: the
 * process is an agent. An agent logs a warning if the settings contain fleet.keys.
 */
struct trust;
struct trust *trust_new(const struct trust_config *config, bool is_agent);
void trust_free(struct trust **trust);
void trust_reload(struct trust *trust);		/* reads the keys of CONFIG again */

/*
 * Returns the key with which this process signs a message. If fleet.agent_keys is not
 * set, the key is the first key of fleet.keys. If only fleet.agent_keys is set, the key
 * is the first key of fleet.agent_keys. If both are set, a message to agents (TO_AGENTS)
 * gets the first key of fleet.agent_keys, and any other message gets the first key of
 * fleet.keys. NULL: the process has no key.
 */
const struct signature_key *trust_signer(const struct trust *trust, bool to_agents);

/*
 * A copy of a message in a delay queue contains a header with the account of the
 * original message. The proof shows that a program with a key of fleet.keys wrote this
 * header. The proof is a signature of the topic, the account and the body. If the
 * process that makes the copy has no key in fleet.keys, the proof is "".
 */
struct trust_sender {
	const char *topic, *user;
	const void *body;
	size_t len;
};

void trust_prove_sender(const struct trust *trust, const struct trust_sender *sender,
                        char proof[SIGNATURE_SIZE]);
/*
 * True: the proof is valid, or this process cannot check the proof, because fleet.keys
 * has no key.
 */
bool trust_is_sender_proven(const struct trust *trust, const struct trust_sender *sender,
                            const char *proof);

/* A received request, before its checks. */
struct trust_request {
	const char *topic;			/* topic of the queue */
	const struct rpc_method *method;
	const struct envelope_request *envelope;
	const char *user;			/* the broker account; "": unknown */
	bool is_admin;				/* true: the context sets is_admin */
};

/* The setting whose key signed a message. */
enum trust_signer {
	TRUST_UNSIGNED,		/* no known key signed the message */
	TRUST_FLEET,		/* a key of fleet.keys signed the message */
	TRUST_AGENTS,		/* a key of fleet.agent_keys signed the message */
};

struct trust_verdict {
	/* true: the request sets is_admin and has no valid signature */
	bool is_foreign_admin;
	/*
	 * setting whose key signed the request, even if the time of the signature is too
	 * old or in the future
	 */
	enum trust_signer signer;
};

/*
 * Decides whether the sender may make the request. Always fills in VERDICT. ERR_DENIED:
 * the request must not run. In this case, the function has counted and logged the
 * refusal (refused_log.h).
 */
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
	/* name of the reply queue, and method of the call */
	const char *queue, *method;
	const struct envelope_reply *envelope;
	const char *user;			/* the broker account; "": unknown */
};

/*
 * Checks the signature of an answer. ERR_DENIED: the answer has no valid signature, so
 * possibly another program has sent the answer. The signature may have any time, because
 * each call has a new id. A process without a key, or with fleet.trust_broker, accepts
 * all answers.
 */
enum err trust_check_answer(struct trust *trust, const struct trust_answer *answer,
                            struct why *why);
