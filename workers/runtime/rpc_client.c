#include "runtime/rpc.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker.h"
#include "runtime/envelope.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/rpc_metrics.h"
#include "runtime/trust.h"

#define NOTIFICATION_KEY "notifications.info"

enum { REPLY_PREFETCH = 200 };

/*
 * A call is in the table until its answer. Its memory stays until the last confirm, which
 * may come after the answer.
 */
struct call {
	UT_hash_handle hh;
	struct rpc_client *client;	/* NULL: answered or cancelled */
	struct loop_timer *timer;
	char msg_id[ID_LEN + 1], unique_id[ID_LEN + 1];
	char *exchange, *topic, *key, *method, *version;
	json_t *args, *context;		/* copies, to send it again */
	int64_t deadline_ms;
	int in_flight;			/* number of confirms that have not come yet */
	bool sent;
	/* the error that the timer reports; OK: a timeout */
	enum err failed;
	struct why why;
	struct why refusal;		/* of the last refused answer */
	struct envelope_reply kept;	/* the answer, until its last part */
	rpc_answer_fn *answer;
	void *self;
};

struct cast {
	struct metric *failed;
	char *where, *method;		/* for the log */
	void (*confirm)(void *self, enum err err);
	void *self;
};

struct rpc_client {
	struct loop *loop;
	const struct broker_config *config;
	struct broker *out;
	struct broker *in;		/* NULL before the first call */
	struct call *calls;		/* by msg_id */
	struct trust *trust;		/* NULL: no signatures, and no checks of them */
	/* gets the broker's refusals; NULL: no reaction */
	void (*refused)(void *self, const char *reason);
	void *refused_self;
	struct metric *casts_failed;
	struct log_limit not_understood;	/* replies */
	char publisher_id[sizeof "zonefleet." + HOST_NAME_MAX];
};

/* ---- the target ---- */

static char *client_routing_key(const struct rpc_target *target)
{
	if (target->fanout)
		return xstrdup("");
	if (target->server)
		return xprintf("%s.%s", target->topic, target->server);
	return xstrdup(target->topic);
}

static char *client_exchange(const struct rpc_client *client,
                             const struct rpc_target *target)
{
	if (target->fanout)
		return xprintf("%s_fanout", target->topic);
	return xstrdup(target->exchange ? target->exchange
	                                : broker_exchange(client->out));
}

/* ---- the signature ---- */

/* Fills in *signer. NULL: this process has no key. */
static const struct envelope_signer *client_signer(const struct rpc_client *client,
                                                   const char *topic, bool to_agents,
                                                   struct envelope_signer *signer)
{
	const struct signature_key *key =
		client->trust ? trust_signer(client->trust, to_agents) : NULL;

	if (!key)
		return NULL;
	*signer = (struct envelope_signer){ key, topic, clock_unix_ms() };
	return signer;
}

/* ---- calls: the end ---- */

static void rpc_call_free(struct call *call)
{
	free(call->exchange);
	free(call->topic);
	free(call->key);
	free(call->method);
	free(call->version);
	free(call);
}

static void call_end(struct call *call)
{
	HASH_DEL(call->client->calls, call);
	call->client = NULL;
	loop_timer_free(&call->timer);
	json_decref(call->args);
	json_decref(call->context);
	envelope_reply_clear(&call->kept);
	if (!call->in_flight)
		rpc_call_free(call);
}

/* Frees the call first: the callback may call again, or close the client. */
static void call_answer(struct call *call, const struct rpc_answer *answer)
{
	rpc_answer_fn *fn = call->answer;
	void *self = call->self;

	call_end(call);
	fn(self, answer);
}

static void call_fail(struct call *call, enum err err, const char *words)
{
	struct rpc_answer answer = { .err = err, .class = "" };

	fail(&answer.why, err, "%s", words);
	call_answer(call, &answer);
}

/* Why the broker did not accept a call: ": " and the reason, if there is one. */
static void call_find_obstacle(const struct call *call, struct why *why)
{
	const char *reason = broker_down_reason(call->client->out);

	if (!reason)
		reason = rpc_client_down_reason(call->client);
	snprintf(why->text, sizeof why->text, "%s%.300s", reason ? ": " : "",
	         reason ? reason : "");
}

static void call_on_timer(void *self)
{
	struct call *call = self;
	struct why why, obstacle;

	call_find_obstacle(call, &obstacle);

	if (call->failed)
		why = call->why;
	else if (!call->sent || call->in_flight)
		call->failed = fail(&why, ERR_UNREACHABLE,
		                    "the message broker did not accept the call %s "
		                    "to the topic %s in time%s", call->method,
		                    call->key, obstacle.text);
	else
		call->failed = fail(&why, ERR_TIMEOUT, "%s did not answer %s in time%s%s",
		                    call->key, call->method,
		                    *call->refusal.text ? ": " : "",
		                    call->refusal.text);
	call_fail(call, call->failed, why.text);
}

