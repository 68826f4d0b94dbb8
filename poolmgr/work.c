#include "work.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/serial.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "store.h"
#include "verdict.h"

static struct metric *operations[2];		/* failed, done */
static struct metric *seconds;

void work_metrics(void)
{
	operations[0] = metric_new(METRIC_COUNTER, "driver_operations_total",
	                           "Operations on name servers", "outcome", "error");
	operations[1] = metric_new(METRIC_COUNTER, "driver_operations_total",
	                           "Operations on name servers", "outcome", "success");
	seconds = metric_new(METRIC_HISTOGRAM, "driver_operation_seconds",
	                     "Time of an operation on a name server", NULL, NULL);
}

struct job {
	struct poolmgr *poolmgr;
	struct server *server;
	struct arena *arena;
	struct domain_ref domain;
	enum action action;
	struct cause cause;
	bool probe;		/* tried though the server is failing */
	enum err err;
	struct why why;
	int64_t took_us;
};

static struct job *job_new(struct poolmgr *poolmgr, const struct domain_ref *domain,
                           enum action action, struct server *server,
                           const struct cause *cause)
{
	struct job *job = xcalloc(1, sizeof(*job));

	job->poolmgr = poolmgr;
	job->server = server;
	job->action = action;
	job->probe = breaker_open(&server->control);
	job->arena = arena_new();
	job->domain = *domain;
	if (action == ACTION_DELETE) {	/* DELETED, maybe, but not yet here */
		job->domain.state.task = TASK_DELETE;
		job->domain.state.status = STATUS_PENDING;
	}
	job->domain.name = arena_strdup(job->arena, domain->name);
	job->domain.pool = arena_strdup(job->arena, domain->pool);
	job->domain.tenant = arena_strdup(job->arena, domain->tenant);
	job->cause = (struct cause){ arena_strdup(job->arena, cause->request_id),
	                             cause->recovery };
	return job;
}

static void job_free(struct job *job)
{
	arena_free(&job->arena);
	free(job);
}

/* On the lane's thread: nothing but the driver. */
static void run(void *self)
{
	struct job *job = self;
	const struct driver *driver = job->server->driver;
	const struct driver_context context = { job->poolmgr->masters,
	                                        job->poolmgr->config.masters.count };
	int64_t started_us = clock_us();

	if (!job->probe && atomic_load(&job->server->failing)) {
		job->err = fail(&job->why, ERR_BUSY,
		                "not tried: the server fails at all of late");
		return;
	}
	job->err = (job->action == ACTION_CREATE ? driver->create : driver->delete)(
	    job->server->settings, &context, &job->domain, &job->why);
	job->took_us = clock_us() - started_us;
}

/* Did the server hear of it at all? */
static bool was_told(const struct job *job)
{
	return job->err != ERR_BUSY;
}

/*
 * Success is not the end: a new zone has to be served, a deleted one to be gone. Nor is a
 * failure: a server that was only told may do it yet, once it wakes up.
 */
static enum err record(void *self, struct why *why)
{
	struct job *job = self;
	const char *done = job->action == ACTION_CREATE ? "SUCCESS" : NULL;
	const struct outcome outcome = {
		.domain_id = job->domain.id,
		.server_id = job->server->settings->id,
		.action = job->action,
		.status = job->err ? "ERROR" : done,
		.reason = job->err ? job->why.text : "",
		.confirm_s = poolmgr_poll_budget_s(job->poolmgr),
	};
	struct tx tx = tx_begin(job->poolmgr->runtime.db, why);

	store_settle(&tx, &outcome);
	if (was_told(job))
		store_reconsider(&tx, &job->domain, job->action, outcome.server_id,
		                 job->err ? outcome.confirm_s : 0);
	return tx_commit(&tx);
}

struct release {
	struct poolmgr *poolmgr;
	const char *server_id;
	bool control;
};

static enum err release(void *self, struct why *why)
{
	const struct release *of = self;
	struct tx tx = tx_begin(of->poolmgr->runtime.db, why);

	store_release(&tx, of->poolmgr->config.pool_name, of->server_id, of->control);
	return tx_commit(&tx);
}

