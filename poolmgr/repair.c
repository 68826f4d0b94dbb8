#include "repair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/heartbeat.h"
#include "core/content.h"
#include "lock_name.h"
#include "model/serial.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "servers.h"
#include "store.h"
#include "store_content.h"

enum {
	LOCK_WAIT_MS = 3000,
	REPAIRS_AN_HOUR = 5,
	ROUNDS_MORE = 4,
	LOST_ROUNDS = 2,
	CONTENT_APART_MS = 1000,	/* comparisons of what differs have their own time */
};

int repair_rounds(const struct poolmgr *poolmgr)
{
	return poolmgr->config.compare_every + ROUNDS_MORE;
}

static struct metric *suspected, *repaired, *failed, *parked;

void repair_metrics(void)
{
	static const char help[] = "drifts of name servers, by what became of them";

	suspected = metric_new(METRIC_COUNTER, "repairs_total", help, "outcome",
	                       "suspected");
	repaired = metric_new(METRIC_COUNTER, "repairs_total", help, "outcome", "done");
	failed = metric_new(METRIC_COUNTER, "repairs_total", help, "outcome", "failed");
	parked = metric_new(METRIC_COUNTER, "repairs_total", help, "outcome", "parked");
}

struct job {
	struct poolmgr *poolmgr;
	struct server *server;
	struct arena *arena;
	struct fault fault;
	struct drift_terms terms;
	enum drift_action action;	/* by what was seen before */
	int repairs;			/* within the hour */
	bool is_renewed;		/* the server's zone was set up again */
	enum err err;			/* of writing the sight down */
	struct why why;
	struct held *held;
};

/* ---- on the lane's thread ---- */

static struct holder *holder_of(const struct job *job)
{
	return membership_holder(heartbeat_membership(job->poolmgr->heartbeat));
}

/*
 * It may be at a newer serial by now: that alone puts nothing right, and one that changes
 * all the time always is.
 */
static bool wants_content(const struct fault *fault, const struct domain_ref *domain)
{
	return domain->state.task != TASK_DELETE &&
	       domain->state.status != STATUS_DELETED &&
	       serial_covers(domain->state.serial, fault->serial) &&
	       !strcmp(domain->pool, fault->pool);
}

/* Does the database still want what it wanted? A stray's name may live again. */
static enum err is_wanted(struct job *job, struct domain_ref *domain, bool *wanted,
                          struct why *why)
{
	const struct fault *fault = &job->fault;
	struct tx tx = tx_autocommit(job->server->db, why);
	const char *names[] = { fault->name }, *stray;

	*domain = (struct domain_ref){ .name = fault->name };
	if (fault->kind == REPAIR_CONTENT)
		*wanted = store_domain(&tx, job->arena, fault->object, domain) &&
		          wants_content(fault, domain);
	else
		*wanted = store_strangers(&tx, job->arena, job->server->settings->id,
		                          names, 1, &stray, 1) == 1;
	return tx_commit(&tx);
}

/* There is the tombstone of such a domain. */
static enum err check_remembered(struct job *job, struct why *why)
{
	struct tx tx = tx_autocommit(job->server->db, why);
	bool ours = store_was_domain(&tx, job->fault.name);
	enum err err = tx_commit(&tx);

	if (err || ours)
		return err;
	return fail(why, ERR_DENIED, "no domain of that name is remembered: if it is no "
	            "other fleet's, delete it by hand");
}

/* Marked as ours, where the list could not tell, and remembered as ours. */
static enum err check_ours(struct job *job, const struct domain_ref *domain,
                           struct why *why)
{
	const struct driver *driver = job->server->driver;
	bool ours = true;
	enum err err = check_remembered(job, why);

	if (!err && driver->is_ours)
		err = driver->is_ours(job->server->settings, domain, &ours, why);
	if (err || ours)
		return err;
	return fail(why, ERR_DENIED, "it is not set up as we do it: if nobody needs it, "
	            "delete it by hand");
}

/* Another sight may have begun anew meanwhile, and another process have put it right. */
static enum err is_confirmed(struct job *job, bool *confirmed, struct why *why)
{
	struct tx tx = tx_autocommit(job->server->db, why);

	*confirmed = store_is_confirmed(&tx, &job->fault);
	return tx_commit(&tx);
}

static enum err act(struct job *job, const struct domain_ref *domain, struct why *why)
{
	const struct driver *driver = job->server->driver;
	const struct driver_context context = { job->poolmgr->masters,
	                                        job->poolmgr->config.masters.count };

