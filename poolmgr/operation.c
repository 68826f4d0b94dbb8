#include "operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/heartbeat.h"
#include "health.h"
#include "judge.h"
#include "lock_name.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "runtime/tx.h"
#include "store.h"
#include "store_witness.h"

enum {
	LOCK_WAIT_MS = 3000,		/* who has it is at work on the same domain */
	POSTPONE_S = 2,			/* then it is tried again by its row */
};

static struct metric *operations[2];		/* failed, done */
static struct metric *postponed, *seconds;

void operation_metrics(void)
{
	operations[0] = metric_new(METRIC_COUNTER, "driver_operations_total",
	                           "zones that a driver created or deleted on a server",
	                           "outcome", "error");
	operations[1] = metric_new(METRIC_COUNTER, "driver_operations_total",
	                           "zones that a driver created or deleted on a server",
	                           "outcome", "success");
	postponed = metric_new(METRIC_COUNTER, "driver_operations_postponed_total",
	                       "operations of a driver whose domain was locked for too "
	                       "long", NULL, NULL);
	seconds = metric_new(METRIC_HISTOGRAM, "driver_operation_seconds",
	                     "time of one operation of a driver", NULL, NULL);
}

/* How far it came. */
enum stage {
	STAGE_SKIPPED,			/* not owed any more, or locked for too long */
	STAGE_REFUSED,			/* the server fails at all of late */
	STAGE_TRIED,			/* the server heard of it: err */
};

struct job {
	struct poolmgr *poolmgr;
	struct server *server;
	struct arena *arena;
	struct domain_ref domain;
	enum action action;
	struct cause cause;
	int confirm_s;
	/* why it is created again: what the poll said that found no zone; NULL: it is new */
	const char *lost;
	bool refuted;			/* it has the zone all the same */
	/* why it cannot be asked by DNS what became of that; NULL: it can */
	const char *nameless;
	struct held *held;
	enum stage stage;
	enum err err;			/* of the driver */
	struct why why;
	enum err recorded;		/* of writing it down */
	struct why record_why;
	int64_t took_us;
};

static struct job *job_new(struct poolmgr *poolmgr, const struct domain_ref *domain,
                           enum action action, struct server *server,
                           const struct cause *cause)
{
	struct job *job = xcalloc(1, sizeof(*job));
	struct why words;

	job->poolmgr = poolmgr;
	job->server = server;
	job->action = action;
	job->confirm_s = poolmgr_poll_budget_s(poolmgr);
	job->arena = arena_new();
	job->domain = *domain;
	if (action == ACTION_DELETE) {	/* DELETED, maybe, but not yet here */
		job->domain.state.task = TASK_DELETE;
		job->domain.state.status = STATUS_PENDING;
	}
	job->domain.name = arena_strdup(job->arena, domain->name);
	job->domain.pool = arena_strdup(job->arena, domain->pool);
	job->domain.tenant = arena_strdup(job->arena, domain->tenant);
	if (server_lacks_address(server, &words))
		job->nameless = arena_strdup(job->arena, words.text);
	job->cause = *cause;
	job->cause.request_id = arena_strdup(job->arena, cause->request_id);
	return job;
}

static void job_free(struct job *job)
{
	arena_free(&job->arena);
	free(job);
}

/* ---- on the lane's thread ---- */

static struct holder *holder_of(const struct job *job)
{
	return membership_holder(heartbeat_membership(job->poolmgr->heartbeat));
}

/* Later, by its row; nothing is said of the server. */
static enum err postpone(void *self, struct why *why)
{
	struct job *job = self;
	struct tx tx = tx_autocommit(job->server->db, why);

	store_postpone(&tx, job->domain.id, job->server->settings->id, job->action,
	               POSTPONE_S);
	return tx_commit(&tx);
}

/* A domain that is provisioned by a catalog zone is nothing to do here. */
static bool needs_lock(const struct job *job)
{
	return !job->server->driver->by_catalog;
}

static bool lock(struct job *job)
{
	char object[LOCK_NAME_SIZE];
	struct why why;

	if (!needs_lock(job))
		return true;
	lock_name_of(job->poolmgr, job->domain.id, job->domain.tenant, object);
	if (!holder_take(holder_of(job), job->server->db, object,
	                 clock_ms() + LOCK_WAIT_MS, &job->held, &why))
		return true;
	metric_add(postponed, 1);
	log_info("operation postponed: domain=%s server=%s why=\"%s\"", job->domain.name,
	         job->server->settings->id, why.text);
	job->recorded = tx_retry(postpone, job, &job->record_why);
	return false;
}