void work_release(struct poolmgr *poolmgr, const char *server_id, bool control)
{
	struct release of = { poolmgr, server_id, control };
	struct why why;

	if (tx_redo(release, &of, &why))
		log_warn("retries not released: server=%s why=\"%s\"", server_id,
		         why.text);
}

static void note_health(struct job *job)
{
	struct breaker *breaker = &job->server->control;

	if (!was_told(job))
		return;
	metric_add(operations[job->err == OK], 1);
	metric_observe_us(seconds, job->took_us);
	bool closed = !job->err && breaker_succeeded(breaker);
	if (job->err)
		breaker_failed(breaker, clock_ms(), random_u32());
	atomic_store(&job->server->failing, breaker_open(breaker));
	if (!closed)
		return;
	log_info("server is back: server=%s", job->server->settings->id);
	work_release(job->poolmgr, job->server->settings->id, true);
}

static void log_end(const struct job *job)
{
	const char *verb = job->action == ACTION_CREATE ? "create" : "delete";

	if (job->err)
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

static enum err judge_failure(struct job *job, struct why *why)
{
	const struct question question = {
		.domain_id = job->domain.id,
		.action = job->action,
		.request_id = job->cause.request_id,
	};

	return work_judge(job->poolmgr, &question, 1, why);
}

/* Back on the loop. A row that cannot be written stays due: the sync does it again. */
static void ended(void *self)
{
	struct job *job = self;
	struct why why;
	enum err err;

	log_request(job->cause.request_id);
	if (lane_job_ran(job->server->lane)) {
		log_end(job);
		err = tx_redo(record, job, &why);
		note_health(job);	/* is it back? What is in error is due */
		if (!err && !job->err)
			confirm(job);
		if (!err && job->err)
			err = judge_failure(job, &why);
		if (err)
			log_warn("outcome not recorded: domain=%s server=%s err=%s "
			         "why=\"%s\"", job->domain.name,
			         job->server->settings->id, err_name(err), why.text);
	}
	log_request(NULL);
	job_free(job);
}

void work_start(struct poolmgr *poolmgr, const struct domain_ref *domain,
                enum action action, struct server *server, const struct cause *cause)
{
	struct job *job = job_new(poolmgr, domain, action, server, cause);

	if (lane_submit(server->lane, run, ended, job))
		return;
	log_warn("server has too much to do, later: server=%s domain=%s",
	         server->settings->id, domain->name);
	job_free(job);
}

static void write_debt(struct tx *tx, struct poolmgr *poolmgr,
                       const struct domain_ref *domain, enum action action)
{
	const struct servers *servers = poolmgr->servers;
	const struct server **owing = xcalloc(servers->count, sizeof(*owing));
	size_t count = 0;

	for (size_t i = 0; i < servers->count; i++)
		if (server_has(&servers->item[i], domain))
			owing[count++] = &servers->item[i];
	store_owe(tx, domain->id, action, owing, count,
	          poolmgr_poll_budget_s(poolmgr) + 30);
	if (action == ACTION_DELETE)
		store_drop_plans(tx, domain->id);
	free(owing);
}

static void start_all(struct poolmgr *poolmgr, const struct domain_ref *domain,
                      enum action action, const struct cause *cause)
{
	struct servers *servers = poolmgr->servers;

	for (size_t i = 0; i < servers->count; i++)
		if (server_has(&servers->item[i], domain))
			work_start(poolmgr, domain, action, &servers->item[i], cause);
}

/*
 * Is the action still right? The message may be old: the domain was deleted
 * since it was to be created, or its name lives again since it was deleted.
 */
static bool is_still_owed(struct tx *tx, const struct domain_ref *domain,
                          enum action action)
{
	bool going = domain->state.task == TASK_DELETE ||
	             domain->state.status == STATUS_DELETED;

	if (action == ACTION_CREATE)
		return !going;
	return going && !store_name_is_taken(tx, domain->name, domain->id);
}

enum err work_owed(struct poolmgr *poolmgr, const char *domain_id, enum action action,
                   const struct cause *cause, struct why *why)
{
	struct arena *arena = arena_new();
	struct domain_ref domain;
	bool owed = false;
	struct tx tx = tx_begin(poolmgr->runtime.db, why);

	if (store_domain(&tx, arena, domain_id, &domain))
		owed = is_still_owed(&tx, &domain, action);
	if (owed)
		write_debt(&tx, poolmgr, &domain, action);
	enum err err = tx_commit(&tx);
	if (!err && owed)
		start_all(poolmgr, &domain, action, cause);
	if (!err && !owed)
		log_info("nothing to do any more: action=%s id=%s", action_name(action),
		         domain_id);
	arena_free(&arena);
	return err;
}

/* A server with a serial beyond ours has the zone from elsewhere: said in its row. */
static void mark_foreign(struct tx *tx, struct standing *standing)
{
	uint32_t ours = standing->domain.state.serial;

	for (size_t i = 0; i < standing->count; i++) {
		struct sighting *sighting = &standing->sightings[i];

		if (!sighting->has_serial || serial_covers(ours, sighting->serial))
			continue;
		store_foreign(tx, &standing->domain, standing->servers[i]->settings->id,
		              sighting->serial);
		*sighting = (struct sighting){ SEEN_ERROR, false, 0, true, ours };
		standing->reasons[i] = "serves a serial that is none of ours";
	}
}

/*
 * While a change is on its way the servers agree on the one before it, which central
 * knows. It hears of such a serial once, when a report may have made it the pool's: so
 * does a domain whose changes never pause settle record by record.
 */
static bool is_news(const struct tell *tell, const struct server_report *seen,
                    const struct pool_report *verdict)
{
	if (!seen || verdict->report != REPORT_SUCCESS ||
	    verdict->serial == verdict->domain.state.serial)
		return true;
	return seen->has_serial && serial_covers(seen->serial, verdict->serial) &&
	       !tell_told(tell, verdict->domain.id, verdict->serial);
}

/* The questions of one action, without those that ask the same again. */
struct cases {
	enum action action;
	size_t count;
	const char *ids[LIST_MAX];
	const struct question *first[LIST_MAX];
};

static void gather(struct cases *cases, const struct question *questions, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct question *question = &questions[i];
		size_t at = 0;

		if (question->action != cases->action)
			continue;
		while (at < cases->count &&
		       strcmp(cases->ids[at], question->domain_id) != 0)
			at++;
		if (at < cases->count)
			continue;
		cases->ids[at] = question->domain_id;
		cases->first[at] = question;
		cases->count++;
	}
}

