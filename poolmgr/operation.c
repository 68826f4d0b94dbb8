#include "operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/membership.h"
#include "evaluate.h"
#include "health.h"
#include "lock_name.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "runtime/tx.h"
#include "store.h"
#include "store_absence.h"
#include "store_adjust.h"
#include "store_recompare.h"
#include "store_repair.h"

enum {
	/* the holder of the lock works on the same domain */
	LOCK_WAIT_MS = 3000,
	POSTPONE_S = 2,			/* until the row is due again */
};

static struct metric *operations[2];		/* failed, done */
static struct metric *postponed, *seconds;

void operation_metrics(void)
{
	operations[0] = metric_new(METRIC_COUNTER, "driver_operations_total",
	                           "attempts of a driver to create or delete a zone on a "
	                           "server, by outcome",
	                           "outcome", "error");
	operations[1] = metric_new(METRIC_COUNTER, "driver_operations_total",
	                           "attempts of a driver to create or delete a zone on a "
	                           "server, by outcome",
	                           "outcome", "success");
	postponed = metric_new(METRIC_COUNTER, "driver_operations_postponed_total",
	                       "postponed driver operations. The pool manager postpones "
	                       "an operation if another process holds the lock of the "
	                       "domain for too long", NULL, NULL);
	seconds = metric_new(METRIC_HISTOGRAM, "driver_operation_seconds",
	                     "duration of one driver operation", NULL, NULL);
}

/* How far the operation has come. */
enum stage {
	STAGE_SKIPPED,			/* not needed, or locked for too long */
	STAGE_REFUSED,			/* not tried, because the control channel fails */
	STAGE_TRIED,			/* the driver was called: err */
};

struct operation {
	struct poolmgr *poolmgr;
	struct server *server;
	struct arena *arena;
	struct domain_ref domain;
	enum action action;
	struct cause cause;
	int confirm_s;
	/* create: the reason of a poll that found no zone; NULL: a new zone */
	const char *lost;
	bool refuted;			/* the server has the zone */
	/* why no poll can confirm the result; NULL: a poll can */
	const char *no_address;
	struct held *held;
	enum stage stage;
	enum err err;			/* of the driver */
	struct why why;
	enum sign sign;			/* that the server gave */
	enum err recorded;		/* result of writing the outcome */
	struct why record_why;
	int threshold_percent;
	struct evaluation evaluation;	/* of a failure; count 0: none */
	struct domain_query query;
	struct domain_result result;
	enum err evaluated;
	struct why evaluate_why;
	int64_t took_us;
};

static struct operation *operation_new(struct poolmgr *poolmgr,
                                       const struct domain_ref *domain,
                                       enum action action, struct server *server,
                                       const struct cause *cause)
{
	struct operation *job = xcalloc(1, sizeof(*job));
	struct why why;

	job->poolmgr = poolmgr;
	job->server = server;
	job->action = action;
	job->confirm_s = poolmgr_poll_budget_s(poolmgr);
	job->threshold_percent = poolmgr->config.threshold_percentage;
	job->arena = arena_new();
	job->domain = *domain;
	if (action == ACTION_DELETE) {	/* perhaps DELETED, but not on this server */
		job->domain.state.task = TASK_DELETE;
		job->domain.state.status = STATUS_PENDING;
	}
	job->domain.name = arena_strdup(job->arena, domain->name);
	job->domain.pool = arena_strdup(job->arena, domain->pool);
	job->domain.tenant = arena_strdup(job->arena, domain->tenant);
	if (server_lacks_address(server, &why))
		job->no_address = arena_strdup(job->arena, why.text);
	job->cause = *cause;
	job->cause.request_id = arena_strdup(job->arena, cause->request_id);
	return job;
}

static void operation_free(struct operation *job)
{
	arena_free(&job->arena);
	free(job);
}

/* ---- on the lane's thread ---- */

static struct holder *operation_holder(const struct operation *job)
{
	return membership_holder(job->poolmgr->runtime.membership);
}

/* Makes the row due later; its status is unchanged. */
static enum err operation_postpone(void *self, struct why *why)
{
	struct operation *job = self;
	struct tx tx = tx_autocommit(job->server->db, why);

