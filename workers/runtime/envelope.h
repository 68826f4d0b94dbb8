/*
 * envelope -- decodes and encodes the wire format of oslo.messaging 2.0 (reference: rpc
 * and amqpdriver of oslo.messaging).
 *
 *	{"oslo.version": "2.0", "oslo.message": "<the message, as a JSON string>",
 *	 "zonefleet.signature": "<signature.h>"}
 *
 * The optional key zonefleet.signature is an extension of the format: oslo.messaging
 * ignores this key. A body without the two oslo keys is the message itself. The keys
 * `_context_*` of the message are the context. A message that contains `_msg_id` and
 * `_reply_q` is a call.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "runtime/signature.h"

/* The parts of a message that are needed to check its signature. */
struct envelope_proof {
	const char *signature;	/* the signature; NULL: the message has no signature */
	const char *text;	/* the text that the signature signs */
	size_t text_len;
	/*
	 * owns `signature` and `text`; NULL: the message has no envelope, or
	 * envelope_forget_proof() was called
	 */
	json_t *outer;
};

struct envelope_request {
	/* `version` and `namespace` can be NULL */
	const char *method, *version, *namespace;
	const char *unique_id;
	const char *msg_id, *reply_queue;		/* both NULL for a cast */
	/* `_timeout`; 0: the caller wants no heartbeats */
	int heartbeat_s;
	json_t *args;		/* borrowed from message */
	json_t *context;	/* owned: the _context_ keys without their prefix */
	json_t *message;	/* owns the texts and `args` */
	struct envelope_proof proof;
};

struct envelope_reply {
	const char *msg_id;
	bool ending;
	json_t *result;				/* borrowed from message; can be NULL */
	/* class of the failure; NULL: the answer is not a failure */
	const char *failure_class;
	const char *failure_module, *failure_message;
	json_t *failure;			/* the decoded failure; owned */
	json_t *message;
	struct envelope_proof proof;
};

struct envelope_notification {
	const char *event_type, *publisher_id, *priority, *message_id;
	json_t *payload;
	json_t *message;
};

/*
 * Decodes a request. MAX limits the size of the body. ERR_INVALID: oslo.messaging would
 * also drop this message, or `_reply_q` is not a valid name of a reply queue
 * (rpc_caller.h).
 */
enum err envelope_request_decode(const uint8_t *body, size_t len, size_t max,
                                 struct envelope_request *request, struct why *why);
void envelope_request_clear(struct envelope_request *request);
/*
 * Frees the signed text, which can be large. Call this function after the check of the
 * signature.
 */
void envelope_forget_proof(struct envelope_proof *proof);
enum err envelope_reply_decode(const uint8_t *body, size_t len, size_t max,
                               struct envelope_reply *reply, struct why *why);
void envelope_reply_clear(struct envelope_reply *reply);
enum err envelope_notification_decode(const uint8_t *body, size_t len, size_t max,
                                      struct envelope_notification *notification,
                                      struct why *why);
void envelope_notification_clear(struct envelope_notification *notification);

/* The key, topic and time of a signature. */
struct envelope_signer {
	const struct signature_key *key;
	const char *topic;
	int64_t unix_ms;
};

/*
 * A call or cast. If unique_id is NULL, envelope_request_encode() makes a new id.
 * envelope_request_encode() and the functions after it append a message to BODY.
 */
struct envelope_call {
	const char *method;
	const json_t *args;		/* an object */
	const json_t *context;		/* an object; NULL: no context */
	/* version that the server must support; NULL: no version */
	const char *version;
	const char *unique_id;
	const char *msg_id, *reply_queue;	/* both NULL for a cast */
	/* key, topic and time of the signature; NULL: the message is not signed */
	const struct envelope_signer *signer;
};
void envelope_request_encode(const struct envelope_call *call, struct buf *body);
/*
 * Encode an answer. SIGNER is NULL if the answer is not signed. The topic of SIGNER is
 * the name of the reply queue.
 */
void envelope_result_encode(const char *msg_id, const json_t *result,
                            const struct envelope_signer *signer, struct buf *body);
void envelope_failure_encode(const char *msg_id, enum err err, const char *message,
                             const struct envelope_signer *signer, struct buf *body);
void envelope_heartbeat_encode(const char *msg_id, struct buf *body);
void envelope_notification_encode(const char *event_type, const char *publisher_id,
                                  const json_t *payload, struct buf *body);

/*
 * True: a server with the version IMPLEMENTED accepts requests with the version
 * REQUESTED, according to oslo.messaging: same major version, and not a higher minor
 * version.
 */
bool envelope_version_compatible(const char *implemented, const char *requested);
