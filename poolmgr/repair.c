#include "repair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/drift.h"
#include "consistency/membership.h"
#include "core/content.h"
#include "evaluate.h"
#include "lock_name.h"
#include "model/serial.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "servers.h"
#include "store.h"
#include "store_adjust.h"
#include "store_recompare.h"

enum {
	LOCK_WAIT_MS = 3000,
	REPAIRS_AN_HOUR = 5,
	ROUNDS_MORE = 4,
	LOST_ROUNDS = 2,
	CONTENT_APART_MS = 1000,	/* recompare.c has its own pauses */
};

int repair_rounds(const struct poolmgr *poolmgr)
{
	return poolmgr->config.compare_every + ROUNDS_MORE;
}

static struct metric *suspected, *repaired, *failed, *parked;

void repair_metrics(void)
{
	static const char help[] = "repairs of drifts on name servers, by outcome";

	suspected = metric_new(METRIC_COUNTER, "repairs_total", help, "outcome",
	                       "suspected");
	repaired = metric_new(METRIC_COUNTER, "repairs_total", help, "outcome", "done");
	failed = metric_new(METRIC_COUNTER, "repairs_total", help, "outcome", "failed");
	parked = metric_new(METRIC_COUNTER, "repairs_total", help, "outcome", "parked");
}

struct repair {
	struct poolmgr *poolmgr;
	struct server *server;
	struct arena *arena;
	struct fault fault;
	char id[ID_LEN + 1];		/* of its request */
	struct drift_terms terms;
	enum drift_action action;	/* for the stored drift */
	int repairs;			/* number of repairs within the hour */
	bool is_renewed;		/* the zone was set up again */
	bool is_renewal;		/* the difference was settled before */
	enum err err;			/* of writing the observation */
	struct why why;
	struct held *held;
};

/* ---- on the lane's thread ---- */

static struct holder *repair_holder(const struct repair *job)
{
	return membership_holder(job->poolmgr->runtime.membership);
}

/*
 * True: the server serves the domain's serial. A newer serial of the domain alone does
 * not correct the records of the server.
 */
static bool repair_is_served(const struct fault *fault, const struct domain_ref *domain)
{
	return domain->state.task != TASK_DELETE &&
	       domain->state.status != STATUS_DELETED &&
	       serial_covers(domain->state.serial, fault->serial) &&
	       !strcmp(domain->pool, fault->pool);
}

/*
 * Checks that the database still calls for the repair. A new domain may have the name of
 * an orphan zone.
 */
static enum err repair_is_needed(struct repair *job, struct domain_ref *domain,
                                 bool *wanted, struct why *why)
{
	const struct fault *fault = &job->fault;
	struct tx tx = tx_autocommit(job->server->db, why);
	const char *names[] = { fault->name }, *orphan;

	*domain = (struct domain_ref){ .name = fault->name };
	if (fault->kind == REPAIR_CONTENT)
		*wanted = store_domain(&tx, job->arena, fault->object, domain) &&
		          repair_is_served(fault, domain);
	else
		*wanted = store_orphans(&tx, job->arena, job->server->settings->id,
		                        names, 1, &orphan, 1) == 1;
	return tx_commit(&tx);
}

/* Checks that there is a deleted domain with this name. */
static enum err repair_check_known(struct repair *job, struct why *why)
{
	struct tx tx = tx_autocommit(job->server->db, why);
	bool ours = store_was_domain(&tx, job->fault.name);
	enum err err = tx_commit(&tx);

	if (err || ours)
		return err;
	return fail(why, ERR_DENIED, "the database has no deleted domain of this name: "
	            DRIFT_OTHER_FLEET_WORDS);
}

/*
 * Checks that it was one of our domains, and that the zone has our mark, if the list
 * could not show it.
 */
static enum err repair_check_ours(struct repair *job, const struct domain_ref *domain,
                                  struct why *why)
{
	const struct driver *driver = job->server->driver;
	bool ours = true;
	enum err err = repair_check_known(job, why);

	if (!err && driver->is_ours)
		err = driver->is_ours(job->server->settings, domain, &ours, why);
	if (err || ours)
		return err;
	return fail(why, ERR_DENIED, "the zone does not have the settings of zonefleet: "
	            DRIFT_OTHER_PROGRAM_WORDS);
}

