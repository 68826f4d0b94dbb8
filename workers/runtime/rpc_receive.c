/*
 * rpc_receive -- makes a job of each message that the broker delivers.
 */
#include "runtime/rpc_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fnv.h"
#include "base/log.h"
#include "runtime/poison.h"
#include "runtime/refused_log.h"
#include "runtime/rpc_limit.h"
#include "runtime/rpc_metrics.h"
#include "runtime/rpc_reply.h"

enum { HASHED_MAX = 4096 };	/* octets of a message that its hash covers */

/* ---- from a delivery to a job ---- */

static uint64_t receive_hash_text(uint64_t hash, const char *text)
{
	return text ? fnv_add(hash, text, strlen(text)) : hash;
}

/*
 * FNV-1a of the first octets, of the length, and of what differs if a caller repeats a
 * call. In a long message, these ids and the signature may come after the first octets.
 */
static uint64_t receive_hash(const struct broker_delivery *delivery,
                             const struct envelope_request *envelope)
{
	size_t len = delivery->len < HASHED_MAX ? delivery->len : HASHED_MAX;
	uint64_t hash = fnv_add(FNV_START ^ delivery->len, delivery->body, len);

	hash = receive_hash_text(hash, envelope->msg_id);
	return receive_hash_text(hash, envelope->proof.signature);
}

/* A message may lack an id. Then the hash of its body identifies it. */
static void receive_set_ids(struct job *job, const struct broker_delivery *delivery)
{
	const char *own = job->envelope.unique_id;

	if (own && id_parse(own, job->unique_id)) {
		memcpy(job->poison_id, job->unique_id, sizeof job->poison_id);
		return;
	}
	id_random(job->unique_id);
	snprintf(job->poison_id, sizeof job->poison_id, "%016" PRIx64 "%016" PRIx64,
	         fnv_add(FNV_START, delivery->body, delivery->len),
	         fnv_add(~FNV_START, delivery->body, delivery->len));
}

/* The account that sent the message; "" for a copy that cannot prove it. */
static const char *receive_user(const struct rpc_server *server,
                                const struct broker_delivery *delivery)
{
	const struct trust_sender sender = { server->config.topic, delivery->user,
	                                     delivery->body, delivery->len };

	if (delivery->is_user_copied && server->config.trust &&
	    !trust_is_sender_proven(server->config.trust, &sender, delivery->user_proof))
		return "";
	return delivery->user;
}

/* The end of the caller's limit from the context; 0: unknown. */
static int64_t receive_limit(const struct envelope_request *envelope)
{
	json_int_t unix_ms = json_integer_value(json_object_get(envelope->context,
	                                                        "limit_unix_ms"));

	return unix_ms > 0 ? unix_ms : 0;
}

/* The body of the delivery is borrowed. A cast keeps a copy; a call needs none. */
static void receive_fill(const struct rpc_server *server, struct job *job,
                         const struct broker_delivery *delivery)
{
	job->arrived_us = clock_us();
	job->delivery = *delivery;
	job->delivery.body = NULL;
	snprintf(job->user, sizeof job->user, "%s", receive_user(server, delivery));
	job->delivery.user = job->user;
	job->req.account = job->user;
	job->delivery.user_proof = "";
	job->req.is_call = job->envelope.msg_id;
	if (!job->req.is_call) {
		buf_append(&job->body, delivery->body, delivery->len);
		job->delivery.body = job->body.data;
	}
	if (job->req.is_call && job->envelope.heartbeat_s)
		job->heartbeat_ms = clock_ms() + job->envelope.heartbeat_s * 1000 / 2;
	if (!delivery->limit_unix_ms)
		job->delivery.limit_unix_ms = receive_limit(&job->envelope);
	if (job->req.is_call)
		job->req.deadline_ms = rpc_limit_end(&job->delivery, clock_boot_ms(),
		                                     clock_unix_ms());
	job->hash = receive_hash(delivery, &job->envelope);
	receive_set_ids(job, delivery);
	job->req.method = job->envelope.method;
	job->req.args = job->envelope.args;
	job->req.unique_id = job->unique_id;
	job->req.redelivered = delivery->redelivered;
	job->req.is_again = delivery->redelivered || delivery->attempts;
	job->err = context_decode(job->envelope.context, job->unique_id,
	                          &job->req.context, &job->req.why);
}

/*
 * The method whose rules apply to the sender. UNKNOWN: the server does not have the
 * method. It is also UNKNOWN for a cast of a method that every server has, if the fleet
 * alone may call all of the server's own methods.
 */
static const struct rpc_method *receive_method(const struct rpc_server *server,
                                               const struct envelope_request *envelope,
                                               const struct rpc_method *unknown)
{
	const struct rpc_method *method;
	struct why ignored;

	if (rpc_find(server->config.methods, envelope->method, &method, &ignored))
		return unknown;
	if (server->is_fleet_only && !method->fleet && !envelope->msg_id)
		return unknown;
	return method;
}

/*
 * Judges the sender. If only the fleet may call the methods of this server, this also
 * applies to an unknown method. A refused message is forged if only the fleet may send
 * it.
 */
static enum err receive_authorize(const struct rpc_server *server,
                                  struct trust_request request,
                                  struct trust_verdict *verdict, bool *is_forged,
                                  struct why *why)
{
	const struct rpc_method unknown = {
		.name = request.envelope->method, .fleet = server->is_fleet_only,
	};
	enum err err;