/* Fails the call from a timer, because rpc_call() must not call back. */
static void call_fail_soon(struct call *call, enum err err, const struct why *why)
{
	call->failed = err;
	call->why = *why;
	loop_timer_set(call->timer, 0);
}

static void call_on_confirm(void *self, enum err err)
{
	struct call *call = self;
	struct why why;

	call->in_flight--;
	if (!call->client) {
		if (!call->in_flight)
			rpc_call_free(call);
		return;
	}
	if (!err)
		return;
	if (err == ERR_NOT_FOUND)
		fail(&why, err, "no worker serves the topic %s", call->key);
	else
		fail(&why, err, "the message broker did not accept the call %s to the "
		     "topic %s", call->method, call->key);
	call_fail(call, ERR_UNREACHABLE, why.text);
}

/* ---- calls: sending ---- */

/*
 * The server could not check the signature of a call that is too large for it, so the
 * client would refuse its answer.
 */
static void call_fail_too_large(struct call *call, size_t bytes)
{
	struct why why;
	enum err err = fail(&why, ERR_TOO_LARGE, "the call of %s has %zu bytes, but "
	                    "broker.max_message_bytes is %zu", call->method, bytes,
	                    (size_t)call->client->config->max_message_bytes);

	call_fail_soon(call, err, &why);
}

static enum err call_send(struct call *call, struct why *why)
{
	struct rpc_client *client = call->client;
	struct envelope_signer signer;
	const struct envelope_call envelope = {
		.method = call->method, .args = call->args, .context = call->context,
		.version = call->version,
		.unique_id = call->unique_id, .msg_id = call->msg_id,
		.reply_queue = broker_reply_queue(client->in),
		.signer = client_signer(client, call->topic, false, &signer),
	};
	int64_t left_ms = call->deadline_ms - clock_ms();
	struct buf body = { 0 };
	struct broker_message message = {
		.exchange = call->exchange,
		.key = call->key,
		.mandatory = true,
		.expiration_ms = left_ms > 0 ? left_ms : 1,
	};
	enum err err;

	envelope_request_encode(&envelope, &body);
	if (envelope.signer && body.len > (size_t)client->config->max_message_bytes) {
		call_fail_too_large(call, body.len);
		buf_clear(&body);
		return OK;
	}
	message.body = body.data;
	message.len = body.len;
	message.deadline_ms = message.expiration_ms;
	err = broker_publish(client->out, &message, call_on_confirm, call, why);
	buf_clear(&body);
	if (err)
		return err;
	call->sent = true;
	call->in_flight++;
	return OK;
}

/* The reply queue is new: sends all open calls again, with its name. */
static void client_on_up(void *self)
{
	struct rpc_client *client = self;
	struct call *call, *next;
	struct why why;

	HASH_ITER(hh, client->calls, call, next) {
		enum err err = call_send(call, &why);

		if (err)
			call_fail_soon(call, err, &why);
	}
}

/* ---- calls: answers ---- */

/* A class of our name in another module does not belong to us. */
static enum err client_failure_err(const struct envelope_reply *reply)
{
	enum err err = err_from_class(reply->failure_class);

	return strcmp(err_module(err), reply->failure_module) == 0 ? err : ERR_REMOTE;
}

static void call_fill_answer(const struct envelope_reply *reply,
                             struct rpc_answer *answer)
{
	if (!reply->failure_class) {
		answer->class = "";
		answer->result = reply->result ? reply->result : json_null();
		return;
	}
	answer->err = client_failure_err(reply);
	answer->class = reply->failure_class;
	if (answer->err == ERR_REMOTE)
		fail(&answer->why, answer->err, "%s: %s", reply->failure_class,
		     reply->failure_message);
	else
		fail(&answer->why, answer->err, "%s", reply->failure_message);
}

/* The last part may have no answer, if an earlier part had one. */
static void call_finish(struct call *call)
{
	struct envelope_reply reply = call->kept;
	struct rpc_answer answer = { 0 };

	call->kept = (struct envelope_reply){ 0 };
	call_fill_answer(&reply, &answer);
	call_answer(call, &answer);
	envelope_reply_clear(&reply);
}

static bool client_has_content(const struct envelope_reply *reply)
{
	return reply->failure_class || (reply->result && !json_is_null(reply->result));
}

/*
 * A refused answer does not end the call: the true answer may still come. The error of
 * the timeout then shows the reason.
 */