/* Meanwhile the drift may have started again, or another process may have repaired it. */
static enum err repair_is_confirmed(struct repair *job, bool *confirmed, struct why *why)
{
	struct tx tx = tx_autocommit(job->server->db, why);

	*confirmed = store_drift_is_confirmed(&tx, &job->fault);
	return tx_commit(&tx);
}

static enum err repair_act(struct repair *job, const struct domain_ref *domain,
                           struct why *why)
{
	const struct driver *driver = job->server->driver;
	const struct driver_context context = { job->poolmgr->masters,
	                                        job->poolmgr->config.masters.count };

	if (!holder_is_sure(repair_holder(job), job->held))
		return fail(why, ERR_BUSY, "this process may have lost the lock of the "
		            "domain");
	if (job->fault.kind == REPAIR_ORPHAN) {
		enum err err = repair_check_ours(job, domain, why);

		return err ? err : driver->delete(job->server->settings, &context,
		                                  domain, why);
	}
	job->is_renewed = job->repairs && driver->renew;
	if (job->is_renewed)
		return driver->renew(job->server->settings, &context, domain, why);
	if (driver->retransfer)
		return driver_transfer(driver, job->server->settings, &context, domain,
		                       &job->is_renewed, why);
	return fail(why, ERR_INVALID, "the backend %s has no command that starts a "
	            "zone transfer", driver->name);
}

struct repair_writing {
	struct repair *job;
	struct ending ending;
};

static enum err repair_write_ending(void *self, struct why *why)
{
	struct repair_writing *writing = self;
	struct repair *job = writing->job;
	const struct domain_ref domain = { .name = job->fault.name };
	struct tx tx = tx_begin(job->server->db, why);

	holder_guard(repair_holder(job), &tx, job->held);
	store_repaired(&tx, &job->fault, &writing->ending);
	if (job->is_renewed && !strcmp(writing->ending.outcome, "DONE"))
		store_adjusted(&tx, job->fault.object, job->server->settings->id,
		               job->server->settings_digest);
	if (job->fault.kind == REPAIR_CONTENT && !strcmp(writing->ending.outcome, "DONE"))
		store_compare_soon(&tx, job->fault.object, job->server->settings->id);
	if (job->fault.kind == REPAIR_ORPHAN)	/* a new domain may have its name */
		store_reconsider(&tx, &domain, ACTION_DELETE, job->server->settings->id,
		                 0);
	return tx_commit(&tx);
}

/* True: another try would not help. (A server that refuses may only be starting.) */
static bool repair_needs_operator(enum err err)
{
	return err == ERR_INVALID || err == ERR_DENIED || err == ERR_CONFLICT;
}

static void repair_finish(struct repair *job, enum err err, const struct why *reason)
{
	struct repair_writing writing = { job, {
		.outcome = !err ? "DONE"
		                : repair_needs_operator(err) ? "PARKED" : "FAILED",
		.is_renewed = job->is_renewed,
		.detail = err ? reason->text : "",
		.worker = membership_name(job->poolmgr->runtime.membership),
		.fence = held_fence(job->held),
	} };
	struct why why;

	metric_add(!err ? repaired : repair_needs_operator(err) ? parked : failed, 1);
	log_warn("repair ended: domain=%s server=%s kind=%s outcome=%s drift=\"%s\" "
	         "reason=\"%s\"", job->fault.name, job->server->settings->id,
	         job->fault.kind == REPAIR_ORPHAN ? "STRAY" : "CONTENT",
	         writing.ending.outcome, job->fault.detail, writing.ending.detail);
	if (tx_retry(repair_write_ending, &writing, &why))
		log_warn("repair not recorded: domain=%s reason=\"%s\"", job->fault.name,
		         why.text);
}

typedef void repair_update_fn(struct tx *tx, const struct fault *fault);

static void repair_update_drift(struct repair *job, repair_update_fn *fn)
{
	struct why why;
	struct tx tx = tx_autocommit(job->server->db, &why);

	fn(&tx, &job->fault);
	if (tx_commit(&tx))
		log_info("drift not updated in the database: domain=%s reason=\"%s\"",
		         job->fault.name, why.text);
}

/* Takes the same lock as operations on the domain. */
static enum err repair_lock(struct repair *job, struct why *why)
{
	char object[LOCK_NAME_SIZE];
	struct domain_ref domain = { .tenant = "" };
	bool wanted;
	enum err err = repair_is_needed(job, &domain, &wanted, why);