/*
 * What was owed when the job was made need not be any more: the domain was deleted since,
 * or its name lives again. Unreadable: then the row will tell.
 */
static bool is_owed_still(struct job *job)
{
	struct tx tx = tx_autocommit(job->server->db, &job->record_why);
	bool owed = store_is_owed(&tx, &job->domain, job->action);

	if (owed && job->action == ACTION_CREATE)
		store_has_lost(&tx, job->arena, job->domain.id, job->server->settings->id,
		               &job->lost);
	job->recorded = tx_commit(&tx);
	return !job->recorded && owed;
}

/*
 * A poll found no zone: is it gone, or are we refused? Creating a zone that is there would
 * disturb it, again and again.
 */
static enum err ask_for_lost(struct job *job)
{
	const struct driver *driver = job->server->driver;
	bool there = false;
	enum err err = driver->has(job->server->settings, &job->domain, &there,
	                           &job->why);

	job->refuted = !err && absence_of(REPORT_NO_DOMAIN,
	                                  there ? WITNESS_AGAINST : WITNESS_DRIVER) ==
	                       ABSENCE_REFUTED;
	return err;
}

static void drive(struct job *job)
{
	const struct driver *driver = job->server->driver;
	const struct driver_context context = { job->poolmgr->masters,
	                                        job->poolmgr->config.masters.count };
	int64_t started_us = clock_us();

	if (job->lost && driver->has)
		job->err = ask_for_lost(job);
	if (!job->err && !job->refuted)
		job->err = (job->action == ACTION_CREATE ? driver->create
		                                         : driver->delete)(
		    job->server->settings, &context, &job->domain, &job->why);
	job->took_us = clock_us() - started_us;
	job->stage = STAGE_TRIED;
}

/*
 * Success is not the end: a new zone has to be served, a deleted one to be gone. The row of
 * a deletion says meanwhile whether the server's own word is there (core/absence.h). Nor is
 * a failure: a server that was only told may do it yet, once it wakes up.
 */
static const char *status_of_success(const struct job *job)
{
	if (job->action == ACTION_CREATE)
		return "SUCCESS";
	return job->server->driver->by_catalog ? NULL : "NO_DOMAIN";
}

static void refute(struct job *job, struct tx *tx)
{
	store_refute(tx, job->domain.id, job->server->settings->id,
	             arena_printf(job->arena, "%s, %s", job->lost,
	                          absence_words(ABSENCE_REFUTED)));
}

/* It was done, and no poll can confirm it. */
static bool is_unconfirmed(const struct job *job)
{
	return job->stage == STAGE_TRIED && !job->err && !job->refuted && job->nameless;
}

/* Nobody will report of the new zone: its row says why, as after a change of it. */
static void record_unseen(const struct job *job, struct tx *tx)
{
	const struct server_report report = {
		.domain = job->domain,
		.name_server = job->server->settings->id,
		.report = REPORT_ERROR,
		.reason = job->nameless,
	};

	store_reports(tx, &report, 1);
}

static const char *reason_of(const struct job *job)
{
	if (job->err)
		return job->why.text;
	return is_unconfirmed(job) && job->action == ACTION_DELETE ? job->nameless : "";
}

static enum err record(void *self, struct why *why)
{
	struct job *job = self;
	const char *reason = reason_of(job);
	const struct outcome outcome = {
		.domain_id = job->domain.id,
		.server_id = job->server->settings->id,
		.action = job->action,
		.status = *reason ? "ERROR" : status_of_success(job),
		.reason = reason,
		.confirm_s = job->confirm_s,
	};
	struct tx tx = tx_begin(job->server->db, why);

	if (job->held)
		holder_guard(holder_of(job), &tx, job->held);
	store_settle(&tx, &outcome);
	if (job->refuted)
		refute(job, &tx);
	if (is_unconfirmed(job) && job->action == ACTION_CREATE)
		record_unseen(job, &tx);
	if (job->stage == STAGE_TRIED)
		store_reconsider(&tx, &job->domain, job->action, outcome.server_id,
		                 job->err ? outcome.confirm_s : 0);
	return tx_commit(&tx);
}

/*
 * It was done, and its lock was lost meanwhile: what it ended may be another's by now.
 * All that follows is that it is looked at again.
 */
static enum err reconsider(void *self, struct why *why)
{
	struct job *job = self;
	struct tx tx = tx_begin(job->server->db, why);

	store_reconsider(&tx, &job->domain, job->action, job->server->settings->id, 0);
	return tx_commit(&tx);
}