	*is_forged = false;
	if (!server->config.trust)
		return OK;
	request.topic = server->config.topic;
	request.method = receive_method(server, request.envelope, &unknown);
	err = trust_authorize(server->config.trust, &request, verdict, why);
	*is_forged = err && request.method->fleet;
	return err;
}

static enum err receive_check(const struct rpc_server *server, struct job *job,
                              const struct rpc_method **method)
{
	const struct envelope_request *asked = &job->envelope;
	struct why *why = &job->req.why;
	enum err err = rpc_check_version(server->config.version, asked->method,
	                                 asked->namespace, asked->version, why);

	if (!err)
		err = rpc_find(server->config.methods, asked->method, method, why);
	if (!err)
		err = rpc_take_keywords(*method, asked->args, why);
	if (!err && job->deaths >= POISON_DEATHS_MAX)
		err = fail(why, ERR_INTERNAL, "the handler of %s crashed %d processes",
		           asked->method, job->deaths);
	return err;
}

/*
 * Judges the sender before all other checks. If the sender may not send the message, the
 * caller gets this reason.
 */
static enum err receive_check_sender(const struct rpc_server *server, struct job *job)
{
	enum err err = receive_authorize(server, (struct trust_request){
		.envelope = &job->envelope, .user = job->user,
		.is_admin = job->req.context.is_admin,
	}, &job->verdict, &job->is_forged, &job->req.why);

	job->is_refused = err;
	job->req.is_signed = job->verdict.signer != TRUST_UNSIGNED;
	return err ? err : job->err;
}

/* A job that fails the checks gets no method. It waits in the queue like other jobs. */
static void receive_check_all(const struct rpc_server *server, struct job *job)
{
	const struct rpc_method *method = NULL;

	job->deaths = poison_deaths(job->poison_id);
	job->err = receive_check_sender(server, job);
	if (!job->err)
		job->err = receive_check(server, job, &method);
	envelope_forget_proof(&job->envelope.proof);
	job->method = job->err ? NULL : method;
	job->entry.subject = rpc_job_subject(job);
}

/* ---- bodies that are not valid requests ---- */

/* True: the sender is refused as forged; this has been logged. */
static bool receive_is_forged(const struct rpc_server *server,
                              const struct broker_delivery *delivery)
{
	const struct envelope_request without_signature = { .method = "" };
	struct trust_verdict verdict;
	struct why why;
	bool is_forged;

	receive_authorize(server, (struct trust_request){
		.envelope = &without_signature, .user = receive_user(server, delivery),
	}, &verdict, &is_forged, &why);
	return is_forged;
}

/* True: the body names its caller, and the caller gets an error. */
static bool receive_answer_error(struct rpc_server *server,
                                 const struct broker_delivery *delivery, enum err err,
                                 const struct why *why)
{
	const char *msg_id, *queue;
	struct buf body = { 0 };

	caller_scan(&server->caller, delivery->body, delivery->len);
	if (!caller_found(&server->caller, &msg_id, &queue))
		return false;
	envelope_failure_encode(msg_id, err, why->text, NULL, &body);
	replies_send(server->replies, queue, &body, delivery);
	rpc_metrics_count(server->metrics, NULL, err, 0);
	return true;
}

static void receive_refuse(struct rpc_server *server,
                           const struct broker_delivery *delivery, enum err err,
                           const struct why *why)
{
	bool is_answered = receive_answer_error(server, delivery, err, why);

	server->caller = (struct caller_scan){ 0 };
	if (!is_answered && receive_is_forged(server, delivery)) {
		broker_reject(server->in, delivery);
		return;
	}
	if (!is_answered)
		rpc_finish_dead_letter(server, delivery, why->text);
	refused_log(&(struct refused_message){
		.topic = server->config.topic, .method = "",
		.account = receive_user(server, delivery),
		.reason = err_name(err), .why = why->text, .is_answered = is_answered,
	});
}

static enum err receive_explain(const struct rpc_server *server,
                                const struct broker_delivery *delivery, struct why *why)
{
	if (delivery->is_too_large)
		return fail(why, ERR_TOO_LARGE,
		            "the message has %" PRIu64 " bytes, but this program accepts "
		            "at most %zu (broker.max_message_bytes)",
		            delivery->sent_bytes, server->max_bytes);
	return fail(why, ERR_INVALID, "the message must have the content type "
	            "application/json and no compression");
}

/* ---- deliveries ---- */

void rpc_receive_delivery(void *self, const struct broker_delivery *delivery)
{
	struct rpc_server *server = self;
	struct job *job;
	struct why why;
	enum err err;

	if (!delivery->is_json) {
		err = receive_explain(server, delivery, &why);
		receive_refuse(server, delivery, err, &why);
		return;
	}
	job = rpc_job_take(server);
	err = envelope_request_decode(delivery->body, delivery->len, server->max_bytes,
	                              &job->envelope, &why);
	if (err) {
		receive_refuse(server, delivery, err, &why);
		rpc_job_release(server, job);
		return;
	}
	receive_fill(server, job, delivery);
	receive_check_all(server, job);
	/* a later good message with the id of a refused one is not a duplicate */
	if (!job->is_refused && rpc_job_is_duplicate(server, job)) {
		broker_ack(server->in, delivery);
		rpc_job_release(server, job);
		return;
	}
	rpc_run_add(server, job);
}

void rpc_receive_part(void *self, const void *bytes, size_t len)
{
	struct rpc_server *server = self;

	caller_scan(&server->caller, bytes, len);
}
