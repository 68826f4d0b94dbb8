#include "sync.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/membership.h"
#include "core/id_cycle.h"
#include "evaluate.h"
#include "orphan_zones.h"
#include "peers.h"
#include "repair.h"
#include "runtime/metrics.h"
#include "runtime/tx.h"
#include "servers.h"
#include "store.h"
#include "store_counts.h"
#include "store_due.h"
#include "store_repair.h"
#include "store_servers.h"

enum {
	SLICE = 2 * LIST_MAX,	/* domains of all shares */
	EVALUATIONS = SLICE / LIST_MAX,
	UNHEARD_ROUNDS = 3,	/* rounds after which a silent server counts as removed */
	REPAIR_AGES = 3,	/* rounds after which unconfirmed drift is deleted */
};

/* A server in a round. */
struct part {
	int64_t lag_s;
	bool has_lag;
	int64_t behind;		/* number of domains in the slices so far */
	size_t left;		/* domains that the round may still handle */
};

struct sync {
	struct poolmgr *poolmgr;
	unsigned number;	/* number of the round: every compare_every'th is deep */
	struct id_cycle cycle;
	bool is_running;
	/* of a round, with the settings at its start, for the lane */
	int64_t began_us;
	char id[ID_LEN + 1];
	struct scope scope;
	bool is_master, has_orphan_drift;
	struct domain_counts counts;
	bool has_counts;
	int stale_s, round_s, repair_s, threshold_percent;
	struct servers servers;	/* with their addresses at the start */
	size_t settles_left;
	struct part *parts;	/* one for each server */
	/* of the current slice */
	struct arena *arena;
	size_t at;		/* index of the server */
	size_t limit;
	struct due *found;
	struct evaluation evaluations[EVALUATIONS];
	enum err err;
	struct why why;
};

static struct metric *domains[STATUS_COUNT], *oldest_pending, *seconds;

void sync_metrics(void)
{
	for (enum status status = 0; status < STATUS_COUNT; status++)
		domains[status] = metric_new(METRIC_GAUGE, "pool_domains",
		                             "domains of the pool, by status. The "
		                             "master counts the domains in each sync",
		                             "status", status_name(status));
	oldest_pending = metric_new(METRIC_GAUGE, "pool_oldest_pending_age_seconds",
	                            "seconds since the oldest PENDING change. The "
	                            "master measures this value in each sync. A domain "
	                            "in ERROR does not count",
	                            NULL, NULL);
	seconds = metric_new(METRIC_HISTOGRAM, "sync_seconds",
	                     "duration of one sync in one process. The process handles "
	                     "all domains in its share", NULL,
	                     NULL);
}

struct sync *sync_new(struct poolmgr *poolmgr)
{
	struct sync *sync = xcalloc(1, sizeof(*sync));

	sync->poolmgr = poolmgr;
	sync->arena = arena_new();
	sync->parts = xcalloc(poolmgr->servers->count, sizeof(*sync->parts));
	return sync;
}

void sync_free(struct sync **sync)
{
	if (!*sync)
		return;
	arena_free(&(*sync)->arena);
	free((*sync)->parts);
	free((*sync)->servers.item);
	free(*sync);
	*sync = NULL;
}

/* ---- maintenance, on the lane: one transaction for each step ---- */

static struct tx sync_tx_once(struct sync *sync)
{
	return tx_autocommit(sync->poolmgr->lane_db, &sync->why);
}

static struct tx sync_tx_begin(struct sync *sync)
{
	return tx_begin(sync->poolmgr->lane_db, &sync->why);
}

/* No line for an unreachable database, which the database code logs, or for a race. */
static void sync_log_failure(const struct sync *sync, const char *step, enum err err)
{
	if (err != ERR_UNREACHABLE && err != ERR_RACE)
		log_warn("sync step failed: step=%s err=%s reason=\"%s\"", step,
		         err_name(err), sync->why.text);
}

/* The next round repeats a step that failed. */
static bool sync_commit(const struct sync *sync, struct tx *tx, const char *step)
{
	enum err err = tx_commit(tx);

	if (err)
		sync_log_failure(sync, step, err);
	return !err;
}

static bool sync_register(struct sync *sync)
{
	struct tx tx = sync_tx_begin(sync);

	store_register(&tx, sync->scope.pool, &sync->servers);
	return sync_commit(sync, &tx, "register");
}

/*
 * Only the master counts. Other processes set 0, because they may have been the master
 * before.
 */
