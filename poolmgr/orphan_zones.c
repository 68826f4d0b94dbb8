#include "orphan_zones.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "lock_name.h"
#include "repair.h"
#include "runtime/offload.h"
#include "runtime/tx_list.h"
#include "servers.h"
#include "store.h"
#include "store_repair.h"

enum {
	ORPHANS_MAX = 50,		/* in one search */
};

struct orphan_search {
	struct poolmgr *poolmgr;
	struct server *server;
	struct arena *arena;
	const char **names;
	size_t count;
	const char *orphans[ORPHANS_MAX];
	size_t orphan_count;
	enum err err;
	struct why why;
};

/* ---- on the lane's thread ---- */

/* Begins at a random page, so that parked orphan zones do not hide other ones. */
static enum err orphan_search_select(struct orphan_search *search)
{
	struct tx tx = tx_autocommit(search->server->db, &search->why);
	size_t pages = (search->count + TX_LIST_MAX - 1) / TX_LIST_MAX;
	size_t first = pages ? random_u32() % pages : 0;

	for (size_t i = 0; i < pages && !tx.err; i++) {
		size_t at = (first + i) % pages * TX_LIST_MAX;
		size_t left = search->count - at;

		search->orphan_count += store_orphans(
		    &tx, search->arena, search->server->settings->id, search->names + at,
		    left < TX_LIST_MAX ? left : TX_LIST_MAX,
		    search->orphans + search->orphan_count,
		    ORPHANS_MAX - search->orphan_count);
	}
	store_forget_parked_orphans(&tx, search->arena, search->server->settings->id,
	                            search->names, search->count);
	return tx_commit(&tx);
}

static void orphan_search_run(void *self)
{
	struct orphan_search *search = self;
	const struct server *server = search->server;

	if (atomic_load(&server->failing) || !atomic_load(&server->in_service))
		return;
	search->err = server->driver->list(server->settings, search->arena,
	                                   &search->names, &search->count, &search->why);
	if (!search->err)
		search->err = orphan_search_select(search);
}

/* ---- on the loop ---- */

static void orphan_search_report(struct orphan_search *search, const char *name)
{
	char object[LOCK_NAME_SIZE];
	const struct fault fault = {
		.kind = REPAIR_ORPHAN,
		.object = object,
		.server_id = search->server->settings->id,
		.pool = search->poolmgr->config.pool_name,
		.name = name,
		.detail = "has the zone, but the database has no domain of this name",
	};

	lock_name_digest(name, object);
	repair_observe(search->poolmgr, search->server, &fault);
}

static void orphan_search_ended(void *self)
{
	struct orphan_search *search = self;

	if (search->err)
		log_info("cannot search for orphan zones: server=%s err=%s "
		         "reason=\"%s\"",
		         search->server->settings->id, err_name(search->err),
		         search->why.text);
	if (lane_job_ran(search->server->lane))
		for (size_t i = 0; i < search->orphan_count; i++)
			orphan_search_report(search, search->orphans[i]);
	arena_free(&search->arena);
	free(search);
}

static void orphan_search_start(struct poolmgr *poolmgr, struct server *server)
{
	struct orphan_search *search = xcalloc(1, sizeof(*search));

	search->poolmgr = poolmgr;
	search->server = server;
	search->arena = arena_new();
	if (!lane_submit(server->lane, orphan_search_run, orphan_search_ended, search)) {
		arena_free(&search->arena);
		free(search);
	}
}

/*
 * True: the driver can list the zones of this server. If not, logs once what is missing.
 */
static bool orphan_zones_can_list(struct server *server)
{
	const struct driver *driver = server->driver;
	const char *lack =
	    driver->list_lacks ? driver->list_lacks(server->settings) : NULL;

	if (lack && !server->is_unlisted_logged)
		log_info("cannot search for orphan zones: server=%s reason=\"%s\"",
		         server->settings->id, lack);
	server->is_unlisted_logged = lack != NULL;
	return driver->list && !lack;
}

void orphan_zones_find(struct poolmgr *poolmgr, const struct scope *scope)
{
	for (size_t i = 0; i < poolmgr->servers->count; i++) {
		struct server *server = &poolmgr->servers->item[i];

		if (share_has(&scope->share, server->settings->id) &&
		    orphan_zones_can_list(server))
			orphan_search_start(poolmgr, server);
	}
}
