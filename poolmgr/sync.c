#include "sync.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/heartbeat.h"
#include "core/circuit.h"
#include "judge.h"
#include "repair.h"
#include "runtime/metrics.h"
#include "runtime/tx.h"
#include "servers.h"
#include "store.h"
#include "store_census.h"
#include "store_due.h"
#include "store_repair.h"
#include "store_servers.h"
#include "strays.h"
#include "tell.h"

enum {
	SLICE = 2 * LIST_MAX,	/* domains, whosever they are */
	INQUIRIES = SLICE / LIST_MAX,
	UNHEARD_ROUNDS = 3,	/* of a server that no configuration names any more */
	REPAIR_AGES = 3,	/* of a suspicion that nothing confirmed */
};

/* What a round does for a server. */
struct part {
	int64_t lag_s;
	bool has_lag;
	int64_t behind;		/* domains of the slices so far */
	size_t left;		/* that may be taken up */
};

struct sync {
	struct poolmgr *poolmgr;
	unsigned number;	/* of rounds, as far as they were told to look deep */
	struct circuit circuit;
	bool is_running;
	/* of a round; settings as they were when it began, for the lane */
	int64_t began_us;
	char id[ID_LEN + 1];
	struct scope scope;
	bool is_master, is_suspected;
	struct census census;
	bool has_census;
	int stale_s, round_s, repair_s;
	struct servers servers;	/* with the addresses that they had then */
	size_t settles_left;
	struct part *parts;	/* one a server */
	/* of the slice in hand */
	struct arena *arena;
	size_t at;		/* the server */
	size_t limit;
	struct due *found;
	struct inquiry inquiries[INQUIRIES];
	enum err err;
	struct why why;
};

static struct metric *domains[STATUS_COUNT], *oldest_pending, *seconds;