static void sync_count_domains(struct sync *sync)
{
	sync->counts = (struct domain_counts){ .oldest_pending_s = 0 };
	sync->has_counts = true;
	if (!sync->is_master)
		return;
	struct tx tx = sync_tx_once(sync);
	store_count_domains(&tx, sync->scope.pool, &sync->counts);
	sync->has_counts = sync_commit(sync, &tx, "counts");
}

/* Only the master measures the lag. A server out of service has no lag. */
static void sync_measure_lag(struct sync *sync, const struct server *server,
                             struct part *part)
{
	part->lag_s = 0;
	part->has_lag = true;
	if (!sync->is_master || !atomic_load(&server->in_service))
		return;
	struct tx tx = sync_tx_once(sync);
	part->lag_s = store_lag_s(&tx, sync->scope.pool, server->settings->id);
	part->has_lag = sync_commit(sync, &tx, "lag");
}

/* REGISTERED false: a server may only look as if it were removed. */
static void sync_clean_up(struct sync *sync, bool registered)
{
	const char *pool = sync->scope.pool;
	struct tx tx = sync_tx_once(sync);

	store_forget_settled(&tx, pool);
	sync_commit(sync, &tx, "settled");
	tx = sync_tx_begin(sync);
	store_repairs_forget(&tx, pool, sync->repair_s);
	sync_commit(sync, &tx, "repairs");
	tx = sync_tx_begin(sync);
	store_forget_out(&tx, pool);
	sync_commit(sync, &tx, "drained");
	if (!registered)
		return;
	tx = sync_tx_begin(sync);
	store_forget_removed(&tx, pool, UNHEARD_ROUNDS * sync->round_s);
	sync_commit(sync, &tx, "removed");
}

static void sync_find_orphan_drift(struct sync *sync)
{
	struct tx tx = sync_tx_once(sync);

	sync->has_orphan_drift = store_has_orphan_drift(&tx, sync->scope.pool);
	sync->has_orphan_drift &= sync_commit(sync, &tx, "orphan zones");
}

static void sync_prepare(void *self)
{
	struct sync *sync = self;
	const struct servers *servers = sync->poolmgr->servers;

	sync->scope = poolmgr_scope(sync->poolmgr, sync->poolmgr->lane_db);
	if (!sync->scope.share.total)
		return;
	log_request(sync->id);
	sync->is_master =
	    membership_is_master(sync->poolmgr->runtime.membership);
	bool registered = sync_register(sync);
	sync_count_domains(sync);
	for (size_t i = 0; i < servers->count; i++)
		sync_measure_lag(sync, &servers->item[i], &sync->parts[i]);
	if (sync->is_master)
		sync_clean_up(sync, registered);
	sync_find_orphan_drift(sync);
	log_request(NULL);
}

/* ---- a slice, on the lane ---- */

static size_t sync_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static struct slice sync_slice(const struct sync *sync)
{
	return (struct slice){ sync->cycle.after, sync->cycle.upto };
}

/* If the shares have changed, the rest of the round belongs to other processes. */
static enum err sync_check_share(struct sync *sync)
{
	struct scope now = poolmgr_scope(sync->poolmgr, sync->poolmgr->lane_db);

	if (now.share.total && now.share.generation == sync->scope.share.generation)
		return OK;
	return fail(&sync->why, ERR_RACE, "the shares of the pool managers have changed");
}

static void sync_fill_queries(struct sync *sync)
{
	struct domain_query *queries = arena_alloc(sync->arena, SLICE * sizeof(*queries));
	struct domain_result *results = arena_alloc(sync->arena,
	                                            SLICE * sizeof(*results));
	size_t count = 0;

	for (const struct due *due = sync->found; due; due = due->next)
		queries[count++] = (struct domain_query){
			.domain_id = due->domain.id,
			.action = due->action,
			.request_id = sync->id,
		};
	for (size_t i = 0, at = 0; i < EVALUATIONS; i++, at += LIST_MAX)
		sync->evaluations[i] = (struct evaluation){
			queries + at, at < count ? sync_min(count - at, LIST_MAX) : 0,
			sync->threshold_percent, results + at, 0, NULL,
		};
}

static enum err sync_evaluate(struct sync *sync)
{
	enum err err = OK;

	for (size_t i = 0; i < EVALUATIONS && sync->evaluations[i].count && !err; i++)
		err = evaluate_read(sync->poolmgr, sync->poolmgr->lane_db,
		                    &sync->evaluations[i], sync->arena, &sync->why);
	return err;
}