	if (err)
		return err;
	if (job->fault.kind == REPAIR_CONTENT && *domain.id)
		lock_name_of(job->poolmgr, domain.id, domain.tenant, object);
	else
		snprintf(object, sizeof(object), "%s", job->fault.object);
	return holder_take(repair_holder(job), job->server->db, object,
	                   clock_ms() + LOCK_WAIT_MS, &job->held, why);
}

static enum err repair_check_server(const struct server *server, struct why *why)
{
	if (!atomic_load(&server->in_service))
		return fail(why, ERR_BUSY, "server %s is drained",
		            server->settings->id);
	if (atomic_load(&server->failing))
		return fail(why, ERR_BUSY, CONTROL_SILENCE_WORDS, server->settings->id);
	return OK;
}

static void repair_run(void *self)
{
	struct repair *job = self;
	struct domain_ref domain;
	bool confirmed = false, wanted = false;
	struct why why;
	enum err err = repair_check_server(job->server, &why);

	if (!err)
		err = repair_lock(job, &why);
	if (!err)
		err = repair_is_confirmed(job, &confirmed, &why);
	if (!err && confirmed)
		err = repair_is_needed(job, &domain, &wanted, &why);
	if (err) {
		log_info("repair postponed: domain=%s reason=\"%s\"", job->fault.name,
		         why.text);
		repair_update_drift(job, store_drift_reset);
	} else if (!confirmed) {
		log_info("repair skipped, because the drift is no longer confirmed: "
		         "domain=%s server=%s",
		         job->fault.name, job->server->settings->id);
	} else if (!wanted) {
		repair_update_drift(job, store_drift_forget);
	} else {
		repair_finish(job, repair_act(job, &domain, &why), &why);
	}
	holder_drop(repair_holder(job), job->server->db, &job->held);
}

static void repair_free(void *self)
{
	struct repair *job = self;

	arena_free(&job->arena);
	free(job);
}

/* ---- observations, on the pool manager's lane: there may be many ---- */

static struct drift_terms repair_terms(const struct poolmgr *poolmgr,
                                       enum repair_kind kind)
{
	int64_t round_ms = poolmgr->config.periodic_sync_interval_ms;
	bool by_itself = kind == REPAIR_CONTENT && round_ms / 2 > CONTENT_APART_MS;

	return (struct drift_terms){
		.apart_ms = by_itself ? CONTENT_APART_MS : round_ms / 2,
		.stale_ms = round_ms * repair_rounds(poolmgr),
		.lost_ms = round_ms * LOST_ROUNDS,
		.repairs_an_hour = REPAIRS_AN_HOUR,
	};
}

/*
 * True: the repair must wait. The server refuses comparisons, and it did not differ
 * before or may have lost the zone. Or the transfer of the last repair may still run.
 */
static bool repair_must_wait(struct tx *tx, const struct repair *job,
                             const struct repair_tries *tries)
{
	const struct fault *fault = &job->fault;
	struct content_case of = { .differs = false };

	if (fault->kind != REPAIR_CONTENT)
		return false;
	if (fault->is_hidden)
		store_recompare_case(tx, fault->object, fault->server_id, &of);
	return (fault->is_hidden && !of.differs) ||
	       (tries->count && tries->age_ms < content_repair_pause_ms(tries->count));
}

static void repair_settle(struct repair *job, struct tx *tx, const struct drift *known)
{
	const struct ending ending = {
		.outcome = "PARKED",
		.detail = DRIFT_DIFFERS_WORDS,
		.worker = membership_name(job->poolmgr->runtime.membership),
	};

	job->is_renewal = known->state == DRIFT_SETTLED;
	if (job->is_renewal) {
		store_drift_renew(tx, &job->fault);
		return;
	}
	store_drift_settle(tx, &job->fault, &ending);
	store_trust(tx, job->fault.object, job->fault.server_id);
}

static enum err repair_write_observation(void *self, struct why *why)
{
	struct repair *job = self;
	struct repair_tries tries;
	struct tx tx = tx_begin(job->poolmgr->lane_db, why);
	struct drift known = store_drift(&tx, &job->fault, &tries);
	const struct ending parking = {
		.outcome = "PARKED",
		.detail = "the pool manager repaired this drift too often within one "
		          "hour",
		.worker = membership_name(job->poolmgr->runtime.membership),
	};

