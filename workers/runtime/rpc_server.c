#include "runtime/rpc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fnv.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker.h"
#include "runtime/envelope.h"
#include "runtime/loop.h"
#include "runtime/refused_log.h"
#include "runtime/rpc_caller.h"
#include "runtime/rpc_limit.h"
#include "runtime/rpc_metrics.h"
#include "runtime/rpc_parking.h"
#include "runtime/rpc_reply.h"
#include "runtime/suspects.h"
#include "runtime/trust.h"
#include "runtime/tx.h"

enum {
	BATCH_MAX = 256,	/* requests of one batch call */
	SLICE_MS = 2,		/* handlers run this long before the loop has its turn */
	ATTEMPTS_MAX = 60,	/* times a cast may come back through the delay queue, */
	RETRY_FIRST_MS = 1000,	/* each time later */
	/*
	 * Short: what made it fail may be over, and what it asks for may be done by another
	 * message meanwhile. Then it is to be taken, or dropped, soon.
	 */
	RETRY_MAX_MS = 8 * 1000,
	SEEN_MAX = 64,		/* requests a duplicate is looked for in */
	HASHED_MAX = 4096,	/* octets of a message that are compared for that */
	POOL_MAX = 64,
	POOLED_BODY_MAX = 64 * 1024,
	HEARTBEAT_TICK_MS = 200,
};

/* A request in hand, from its delivery to its settlement. */
struct job {
	struct parked parked;	/* while it is parked; comes first */
	struct redo redo;
	struct job *next;	/* while it waits */
	struct request req;
	struct envelope_request envelope;
	struct broker_delivery delivery;
	struct buf body;	/* of a cast: it may have to be published again */
	const struct rpc_method *method;	/* NULL: the checks failed, see err */
	int deaths;		/* of processes that had it in hand */
	bool is_refused;	/* its sender may not send it; logged once in a while */
	bool is_forged;		/* it is refused, and only the fleet may send it */
	bool is_foreign_admin;
	enum err err;
	char unique_id[ID_LEN + 1];
	char suspect_id[ID_LEN + 1];	/* the same at each delivery of the message */
	uint64_t hash;			/* of the message as it came */
	char user[256];		/* the delivery's */
	int64_t arrived_us;
	int64_t heartbeat_ms;	/* when the next one is due; 0: none wanted */
};

/*
 * A caller that lost its reply queue asks again, with the same id: no duplicate. Nor is another
 * message with the same id: its handler refuses it in words (rpc_digest.h), or its caller waits
 * for an answer of its own.
 */
struct seen {
	char unique_id[ID_LEN + 1];
	uint64_t hash;
	char reply_queue[256];
};

struct rpc_server {
	struct rpc_server_config config;
	struct broker *in, *out;
	struct broker_queue queues[4];
	size_t max_bytes;
	struct loop_timer *again;		/* there is more than one slice of work */
	struct loop_timer *heartbeat;
	struct job *head, **tail;		/* waiting */
	size_t waiting;
	struct parking parking;
	struct held held;
	struct loop_timer *unpark;
	struct job *pool;
	size_t pooled;
	struct replies *replies;
	struct seen seen[SEEN_MAX];
	size_t seen_next;
	struct rpc_metrics *metrics;
	struct caller_scan caller;	/* of the body that is refused at present */
};

/* ---- duplicates ---- */

static struct seen *seen_find(struct rpc_server *server, const struct job *job)
{
	const char *queue = job->req.is_call ? job->envelope.reply_queue : "";

	for (size_t i = 0; i < SEEN_MAX; i++)
		if (strcmp(server->seen[i].unique_id, job->unique_id) == 0 &&
		    server->seen[i].hash == job->hash &&
		    strcmp(server->seen[i].reply_queue, queue) == 0)
			return &server->seen[i];
	return NULL;
}

static void seen_add(struct rpc_server *server, const struct job *job)
{
	struct seen *seen = &server->seen[server->seen_next];

	server->seen_next = (server->seen_next + 1) % SEEN_MAX;
	memcpy(seen->unique_id, job->unique_id, sizeof seen->unique_id);
	seen->hash = job->hash;
	snprintf(seen->reply_queue, sizeof seen->reply_queue, "%s",
	         job->req.is_call ? job->envelope.reply_queue : "");
}

