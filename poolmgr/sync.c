/*
 * The recurring work. Each process does it for the domains of its share (seed 004: the
 * hash factor): in one generation no domain is two processes', and none is nobody's.
 *
 *	retry	every second: rows that failed, or never ended, whose own time
 *		has come; a server whose breaker is open gets a probe at most
 *	sync	every periodic_sync_interval (seed 000): servers that miss a
 *		domain, domains that are behind, domains that nobody settled;
 *		the master forgets what is settled. The seed's last step,
 *		all domains on all servers, is patrol's.
 */
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "consistency/pulse.h"
#include "judge.h"
#include "operation.h"
#include "poolmgr.h"
#include "repair.h"
#include "runtime/metrics.h"
#include "runtime/tx.h"
#include "store.h"
#include "store_census.h"
#include "store_due.h"
#include "store_servers.h"
#include "store_repair.h"
#include "strays.h"
#include "tell.h"

enum {
	RETRY_ROWS = 200,
	PROBE_ROWS = 4,
	RETURN_ROWS = 5000,
	RETRY_PERIOD_MS = 1000,
	EVER_S = 86400,
};

/* A round: its arena, its request id, its transactions. */
struct round {
	struct poolmgr *poolmgr;
	struct arena *arena;
	char id[ID_LEN + 1];
	struct cause cause;
	struct scope scope;
	struct why why;
};

/* False: this process has no share now. */
static bool round_begin(struct round *round, struct poolmgr *poolmgr)
{
	round->poolmgr = poolmgr;
	round->scope = poolmgr_scope(poolmgr);
	if (!round->scope.share.total)
		return false;
	round->arena = arena_new();
	id_random(round->id);
	round->cause = (struct cause){ .request_id = round->id, .recovery = true };
	log_request(round->id);
	return true;
}

static void round_end(struct round *round)
{
	arena_free(&round->arena);
	log_request(NULL);
}

static struct tx once(struct round *round)
{
	return tx_once(round->poolmgr->runtime.db, &round->why);
}

/* A step that the database did not let us do is done in the next round. */
static bool done(struct round *round, struct tx *tx, const char *step)
{
	enum err err = tx_commit(tx);

	/* that is said where it is seen; a race was won by another, who does it */
	if (err && err != ERR_UNREACHABLE && err != ERR_RACE)
		log_warn("sync step failed: step=%s err=%s why=\"%s\"", step,
		         err_name(err), round->why.text);
	return !err;
}

/* ---- retry ---- */

/* The zone of a deleted domain whose name lives again belongs to the new one. */
static void delete_again(struct round *round, const struct due *due,
                         struct server *server)
{
	struct tx tx = once(round);
	bool taken = store_name_is_taken(&tx, due->domain.name, due->domain.id);

	if (!taken) {
		if (done(round, &tx, "retry"))
			operation_start(round->poolmgr, &due->domain, ACTION_DELETE,
			                server, &round->cause);
		return;
	}
	store_settle(&tx, &(struct outcome){ due->domain.id, server->settings->id,
	                                     ACTION_DELETE, "SUCCESS",
	                                     "superseded by a new domain", 0 });
	done(round, &tx, "retry");
}

static void do_again(struct round *round, struct due *due, struct server *server)
{
	switch (due->action) {
	case ACTION_CREATE:
		operation_start(round->poolmgr, &due->domain, ACTION_CREATE, server,
		                &round->cause);
		break;
	case ACTION_UPDATE:
		tell_server(round->poolmgr->tell, &due->domain, server, &round->cause);
		break;
	default:
		delete_again(round, due, server);
	}
}

/*
 * A probe waits for no row's own time: after hours of failures that is minutes
 * away, and only the probe can tell that the server is back.
 */
static void limit_due(struct breaker *breaker, struct due_of *of)
{
	bool probe = breaker_open(breaker);

	of->limit = probe ? PROBE_ROWS : RETRY_ROWS;
	of->ahead_s = probe ? EVER_S : 0;
	if (!breaker_allows(breaker, clock_ms(), random_u32()))
		of->limit = 0;
}

/* What goes through its control channel, or to its DNS port: each has its breaker. */
static void retry_server(struct round *round, struct server *server, bool control)
{
	struct poolmgr *poolmgr = round->poolmgr;
	struct due_of of = { .server_id = server->settings->id, .control = control };

	limit_due(control ? &server->control : &server->dns, &of);
	if (of.limit == 0)
		return;
	struct tx tx = tx_begin(poolmgr->runtime.db, &round->why);
	struct due *due = store_due(&tx, round->arena, &round->scope, &of,
	                            poolmgr_poll_budget_s(poolmgr) + 30);
	if (!done(round, &tx, "retry"))
		return;
	round->cause.probe = control && breaker_open(&server->control);
	for (; due; due = due->next)
		do_again(round, due, server);
	round->cause.probe = false;
}

