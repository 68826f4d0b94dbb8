#include "server_check.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "health.h"
#include "runtime/rpc.h"
#include "runtime/tx.h"
#include "servers.h"
#include "store_servers.h"

enum {
	ANSWER_MS = 5000,	/* time for the answer to the query */
	FAILING_MS = ANSWER_MS,	/* between checks of a server that did not answer */
};

struct server_check {
	struct poolmgr *poolmgr;
	int64_t *last_ms;		/* of each server: when its last check began */
	/* of a round */
	bool is_running;
	struct arena *arena;
	struct scope scope;
	struct server_zones zones;
	enum err err;
	struct why why;
};

struct server_check *server_check_new(struct poolmgr *poolmgr)
{
	struct server_check *check = xcalloc(1, sizeof(*check));

	check->poolmgr = poolmgr;
	check->arena = arena_new();
	check->last_ms = xcalloc(poolmgr->servers->count, sizeof(*check->last_ms));
	for (size_t i = 0; i < poolmgr->servers->count; i++)
		check->last_ms[i] = clock_ms();
	return check;
}

void server_check_free(struct server_check **check)
{
	if (!*check)
		return;
	rpc_cancel((*check)->poolmgr->runtime.rpc, *check);
	arena_free(&(*check)->arena);
	free((*check)->last_ms);
	free(*check);
	*check = NULL;
}

/* ---- on the lane ---- */

static void server_check_read(void *self)
{
	struct server_check *check = self;
	struct db *db = check->poolmgr->lane_db;
	struct tx tx = tx_autocommit(db, &check->why);

	check->scope = poolmgr_scope(check->poolmgr, db);
	store_read_zones(&tx, check->arena, check->poolmgr->config.pool_name,
	                 &check->zones);
	check->err = tx_commit(&tx);
}

/* ---- on the loop ---- */

static int64_t server_check_pause_ms(const struct server_check *check, size_t at)
{
	const struct server *server = &check->poolmgr->servers->item[at];
	int64_t interval_ms = check->poolmgr->config.server_check_interval_ms;

	return server->health[CHANNEL_DNS].failures && interval_ms > FAILING_MS
	           ? FAILING_MS
	           : interval_ms;
}

static bool server_check_is_due(const struct server_check *check, size_t at)
{
	const struct server *server = &check->poolmgr->servers->item[at];

	return clock_ms() >= check->last_ms[at] + server_check_pause_ms(check, at) &&
	       server_is_known(server) && atomic_load(&server->in_service);
}

static bool server_check_has_due(const struct server_check *check)
{
	bool any = false;

	for (size_t i = 0; i < check->poolmgr->servers->count && !any; i++)
		any = server_check_is_due(check, i);
	return any;
}

/* An error is no news: the next check follows. */
static void server_check_on_answer(void *self, const struct rpc_answer *answer)
{
	(void)self;
	if (answer->err)
		log_debug("servers not checked: err=%s reason=\"%s\"",
		          err_name(answer->err), answer->why.text);
}

static void server_check_send(struct server_check *check,
                              const struct server_checks *checks)
{
	static const struct rpc_target minidns = { .topic = "minidns" };
	struct rpc_answer none = { .class = "" };
	char id[ID_LEN + 1];

	id_random(id);
	json_t *context = context_encode(id, true);
	json_t *args = server_checks_encode(checks);
	none.err = rpc_call(check->poolmgr->runtime.rpc, &minidns, "check_servers", args,
	                    context, ANSWER_MS, server_check_on_answer, check, &none.why);
	json_decref(args);
	json_decref(context);
	if (none.err)
		server_check_on_answer(check, &none);
}

static void server_check_add(struct server_check *check, size_t at,
                             struct server_checks *checks)
{
	const struct server *server = &check->poolmgr->servers->item[at];
	const char *zone = server_zones_find(&check->zones, server->settings->id);

	check->last_ms[at] = clock_ms();
	if (zone && share_has(&check->scope.share, server->settings->id))
		checks->item[checks->count++] =
		    (struct server_check_of){ server->destination, zone };
}

static void server_check_start(struct server_check *check)
{
	const struct poolmgr *poolmgr = check->poolmgr;
	struct server_check_of list[LIST_MAX];
	struct server_checks checks = {
		.pool = poolmgr->config.pool_name,
		.timeout_ms = ANSWER_MS,
		.item = list,
	};

	for (size_t i = 0; i < poolmgr->servers->count && checks.count < LIST_MAX; i++)
		if (server_check_is_due(check, i))
			server_check_add(check, i, &checks);
	if (checks.count)
		server_check_send(check, &checks);
}

static void server_check_on_read(void *self)
{
	struct server_check *check = self;

	check->is_running = false;
	/* the database code logs an unreachable database */
	if (poolmgr_ran(check->poolmgr) && !check->err && check->scope.share.total)
		server_check_start(check);
}

void server_check_fire(struct server_check *check)
{
	if (check->is_running || check->poolmgr->is_draining ||
	    !server_check_has_due(check))
		return;
	arena_reset(check->arena);
	check->is_running = poolmgr_submit(check->poolmgr, server_check_read,
	                                   server_check_on_read, check);
}

void server_check_answered(struct poolmgr *poolmgr, const struct server_answer *answer)
{
	struct server *server = servers_find(poolmgr->servers, answer->name_server);

	if (!server)
		return;
	if (answer->silent)
		health_failed(poolmgr->health_writer, server, CHANNEL_DNS,
		              answer->reason);
	else
		health_answered(poolmgr->health_writer, server, CHANNEL_DNS);
}