/* What failed may be sent again: by the delay queue, or from the dead letters by hand. */
static void seen_forget(struct rpc_server *server, const struct job *job)
{
	struct seen *seen = seen_find(server, job);

	if (seen)
		*seen = (struct seen){ 0 };
}

/*
 * A publisher that lost its connection sends the same bytes again. One that comes back
 * from the broker may have died with us in its first run: it must run.
 */
static bool is_duplicate(struct rpc_server *server, const struct job *job)
{
	if (!job->envelope.unique_id)
		return false;
	if (!job->req.redelivered && seen_find(server, job))
		return true;
	seen_add(server, job);
	return false;
}

/* ---- jobs ---- */

static struct job *job_take(struct rpc_server *server)
{
	struct job *job = server->pool;

	if (!job) {
		job = xcalloc(1, sizeof *job);
		job->req.arena = arena_new();
		return job;
	}
	server->pool = job->next;
	server->pooled--;
	return job;
}

static void job_free(struct job *job)
{
	arena_free(&job->req.arena);
	buf_clear(&job->body);
	free(job);
}

static void job_release(struct rpc_server *server, struct job *job)
{
	struct arena *arena = job->req.arena;
	struct buf body = job->body;

	json_decref(job->req.result);
	envelope_request_clear(&job->envelope);
	if (server->pooled >= POOL_MAX) {
		job_free(job);
		return;
	}
	arena_reset(arena);
	if (body.size > POOLED_BODY_MAX)
		buf_clear(&body);
	buf_reset(&body);
	*job = (struct job){ .next = server->pool, .req.arena = arena, .body = body };
	server->pool = job;
	server->pooled++;
}

/* FNV-1a of the first octets and of the length. */
static uint64_t hash_of(const struct broker_delivery *delivery)
{
	size_t len = delivery->len < HASHED_MAX ? delivery->len : HASHED_MAX;

	return fnv_add(FNV_START ^ delivery->len, delivery->body, len);
}

/* A message need not say an id of its own; then it is known by what it says. */
static void set_ids(struct job *job, const struct broker_delivery *delivery)
{
	const char *own = job->envelope.unique_id;

	if (own && id_parse(own, job->unique_id)) {
		memcpy(job->suspect_id, job->unique_id, sizeof job->suspect_id);
		return;
	}
	id_random(job->unique_id);
	snprintf(job->suspect_id, sizeof job->suspect_id, "%016" PRIx64 "%016" PRIx64,
	         fnv_add(FNV_START, delivery->body, delivery->len),
	         fnv_add(~FNV_START, delivery->body, delivery->len));
}

/* The delivery was lent to us: of its body a cast keeps a copy, a call needs none. */
static void job_fill(struct job *job, const struct broker_delivery *delivery)
{
	job->arrived_us = clock_us();
	job->delivery = *delivery;
	job->delivery.body = NULL;
	snprintf(job->user, sizeof job->user, "%s", delivery->user);
	job->delivery.user = job->user;
	job->req.is_call = job->envelope.msg_id;
	if (!job->req.is_call) {
		buf_append(&job->body, delivery->body, delivery->len);
		job->delivery.body = job->body.data;
	}
	if (job->req.is_call && job->envelope.heartbeat_s)
		job->heartbeat_ms = clock_ms() + job->envelope.heartbeat_s * 1000 / 2;
	if (job->req.is_call)
		job->req.deadline_ms = rpc_limit_end(delivery, clock_boot_ms(),
		                                     clock_unix_ms());
	job->hash = hash_of(delivery);
	set_ids(job, delivery);
	job->req.method = job->envelope.method;
	job->req.args = job->envelope.args;
	job->req.unique_id = job->unique_id;
	job->req.redelivered = delivery->redelivered;
	job->req.is_again = delivery->redelivered || delivery->attempts;
	job->err = context_decode(job->envelope.context, job->unique_id, &job->req.context,
	                          &job->req.why);
}

/* What it is about, as its sender names it; NULL: that is not known. */
static const char *subject_of(const struct job *job)
{
	const json_t *value;

	if (!job->method || !job->method->subject)
		return NULL;
	value = json_object_get(job->req.args, job->method->subject);
	if (json_is_object(value)) {
		const json_t *id = json_object_get(value, "id");

		value = id ? id : json_object_get(value, "name");
	}
	return json_string_value(value);
}

