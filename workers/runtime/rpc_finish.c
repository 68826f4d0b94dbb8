/*
 * rpc_finish -- ends a job by an answer, an acknowledgement, a retry or a dead letter.
 */
#include "runtime/rpc_private.h"

#include "base/clock.h"
#include "base/log.h"
#include "runtime/rpc_metrics.h"
#include "runtime/rpc_reply.h"

enum {
	ATTEMPTS_MAX = 60,	/* of a cast, through the delay queues, */
	RETRY_FIRST_MS = 1000,	/* with growing delays */
	/*
	 * A short limit. The cause of the failure may be over, or another message may
	 * have done the work of the cast. Then the worker should run or drop the cast
	 * soon.
	 */
	RETRY_MAX_MS = 8 * 1000,
	FAILED_LOG_MS = 50,	/* between two lines of failed requests */
};

void rpc_finish_dead_letter(struct rpc_server *server,
                            const struct broker_delivery *delivery, const char *reason)
{
	if (server->config.fanout_only)
		broker_reject(server->in, delivery);
	else
		broker_dead_letter(server->in, server->out, delivery, reason);
}

/*
 * Fills in *signer. NULL: the answer is not signed. The time limit of a call is not
 * signed: another account can send a copy of the call with a shorter limit. So the answer
 * that the limit is over is not signed. The caller does not need it: its own limit ends
 * the call.
 */
static const struct envelope_signer *finish_signer(const struct rpc_server *server,
                                                   const struct job *job,
                                                   struct envelope_signer *signer)
{
	const struct signature_key *key =
		!server->config.trust || job->err == ERR_EXPIRED ? NULL :
		trust_answer_key(server->config.trust, job->verdict.signer);

	if (!key)
		return NULL;
	*signer = (struct envelope_signer){ key, job->envelope.reply_queue,
	                                    clock_unix_ms() };
	return signer;
}

static void finish_encode(const struct rpc_server *server, struct job *job,
                          struct buf *body)
{
	const char *msg_id = job->envelope.msg_id;
	struct envelope_signer own;
	const struct envelope_signer *signer = finish_signer(server, job, &own);

	if (!job->err) {
		envelope_result_encode(msg_id, job->req.result, signer, body);
		if (body->len <= server->max_bytes)
			return;
		job->err = fail(&job->req.why, ERR_TOO_LARGE,
		                "the answer has %zu bytes, but may have at most %zu: "
		                "request fewer objects", body->len, server->max_bytes);
		buf_reset(body);
	}
	envelope_failure_encode(msg_id, job->err, job->req.why.text, signer, body);
}

static void finish_call(struct rpc_server *server, struct job *job)
{
	struct buf body = { 0 };

	finish_encode(server, job, &body);
	replies_send(server->replies, job->envelope.reply_queue, &body, &job->delivery);
}

/*
 * No jitter: each delay queue has one delay, and a slightly longer delay would use the
 * next queue.
 */
static int finish_delay_ms(int attempts)
{
	int ms = RETRY_FIRST_MS;

	while (attempts-- > 0 && ms < RETRY_MAX_MS)
		ms *= 2;
	return ms < RETRY_MAX_MS ? ms : RETRY_MAX_MS;
}

static void finish_retry(struct rpc_server *server, struct job *job)
{
	char proof[SIGNATURE_SIZE] = "";

	if (server->config.trust)
		trust_prove_sender(server->config.trust, &(struct trust_sender){
			server->config.topic, job->user, job->body.data, job->body.len,
		}, proof);
	job->delivery.user_proof = proof;
	broker_retry(server->in, server->out, &job->delivery,
	             finish_delay_ms(job->delivery.attempts), job->req.why.text);
	job->delivery.user_proof = "";
}

/*
 * A forged cast does not become a dead letter. The queue of dead letters has a limit, so
 * any account could push out other letters with such casts. If a cast of our own has
 * become too old, the periodic sync does its work.
 */
static void finish_cast(struct rpc_server *server, struct job *job)
{
	int attempts = job->delivery.attempts;
	const char *reason = job->req.why.text;

	if (!job->err)
		broker_ack(server->in, &job->delivery);
	else if (job->is_forged || (job->is_refused && job->delivery.is_fanout))
		broker_reject(server->in, &job->delivery);
	else if (err_retry(job->err) == RETRY_NEVER || attempts >= ATTEMPTS_MAX ||
	         server->config.fanout_only)
		rpc_finish_dead_letter(server, &job->delivery, reason);
	else
		finish_retry(server, job);
}

/*
 * True: the request runs again, or failed because of a bug. All other lines are
 * information.
 */
static bool finish_is_warning(enum err err)
{
	return err == ERR_INTERNAL || err_retry(err) != RETRY_NEVER;
}

/* An invalid request has no context. */
static const char *finish_text(const char *text)
{
	return text ? text : "";
}

/* A caller whose requests fail must not fill the log. */
static void finish_log(struct rpc_server *server, const struct job *job, int64_t us)
{
	struct log_limit *limit = &server->failed;
	const struct context *context = &job->req.context;
	const char *method = job->req.method, *reason = job->req.why.text;
	const char *err = err_name(job->err);
	long long ms = us / 1000;

	if (!job->err || job->is_refused || !log_is_due(limit, FAILED_LOG_MS))
		log_debug("request finished: method=%s err=%s ms=%lld reason=\"%s\"",
		          method, err, ms, reason);
	else
		(finish_is_warning(job->err) ? log_warn : log_info)(
		    "request finished: method=%s err=%s ms=%lld account=\"%s\" "
		    "user=\"%s\" tenant=\"%s\" unlogged=%llu reason=\"%s\"",
		    method, err, ms, job->user,
		    finish_text(context->user), finish_text(context->tenant),
		    (unsigned long long)limit->unlogged, reason);
}

static void finish_log_administrator(const struct job *job)
{
	const struct context *context = &job->req.context;

	log_info("call of an administrator: method=%s subject=\"%s\" account=\"%s\" "
	         "user=\"%s\" tenant=\"%s\" err=%s", job->req.method,
	         rpc_job_about(job), job->user, context->user, context->tenant,
	         err_name(job->err));
}

void rpc_finish(struct rpc_server *server, struct job *job)
{
	int64_t us = clock_us() - job->arrived_us;
	bool is_committed = !job->err;	/* even if the answer is too large */

	if (job->req.is_call)
		finish_call(server, job);
	else
		finish_cast(server, job);
	if (job->err && !job->is_refused)
		rpc_job_forget(server, job);
	rpc_metrics_count(server->metrics, job->method, job->err, us);
	log_request(job->req.context.request_id);
	finish_log(server, job, us);
	if (is_committed)
		rpc_log_changed(&job->req);
	if (job->verdict.is_foreign_admin && !job->is_refused)
		finish_log_administrator(job);
	log_request(NULL);
	rpc_job_release(server, job);
}