void sync_metrics(void)
{
	for (enum status status = 0; status < STATUS_COUNT; status++)
		domains[status] = metric_new(METRIC_GAUGE, "pool_domains",
		                             "domains of the pool. The master "
		                             "counts in each sync",
		                             "status", status_name(status));
	oldest_pending = metric_new(METRIC_GAUGE, "pool_oldest_pending_age",
	                            "seconds since the oldest change that is PENDING, by "
	                            "the master", NULL, NULL);
	seconds = metric_new(METRIC_HISTOGRAM, "sync_seconds",
	                     "time of one sync through the domains of the process's "
	                     "share. A lane reads their pages beside the loop", NULL,
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

/* ---- upkeep, on the lane: a transaction a step, so that one holds up no other ---- */

static struct tx once(struct sync *sync)
{
	return tx_autocommit(sync->poolmgr->lane_db, &sync->why);
}

static struct tx begin(struct sync *sync)
{
	return tx_begin(sync->poolmgr->lane_db, &sync->why);
}

/* That a database is away is said where it is seen; a race was won by another. */
static void complain(const struct sync *sync, const char *step, enum err err)
{
	if (err != ERR_UNREACHABLE && err != ERR_RACE)
		log_warn("sync step failed: step=%s err=%s why=\"%s\"", step,
		         err_name(err), sync->why.text);
}

/* A step that the database did not let us do is done in the next round. */
static bool done(const struct sync *sync, struct tx *tx, const char *step)
{
	enum err err = tx_commit(tx);

	if (err)
		complain(sync, step, err);
	return !err;
}

static bool register_again(struct sync *sync)
{
	struct tx tx = begin(sync);

	store_register(&tx, sync->scope.pool, &sync->servers);
	return done(sync, &tx, "register");
}

/* The master's; what another process counted when it was the master is taken back. */
static void count_domains(struct sync *sync)
{
	sync->census = (struct census){ .oldest_pending_s = 0 };
	sync->has_census = true;
	if (!sync->is_master)
		return;
	struct tx tx = once(sync);
	store_census(&tx, sync->scope.pool, &sync->census);
	sync->has_census = done(sync, &tx, "census");
}

/* Likewise; a server out of service is owed nothing. */
static void measure_lag(struct sync *sync, const struct server *server, struct part *part)
{
	part->lag_s = 0;
	part->has_lag = true;
	if (!sync->is_master || !atomic_load(&server->in_service))
		return;
	struct tx tx = once(sync);
	part->lag_s = store_lag_s(&tx, sync->scope.pool, server->settings->id);
	part->has_lag = done(sync, &tx, "lag");
}

/* What is not REGISTERED may be in use, and only look as if nobody had it any more. */
static void tidy(struct sync *sync, bool registered)
{
	const char *pool = sync->scope.pool;
	struct tx tx = begin(sync);

	store_forget_settled(&tx, pool);
	done(sync, &tx, "settled");
	tx = begin(sync);
	store_repairs_forget(&tx, pool, sync->repair_s);
	done(sync, &tx, "repairs");
	tx = begin(sync);
	store_forget_out(&tx, pool);
	done(sync, &tx, "out of service");
	if (!registered)
		return;
	tx = begin(sync);
	store_forget_removed(&tx, pool, UNHEARD_ROUNDS * sync->round_s);
	done(sync, &tx, "removed");
}

static void look_for_suspects(struct sync *sync)
{
	struct tx tx = once(sync);

	sync->is_suspected = store_suspects_stray(&tx, sync->scope.pool);
	sync->is_suspected &= done(sync, &tx, "strays");
}

static void keep_up(void *self)
{
	struct sync *sync = self;
	const struct servers *servers = sync->poolmgr->servers;

	sync->scope = poolmgr_scope(sync->poolmgr, sync->poolmgr->lane_db);
	if (!sync->scope.share.total)
		return;
	log_request(sync->id);
	sync->is_master =
	    membership_is_master(heartbeat_membership(sync->poolmgr->heartbeat));
	bool registered = register_again(sync);
	count_domains(sync);
	for (size_t i = 0; i < servers->count; i++)
		measure_lag(sync, &servers->item[i], &sync->parts[i]);
	if (sync->is_master)
		tidy(sync, registered);
	look_for_suspects(sync);
	log_request(NULL);
}

/* ---- a slice, on the lane ---- */

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

static struct slice slice_of(const struct sync *sync)
{
	return (struct slice){ sync->circuit.after, sync->circuit.upto };
}

/* Whose turn it is was decided by others meanwhile: what is left of the round is theirs. */
static enum err check_share(struct sync *sync)
{
	struct scope now = poolmgr_scope(sync->poolmgr, sync->poolmgr->lane_db);

	if (now.share.total && now.share.generation == sync->scope.share.generation)
		return OK;
	return fail(&sync->why, ERR_RACE, "the shares are others now");
}

static void ask_of(struct sync *sync)
{
	struct question *questions = arena_alloc(sync->arena, SLICE * sizeof(*questions));
	struct ruling *rulings = arena_alloc(sync->arena, SLICE * sizeof(*rulings));
	size_t count = 0;

	for (const struct due *due = sync->found; due; due = due->next)
		questions[count++] = (struct question){
			.domain_id = due->domain.id,
			.action = due->action,
			.request_id = sync->id,
		};
	for (size_t i = 0, at = 0; i < INQUIRIES; i++, at += LIST_MAX)
		sync->inquiries[i] = (struct inquiry){
			questions + at, at < count ? lesser(count - at, LIST_MAX) : 0,
			rulings + at, 0,
		};
}

static enum err judge(struct sync *sync)
{
	enum err err = OK;

	for (size_t i = 0; i < INQUIRIES && sync->inquiries[i].count && !err; i++)
		err = judge_read(sync->poolmgr, sync->poolmgr->lane_db,
		                 &sync->inquiries[i], sync->arena, &sync->why);
	return err;
}

static void forget_gone(struct sync *sync, const struct slice *slice)
{
	struct tx tx = once(sync);

	store_forget_gone(&tx, slice, sync->stale_s);
	done(sync, &tx, "gone");
}

/* A domain whose verdict never reached central, or whose message never reached us. */
static void open_slice(void *self)
{
	struct sync *sync = self;
	struct circuit *circuit = &sync->circuit;

	sync->err = check_share(sync);
	if (sync->err)
		return;
	log_request(sync->id);
	struct tx tx = once(sync);
	circuit_slice(circuit, store_slice_end(&tx, sync->arena, circuit->after,
	                                       circuit_limit(circuit), SLICE));
	const struct slice slice = slice_of(sync);
	sync->found = store_unsettled(&tx, sync->arena, &sync->scope, &slice, sync->limit,
	                              sync->stale_s);
	sync->err = tx_commit(&tx);
	if (!sync->err && sync->is_master)
		forget_gone(sync, &slice);
	if (!sync->err) {
		ask_of(sync);
		sync->err = judge(sync);
	}
	log_request(NULL);
}

/* Seed, steps 1 and 2, and what they forget: a message that left no row; a new server. */
static enum err write_debts(struct sync *sync, const struct server *server)
{
	struct debt *debts = arena_alloc(sync->arena, SLICE * sizeof(*debts));
	size_t count = 0;

	for (const struct due *due = sync->found; due; due = due->next)
		if (due->action != ACTION_UPDATE)
			debts[count++] = (struct debt){
				due->domain.id, server->settings->id, due->action,
			};
	if (!count)
		return OK;
	struct tx tx = begin(sync);
	store_owe(&tx, debts, count, 0);
	return tx_commit(&tx);
}

static void serve(void *self)
{
	struct sync *sync = self;
	const struct server *server = &sync->poolmgr->servers->item[sync->at];
	const struct slice slice = slice_of(sync);
	struct tx tx = once(sync);

	log_request(sync->id);
	sync->parts[sync->at].behind +=
	    store_count_behind(&tx, &sync->scope, &slice, server);
	sync->found = NULL;
	if (sync->limit)
		sync->found = store_owed(&tx, sync->arena, &sync->scope, &slice, server,
		                         sync->limit, sync->stale_s);
	sync->err = tx_commit(&tx);
	if (!sync->err)
		sync->err = write_debts(sync, server);
	log_request(NULL);
}

/* ---- on the loop ---- */

static void end_round(struct sync *sync)
{
	sync->is_running = false;
	arena_reset(sync->arena);
}

/* What the database did not let us do is done in the next round. */
static bool goes_on(const struct sync *sync)
{
	if (!poolmgr_ran(sync->poolmgr) || sync->poolmgr->is_draining)
		return false;
	if (sync->err)
		complain(sync, "slice", sync->err);
	return !sync->err;
}

static void next_slice(struct sync *sync);

/* Since its slices are what all of them have, the figure is one of a whole round. */
static void complete(struct sync *sync)
{
	const struct servers *servers = sync->poolmgr->servers;

	for (size_t i = 0; i < servers->count; i++)
		if (atomic_load(&servers->item[i].in_service))
			metric_set(servers->item[i].behind, sync->parts[i].behind);
	metric_observe_us(seconds, clock_us() - sync->began_us);
	end_round(sync);
}

static void slice_done(struct sync *sync)
{
	if (circuit_go_on(&sync->circuit))
		next_slice(sync);
	else
		complete(sync);
}

static void next_part(struct sync *sync);

/* LEFT is what may be taken up yet: the next round begins with what is behind the last. */
static void cut_if_full(struct sync *sync, size_t left)
{
	const char *last = sync->circuit.after;

	for (const struct due *due = sync->found; due; due = due->next)
		last = due->domain.id;
	if (!left)
		circuit_cut(&sync->circuit, last);
}

/* Seed, step 3. */
static void served(void *self)
{
	struct sync *sync = self;
	const struct server *one[] = { &sync->poolmgr->servers->item[sync->at] };
	const struct cause cause = { .request_id = sync->id, .recovery = true };
	struct part *part = &sync->parts[sync->at];
	struct domain_ref *list;
	struct domain_refs updates = { NULL, 0 };
	size_t count = 0;

	if (!goes_on(sync)) {
		end_round(sync);
		return;
	}
	updates.item = list = arena_alloc(sync->arena, SLICE * sizeof(*list));
	for (const struct due *due = sync->found; due; due = due->next, count++)
		if (due->action == ACTION_UPDATE)
			list[updates.count++] = due->domain;
	log_request(sync->id);
	tell_servers(sync->poolmgr->tell, &updates, &(struct audience){ one, 1 }, &cause);
	log_request(NULL);
	part->left -= count;
	cut_if_full(sync, part->left);
	sync->at++;
	next_part(sync);
}

static void next_part(struct sync *sync)
{
	const struct servers *servers = sync->poolmgr->servers;

	while (sync->at < servers->count &&
	       !atomic_load(&servers->item[sync->at].in_service))
		sync->at++;
	if (sync->at == servers->count) {
		slice_done(sync);
		return;
	}
	arena_reset(sync->arena);
	sync->limit = lesser(sync->parts[sync->at].left, SLICE);
	if (!poolmgr_submit(sync->poolmgr, serve, served, sync))
		end_round(sync);
}

static void slice_opened(void *self)
{
	struct sync *sync = self;
	size_t count = 0;

	if (!goes_on(sync)) {
		end_round(sync);
		return;
	}
	for (size_t i = 0; i < INQUIRIES; i++) {
		judge_tell(sync->poolmgr, &sync->inquiries[i]);
		count += sync->inquiries[i].count;
	}
	sync->settles_left -= count;
	cut_if_full(sync, sync->settles_left);
	sync->at = 0;
	next_part(sync);
}

static void next_slice(struct sync *sync)
{
	arena_reset(sync->arena);
	sync->limit = lesser(lesser(sync->settles_left, SLICE),
	                     tell_room(sync->poolmgr->tell));
	if (!poolmgr_submit(sync->poolmgr, open_slice, slice_opened, sync))
		end_round(sync);
}

/* ---- a round ---- */

static void show(const struct sync *sync)
{
	const struct servers *servers = sync->poolmgr->servers;

	for (size_t i = 0; i < servers->count; i++)
		if (sync->parts[i].has_lag)
			metric_set(servers->item[i].lag, sync->parts[i].lag_s);
	if (!sync->has_census)
		return;
	for (enum status status = 0; status < STATUS_COUNT; status++)
		metric_set(domains[status], sync->census.count[status]);
	metric_set(oldest_pending, sync->census.oldest_pending_s);
}

/* Every compare_every'th; and the one behind a round that found something. */
static bool is_deep(struct sync *sync)
{
	unsigned every = (unsigned)sync->poolmgr->config.compare_every;

	return every && (sync->number++ % every == 0 || sync->is_suspected);
}

static void kept_up(void *self)
{
	struct sync *sync = self;
	char anywhere[ID_LEN + 1];

	if (!poolmgr_ran(sync->poolmgr) || !sync->scope.share.total ||
	    sync->poolmgr->is_draining) {
		end_round(sync);
		return;
	}
	show(sync);
	if (is_deep(sync))
		strays_look(sync->poolmgr, &sync->scope);
	id_random(anywhere);
	circuit_begin(&sync->circuit, anywhere);
	next_slice(sync);
}

static void take_settings(struct sync *sync)
{
	const struct poolmgr *poolmgr = sync->poolmgr;
	size_t batch = (size_t)poolmgr->config.sync_batch;

	sync->stale_s = poolmgr_poll_budget_s(poolmgr);
	sync->round_s = poolmgr->config.periodic_sync_interval_ms / 1000 + 1;
	sync->repair_s = repair_rounds(poolmgr) * sync->round_s * REPAIR_AGES;
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
	take_settings(sync);
	sync->is_running = poolmgr_submit(sync->poolmgr, keep_up, kept_up, sync);
}