static enum err job_believe(const struct rpc_server *server, struct job *job,
                            const struct rpc_method *method)
{
	const struct trust_claim claim = {
		.topic = server->config.topic, .method = method,
		.envelope = &job->envelope, .user = job->user,
		.is_admin = job->req.context.is_admin,
	};
	enum err err;

	if (!server->config.trust)
		return OK;
	err = trust_judge(server->config.trust, &claim, &job->is_foreign_admin,
	                  &job->req.why);
	job->is_refused = err;
	job->is_forged = err && method->fleet;
	return err;
}

static enum err job_check(const struct rpc_server *server, struct job *job,
                          const struct rpc_method **method)
{
	const struct envelope_request *asked = &job->envelope;
	struct why *why = &job->req.why;
	enum err err = rpc_check_version(server->config.version, asked->method,
	                                 asked->namespace, asked->version, why);

	if (!err)
		err = rpc_find(server->config.methods, asked->method, method, why);
	if (!err)
		err = job_believe(server, job, *method);
	if (!err)
		err = rpc_check_keywords(*method, asked->args, why);
	if (!err && job->deaths >= SUSPECT_DEATHS_MAX)
		err = fail(why, ERR_INTERNAL, "%s: its handler ended %d processes",
		           asked->method, job->deaths);
	return err;
}

/* What fails the checks has no method, and waits for its turn to be settled. */
static void job_judge(const struct rpc_server *server, struct job *job)
{
	const struct rpc_method *method = NULL;

	job->deaths = suspects_deaths(job->suspect_id);
	if (!job->err)
		job->err = job_check(server, job, &method);
	envelope_request_forget_outer(&job->envelope);
	job->method = job->err ? NULL : method;
	job->parked.subject = subject_of(job);
}

static void enqueue(struct rpc_server *server, struct job *job)
{
	job->next = NULL;
	*server->tail = job;
	server->tail = &job->next;
	server->waiting++;
	if (job->heartbeat_ms && !loop_timer_armed(server->heartbeat))
		loop_timer_set(server->heartbeat, HEARTBEAT_TICK_MS);
}

static struct job *unlink_job(struct rpc_server *server, struct job **link)
{
	struct job *job = *link;

	*link = job->next;
	if (!*link)
		server->tail = link;
	server->waiting--;
	return job;
}

/* ---- settlement ---- */

static void bury(struct rpc_server *server, const struct broker_delivery *delivery,
                 const char *reason)
{
	if (server->config.fanout_only)
		broker_reject(server->in, delivery);
	else
		broker_bury(server->in, server->out, delivery, reason);
}

/*
 * A body that is no request. A caller is told so, as one whose request fails, and the message
 * is over; what has no caller that can be read is a dead letter.
 */
static void refuse(struct rpc_server *server, const struct broker_delivery *delivery,
                   enum err err, const struct why *why)
{
	const char *msg_id, *queue = NULL;
	struct buf body = { 0 };

	caller_scan(&server->caller, delivery->body, delivery->len);
	if (caller_found(&server->caller, &msg_id, &queue)) {
		envelope_failure_encode(msg_id, err, why->text, &body);
		replies_send(server->replies, queue, &body, delivery);
		rpc_metrics_settled(server->metrics, NULL, err, 0);
	} else {
		bury(server, delivery, why->text);
	}
	refused_log(&(struct refused_message){
		.topic = server->config.topic, .method = "", .account = delivery->user,
		.reason = err_name(err), .why = why->text, .is_answered = queue,
	});
	server->caller = (struct caller_scan){ 0 };
}

static enum err no_json(const struct rpc_server *server,
                        const struct broker_delivery *delivery, struct why *why)
{
	if (delivery->is_too_large)
		return fail(why, ERR_TOO_LARGE,
		            "the message is too large: it has %" PRIu64 " bytes, more than "
		            "%zu", delivery->sent_bytes, server->max_bytes);
	return fail(why, ERR_INVALID, "the message is not application/json, or compressed");
}

