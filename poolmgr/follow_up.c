#include "follow_up.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <uthash.h>

#include "adjust.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/membership.h"
#include "lock_name.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "runtime/rpc.h"
#include "runtime/tx.h"
#include "store_adjust.h"
#include "store_follow.h"
#include "store_recompare.h"

enum {
	CASES_MAX = 5000,	/* further cases wait for a later report */
	LOCK_WAIT_MS = 3000,
	RAISE_TIMEOUT_MS = 10 * 1000,
	DETAIL_SIZE = 600,
	KEY_SIZE = 80,
};

/* A domain on a server, while this process corrects it. */
struct follow_up_job {
	char key[KEY_SIZE];
	struct follow_up *follow_up;
	struct server *server;
	struct arena *arena;
	struct domain_ref domain;
	bool serves_it;
	uint32_t serves;
	bool was_sent;
	struct cause cause;
	struct held *held;
	enum follow action;
	bool calling;			/* a call to central is out */
	bool was_tried;			/* the server's driver was called */
	bool is_renewed;		/* the zone was set up again */
	enum err err;			/* of the driver or of central */
	struct why why;
	const char *outcome;		/* for follow_up_record_raise() */
	UT_hash_handle hh;
};

struct follow_up {
	struct poolmgr *poolmgr;
	struct follow_up_job *jobs;
};

static struct metric *done[FOLLOW_COUNT], *failed;

void follow_up_metrics(void)
{
	static const char help[] =
	    "actions of the pool manager on name servers, by action. The name servers "
	    "answer, but do not serve a change";

	done[FOLLOW_TRANSFER] = metric_new(METRIC_COUNTER, "follow_ups_total", help,
	                                   "action", "transfer");
	done[FOLLOW_RENEW] = metric_new(METRIC_COUNTER, "follow_ups_total", help,
	                                "action", "renew");
	done[FOLLOW_RAISE] = metric_new(METRIC_COUNTER, "follow_ups_total", help,
	                                "action", "raise");
	failed = metric_new(METRIC_COUNTER, "follow_ups_total", help, "action", "failed");
}

struct follow_up *follow_up_new(struct poolmgr *poolmgr)
{
	struct follow_up *follow_up = xcalloc(1, sizeof(*follow_up));

	follow_up->poolmgr = poolmgr;
	return follow_up;
}

static void follow_up_job_free(struct follow_up_job *job)
{
	HASH_DEL(job->follow_up->jobs, job);
	arena_free(&job->arena);
	free(job);
}

void follow_up_free(struct follow_up **follow_up)
{
	struct follow_up *old = *follow_up;
	struct follow_up_job *job, *next;

	*follow_up = NULL;
	if (!old)
		return;
	HASH_ITER(hh, old->jobs, job, next) {
		if (job->calling)
			rpc_cancel(old->poolmgr->runtime.rpc, job);
		follow_up_job_free(job);
	}
	free(old);
}

static struct poolmgr *follow_up_poolmgr(const struct follow_up_job *job)
{
	return job->follow_up->poolmgr;
}

static struct holder *follow_up_holder(const struct follow_up_job *job)
{
	return membership_holder(follow_up_poolmgr(job)->runtime.membership);
}

/* For a server of the backend catalog, retransfer() only has a text for the operator. */
static bool follow_up_takes_orders(const struct server *server)
{
	return server->driver->retransfer && !server->driver->by_catalog;
}

/* ---- the row of repair_log ---- */

/*
 * What was done, which can differ from the decision: a driver without renew() only orders
 * the transfer again, and a transfer that the server refuses is replaced by renew().
 */
static enum follow follow_up_done(const struct follow_up_job *job)
{
	if (job->action == FOLLOW_RAISE)
		return FOLLOW_RAISE;
	return job->is_renewed ? FOLLOW_RENEW : FOLLOW_TRANSFER;
}

struct recording {
	const struct follow_up_job *job;
	struct db *db;			/* of the thread that writes */
	const char *outcome;
	char detail[DETAIL_SIZE];
};

static enum err follow_up_write_record(void *self, struct why *why)
{
	struct recording *recording = self;
	const struct follow_up_job *job = recording->job;
	const struct membership *fleet =
	    follow_up_poolmgr(job)->runtime.membership;
	const struct followed followed = {
		.domain = &job->domain,
		.server_id = job->server->settings->id,
		.worker = membership_name(fleet),
		.action = follow_up_done(job),
		.outcome = recording->outcome,
		.serves = job->serves,
		.detail = recording->detail,
		.fence = job->held ? held_fence(job->held) : 0,
	};
	struct tx tx = tx_begin(recording->db, why);

	if (job->held)
		holder_guard(follow_up_holder(job), &tx, job->held);
	store_followed(&tx, &followed);
	if (job->is_renewed && !job->err)
		store_adjusted(&tx, job->domain.id, followed.server_id,
		               job->server->settings_digest);
	if (!job->err)
		store_compare_soon(&tx, job->domain.id, followed.server_id);
	return tx_commit(&tx);
}