	if (!holder_is_sure(holder_of(job), job->held))
		return fail(why, ERR_BUSY, "its lock is not sure any more");
	if (job->fault.kind == REPAIR_STRAY) {
		enum err err = check_ours(job, domain, why);

		return err ? err : driver->delete(job->server->settings, &context,
		                                  domain, why);
	}
	job->is_renewed = job->repairs && driver->renew;
	if (job->is_renewed)
		return driver->renew(job->server->settings, &context, domain, why);
	if (driver->retransfer)
		return driver->retransfer(job->server->settings, domain, why);
	return fail(why, ERR_INVALID, "a server of the backend %s cannot be made to "
	            "transfer a zone again", driver->name);
}

struct writing {
	struct job *job;
	struct ending ending;
};

static enum err write_ending(void *self, struct why *why)
{
	struct writing *writing = self;
	struct job *job = writing->job;
	const struct domain_ref nobody = { .name = job->fault.name };
	struct tx tx = tx_begin(job->server->db, why);

	holder_guard(holder_of(job), &tx, job->held);
	store_repaired(&tx, &job->fault, &writing->ending);
	if (job->fault.kind == REPAIR_CONTENT && !strcmp(writing->ending.outcome, "DONE"))
		store_doubt_soon(&tx, job->fault.object, job->server->settings->id);
	if (job->fault.kind == REPAIR_STRAY)	/* its name may live by now */
		store_reconsider(&tx, &nobody, ACTION_DELETE, job->server->settings->id,
		                 0);
	return tx_commit(&tx);
}

/* By itself it will not pass: a person is to look. A server that refuses may be starting. */
static bool is_for_a_person(enum err err)
{
	return err == ERR_INVALID || err == ERR_DENIED || err == ERR_CONFLICT;
}

static void note(struct job *job, enum err err, const struct why *reason)
{
	struct writing writing = { job, {
		.outcome = !err ? "DONE" : is_for_a_person(err) ? "PARKED" : "FAILED",
		.is_renewed = job->is_renewed,
		.detail = err ? reason->text : "",
		.worker = membership_name(heartbeat_membership(job->poolmgr->heartbeat)),
		.fence = held_fence(job->held),
	} };
	struct why why;

	metric_add(!err ? repaired : is_for_a_person(err) ? parked : failed, 1);
	log_warn("server to be put right: domain=%s server=%s kind=%s outcome=%s "
	         "was=\"%s\" why=\"%s\"", job->fault.name, job->server->settings->id,
	         job->fault.kind == REPAIR_STRAY ? "stray" : "content",
	         writing.ending.outcome, job->fault.detail, writing.ending.detail);
	if (tx_retry(write_ending, &writing, &why))
		log_warn("repair not recorded: domain=%s why=\"%s\"", job->fault.name,
		         why.text);
}

typedef void settle_fn(struct tx *tx, const struct fault *fault);

static void settle(struct job *job, settle_fn *fn)
{
	struct why why;
	struct tx tx = tx_autocommit(job->server->db, &why);

	fn(&tx, &job->fault);
	if (tx_commit(&tx))
		log_info("suspicion stays as it was: domain=%s why=\"%s\"",
		         job->fault.name, why.text);
}

/* Under the lock that operations on the domain take, too. */
static enum err lock(struct job *job, struct why *why)
{
	char object[LOCK_NAME_SIZE];
	struct domain_ref domain = { .tenant = "" };
	bool wanted;
	enum err err = is_wanted(job, &domain, &wanted, why);

	if (err)
		return err;
	if (job->fault.kind == REPAIR_CONTENT && *domain.id)
		lock_name_of(job->poolmgr, domain.id, domain.tenant, object);
	else
		snprintf(object, sizeof(object), "%s", job->fault.object);
	return holder_take(holder_of(job), job->server->db, object,
	                   clock_ms() + LOCK_WAIT_MS, &job->held, why);
}

static enum err check_server(const struct server *server, struct why *why)
{
	if (!atomic_load(&server->in_service))
		return fail(why, ERR_BUSY, "the server is out of service");
	if (atomic_load(&server->failing))
		return fail(why, ERR_BUSY, "the server fails at all of late");
	return OK;
}

static void run(void *self)
{
	struct job *job = self;
	struct domain_ref domain;
	bool confirmed = false, wanted = false;
	struct why why;
	enum err err = check_server(job->server, &why);

	if (!err)
		err = lock(job, &why);
	if (!err)
		err = is_confirmed(job, &confirmed, &why);
	if (!err && confirmed)
		err = is_wanted(job, &domain, &wanted, &why);
	if (err) {
		log_info("repair postponed: domain=%s why=\"%s\"", job->fault.name,
		         why.text);
		settle(job, store_suspect_again);
	} else if (!confirmed) {
		log_info("repair is not ours any more: domain=%s server=%s",
		         job->fault.name, job->server->settings->id);
	} else if (!wanted) {
		settle(job, store_unsuspect);
	} else {
		note(job, act(job, &domain, &why), &why);
	}
	holder_drop(holder_of(job), job->server->db, &job->held);
}