static void encode_answer(const struct rpc_server *server, struct job *job,
                          struct buf *body)
{
	const char *msg_id = job->envelope.msg_id;

	if (!job->err) {
		envelope_result_encode(msg_id, job->req.result, body);
		if (body->len <= server->max_bytes)
			return;
		job->err = fail(&job->req.why, ERR_TOO_LARGE,
		                "the answer has %zu bytes, more than %zu: ask for less",
		                body->len, server->max_bytes);
		buf_reset(body);
	}
	envelope_failure_encode(msg_id, job->err, job->req.why.text, body);
}

static void settle_call(struct rpc_server *server, struct job *job)
{
	struct buf body = { 0 };

	encode_answer(server, job, &body);
	replies_send(server->replies, job->envelope.reply_queue, &body, &job->delivery);
}

/* Without jitter: the delay queues have steps, a little more would be the next one. */
static int retry_delay_ms(int attempts)
{
	int ms = RETRY_FIRST_MS;

	while (attempts-- > 0 && ms < RETRY_MAX_MS)
		ms *= 2;
	return ms < RETRY_MAX_MS ? ms : RETRY_MAX_MS;
}

/*
 * A forged cast is no dead letter: with such casts any account could push the letters of others
 * out of the queue, which is bounded. The periodic sync makes up for a cast of our own that has
 * become too old.
 */
static void settle_cast(struct rpc_server *server, struct job *job)
{
	int attempts = job->delivery.attempts;
	const char *reason = job->req.why.text;

	if (!job->err)
		broker_ack(server->in, &job->delivery);
	else if (job->is_forged || (job->is_refused && job->delivery.is_fanout))
		broker_reject(server->in, &job->delivery);
	else if (err_fate(job->err) == FATE_FINAL || attempts >= ATTEMPTS_MAX ||
	         server->config.fanout_only)
		bury(server, &job->delivery, reason);
	else
		broker_retry(server->in, server->out, &job->delivery,
		             retry_delay_ms(attempts), reason);
}

/* What the asker did wrong is no trouble of ours; what comes back, or is our bug, is. */
static void log_settled(const struct job *job, int64_t us)
{
	static const char format[] =
		"request settled: method=%s err=%s ms=%lld why=\"%s\"";
	const char *method = job->req.method, *why = job->req.why.text;
	const char *err = err_name(job->err);
	long long ms = us / 1000;

	if (!job->err || job->is_refused)
		log_debug(format, method, err, ms, why);
	else if (job->err == ERR_INTERNAL || err_fate(job->err) != FATE_FINAL)
		log_warn(format, method, err, ms, why);
	else
		log_info(format, method, err, ms, why);
}

static void log_administrator(const struct job *job)
{
	const struct context *context = &job->req.context;
	const char *subject = job->parked.subject;

	log_info("administrator asked: method=%s subject=\"%s\" account=\"%s\" "
	         "user=\"%s\" tenant=\"%s\" err=%s", job->req.method,
	         subject ? subject : "", job->user, context->user, context->tenant,
	         err_name(job->err));
}

static void settle(struct rpc_server *server, struct job *job)
{
	int64_t us = clock_us() - job->arrived_us;

	if (job->req.is_call)
		settle_call(server, job);
	else
		settle_cast(server, job);
	if (job->err && !job->is_refused)
		seen_forget(server, job);
	rpc_metrics_settled(server->metrics, job->method, job->err, us);
	log_request(job->req.context.request_id);
	log_settled(job, us);
	if (job->is_foreign_admin && !job->is_refused)
		log_administrator(job);
	log_request(NULL);
	job_release(server, job);
}

/* ---- what runs next ---- */

/* Those about what a parked one waits for wait behind it, while there is room. */
static bool park_behind(struct rpc_server *server, struct job *job)
{
	struct parked *leader = parking_leader(&server->parking, job->parked.subject);
	int64_t now_ms = clock_ms();

	if (!job->method || !leader)
		return false;
	if (parking_is_full(&server->parking, ((struct job *)leader)->redo.locked_ms,
	                    now_ms)) {
		job->err = fail(&job->req.why, ERR_LOCKED,
		                "too many requests wait for %.200s: try again",
		                leader->subject);
		settle(server, job);
		return true;
	}
	job->parked.is_locked = leader->is_locked;
	parking_add(&server->parking, &job->parked, 0);
	return true;
}