	/* this transaction has run before, and its result was lost */
	if (job->action == DRIFT_REPAIR && known.state == DRIFT_CONFIRMED)
		return tx_commit(&tx);
	job->repairs = known.repairs_this_hour;
	job->action = repair_must_wait(&tx, job, &tries)
	                  ? DRIFT_IGNORE : drift_decide(&known, &job->terms);
	store_drift_seen(&tx, &job->fault, job->action);
	if (job->action == DRIFT_PARK)
		store_repaired(&tx, &job->fault, &parking);
	if (job->action == DRIFT_DIFFERS)
		repair_settle(job, &tx, &known);
	return tx_commit(&tx);
}

static void repair_observe_run(void *self)
{
	struct repair *job = self;

	job->err = tx_retry(repair_write_observation, job, &job->why);
}

static void repair_log_observation(const struct repair *job)
{
	const struct fault *fault = &job->fault;

	metric_add(suspected, job->action == DRIFT_RECORD);
	bool is_settled = job->action == DRIFT_DIFFERS && !job->is_renewal;

	metric_add(parked, job->action == DRIFT_PARK || is_settled);
	if (job->action == DRIFT_RECORD)
		log_warn("server differs: domain=%s server=%s reason=\"%s\"", fault->name,
		         fault->server_id, fault->detail);
	if (is_settled)
		log_warn("repair has no effect: domain=%s server=%s reason=\""
		         DRIFT_DIFFERS_WORDS "; %s\"", fault->name, fault->server_id,
		         fault->detail);
	if (job->action == DRIFT_PARK)
		log_warn("repair stopped for an hour, because the server differs too "
		         "often: domain=%s server=%s reason=\"%s\"", fault->name,
		         fault->server_id, fault->detail);
}

/* The server counts again, so the domain may have reached its consensus. */
static void repair_evaluate(const struct repair *job)
{
	const struct domain_query query = {
		.domain_id = job->fault.object,
		.action = ACTION_UPDATE,
		.request_id = job->id,
	};
	struct why why;

	log_request(job->id);
	if (evaluate_all(job->poolmgr, &query, 1, &why))
		log_info("consensus not evaluated: domain=%s reason=\"%s\"",
		         job->fault.name, why.text);	/* the sync does it */
	log_request(NULL);
}

static void repair_observed(void *self)
{
	struct repair *job = self;
	bool is_written = poolmgr_ran(job->poolmgr) && !job->err;

	if (job->err)
		log_warn("drift not recorded: domain=%s server=%s reason=\"%s\"",
		         job->fault.name, job->fault.server_id, job->why.text);
	if (is_written)
		repair_log_observation(job);
	if (is_written && job->action == DRIFT_DIFFERS && !job->is_renewal)
		repair_evaluate(job);
	/* without room on the lane, the drift becomes stale and starts again */
	if (!is_written || job->action != DRIFT_REPAIR ||
	    !lane_submit(job->server->lane, repair_run, repair_free, job))
		repair_free(job);
}

static struct repair *repair_new(struct poolmgr *poolmgr, struct server *server,
                                 const struct fault *fault)
{
	struct repair *job = xcalloc(1, sizeof(*job));

	job->poolmgr = poolmgr;
	job->server = server;
	job->arena = arena_new();
	job->fault = *fault;
	job->fault.object = arena_strdup(job->arena, fault->object);
	job->fault.server_id = server->settings->id;
	job->fault.pool = arena_strdup(job->arena, fault->pool);
	job->fault.name = arena_strdup(job->arena, fault->name);
	job->fault.detail = arena_printf(job->arena, "%s%s", fault->is_hidden
	                                     ? "the server refuses the comparison of the "
	                                       "records: it " : "", fault->detail);
	job->terms = repair_terms(poolmgr, fault->kind);
	job->action = DRIFT_IGNORE;
	id_random(job->id);
	return job;
}

void repair_observe(struct poolmgr *poolmgr, struct server *server,
                    const struct fault *fault)
{
	struct repair *job = repair_new(poolmgr, server, fault);

	if (poolmgr_submit(poolmgr, repair_observe_run, repair_observed, job))
		return;
	log_info("drift not recorded: domain=%s server=%s reason=\"" POOLMGR_IS_FULL
	         "\"", fault->name, fault->server_id, POOLMGR_JOBS_MAX);
	repair_free(job);
}