static void sync_forget_gone(struct sync *sync, const struct slice *slice)
{
	struct tx tx = sync_tx_once(sync);

	store_forget_gone(&tx, slice, sync->stale_s);
	sync_commit(sync, &tx, "gone");
}

/* Finds domains whose report did not reach central, or whose message did not reach us. */
static void sync_read_slice(void *self)
{
	struct sync *sync = self;
	struct id_cycle *cycle = &sync->cycle;

	sync->err = sync_check_share(sync);
	if (sync->err)
		return;
	log_request(sync->id);
	struct tx tx = sync_tx_once(sync);
	id_cycle_set_slice(cycle, store_slice_end(&tx, sync->arena, cycle->after,
	                                          id_cycle_limit(cycle), SLICE));
	const struct slice slice = sync_slice(sync);
	sync->found = store_unsettled(&tx, sync->arena, &sync->scope, &slice, sync->limit,
	                              sync->stale_s);
	sync->err = tx_commit(&tx);
	if (!sync->err && sync->is_master)
		sync_forget_gone(sync, &slice);
	if (!sync->err) {
		sync_fill_queries(sync);
		sync->err = sync_evaluate(sync);
	}
	log_request(NULL);
}

/* Seed, steps 1 and 2. Also for lost messages and new servers. */
static enum err sync_write_orders(struct sync *sync, const struct server *server)
{
	struct order *orders = arena_alloc(sync->arena, SLICE * sizeof(*orders));
	size_t count = 0;

	for (const struct due *due = sync->found; due; due = due->next)
		if (due->action != ACTION_UPDATE)
			orders[count++] = (struct order){
				due->domain.id, server->settings->id, due->action,
			};
	if (!count)
		return OK;
	struct tx tx = sync_tx_begin(sync);
	store_write_orders(&tx, orders, count, 0, true);
	return tx_commit(&tx);
}

static void sync_read_server(void *self)
{
	struct sync *sync = self;
	const struct server *server = &sync->poolmgr->servers->item[sync->at];
	const struct slice slice = sync_slice(sync);
	struct tx tx = sync_tx_once(sync);

	log_request(sync->id);
	sync->parts[sync->at].behind +=
	    store_count_behind(&tx, &sync->scope, &slice, server);
	sync->found = NULL;
	if (sync->limit)
		sync->found = store_missing(&tx, sync->arena, &sync->scope, &slice,
		                            server, sync->limit, sync->stale_s);
	sync->err = tx_commit(&tx);
	if (!sync->err)
		sync->err = sync_write_orders(sync, server);
	log_request(NULL);
}

/* ---- on the loop ---- */

static void sync_end(struct sync *sync)
{
	sync->is_running = false;
	arena_reset(sync->arena);
}

/* After an error of the database the next round starts again. */
static bool sync_can_go_on(const struct sync *sync)
{
	if (!poolmgr_ran(sync->poolmgr) || sync->poolmgr->is_draining)
		return false;
	if (sync->err)
		sync_log_failure(sync, "slice", sync->err);
	return !sync->err;
}

static void sync_next_slice(struct sync *sync);

/*
 * The slices of the round contain all domains, so `behind` is the sum over all domains.
 */
static void sync_complete(struct sync *sync)
{
	const struct servers *servers = sync->poolmgr->servers;

	for (size_t i = 0; i < servers->count; i++)
		if (atomic_load(&servers->item[i].in_service))
			metric_set(servers->item[i].behind, sync->parts[i].behind);
	metric_observe_us(seconds, clock_us() - sync->began_us);
	sync_end(sync);
}

static void sync_slice_done(struct sync *sync)
{
	if (id_cycle_next(&sync->cycle))
		sync_next_slice(sync);
	else
		sync_complete(sync);
}

static void sync_next_server(struct sync *sync);

/*
 * LEFT 0: the round may not handle more domains. The next round begins after the last
 * one.
 */
static void sync_cut_if_full(struct sync *sync, size_t left)
{
	const char *last = sync->cycle.after;

	for (const struct due *due = sync->found; due; due = due->next)
		last = due->domain.id;
	if (!left)
		id_cycle_cut(&sync->cycle, last);
}