/* A server whose breaker is open is asked whether anything is due or not. */
static bool needs_retry(const struct server *server, const struct seen_servers *seen)
{
	if (!atomic_load(&server->in_service))
		return false;
	if (breaker_open(&server->control) || breaker_open(&server->dns))
		return true;
	for (size_t i = 0; i < seen->count; i++)
		if (!strcmp(seen->item[i].id, server->settings->id))
			return seen->item[i].has_due;
	return false;
}

static void retry_some(struct poolmgr *poolmgr, const bool *needed)
{
	struct round round;

	if (!round_begin(&round, poolmgr))
		return;
	for (size_t i = 0; i < poolmgr->servers->count; i++)
		if (needed[i]) {
			retry_server(&round, &poolmgr->servers->item[i], true);
			retry_server(&round, &poolmgr->servers->item[i], false);
		}
	round_end(&round);
}

/* Who is back in service makes up for what he missed at once, not when its time comes. */
static void hurry_returning(struct poolmgr *poolmgr, struct server *server)
{
	struct scope scope;
	struct why why;

	if (!server->returning)
		return;
	scope = poolmgr_scope(poolmgr);
	if (!scope.share.total)
		return;
	struct tx tx = tx_once(poolmgr->runtime.db, &why);
	int64_t rows = store_return(&tx, &scope.share, server->settings->id, RETURN_ROWS);
	if (tx_commit(&tx))
		log_info("what a server missed is not hurried yet: server=%s why=\"%s\"",
		         server->settings->id, why.text);
	else
		server->returning = rows == RETURN_ROWS;
}

static void take_words(struct poolmgr *poolmgr, const struct seen_servers *seen)
{
	struct servers *servers = poolmgr->servers;

	for (size_t i = 0; i < seen->count; i++)
		servers_set(servers, seen->item[i].id, seen->item[i].in_service);
	for (size_t i = 0; i < servers->count; i++)
		hurry_returning(poolmgr, &servers->item[i]);
}

/* One statement while nothing is due. */
void sync_retry(void *self)
{
	struct poolmgr *poolmgr = self;
	struct servers *servers = poolmgr->servers;
	struct arena *arena = arena_new();
	bool *needed = arena_alloc(arena, servers->count * sizeof(*needed)), any = false;
	struct seen_servers seen;
	struct why why;
	struct tx tx = tx_once(poolmgr->runtime.db, &why);

	store_servers(&tx, arena, poolmgr->config.pool_name, &seen);
	if (!tx_commit(&tx)) {
		take_words(poolmgr, &seen);
		for (size_t i = 0; i < servers->count; i++)
			any |= needed[i] = needs_retry(&servers->item[i], &seen);
	}
	servers_measure(servers);
	if (any)
		retry_some(poolmgr, needed);
	arena_free(&arena);
}

/* ---- sync ---- */

typedef struct due *missing_fn(struct tx *tx, struct arena *arena,
                               const struct scope *scope, const struct server *server,
                               size_t limit, int stale_s);

/*
 * Seed, steps 1 and 2, and what they forget: a message that left no row; a
 * server that is new. What is found gets its row and is done.
 */
static void make_up_for(struct round *round, struct server *server, missing_fn *missing)
{
	const struct poolmgr *poolmgr = round->poolmgr;
	int lease_s = poolmgr_poll_budget_s(poolmgr) + 30;
	const struct server *one[] = { server };
	struct tx tx = tx_begin(poolmgr->runtime.db, &round->why);
	struct due *due = missing(&tx, round->arena, &round->scope, server,
	                          (size_t)poolmgr->config.sync_batch,
	                          poolmgr_poll_budget_s(poolmgr));

	for (struct due *d = due; d; d = d->next)
		store_owe(&tx, d->domain.id, d->action, one, 1, lease_s);
	if (!done(round, &tx, "missing"))
		return;
	for (; due; due = due->next)
		do_again(round, due, server);
}

/* Seed, step 3. */
static void update_behind(struct round *round, struct server *server)
{
	const struct poolmgr *poolmgr = round->poolmgr;
	struct tx tx = once(round);
	struct due *due = store_behind(&tx, round->arena, &round->scope, server,
	                               (size_t)poolmgr->config.sync_batch,
	                               poolmgr_poll_budget_s(poolmgr));

	metric_set(server->behind,
	           store_count_behind(&tx, &round->scope, server));
	if (!done(round, &tx, "behind"))
		return;
	for (; due; due = due->next)
		tell_server(round->poolmgr->tell, &due->domain, server, &round->cause);
}

/* Returns those that are left. */
static struct due *judge_some(struct round *round, struct due *due)
{
	struct question questions[LIST_MAX];
	size_t count = 0;

	for (; due && count < LIST_MAX; due = due->next)
		questions[count++] = (struct question){
			.domain_id = due->domain.id,
			.action = due->action,
			.request_id = round->id,
		};
	enum err err = judge_all(round->poolmgr, questions, count, &round->why);

	if (err)
		log_warn("domains not settled: count=%zu err=%s why=\"%s\"", count,
		         err_name(err), round->why.text);
	return due;
}