static const char *const words[FOLLOW_COUNT] = {
	[FOLLOW_TRANSFER] = "the pool manager ordered the server to transfer the zone",
	[FOLLOW_RENEW]    = "the pool manager removed the zone from the server and added "
	                    "it again",
	[FOLLOW_RAISE]    = "central raised the serial of the domain",
};

/*
 * Writes "the pool manager ordered the server to transfer the zone; the server served
 * serial 12; the database has serial 11". The first part may be an error.
 */
static void follow_up_record(const struct follow_up_job *job, struct db *db,
                             const char *outcome)
{
	struct recording recording = { job, db, outcome, "" };
	char serves[40] = "the server served no serial";
	struct why why;

	if (job->serves_it)
		snprintf(serves, sizeof(serves), "the server served serial %" PRIu32,
		         job->serves);
	snprintf(recording.detail, sizeof(recording.detail),
	         "%s; %s; the database has serial %" PRIu32,
	         job->err ? job->why.text : words[follow_up_done(job)], serves,
	         job->domain.state.serial);
	metric_add(job->err ? failed : done[follow_up_done(job)], 1);
	log_warn("server stays behind: domain=%s server=%s action=%s outcome=%s "
	         "reason=\"%s\"", job->domain.name, job->server->settings->id,
	         follow_name(follow_up_done(job)), outcome, recording.detail);
	if (tx_retry(follow_up_write_record, &recording, &why))
		log_warn("repair not recorded: domain=%s server=%s reason=\"%s\"",
		         job->domain.name, job->server->settings->id,
		         why.text);
}

/* ---- on the lane's thread ---- */

/* Reads the rows and decides. If they cannot be read, the next report tries again. */
static enum follow follow_up_decide(struct follow_up_job *job)
{
	struct follow_case of = {
		.serves_it = job->serves_it,
		.serves = job->serves,
		.takes_orders = follow_up_takes_orders(job->server),
		.was_sent = job->was_sent,
	};
	struct why why;
	struct tx tx = tx_autocommit(job->server->db, &why);
	bool found = store_follow_case(&tx, job->arena, job->domain.id,
	                               job->server->settings->id, &job->domain, &of);

	return !tx_commit(&tx) && found ? follow_decide(&of) : FOLLOW_WAIT;
}

/* A server with old masters cannot transfer the zone, whatever its serial is. */
static enum err follow_up_order(struct follow_up_job *job)
{
	struct poolmgr *poolmgr = follow_up_poolmgr(job);
	const struct driver *driver = job->server->driver;
	const struct driver_context context = { poolmgr->masters,
	                                        poolmgr->config.masters.count };
	bool changed;

	job->is_renewed = job->action == FOLLOW_RENEW && driver->renew;
	if (job->is_renewed)
		return driver->renew(job->server->settings, &context,
		                     &job->domain, &job->why);
	enum err err = adjust_zone(poolmgr, job->server, &job->domain, job->held,
	                           &changed, &job->why);
	/* settings that the server refuses are parked: the zone needs its transfer */
	if (adjust_is_temporary(err))
		return err;
	return driver_transfer(driver, job->server->settings, &context, &job->domain,
	                       &job->is_renewed, &job->why);
}

static void follow_up_act(struct follow_up_job *job)
{
	if (!holder_is_sure(follow_up_holder(job), job->held)) {
		job->action = FOLLOW_WAIT;
		return;
	}
	job->err = follow_up_order(job);
	job->was_tried = true;
	follow_up_record(job, job->server->db, job->err ? "FAILED" : "DONE");
}

static bool follow_up_lock(struct follow_up_job *job)
{
	char object[LOCK_NAME_SIZE];
	struct why why;

	lock_name_of(follow_up_poolmgr(job), job->domain.id, job->domain.tenant, object);
	if (!holder_take(follow_up_holder(job), job->server->db, object,
	                 clock_ms() + LOCK_WAIT_MS, &job->held, &why))
		return true;
	log_info("repair postponed: domain=%s server=%s reason=\"%s\"",
	         job->domain.name, job->server->settings->id, why.text);
	return false;
}

/*
 * Decides before it takes the lock, because most jobs must wait, and again under the
 * lock.
 */
static void follow_up_run(void *self)
{
	struct follow_up_job *job = self;

	log_request(job->cause.request_id);
	if (atomic_load(&job->server->in_service))
		job->action = follow_up_decide(job);
	if (job->action != FOLLOW_WAIT && job->action != FOLLOW_RAISE) {
		job->action = follow_up_lock(job) ? follow_up_decide(job) : FOLLOW_WAIT;
		if (job->action != FOLLOW_WAIT && job->action != FOLLOW_RAISE)
			follow_up_act(job);
		holder_drop(follow_up_holder(job), job->server->db, &job->held);
	}
	log_request(NULL);
}

/* ---- on the loop ---- */

static void follow_up_record_raise(void *self)
{
	struct follow_up_job *job = self;

	log_request(job->cause.request_id);
	follow_up_record(job, follow_up_poolmgr(job)->lane_db, job->outcome);
	log_request(NULL);
}