static bool is_expired(const struct job *job)
{
	return job->req.deadline_ms && clock_boot_ms() >= job->req.deadline_ms;
}

/* True: it is not to be run now. */
static bool put_aside(struct rpc_server *server, struct job *job)
{
	if (is_expired(job)) {
		job->err = fail(&job->req.why, ERR_EXPIRED,
		                "%s came too late: its caller's time limit has passed",
		                job->req.method);
		settle(server, job);
		return true;
	}
	return park_behind(server, job);
}

static struct job *take_first(struct rpc_server *server)
{
	while (server->head) {
		struct job *job = unlink_job(server, &server->head);

		if (!put_aside(server, job))
			return job;
	}
	return NULL;
}

static bool may_share(const struct job *job)
{
	return job->method && job->method->batch && !job->deaths;
}

/* The first that waits, and all that may share its batch. 0: none is to be run now. */
static size_t take_batch(struct rpc_server *server, struct job *jobs[BATCH_MAX])
{
	struct job *first = jobs[0] = take_first(server);
	struct job **link = &server->head;
	size_t count = 1;

	if (!first || !may_share(first))
		return first != NULL;
	while (*link && count < BATCH_MAX) {
		struct job *job = *link;

		if (job->method != first->method || !may_share(job)) {
			link = &job->next;
			continue;
		}
		unlink_job(server, link);
		if (!put_aside(server, job))
			jobs[count++] = job;
	}
	return count;
}

/* ---- the run ---- */

/* A batch has the latest of its requests' limits; who shares a transaction minds each. */
static int64_t latest_deadline(struct job *const *jobs, size_t count)
{
	int64_t latest_ms = 0;

	for (size_t i = 0; i < count; i++) {
		if (!jobs[i]->req.deadline_ms)
			return 0;
		if (jobs[i]->req.deadline_ms > latest_ms)
			latest_ms = jobs[i]->req.deadline_ms;
	}
	return latest_ms;
}

static void run(struct rpc_server *server, struct job *const *jobs, size_t count)
{
	struct request *reqs[BATCH_MAX];
	enum err errs[BATCH_MAX];

	for (size_t i = 0; i < count; i++) {
		reqs[i] = &jobs[i]->req;
		reqs[i]->may_wait = jobs[i]->parked.subject &&
		                    !held_lately(&server->held, jobs[i]->parked.subject,
		                                 clock_ms());
		suspects_enter(jobs[i]->suspect_id);
	}
	log_request(jobs[0]->req.context.request_id);
	tx_until(latest_deadline(jobs, count));
	rpc_run(jobs[0]->method, server->config.self, reqs, count, errs);
	tx_until(0);
	log_request(NULL);
	suspects_leave_all();
	for (size_t i = 0; i < count; i++) {
		jobs[i]->err = errs[i];
		if (jobs[i]->parked.subject)
			held_note(&server->held, jobs[i]->parked.subject,
			          errs[i] == ERR_LOCKED, clock_ms());
	}
}

/*
 * As new as before its first run. Only a race may have been committed: who found a row
 * locked has done nothing.
 */
static void job_renew(struct job *job)
{
	arena_reset(job->req.arena);
	json_decref(job->req.result);
	job->req.result = NULL;
	job->req.why.text[0] = 0;
	if (job->err == ERR_LOCKED)
		job->req.waited_ms = (int)(clock_ms() - job->redo.locked_ms);
	else
		job->req.is_again = true;
	job->err = OK;
}

static void unpark_later(struct rpc_server *server)
{
	int64_t due_ms = parking_due_ms(&server->parking);
	int64_t left_ms = due_ms - clock_ms();

	if (due_ms < 0)
		loop_timer_cancel(server->unpark);
	else
		loop_timer_set(server->unpark, left_ms > 0 ? left_ms : 0);
}