static bool call_accepts(struct call *call, const struct envelope_reply *reply,
                         const char *user)
{
	struct rpc_client *client = call->client;
	struct trust_answer answer = {
		.method = call->method, .envelope = reply, .user = user,
	};

	if (!client->trust)
		return true;
	answer.queue = broker_reply_queue(client->in);
	return !trust_check_answer(client->trust, &answer, &call->refusal);
}

static void client_on_reply(struct rpc_client *client, struct envelope_reply *reply,
                            const char *user)
{
	bool ending = reply->ending;
	struct call *call;

	HASH_FIND_STR(client->calls, reply->msg_id, call);
	if (call && (ending || client_has_content(reply)) &&
	    !call_accepts(call, reply, user))
		call = NULL;
	envelope_forget_proof(&reply->proof);
	if (call && client_has_content(reply)) {
		envelope_reply_clear(&call->kept);
		call->kept = *reply;
	} else {
		envelope_reply_clear(reply);	/* a heartbeat, an end, late or refused */
	}
	if (call && ending)
		call_finish(call);
}

static void client_log_malformed(struct rpc_client *client,
                                 const struct broker_delivery *delivery,
                                 const struct why *why)
{
	struct log_limit *limit = &client->not_understood;

	if (log_is_due(limit, LOG_STRANGER_MS))
		log_warn("invalid answer dropped: bytes=%" PRIu64 " unlogged=%" PRIu64 " "
		         "reason=\"%s\"", delivery->sent_bytes, limit->unlogged,
		         why->text);
}

static void client_on_delivery(void *self, const struct broker_delivery *delivery)
{
	struct rpc_client *client = self;
	struct envelope_reply reply;
	struct why why = { "the content type is not application/json, or the answer "
	                   "exceeds broker.max_message_bytes" };
	enum err err = ERR_INVALID;

	broker_ack(client->in, delivery);
	if (delivery->is_json)
		err = envelope_reply_decode(delivery->body, delivery->len,
		                            client->config->max_message_bytes, &reply,
		                            &why);
	if (err)
		client_log_malformed(client, delivery, &why);
	else
		/* no program copies an answer, so a copied account is false */
		client_on_reply(client, &reply,
		                delivery->is_user_copied ? "" : delivery->user);
}

/* ---- calls: the start ---- */

static void client_on_refused(void *self, const char *reason)
{
	struct rpc_client *client = self;

	if (client->refused)
		client->refused(client->refused_self, reason);
}

static void client_listen(struct rpc_client *client)
{
	static const struct broker_queue queues[] = {
		{ .kind = BROKER_REPLY, .prefetch = REPLY_PREFETCH }, { 0 }
	};
	const struct broker_hooks hooks = {
		.up = client_on_up, .refused = client_on_refused,
		.delivery = client_on_delivery, .self = client,
	};

	if (!client->in)
		client->in = broker_open(client->loop, client->config, "replies", queues,
		                         &hooks);
}

static struct call *rpc_call_new(struct rpc_client *client,
                                 const struct rpc_target *target, const char *method,
                                 int timeout_ms)
{
	struct call *call = xcalloc(1, sizeof *call);

	call->client = client;
	call->exchange = client_exchange(client, target);
	call->topic = xstrdup(target->topic);
	call->key = client_routing_key(target);
	call->method = xstrdup(method);
	call->version = target->version ? xstrdup(target->version) : NULL;
	call->deadline_ms = clock_ms() + timeout_ms;
	call->timer = loop_timer_new(client->loop, call_on_timer, call);
	loop_timer_set(call->timer, timeout_ms);
	id_random(call->msg_id);
	id_random(call->unique_id);
	HASH_ADD_STR(client->calls, msg_id, call);
	return call;
}

static json_t *client_context(const json_t *context)
{
	char request_id[ID_LEN + 1];

	if (context)
		return json_deep_copy(context);
	id_random(request_id);
	return context_encode(request_id, true);
}

enum err rpc_call(struct rpc_client *client, const struct rpc_target *target,
                  const char *method, const json_t *args, const json_t *context,
                  int timeout_ms, rpc_answer_fn *answer, void *self, struct why *why)
{
	struct call *call;
	enum err err = OK;

	bug_if(target->fanout);
	if (HASH_COUNT(client->calls) >= (unsigned)client->config->queue_limit)
		return fail(why, ERR_BUSY, "too many calls are waiting for an answer (at "
		            "most %u may wait): try again later",
		            HASH_COUNT(client->calls));
	client_listen(client);
	call = rpc_call_new(client, target, method, timeout_ms);
	call->args = json_deep_copy(args);
	call->context = client_context(context);
	call->answer = answer;
	call->self = self;
	if (broker_is_up(client->in))
		err = call_send(call, why);
	if (err)
		call_end(call);
	return err;
}

void rpc_cancel(struct rpc_client *client, void *self)
{
	struct call *call, *next;

	HASH_ITER(hh, client->calls, call, next)
		if (call->self == self)
			call_end(call);
}

