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

/* The parts of a message that the check of its signature needs. */
struct envelope_proof {
	const char *signature;	/* NULL: the message has no signature */
	const char *text;	/* the signed text */
	size_t text_len;
	json_t *outer;		/* owns both; NULL: after envelope_forget_proof() */
};

struct envelope_request {
	const char *method, *version, *namespace;	/* the latter two may be NULL */
	const char *unique_id;
	const char *msg_id, *reply_queue;		/* both NULL for a cast */
	int heartbeat_s;				/* `_timeout`; 0: not set */
	json_t *args;		/* borrowed from message */
	json_t *context;	/* owned: the _context_ keys without their prefix */
	json_t *message;	/* owns all of the above */
	struct envelope_proof proof;
};

struct envelope_reply {
	const char *msg_id;
	bool ending;
	json_t *result;				/* borrowed from message; may be NULL */
	const char *failure_class;		/* NULL: no failure */
	const char *failure_module, *failure_message;
	json_t *failure;			/* owned */
	json_t *message;
	struct envelope_proof proof;
};

struct envelope_notification {
	const char *event_type, *publisher_id, *priority, *message_id;
	json_t *payload;
	json_t *message;
};

/*
 * ERR_INVALID: oslo.messaging would also drop this message, or its `_reply_q` is not the
 * name of a reply queue (rpc_caller.h). MAX limits the size of the body.
 */
enum err envelope_request_decode(const uint8_t *body, size_t len, size_t max,
                                 struct envelope_request *request, struct why *why);
void envelope_request_clear(struct envelope_request *request);
/*
 * Frees the text of the message, which may be large. Call it after the check of the
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
 * The following functions append a message to BODY. If unique_id is NULL, these functions
 * make a new id.
 */
struct envelope_call {
	const char *method;
	const json_t *args;		/* an object */
	const json_t *context;		/* an object or NULL */
	const char *version;		/* NULL: no version */
	const char *unique_id;
	const char *msg_id, *reply_queue;	/* NULL for a cast */
	const struct envelope_signer *signer;	/* NULL: not signed */
};
void envelope_request_encode(const struct envelope_call *call, struct buf *body);
/* SIGNER is NULL if the answer is not signed. The topic of SIGNER is the reply queue. */
void envelope_result_encode(const char *msg_id, const json_t *result,
                            const struct envelope_signer *signer, struct buf *body);
void envelope_failure_encode(const char *msg_id, enum err err, const char *message,
                             const struct envelope_signer *signer, struct buf *body);
void envelope_heartbeat_encode(const char *msg_id, struct buf *body);
void envelope_notification_encode(const char *event_type, const char *publisher_id,
                                  const json_t *payload, struct buf *body);

/*
 * True: REQUESTED is compatible with IMPLEMENTED according to oslo.messaging's dispatch
 * rule.
 */
bool envelope_version_compatible(const char *implemented, const char *requested);