static void ended(void *self)
{
	struct job *job = self;

	arena_free(&job->arena);
	free(job);
}

/* ---- a sight: written down on the poolmgr's lane, for there may be many ---- */

static struct drift_terms terms_of(const struct poolmgr *poolmgr, enum repair_kind kind)
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
 * Must this repair wait? It must if the server refuses to be compared and did not differ
 * before, or if the transfer of the last repair may still run.
 */
static bool is_to_wait(struct tx *tx, const struct job *job, int64_t repair_age_ms)
{
	const struct fault *fault = &job->fault;
	struct content_case of = { .differs = false };

	if (fault->kind != REPAIR_CONTENT)
		return false;
	if (fault->is_hidden)
		store_content_case(tx, fault->object, fault->server_id, &of);
	return (fault->is_hidden && !of.differs) ||
	       (job->repairs && repair_age_ms < content_repair_pause_ms(job->repairs));
}

static enum err write_sight(void *self, struct why *why)
{
	struct job *job = self;
	int64_t repair_age_ms = 0;
	struct tx tx = tx_begin(job->poolmgr->lane_db, why);
	struct drift known = store_suspicion(&tx, &job->fault, &repair_age_ms);
	const struct ending parking = {
		.outcome = "PARKED",
		.detail = "repaired too often within the hour",
		.worker = membership_name(heartbeat_membership(job->poolmgr->heartbeat)),
	};

	/* ours of a moment ago, in a transaction whose end we did not hear */
	if (job->action == DRIFT_REPAIR && known.state == DRIFT_CONFIRMED)
		return tx_commit(&tx);
	job->repairs = known.repairs_this_hour;
	job->action = is_to_wait(&tx, job, repair_age_ms)
	                  ? DRIFT_IGNORE : drift_decide(&known, &job->terms);
	store_suspect(&tx, &job->fault, job->action);
	if (job->action == DRIFT_PARK)
		store_repaired(&tx, &job->fault, &parking);
	return tx_commit(&tx);
}

static void look(void *self)
{
	struct job *job = self;

	job->err = tx_retry(write_sight, job, &job->why);
}

static void note_sight(const struct job *job)
{
	const struct fault *fault = &job->fault;

	metric_add(suspected, job->action == DRIFT_RECORD);
	metric_add(parked, job->action == DRIFT_PARK);
	if (job->action == DRIFT_RECORD)
		log_warn("server differs: domain=%s server=%s why=\"%s\"", fault->name,
		         fault->server_id, fault->detail);
	if (job->action == DRIFT_PARK)
		log_warn("server differs again and again, left alone for an hour: "
		         "domain=%s server=%s why=\"%s\"", fault->name,
		         fault->server_id, fault->detail);
}

static void looked(void *self)
{
	struct job *job = self;
	bool is_written = poolmgr_ran(job->poolmgr) && !job->err;

	if (job->err)
		log_warn("sight not recorded: domain=%s server=%s why=\"%s\"",
		         job->fault.name, job->fault.server_id, job->why.text);
	if (is_written)
		note_sight(job);
	/* no room there: the suspicion gets old, and begins anew */
	if (!is_written || job->action != DRIFT_REPAIR ||
	    !lane_submit(job->server->lane, run, ended, job))
		ended(job);
}

static struct job *job_new(struct poolmgr *poolmgr, struct server *server,
                           const struct fault *fault)
{
	struct job *job = xcalloc(1, sizeof(*job));

	job->poolmgr = poolmgr;
	job->server = server;
	job->arena = arena_new();
	job->fault = *fault;
	job->fault.object = arena_strdup(job->arena, fault->object);
	job->fault.server_id = server->settings->id;
	job->fault.pool = arena_strdup(job->arena, fault->pool);
	job->fault.name = arena_strdup(job->arena, fault->name);
	job->fault.detail = arena_strdup(job->arena, fault->detail);
	job->terms = terms_of(poolmgr, fault->kind);
	job->action = DRIFT_IGNORE;
	return job;
}

void repair_saw(struct poolmgr *poolmgr, struct server *server,
                const struct fault *fault)
{
	struct job *job = job_new(poolmgr, server, fault);

	if (poolmgr_submit(poolmgr, look, looked, job))
		return;
	log_info("sight not recorded: domain=%s server=%s why=\"there are too many\"",
	         fault->name, fault->server_id);
	ended(job);
}