static void drive_and_record(struct job *job)
{
	struct why why;

	if (job->held && !holder_is_sure(holder_of(job), job->held)) {
		job->recorded = tx_retry(postpone, job, &job->record_why);
		return;
	}
	drive(job);
	job->recorded = tx_retry(record, job, &job->record_why);
	if (job->recorded == ERR_BUSY)
		tx_retry(reconsider, job, &why);
}

static void refuse(struct job *job)
{
	job->stage = STAGE_REFUSED;
	job->err = fail(&job->why, ERR_BUSY,
	                "not tried: the server fails at all of late");
	job->recorded = tx_retry(record, job, &job->record_why);
}

static void run(void *self)
{
	struct job *job = self;

	log_request(job->cause.request_id);
	if (!atomic_load(&job->server->in_service)) {
		log_info("server is out of service, nothing done: server=%s domain=%s",
		         job->server->settings->id, job->domain.name);
	} else if (!job->cause.probe && atomic_load(&job->server->failing)) {
		refuse(job);
	} else if (lock(job)) {
		if (is_owed_still(job))
			drive_and_record(job);
		holder_drop(holder_of(job), job->server->db, &job->held);
	}
	log_request(NULL);
}

/* ---- back on the loop ---- */

/* All processes share what is known of a server: a lack of this one is none of it. */
static void note_health(struct job *job)
{
	struct healths *healths = job->poolmgr->healths;
	enum sign sign = health_sign_of(job->err);

	if (job->stage != STAGE_TRIED)
		return;
	metric_add(operations[job->err == OK], 1);
	metric_observe_us(seconds, job->took_us);
	if (sign == SIGN_FAILURE)
		health_failed(healths, job->server, CHANNEL_CONTROL, job->why.text);
	else if (sign == SIGN_ANSWER)
		health_answered(healths, job->server, CHANNEL_CONTROL);
}

static void log_end(const struct job *job)
{
	const char *verb = job->action == ACTION_CREATE ? "create" : "delete";

	if (job->refuted)
		log_warn("zone not created again: domain=%s server=%s ms=%d "
		         "why=\"%s, %s\"", job->domain.name, job->server->settings->id,
		         (int)(job->took_us / 1000), job->lost,
		         absence_words(ABSENCE_REFUTED));
	else if (job->err)
		log_warn("zone not %sd: domain=%s server=%s ms=%d err=%s why=\"%s\"",
		         verb, job->domain.name, job->server->settings->id,
		         (int)(job->took_us / 1000), err_name(job->err), job->why.text);
	else
		log_info("zone %sd: domain=%s server=%s ms=%d", verb, job->domain.name,
		         job->server->settings->id, (int)(job->took_us / 1000));
}

static void confirm(struct job *job)
{
	(job->action == ACTION_CREATE ? tell_server : tell_poll)(
	    job->poolmgr->tell, &job->domain, job->server, &job->cause);
}

/* By the rows of the action that has the reason. */
static enum err judge_failure(struct job *job, struct why *why)
{
	bool is_unseen = !job->err && job->action == ACTION_CREATE;
	const struct question question = {
		.domain_id = job->domain.id,
		.action = is_unseen ? ACTION_UPDATE : job->action,
		.request_id = job->cause.request_id,
	};

	return judge_all(job->poolmgr, &question, 1, why);
}

/* What could not be written down stays due: the sync does it again. */
static void settle(struct job *job)
{
	enum err err = job->recorded;
	struct why *why = &job->record_why;

	if (job->stage != STAGE_SKIPPED) {
		log_end(job);
		note_health(job);	/* is it back? What is in error is due */
		if (!err && (job->err || is_unconfirmed(job)))
			err = judge_failure(job, why);
		else if (!err && !job->refuted)
			confirm(job);
	}
	if (err)
		log_warn("outcome not recorded: domain=%s server=%s err=%s why=\"%s\"",
		         job->domain.name, job->server->settings->id, err_name(err),
		         why->text);
}

static void ended(void *self)
{
	struct job *job = self;

	log_request(job->cause.request_id);
	if (lane_job_ran(job->server->lane))
		settle(job);
	log_request(NULL);
	job_free(job);
}

void operation_start(struct poolmgr *poolmgr, const struct domain_ref *domain,
                     enum action action, struct server *server,
                     const struct cause *cause)
{
	struct job *job = job_new(poolmgr, domain, action, server, cause);

	if (lane_submit(server->lane, run, ended, job))
		return;
	log_warn("server has too much to do, later: server=%s domain=%s",
	         server->settings->id, domain->name);
	job_free(job);
}