static bool calls_for_news(const struct tell *tell, const struct question *questions,
                           size_t count, const struct question *first,
                           const struct pool_report *verdict)
{
	for (size_t i = 0; i < count; i++)
		if (questions[i].action == first->action &&
		    strcmp(questions[i].domain_id, first->domain_id) == 0 &&
		    is_news(tell, questions[i].report, verdict))
			return true;
	return false;
}

static enum err judge_cases(struct poolmgr *poolmgr, const struct cases *cases,
                            const struct question *questions, size_t count,
                            struct arena *arena, struct why *why)
{
	int threshold_percent = poolmgr->config.threshold_percentage;
	struct tx tx = tx_once(poolmgr->runtime.db, why);
	struct standing *standings = store_standings(&tx, arena, cases->ids, cases->count,
	                                             cases->action, poolmgr->servers);

	for (size_t i = 0; i < cases->count && cases->action == ACTION_UPDATE; i++)
		mark_foreign(&tx, &standings[i]);
	enum err err = tx_commit(&tx);

	for (size_t i = 0; i < cases->count && !err; i++) {
		struct pool_report report;

		if (*standings[i].domain.id &&
		    verdict_of(&standings[i], cases->action, threshold_percent, arena,
		               &report) &&
		    calls_for_news(poolmgr->tell, questions, count, cases->first[i],
		                   &report))
			tell_central(poolmgr->tell, &report, cases->first[i]->request_id);
	}
	return err;
}

enum err work_judge(struct poolmgr *poolmgr, const struct question *questions,
                    size_t count, struct why *why)
{
	enum err err = OK;

	bug_if(count > LIST_MAX);
	for (enum action action = 0; action < ACTION_COUNT && !err; action++) {
		struct arena *arena = arena_new();
		struct cases cases = { .action = action };

		gather(&cases, questions, count);
		if (cases.count)
			err = judge_cases(poolmgr, &cases, questions, count, arena, why);
		arena_free(&arena);
	}
	return err;
}
