#include "shard_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "consistency/heartbeat.h"
#include "consistency/holder.h"

void shard_metrics(void)
{
	shard_step_metrics();
	shard_publish_metrics();
}

/* ---- what is to be done ---- */

static void take_move(void *self, const struct move_row *move)
{
	struct shard *shard = self;

	shard->moves[shard->move_count++] = *move;
}

static enum err read_shard(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = shard_begin_guarded(shard, why);

	arena_reset(shard->arena);
	shard->move_count = 0;
	shard->moves = arena_alloc(shard->arena, MOVES_MAX * sizeof(*shard->moves));
	if (!store_router_read(&tx, shard->arena, shard->name, ROUTER_LOCK, &shard->router))
		tx_fail(&tx, ERR_NOT_FOUND, "no router %.63s", shard->name);
	store_moves_need(&tx, shard->name);
	store_moves_open(&tx, shard->arena, shard->name, MOVES_MAX, ROUTES_PATIENCE_S,
	                 take_move, shard);
	return tx_commit(&tx);
}

static bool is_told(const struct shard *shard)
{
	return shard->router.done_rev == shard->router.rev && !shard->move_count &&
	       shard->router.zone_status == ZONE_PENDING;
}

static void shards_look(struct shard *shard)
{
	struct why why;
	enum err err = tx_retry_on_loop(read_shard, shard, &why);

	if (err || shard->shards->is_draining) {
		if (err && err != ERR_NOT_FOUND)
			log_warn("router not read: router=%s reason=\"%s\"", shard->name,
			         why.text);
		shard_end(shard);
		return;
	}
	json_decref(shard->zone);
	shard->zone = json_loads(shard->router.zone, 0, NULL);
	if (shard->router.state == ROUTER_GOING)
		shard_leave(shard);
	else if (is_told(shard))
		shard_watch(shard);
	else
		shard_publish(shard);
}

/* ---- the beginning ---- */

static bool is_under_way(const struct shards *shards, const char *name)
{
	for (struct shard *at = shards->all; at; at = at->next)
		if (!strcmp(at->name, name))
			return true;
	return false;
}

void shards_now(struct shards *shards, const char *router)
{
	struct shard *shard;
	char object[128];
	struct why why;

	if (shards->is_draining || shards->count >= SHARDS_AT_ONCE ||
	    is_under_way(shards, router))
		return;			/* shards_fire() comes by again */
	shard = xcalloc(1, sizeof(*shard));
	shard->next = shards->all;
	shards->all = shard;
	shards->count++;
	shard->shards = shards;
	shard->name = xstrdup(router);
	shard->arena = arena_new();
	snprintf(object, sizeof(object), "routes:%s", router);
	if (holder_take(shard_holder(shards), shards->routes->runtime.db, object, 0,
	                &shard->held, &why))
		shard_end(shard);	/* who has it, or comes by next, sees what is due */
	else
		shards_look(shard);
}

struct due {
	char names[SHARDS_AT_ONCE][ROUTE_LABEL_MAX + 1];
	size_t count;
};

static void take_due(void *self, const char *name)
{
	struct due *due = self;

	snprintf(due->names[due->count++], sizeof(due->names[0]), "%s", name);
}

void shards_fire(struct shards *shards)
{
	struct due due = { .count = 0 };
	struct why why;
	struct tx tx = tx_autocommit(shards->routes->runtime.db, &why);

	store_shards_due(&tx, NULL, SHARDS_AT_ONCE, take_due, &due);
	if (tx_commit(&tx)) {
		log_warn("due routers not read: reason=\"%s\"", why.text);
		return;
	}
	for (size_t i = 0; i < due.count; i++)
		shards_now(shards, due.names[i]);
}

/* ---- life ---- */

struct shards *shards_new(struct routes *routes)
{
	struct shards *shards = xcalloc(1, sizeof(*shards));

	shards->routes = routes;
	shards->look = shards_look;
	return shards;
}

void shards_free(struct shards **shards)
{
	while (*shards && (*shards)->all)
		shard_end((*shards)->all);
	free(*shards);
	*shards = NULL;
}

void shards_drain(struct shards *shards)
{
	shards->is_draining = true;
}

bool shards_are_idle(const struct shards *shards)
{
	return !shards->count;
}