static void follow_up_raise_recorded(void *self)
{
	follow_up_job_free(self);
}

/*
 * Ends the job. It writes on the pool manager's lane, because it waits between its tries.
 */
static void follow_up_end_raise(struct follow_up_job *job, const char *outcome)
{
	job->outcome = outcome;
	if (poolmgr_submit(follow_up_poolmgr(job), follow_up_record_raise,
	                   follow_up_raise_recorded, job))
		return;
	log_warn("repair not recorded: domain=%s server=%s reason=\""
	         POOLMGR_IS_FULL "\"", job->domain.name, job->server->settings->id,
	         POOLMGR_JOBS_MAX);
	follow_up_job_free(job);
}

/* Tells the operator what to do, without the serial that was too far ahead. */
static void follow_up_park_raise(struct follow_up_job *job)
{
	job->err = fail(&job->why, ERR_INVALID, "the server's serial is too far ahead of "
	                "the serial in the database: make the server transfer the zone "
	                "again, with a command on the server");
	follow_up_end_raise(job, "PARKED");
}

static void follow_up_raised(void *self, const struct rpc_answer *answer)
{
	struct follow_up_job *job = self;

	job->calling = false;
	job->err = answer->err;
	job->why = answer->why;
	follow_up_end_raise(job, answer->err ? "FAILED" : "DONE");
}

/* Changes only the serial. Central refuses the call if another change came before. */
static enum err follow_up_call_central(struct follow_up_job *job, uint32_t serial)
{
	static const struct rpc_target central = { .topic = "central" };
	json_t *args = json_pack("{s:s, s:[], s:I}", "domain", job->domain.id,
	                         "changes", "serial", (json_int_t)serial);
	json_t *context = context_encode(job->cause.request_id, true);

	bug_if(!args);
	enum err err = rpc_call(follow_up_poolmgr(job)->runtime.rpc, &central,
	                        "apply_changes", args, context, RAISE_TIMEOUT_MS,
	                        follow_up_raised, job, &job->why);
	json_decref(context);
	json_decref(args);
	return err;
}

static void follow_up_raise(struct follow_up_job *job)
{
	uint32_t serial;

	if (!follow_raise(job->domain.state.serial, job->serves,
	                  (uint32_t)clock_unix(), &serial)) {
		follow_up_park_raise(job);
		return;
	}
	job->err = follow_up_call_central(job, serial);
	job->calling = !job->err;
	if (job->err)
		follow_up_end_raise(job, "FAILED");
}

static void follow_up_ended(void *self)
{
	struct follow_up_job *job = self;
	struct poolmgr *poolmgr = follow_up_poolmgr(job);
	bool ran = lane_job_ran(job->server->lane);

	log_request(job->cause.request_id);
	if (ran && job->was_tried && !job->err)
		peers_notify(poolmgr->peers, &job->domain, job->server, &job->cause);
	if (ran && job->action == FOLLOW_RAISE)
		follow_up_raise(job);
	else
		follow_up_job_free(job);
	log_request(NULL);
}

static struct follow_up_job *follow_up_job_new(struct follow_up *follow_up,
                                               const char *key,
                                               const struct domain_ref *domain,
                                               const struct cause *cause)
{
	struct follow_up_job *job = xcalloc(1, sizeof(*job));
	struct arena *arena = arena_new();

	snprintf(job->key, sizeof(job->key), "%s", key);
	job->follow_up = follow_up;
	job->arena = arena;
	job->domain = *domain;
	job->domain.name = arena_strdup(arena, domain->name);
	job->domain.pool = arena_strdup(arena, domain->pool);
	job->domain.tenant = arena_strdup(arena, domain->tenant);
	job->cause = *cause;
	job->cause.request_id = arena_strdup(arena, cause->request_id);
	HASH_ADD_STR(follow_up->jobs, key, job);
	return job;
}

void follow_up_observe(struct follow_up *follow_up, const struct follow_report *report,
                       const struct cause *cause)
{
	const struct domain_ref *domain = report->domain;
	struct server *own = servers_find(follow_up->poolmgr->servers,
	                                  report->server->settings->id);
	struct follow_up_job *job;
	char key[KEY_SIZE];

	bug_if(snprintf(key, sizeof(key), "%s %s", domain->id,
	                report->server->settings->id) >= (int)sizeof(key));
	HASH_FIND_STR(follow_up->jobs, key, job);
	if (job || !own || HASH_COUNT(follow_up->jobs) >= CASES_MAX ||
	    server_fails(own, CHANNEL_CONTROL))
		return;
	job = follow_up_job_new(follow_up, key, domain, cause);
	job->server = own;
	job->serves_it = report->serves;
	job->serves = report->serves ? *report->serves : 0;
	job->was_sent = report->was_sent;
	if (!lane_submit(own->lane, follow_up_run, follow_up_ended, job))
		follow_up_job_free(job);
}