/* A domain whose verdict never reached central, or whose message never reached us. */
static void settle(struct round *round)
{
	struct poolmgr *poolmgr = round->poolmgr;
	struct tx tx = once(round);
	struct due *due = store_unsettled(&tx, round->arena, &round->scope,
	                                  (size_t)poolmgr->config.sync_batch,
	                                  poolmgr_poll_budget_s(poolmgr));

	if (!done(round, &tx, "unsettled"))
		return;
	while (due)
		due = judge_some(round, due);
}

/* ---- figures ---- */

static struct metric *domains[STATUS_COUNT], *oldest_pending;

void sync_metrics(void)
{
	for (enum status status = 0; status < STATUS_COUNT; status++)
		domains[status] = metric_new(METRIC_GAUGE, "pool_domains",
		                             "The pool's domains, counted by the master",
		                             "status", status_name(status));
	oldest_pending = metric_new(METRIC_GAUGE, "pool_oldest_pending_age",
	                            "Seconds since the oldest change that is not ACTIVE",
	                            NULL, NULL);
}

/* The master's; what another process counted when it was the master is taken back. */
static void count_domains(struct round *round)
{
	struct census census = { .oldest_pending_s = 0 };

	if (fleet_is_master(pulse_fleet(round->poolmgr->pulse))) {
		struct tx tx = once(round);

		store_census(&tx, round->scope.pool, &census);
		if (!done(round, &tx, "census"))
			return;
	}
	for (enum status status = 0; status < STATUS_COUNT; status++)
		metric_set(domains[status], census.count[status]);
	metric_set(oldest_pending, census.oldest_pending_s);
}

/* Likewise; a server out of service is owed nothing. False: not to be had. */
static bool measure_lag(struct round *round, const struct server *server, int64_t *lag_s)
{
	*lag_s = 0;
	if (!fleet_is_master(pulse_fleet(round->poolmgr->pulse)) ||
	    !atomic_load(&server->in_service))
		return true;
	struct tx tx = once(round);
	*lag_s = store_lag_s(&tx, round->scope.pool, server->settings->id);
	return done(round, &tx, "lag");
}

static void measure_lags(struct round *round)
{
	const struct servers *servers = round->poolmgr->servers;
	int64_t lag_s;

	for (size_t i = 0; i < servers->count; i++)
		if (measure_lag(round, &servers->item[i], &lag_s))
			metric_set(servers->item[i].lag, lag_s);
}

static bool register_again(struct round *round)
{
	struct poolmgr *poolmgr = round->poolmgr;
	struct tx tx = tx_begin(poolmgr->runtime.db, &round->why);

	store_register(&tx, round->scope.pool, poolmgr->servers);
	return done(round, &tx, "register");
}

enum {
	UNHEARD_ROUNDS = 3,	/* of a server that no configuration names any more */
	REPAIR_AGES = 3,	/* of a suspicion that nothing confirmed */
};

/*
 * A transaction a step: what is too much for one holds up no other. What is not REGISTERED
 * may be in use, and only look as if nobody had it any more.
 */
static void tidy(struct round *round, bool registered)
{
	const struct poolmgr *poolmgr = round->poolmgr;
	const char *pool = round->scope.pool;
	int round_s = poolmgr->config.periodic_sync_interval_ms / 1000 + 1;
	struct db *db = poolmgr->runtime.db;
	struct tx tx = tx_begin(db, &round->why);

	store_forget_settled(&tx, pool);
	done(round, &tx, "settled");
	tx = tx_begin(db, &round->why);
	store_repairs_forget(&tx, pool, repair_rounds(poolmgr) * round_s * REPAIR_AGES);
	done(round, &tx, "repairs");
	tx = tx_begin(db, &round->why);
	store_forget_out(&tx, pool);
	done(round, &tx, "out of service");
	if (!registered)
		return;
	tx = tx_begin(db, &round->why);
	store_forget_removed(&tx, pool, UNHEARD_ROUNDS * round_s);
	done(round, &tx, "removed");
}

static void sync_server(struct round *round, struct server *server)
{
	make_up_for(round, server, store_missing);
	make_up_for(round, server, store_undeleted);
	update_behind(round, server);
}

/* Every compare_every'th; and the one behind a round that found something. */
static bool is_deep_round(struct round *round)
{
	static unsigned number;
	unsigned every = (unsigned)round->poolmgr->config.compare_every;
	struct tx tx = once(round);
	bool suspected = store_suspects_stray(&tx, round->scope.pool);

	suspected &= done(round, &tx, "strays");
	return every && (number++ % every == 0 || suspected);
}

void sync_round(void *self)
{
	struct poolmgr *poolmgr = self;
	struct round round;

	if (!round_begin(&round, poolmgr))
		return;
	bool registered = register_again(&round);

	count_domains(&round);
	measure_lags(&round);
	if (fleet_is_master(pulse_fleet(poolmgr->pulse)))
		tidy(&round, registered);
	for (size_t i = 0; i < poolmgr->servers->count; i++)
		if (atomic_load(&poolmgr->servers->item[i].in_service))
			sync_server(&round, &poolmgr->servers->item[i]);
	settle(&round);
	if (is_deep_round(&round))
		strays_look(poolmgr, &round.scope);
	round_end(&round);
}