	store_postpone(&tx, job->domain.id, job->server->settings->id, job->action,
	               POSTPONE_S);
	return tx_commit(&tx);
}

/* A server of the backend catalog gets no commands, so two processes cannot conflict. */
static bool operation_needs_lock(const struct operation *job)
{
	return !job->server->driver->by_catalog;
}

static bool operation_lock(struct operation *job)
{
	char object[LOCK_NAME_SIZE];
	struct why why;

	if (!operation_needs_lock(job))
		return true;
	lock_name_of(job->poolmgr, job->domain.id, job->domain.tenant, object);
	if (!holder_take(operation_holder(job), job->server->db, object,
	                 clock_ms() + LOCK_WAIT_MS, &job->held, &why))
		return true;
	metric_add(postponed, 1);
	log_info("operation postponed: domain=%s server=%s reason=\"%s\"",
	         job->domain.name, job->server->settings->id, why.text);
	job->recorded = tx_retry(operation_postpone, job, &job->record_why);
	return false;
}

/*
 * True: the action is still needed. The domain may have been deleted, or a new domain may
 * have its name. If the database cannot be read, the row stays due.
 */
static bool operation_is_needed(struct operation *job)
{
	struct tx tx = tx_autocommit(job->server->db, &job->record_why);
	bool needed = store_is_needed(&tx, &job->domain, job->action);

	if (needed && job->action == ACTION_CREATE)
		store_is_zone_lost(&tx, job->arena, job->domain.id,
		                   job->server->settings->id, &job->lost);
	job->recorded = tx_commit(&tx);
	return !job->recorded && needed;
}

/*
 * A poll found no zone: asks the driver whether the zone is gone or the server only
 * refuses us. Creating an existing zone would disturb it again and again.
 */
static enum err operation_ask_server(struct operation *job)
{
	const struct driver *driver = job->server->driver;
	bool there = false;
	enum err err = driver->has(job->server->settings, &job->domain, &there,
	                           &job->why);

	enum confirmation by = there ? CONFIRMATION_DENIED : CONFIRMATION_DRIVER;

	job->refuted = !err &&
	               absence_of(REPORT_NO_DOMAIN, by) == ABSENCE_REFUTED;
	return err;
}

/*
 * Drivers refuse a zone that they cannot express, which says nothing about the server. A
 * probe then asks the server about the root, which each driver can express.
 */
static enum sign operation_sign(const struct operation *job)
{
	const struct server *server = job->server;
	enum sign sign = health_sign_of(job->err);
	struct domain_ref root = { .name = "." };
	struct why why;
	bool there;

	if (job->cause.probe && sign == SIGN_NONE && server->driver->has &&
	    health_sign_of(server->driver->has(server->settings, &root, &there, &why)) ==
	        SIGN_ANSWER)
		return SIGN_ANSWER;
	return sign;
}

static void operation_call_driver(struct operation *job)
{
	const struct driver *driver = job->server->driver;
	const struct driver_context context = { job->poolmgr->masters,
	                                        job->poolmgr->config.masters.count };
	int64_t started_us = clock_us();

	if (job->lost && driver->has)
		job->err = operation_ask_server(job);
	if (!job->err && !job->refuted)
		job->err = (job->action == ACTION_CREATE ? driver->create
		                                         : driver->delete)(
		    job->server->settings, &context, &job->domain, &job->why);
	job->took_us = clock_us() - started_us;
	job->sign = operation_sign(job);
	job->stage = STAGE_TRIED;
}

/*
 * After a success a poll must confirm that the zone is served, or is gone. The row of a
 * deletion says whether the control channel confirmed it (core/absence.h).
 */
static const char *operation_success_status(const struct operation *job)
{
	if (job->action == ACTION_CREATE)
		return "SUCCESS";
	return job->server->driver->by_catalog ? NULL : "NO_DOMAIN";
}

static void operation_refute(struct operation *job, struct tx *tx)
{
	store_refute_absence(tx, job->domain.id, job->server->settings->id,
	                     arena_printf(job->arena, "%s, %s", job->lost,
	                                  absence_words(ABSENCE_REFUTED)));
}