/* It runs again in a moment, and others go on meanwhile. False: it is to be settled. */
static bool park(struct rpc_server *server, struct job *job, int64_t run_ms)
{
	bool is_locked = job->err == ERR_LOCKED;
	int64_t now_ms = clock_ms();
	int pause_ms;

	if (err_fate(job->err) != FATE_REDO)
		return false;
	pause_ms = redo_pause_ms(&job->redo, job->err, run_ms, now_ms, random_u32());
	if (pause_ms < 0 || (is_locked && parking_is_full(&server->parking,
	                                                  job->redo.locked_ms, now_ms)))
		return false;
	job_renew(job);
	job->parked.is_locked = is_locked;
	parking_add(&server->parking, &job->parked, now_ms + pause_ms);
	return true;
}

/* Before all that wait: they came earlier. */
static void wait_first(struct rpc_server *server, struct parked *parked)
{
	struct job *first = (struct job *)parked, **end = &server->head;
	struct job *others = server->head;

	bug_if(!first);
	for (; parked; parked = parked->next) {
		*end = (struct job *)parked;
		end = &(*end)->next;
		server->waiting++;
	}
	*end = others;
	if (!others)
		server->tail = end;
}

static void unpark(struct rpc_server *server, int64_t now_ms)
{
	struct parked *parked;

	while ((parked = parking_take_due(&server->parking, now_ms)))
		wait_first(server, parked);
	unpark_later(server);
}

static void run_waiting(void *self);

static void on_unpark(void *self)
{
	struct rpc_server *server = self;

	unpark(server, clock_ms());
	run_waiting(server);
}

static void run_next(struct rpc_server *server)
{
	struct job *jobs[BATCH_MAX];
	size_t parked = server->parking.count, count = take_batch(server, jobs);
	int64_t started_ms = clock_ms(), run_ms;

	if (count && jobs[0]->method)
		run(server, jobs, count);
	run_ms = clock_ms() - started_ms;
	for (size_t i = 0; i < count; i++)
		if (!park(server, jobs[i], run_ms))
			settle(server, jobs[i]);
	if (server->parking.count != parked)
		unpark_later(server);
}

/* In slices: timers and sockets want their turn, whatever the handlers do. */
static void run_waiting(void *self)
{
	struct rpc_server *server = self;
	int64_t until = clock_ms() + SLICE_MS;

	while (server->head && clock_ms() < until)
		run_next(server);
	if (server->head)
		loop_timer_set(server->again, 0);
}

/* ---- heartbeats, for callers that watch a request which waits ---- */

static void ignore_confirm(void *self, enum err err)
{
	(void)self;
	(void)err;
}

static void send_heartbeat(struct rpc_server *server, const struct job *job)
{
	struct buf body = { 0 };
	struct broker_message message = {
		.exchange = "", .key = job->envelope.reply_queue,
	};
	struct why why;

	envelope_heartbeat_encode(job->envelope.msg_id, &body);
	message.body = body.data;
	message.len = body.len;
	if (broker_publish(server->out, &message, ignore_confirm, NULL, &why))
		log_debug("heartbeat not sent: queue=%s why=\"%s\"", message.key,
		          why.text);
	buf_clear(&body);
}

/* Does it want another one? */
static bool heartbeat(struct rpc_server *server, struct job *job, int64_t now_ms)
{
	if (!job->heartbeat_ms)
		return false;
	if (now_ms >= job->heartbeat_ms) {
		send_heartbeat(server, job);
		job->heartbeat_ms = now_ms + job->envelope.heartbeat_s * 1000 / 2;
	}
	return true;
}

static bool heartbeat_parked(struct rpc_server *server, int64_t now_ms)
{
	bool wanted = false;

	for (struct parked *leader = server->parking.leaders; leader;
	     leader = leader->next) {
		wanted |= heartbeat(server, (struct job *)leader, now_ms);
		for (struct parked *p = leader->behind; p; p = p->next)
			wanted |= heartbeat(server, (struct job *)p, now_ms);
	}
	return wanted;
}

static void on_heartbeat(void *self)
{
	struct rpc_server *server = self;
	int64_t now_ms = clock_ms();
	bool wanted = heartbeat_parked(server, now_ms);

	for (struct job *job = server->head; job; job = job->next)
		wanted |= heartbeat(server, job, now_ms);
	if (wanted)
		loop_timer_set(server->heartbeat, HEARTBEAT_TICK_MS);
}

/* ---- the broker's side ---- */