/* Handles the rows that were read for a server: step 3 of the seed. */
static void sync_server_read(void *self)
{
	struct sync *sync = self;
	const struct server *one[] = { &sync->poolmgr->servers->item[sync->at] };
	const struct cause cause = { .request_id = sync->id, .recovery = true };
	struct part *part = &sync->parts[sync->at];
	struct domain_ref *list;
	struct domain_refs updates = { NULL, 0 };
	size_t count = 0;

	if (!sync_can_go_on(sync)) {
		sync_end(sync);
		return;
	}
	updates.item = list = arena_alloc(sync->arena, SLICE * sizeof(*list));
	for (const struct due *due = sync->found; due; due = due->next, count++)
		if (due->action == ACTION_UPDATE)
			list[updates.count++] = due->domain;
	log_request(sync->id);
	peers_notify_all(sync->poolmgr->peers, &updates, &(struct server_list){ one, 1 },
	                 &cause);
	log_request(NULL);
	part->left -= count;
	sync_cut_if_full(sync, part->left);
	sync->at++;
	sync_next_server(sync);
}

static void sync_next_server(struct sync *sync)
{
	const struct servers *servers = sync->poolmgr->servers;

	while (sync->at < servers->count &&
	       !atomic_load(&servers->item[sync->at].in_service))
		sync->at++;
	if (sync->at == servers->count) {
		sync_slice_done(sync);
		return;
	}
	arena_reset(sync->arena);
	sync->limit = sync_min(sync->parts[sync->at].left, SLICE);
	if (!poolmgr_submit(sync->poolmgr, sync_read_server, sync_server_read, sync))
		sync_end(sync);
}

static void sync_slice_read(void *self)
{
	struct sync *sync = self;
	size_t count = 0;

	if (!sync_can_go_on(sync)) {
		sync_end(sync);
		return;
	}
	for (size_t i = 0; i < EVALUATIONS; i++) {
		evaluate_report(sync->poolmgr, &sync->evaluations[i]);
		count += sync->evaluations[i].count;
	}
	sync->settles_left -= count;
	sync_cut_if_full(sync, sync->settles_left);
	sync->at = 0;
	sync_next_server(sync);
}

static void sync_next_slice(struct sync *sync)
{
	arena_reset(sync->arena);
	sync->limit = sync_min(sync_min(sync->settles_left, SLICE),
	                       peers_report_room(sync->poolmgr->peers));
	if (!poolmgr_submit(sync->poolmgr, sync_read_slice, sync_slice_read, sync))
		sync_end(sync);
}

/* ---- a round ---- */

static void sync_show(const struct sync *sync)
{
	const struct servers *servers = sync->poolmgr->servers;

	for (size_t i = 0; i < servers->count; i++)
		if (sync->parts[i].has_lag)
			metric_set(servers->item[i].lag, sync->parts[i].lag_s);
	if (!sync->has_counts)
		return;
	for (enum status status = 0; status < STATUS_COUNT; status++)
		metric_set(domains[status], sync->counts.count[status]);
	metric_set(oldest_pending, sync->counts.oldest_pending_s);
}

/*
 * True for every compare_every'th round, and for the round after one that found orphan
 * zones.
 */
static bool sync_is_deep(struct sync *sync)
{
	unsigned every = (unsigned)sync->poolmgr->config.compare_every;

	return every && (sync->number++ % every == 0 || sync->has_orphan_drift);
}

static void sync_prepared(void *self)
{
	struct sync *sync = self;
	char anywhere[ID_LEN + 1];

	if (!poolmgr_ran(sync->poolmgr) || !sync->scope.share.total ||
	    sync->poolmgr->is_draining) {
		sync_end(sync);
		return;
	}
	sync_show(sync);
	if (sync_is_deep(sync))
		orphan_zones_find(sync->poolmgr, &sync->scope);
	id_random(anywhere);
	id_cycle_begin(&sync->cycle, anywhere);
	sync_next_slice(sync);
}

static void sync_take_settings(struct sync *sync)
{
	const struct poolmgr *poolmgr = sync->poolmgr;
	size_t batch = (size_t)poolmgr->config.sync_batch;

	sync->stale_s = poolmgr_poll_budget_s(poolmgr);
	sync->round_s = poolmgr->config.periodic_sync_interval_ms / 1000 + 1;
	sync->repair_s = repair_rounds(poolmgr) * sync->round_s * REPAIR_AGES;
	sync->threshold_percent = poolmgr->config.threshold_percentage;
	sync->settles_left = batch;
	servers_copy(poolmgr->servers, &sync->servers);
	for (size_t i = 0; i < poolmgr->servers->count; i++)
		sync->parts[i] = (struct part){ .left = batch };
}

void sync_fire(struct sync *sync)
{
	if (sync->is_running)
		return;
	sync->began_us = clock_us();
	id_random(sync->id);
	sync_take_settings(sync);
	sync->is_running = poolmgr_submit(sync->poolmgr, sync_prepare, sync_prepared,
	                                  sync);
}