/* The server itself said that it had no zone, so it is a repair (core/absence.h). */
static void operation_record_repair(const struct operation *job, struct tx *tx)
{
	const struct ending ending = {
		.outcome = "DONE",
		.detail = arena_printf(job->arena, "the server had no zone (it %s); the "
		                       "pool manager created the zone again", job->lost),
		.worker = membership_name(job->poolmgr->runtime.membership),
		.fence = job->held ? held_fence(job->held) : 0,
	};

	store_recreated(tx, &job->domain, job->server->settings->id, &ending);
}

/* True: the driver succeeded, but no poll can confirm the result. */
static bool operation_is_unconfirmed(const struct operation *job)
{
	return job->stage == STAGE_TRIED && !job->err && !job->refuted && job->no_address;
}

/* mini-DNS will not report the new zone, so the row gets the reason. */
static void operation_record_unpolled(const struct operation *job, struct tx *tx)
{
	const struct server_report report = {
		.domain = job->domain,
		.name_server = job->server->settings->id,
		.report = REPORT_ERROR,
		.reason = job->no_address,
	};

	store_reports(tx, &report, 1, true);
}

static const char *operation_reason(const struct operation *job)
{
	if (job->err)
		return job->why.text;
	return operation_is_unconfirmed(job) && job->action == ACTION_DELETE
	           ? job->no_address : "";
}

static enum err operation_record(void *self, struct why *why)
{
	struct operation *job = self;
	const char *reason = operation_reason(job);
	const struct outcome outcome = {
		.domain_id = job->domain.id,
		.server_id = job->server->settings->id,
		.action = job->action,
		.status = *reason ? "ERROR" : operation_success_status(job),
		.reason = reason,
		.confirm_s = job->confirm_s,
	};
	struct tx tx = tx_begin(job->server->db, why);

	if (job->held)
		holder_guard(operation_holder(job), &tx, job->held);
	store_settle(&tx, &outcome);
	if (job->lost && !job->err && !job->refuted && job->server->driver->has)
		operation_record_repair(job, &tx);
	if (job->refuted)
		operation_refute(job, &tx);
	else if (!job->err && job->action == ACTION_CREATE) {
		store_adjusted(&tx, job->domain.id, outcome.server_id,
		               job->server->settings_digest);
		store_compare_soon(&tx, job->domain.id, outcome.server_id);
	}
	if (operation_is_unconfirmed(job) && job->action == ACTION_CREATE)
		operation_record_unpolled(job, &tx);
	if (job->stage == STAGE_TRIED)
		store_reconsider(&tx, &job->domain, job->action, outcome.server_id,
		                 job->err ? outcome.confirm_s : 0);
	return tx_commit(&tx);
}

/*
 * The driver was called, but the lock was lost meanwhile: the row may belong to another
 * process. Only the opposite action becomes due, if it is needed.
 */
static enum err operation_reconsider(void *self, struct why *why)
{
	struct operation *job = self;
	struct tx tx = tx_begin(job->server->db, why);

	store_reconsider(&tx, &job->domain, job->action, job->server->settings->id, 0);
	return tx_commit(&tx);
}

static void operation_execute(struct operation *job)
{
	struct why why;

	if (job->held && !holder_is_sure(operation_holder(job), job->held)) {
		job->recorded = tx_retry(operation_postpone, job, &job->record_why);
		return;
	}
	operation_call_driver(job);
	job->recorded = tx_retry(operation_record, job, &job->record_why);
	if (job->recorded == ERR_BUSY)
		tx_retry(operation_reconsider, job, &why);
}

static void operation_refuse(struct operation *job)
{
	job->stage = STAGE_REFUSED;
	job->err = fail(&job->why, ERR_BUSY, CONTROL_SILENCE_WORDS,
	                job->server->settings->id);
	job->recorded = tx_retry(operation_record, job, &job->record_why);
}

/*
 * After a failure: reads the states of the domain for the action whose row has the
 * reason. The loop reports what was found.
 */
static void operation_evaluate(struct operation *job)
{
	bool is_unseen = operation_is_unconfirmed(job) && job->action == ACTION_CREATE;

	if (job->stage == STAGE_SKIPPED || job->recorded ||
	    (!job->err && !operation_is_unconfirmed(job)))
		return;
	job->query = (struct domain_query){
		.domain_id = job->domain.id,
		.action = is_unseen ? ACTION_UPDATE : job->action,
		.request_id = job->cause.request_id,
	};
	job->evaluation = (struct evaluation){
		&job->query, 1, job->threshold_percent, &job->result, 0, NULL,
	};
	job->evaluated = evaluate_read(job->poolmgr, job->server->db, &job->evaluation,
	                               job->arena, &job->evaluate_why);
}

