/*
 * The recurring work. Each job is done by one process of the fleet at a
 * time: who wins its row of pool_sync, by the database's clock.
 *
 *	retry	every second: rows that failed, or never ended, whose own time
 *		has come; a server whose breaker is open gets a probe at most
 *	sync	every periodic_sync_interval (seed 000): servers that miss a
 *		domain, domains that are behind, domains that nobody settled,
 *		and a page of all domains, polled to find what drifted
 */
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "poolmgr.h"
#include "runtime/metrics.h"
#include "runtime/tx.h"
#include "store.h"
#include "tell.h"
#include "work.h"

enum { RETRY_ROWS = 200, PROBE_ROWS = 4, RETRY_PERIOD_MS = 1000, EVER_S = 86400 };

/* A round: its arena, its request id, its transactions. */
struct round {
	struct poolmgr *poolmgr;
	struct arena *arena;
	char id[ID_LEN + 1];
	struct cause cause;
	const char *pool;
	struct why why;
};

static void round_begin(struct round *round, struct poolmgr *poolmgr)
{
	round->poolmgr = poolmgr;
	round->arena = arena_new();
	id_random(round->id);
	round->cause = (struct cause){ round->id, true };
	round->pool = poolmgr->config.pool_name;
	log_request(round->id);
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

	if (err && err != ERR_UNREACHABLE)	/* that is said where it is seen */
		log_warn("sync step failed: step=%s err=%s why=\"%s\"", step,
		         err_name(err), round->why.text);
	return !err;
}

static bool won(struct round *round, const char *job, int period_ms)
{
	struct tx tx = once(round);
	bool mine = store_sync_claim(&tx, round->pool, job, period_ms);

	return done(round, &tx, job) && mine;
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
			work_start(round->poolmgr, &due->domain, ACTION_DELETE, server,
			           &round->cause);
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
		work_start(round->poolmgr, &due->domain, ACTION_CREATE, server,
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
	struct due *due = store_due(&tx, round->arena, round->pool, &of,
	                            poolmgr_poll_budget_s(poolmgr) + 30);
	if (!done(round, &tx, "retry"))
		return;
	for (; due; due = due->next)
		do_again(round, due, server);
}

void sync_retry(void *self)
{
	struct poolmgr *poolmgr = self;
	struct round round;

	round_begin(&round, poolmgr);
	if (won(&round, "retry", RETRY_PERIOD_MS - 100))
		for (size_t i = 0; i < poolmgr->servers->count; i++) {
			retry_server(&round, &poolmgr->servers->item[i], true);
			retry_server(&round, &poolmgr->servers->item[i], false);
		}
	round_end(&round);
}

/* ---- sync ---- */

typedef struct due *missing_fn(struct tx *tx, struct arena *arena, const char *pool,
                               const struct server *server, size_t limit,
                               int stale_s);

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
	struct due *due = missing(&tx, round->arena, round->pool, server,
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
	struct due *due = store_behind(&tx, round->arena, round->pool, server,
	                               (size_t)poolmgr->config.sync_batch,
	                               poolmgr_poll_budget_s(poolmgr));

	metric_set(server->behind,
	           store_count_behind(&tx, round->pool, server));
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
	enum err err = work_judge(round->poolmgr, questions, count, &round->why);

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
	struct due *due = store_unsettled(&tx, round->arena, round->pool,
	                                  (size_t)poolmgr->config.sync_batch,
	                                  poolmgr_poll_budget_s(poolmgr));

	if (!done(round, &tx, "unsettled"))
		return;
	while (due)
		due = judge_some(round, due);
}

/* Seed, step 4: a page a round, from where the last one ended, then from the start. */
static void poll_page(struct round *round)
{
	struct poolmgr *poolmgr = round->poolmgr;
	struct servers *servers = poolmgr->servers;
	struct tx tx = once(round);
	const char *cursor = store_sync_cursor(&tx, round->arena, round->pool, "sync");
	struct due *page = store_page(&tx, round->arena, round->pool, cursor,
	                              (size_t)poolmgr->config.sync_batch);
	const char *last = "";

	for (struct due *due = page; due; due = due->next)
		last = due->domain.id;
	store_sync_move(&tx, round->pool, "sync", last);
	if (!done(round, &tx, "poll"))
		return;
	for (; page; page = page->next)
		for (size_t i = 0; i < servers->count; i++)
			if (server_has(&servers->item[i], &page->domain) &&
			    !breaker_open(&servers->item[i].dns))
				tell_poll(poolmgr->tell, &page->domain, &servers->item[i],
				          &round->cause);
}

static void tidy(struct round *round)
{
	struct poolmgr *poolmgr = round->poolmgr;
	struct tx tx = tx_begin(poolmgr->runtime.db, &round->why);

	store_forget_settled(&tx, round->pool);
	store_forget_removed(&tx, round->pool, poolmgr->servers);
	done(round, &tx, "tidy");
}

void sync_round(void *self)
{
	struct poolmgr *poolmgr = self;
	struct round round;

	round_begin(&round, poolmgr);
	if (won(&round, "sync", poolmgr->config.periodic_sync_interval_s * 900)) {
		tidy(&round);
		for (size_t i = 0; i < poolmgr->servers->count; i++) {
			make_up_for(&round, &poolmgr->servers->item[i], store_missing);
			make_up_for(&round, &poolmgr->servers->item[i], store_undeleted);
			update_behind(&round, &poolmgr->servers->item[i]);
		}
		settle(&round);
		poll_page(&round);
	}
	round_end(&round);
}