/* ---- casts ---- */

static void cast_free(struct cast *cast)
{
	free(cast->where);
	free(cast->method);
	free(cast);
}

static void cast_on_confirm(void *self, enum err err)
{
	struct cast *cast = self;

	if (err)
		metric_add(cast->failed, 1);
	if (err && !cast->confirm)
		log_warn("cast not delivered: to=%s method=%s err=%s", cast->where,
		         cast->method, err_name(err));
	if (cast->confirm)
		cast->confirm(cast->self, err);
	cast_free(cast);
}

static enum err cast_publish(struct rpc_client *client, const struct rpc_target *target,
                             const struct envelope_call *call, struct cast *cast,
                             struct why *why)
{
	char *exchange = client_exchange(client, target);
	char *key = client_routing_key(target);
	struct buf body = { 0 };
	struct broker_message message = {
		.exchange = exchange, .key = key, .persistent = true,
		.mandatory = !target->fanout, .patient = !target->fanout,
		.fanout = target->fanout,
	};
	enum err err;

	envelope_request_encode(call, &body);
	message.body = body.data;
	message.len = body.len;
	err = broker_publish(client->out, &message, cast_on_confirm, cast, why);
	buf_clear(&body);
	cast->where = target->fanout ? xstrdup(exchange) : xstrdup(key);
	free(exchange);
	free(key);
	return err;
}

enum err rpc_cast_confirmed(struct rpc_client *client, const struct rpc_target *target,
                            const char *method, const json_t *args, const json_t *context,
                            void (*confirm)(void *self, enum err err), void *self,
                            struct why *why)
{
	json_t *own = client_context(context);
	struct envelope_signer signer;
	const struct envelope_call call = {
		.method = method, .args = args, .context = own,
		.version = target->version,
		.signer = client_signer(client, target->topic, target->agents, &signer),
	};
	struct cast *cast = xcalloc(1, sizeof *cast);
	enum err err;

	cast->failed = client->casts_failed;
	cast->method = xstrdup(method);
	cast->confirm = confirm;
	cast->self = self;
	err = cast_publish(client, target, &call, cast, why);
	json_decref(own);
	if (err) {
		metric_add(client->casts_failed, 1);
		cast_free(cast);
	}
	return err;
}

enum err rpc_cast(struct rpc_client *client, const struct rpc_target *target,
                  const char *method, const json_t *args, const json_t *context,
                  struct why *why)
{
	return rpc_cast_confirmed(client, target, method, args, context, NULL, NULL, why);
}

/* ---- notifications ---- */

static void client_on_notification_confirm(void *self, enum err err)
{
	(void)self;
	if (err)
		log_debug("notification not delivered: err=%s", err_name(err));
}

enum err rpc_notify(struct rpc_client *client, const char *event_type,
                    const json_t *payload, struct why *why)
{
	struct buf body = { 0 };
	struct broker_message message = {
		.exchange = broker_exchange(client->out), .key = NOTIFICATION_KEY,
	};
	enum err err;

	envelope_notification_encode(event_type, client->publisher_id, payload, &body);
	message.body = body.data;
	message.len = body.len;
	err = broker_publish(client->out, &message, client_on_notification_confirm, NULL,
	                     why);
	buf_clear(&body);
	return err;
}

/* ---- the client ---- */

struct rpc_client *rpc_client_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out)
{
	struct rpc_client *client = xcalloc(1, sizeof *client);
	char host[HOST_NAME_MAX + 1];

	client->loop = loop;
	client->config = broker;
	client->out = out;
	client->casts_failed = rpc_metrics_casts_failed();
	if (gethostname(host, sizeof host))
		snprintf(host, sizeof host, "localhost");
	snprintf(client->publisher_id, sizeof client->publisher_id, "zonefleet.%s", host);
	return client;
}

void rpc_client_sign(struct rpc_client *client, struct trust *trust)
{
	struct call *call, *next;
	struct why ignored;

	client->trust = trust;
	if (!client->in || !broker_is_up(client->in))
		return;
	HASH_ITER(hh, client->calls, call, next)
		call_send(call, &ignored);	/* the first copy may still be answered */
}

void rpc_client_on_refused(struct rpc_client *client,
                           void (*refused)(void *self, const char *reason), void *self)
{
	client->refused = refused;
	client->refused_self = self;
}

const char *rpc_client_down_reason(const struct rpc_client *client)
{
	return client->in ? broker_down_reason(client->in) : NULL;
}

void rpc_client_close(struct rpc_client **client)
{
	struct call *call, *next;

	if (!*client)
		return;
	HASH_ITER(hh, (*client)->calls, call, next)
		call_end(call);
	broker_close(&(*client)->in);
	free(*client);
	*client = NULL;
}