static void operation_run(void *self)
{
	struct operation *job = self;

	log_request(job->cause.request_id);
	if (!atomic_load(&job->server->in_service)) {
		log_info("operation skipped, because the server is drained: server=%s "
		         "domain=%s",
		         job->server->settings->id, job->domain.name);
	} else if (!job->cause.probe && atomic_load(&job->server->failing)) {
		operation_refuse(job);
	} else if (operation_lock(job)) {
		if (operation_is_needed(job))
			operation_execute(job);
		holder_drop(operation_holder(job), job->server->db, &job->held);
	}
	operation_evaluate(job);
	log_request(NULL);
}

/* ---- back on the loop ---- */

/*
 * Updates the health of the server. A fault of this host does not count, because all
 * processes share the health.
 */
static void operation_note_health(struct operation *job)
{
	struct health_writer *health_writer = job->poolmgr->health_writer;

	if (job->stage != STAGE_TRIED)
		return;
	metric_add(operations[job->err == OK], 1);
	metric_observe_us(seconds, job->took_us);
	if (job->sign == SIGN_FAILURE)
		health_failed(health_writer, job->server, CHANNEL_CONTROL, job->why.text);
	else if (job->sign == SIGN_ANSWER)
		health_answered(health_writer, job->server, CHANNEL_CONTROL);
}

static void operation_log_end(const struct operation *job)
{
	const char *verb = job->action == ACTION_CREATE ? "create" : "delete";

	if (job->refuted)
		log_warn("zone not created again: domain=%s server=%s ms=%d "
		         "reason=\"%s, %s\"", job->domain.name, job->server->settings->id,
		         (int)(job->took_us / 1000), job->lost,
		         absence_words(ABSENCE_REFUTED));
	else if (job->err)
		log_warn("zone not %sd: domain=%s server=%s ms=%d err=%s reason=\"%s\"",
		         verb, job->domain.name, job->server->settings->id,
		         (int)(job->took_us / 1000), err_name(job->err), job->why.text);
	else
		log_info("zone %sd: domain=%s server=%s ms=%d", verb, job->domain.name,
		         job->server->settings->id, (int)(job->took_us / 1000));
}

static void operation_confirm(struct operation *job)
{
	job->cause.probe = false;
	(job->action == ACTION_CREATE ? peers_notify : peers_poll)(
	    job->poolmgr->peers, &job->domain, job->server, &job->cause);
}

/*
 * If the result could not be written, the row stays due. If the states could not be read,
 * the next attempt reads them.
 */
static void operation_settle(struct operation *job)
{
	enum err err = job->recorded ? job->recorded : job->evaluated;
	const struct why *why = job->recorded ? &job->record_why : &job->evaluate_why;

	if (job->stage != STAGE_SKIPPED) {
		operation_log_end(job);
		operation_note_health(job);
		if (job->evaluation.count)
			evaluate_report(job->poolmgr, &job->evaluation);
		else if (!err && !job->refuted)
			operation_confirm(job);
	}
	if (err)
		log_warn("result of the operation not %s: domain=%s server=%s err=%s "
		         "reason=\"%s\"",
		         job->recorded ? "recorded" : "reported", job->domain.name,
		         job->server->settings->id, err_name(err), why->text);
}

static void operation_ended(void *self)
{
	struct operation *job = self;

	log_request(job->cause.request_id);
	if (lane_job_ran(job->server->lane))
		operation_settle(job);
	log_request(NULL);
	operation_free(job);
}

void operation_start(struct poolmgr *poolmgr, const struct domain_ref *domain,
                     enum action action, struct server *server, const struct cause *cause)
{
	struct operation *job = operation_new(poolmgr, domain, action, server, cause);

	if (lane_submit(server->lane, operation_run, operation_ended, job))
		return;
	log_warn("operation postponed: server=%s domain=%s reason=\"too many jobs are "
	         "waiting for the server, or the process is stopping\"",
	         server->settings->id, domain->name);
	operation_free(job);
}