static void on_delivery(void *self, const struct broker_delivery *delivery)
{
	struct rpc_server *server = self;
	struct job *job;
	struct why why;
	enum err err;

	if (!delivery->is_json) {
		err = no_json(server, delivery, &why);
		refuse(server, delivery, err, &why);
		return;
	}
	job = job_take(server);
	err = envelope_request_decode(delivery->body, delivery->len, server->max_bytes,
	                              &job->envelope, &why);
	if (err) {
		refuse(server, delivery, err, &why);
		job_release(server, job);
		return;
	}
	job_fill(job, delivery);
	job_judge(server, job);
	/* a stranger's message does not stand for ours, which may have the same id */
	if (!job->is_refused && is_duplicate(server, job)) {
		broker_ack(server->in, delivery);
		job_release(server, job);
		return;
	}
	enqueue(server, job);
}

static void on_passing(void *self, const void *bytes, size_t len)
{
	struct rpc_server *server = self;

	caller_scan(&server->caller, bytes, len);
}

/* What waits comes again by the new connection, here or elsewhere: run it there. */
static void on_down(void *self)
{
	struct rpc_server *server = self;

	server->caller = (struct caller_scan){ 0 };
	unpark(server, INT64_MAX);
	while (server->head) {
		struct job *job = unlink_job(server, &server->head);

		seen_forget(server, job);
		job_release(server, job);
	}
}

static void on_up(void *self)
{
	struct rpc_server *server = self;

	if (server->config.fanout_is_new)
		server->config.fanout_is_new(server->config.self);
}

static void queues_fill(struct rpc_server *server)
{
	const struct rpc_server_config *config = &server->config;
	struct broker_queue *queue = server->queues;
	struct broker_queue row = { .name = config->topic, .prefetch = config->prefetch };

	row.kind = BROKER_WORK;
	if (!config->fanout_only)
		*queue++ = row;
	if (config->recovery) {
		row.name = config->recovery;
		*queue++ = row;
	}
	if (config->fanout || config->fanout_only) {
		row.name = config->topic;
		row.kind = BROKER_FANOUT;
		*queue++ = row;
	}
}

struct rpc_server *rpc_server_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out,
                                   const struct rpc_server_config *config)
{
	struct rpc_server *server = xcalloc(1, sizeof *server);
	const struct broker_hooks hooks = {
		.up = on_up, .down = on_down,
		.passing = on_passing, .delivery = on_delivery,
		.drained = run_waiting,
		.self = server,
	};

	server->config = *config;
	server->out = out;
	server->max_bytes = broker->max_message_bytes;
	server->tail = &server->head;
	server->again = loop_timer_new(loop, run_waiting, server);
	server->heartbeat = loop_timer_new(loop, on_heartbeat, server);
	server->unpark = loop_timer_new(loop, on_unpark, server);
	server->parking.locked_max = config->prefetch > 1
	                                 ? (size_t)config->prefetch / 2 : 1;
	server->metrics = rpc_metrics_new(config->methods);
	queues_fill(server);
	server->in = broker_open(loop, broker, config->topic, server->queues, &hooks);
	server->replies = replies_new(loop, server->in, out);
	return server;
}

const char *rpc_server_trouble(const struct rpc_server *server)
{
	return broker_trouble(server->in);
}

void rpc_server_pause(struct rpc_server *server)
{
	broker_pause(server->in);
}

size_t rpc_server_waiting(const struct rpc_server *server)
{
	return server->waiting + server->parking.count +
	       replies_waiting(server->replies);
}

static void jobs_free(struct job *job)
{
	while (job) {
		struct job *next = job->next;

		json_decref(job->req.result);
		envelope_request_clear(&job->envelope);
		job_free(job);
		job = next;
	}
}

/* What was not settled comes again, to us or to another. */
void rpc_server_close(struct rpc_server **server)
{
	struct rpc_server *s = *server;

	if (!s)
		return;
	replies_free(&s->replies);
	broker_close(&s->in);
	loop_timer_free(&s->again);
	loop_timer_free(&s->heartbeat);
	unpark(s, INT64_MAX);
	loop_timer_free(&s->unpark);
	jobs_free(s->head);
	jobs_free(s->pool);
	rpc_metrics_free(&s->metrics);
	free(s);
	*server = NULL;
}
