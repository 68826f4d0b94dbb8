#include "strays.h"

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

enum {
	STRAYS_MAX = 50,		/* of one look, from anywhere in the list */
};

struct look {
	struct poolmgr *poolmgr;
	struct server *server;
	struct arena *arena;
	const char **names;
	size_t count;
	const char *strays[STRAYS_MAX];
	size_t stray_count;
	enum err err;
	struct why why;
};

/* ---- on the lane's thread ---- */

/* From anywhere on, around: those that are left to a person do not hide the others. */
static enum err sift(struct look *look)
{
	struct tx tx = tx_autocommit(look->server->db, &look->why);
	size_t pages = (look->count + TX_LIST_MAX - 1) / TX_LIST_MAX;
	size_t first = pages ? random_u32() % pages : 0;

	for (size_t i = 0; i < pages && !tx.err; i++) {
		size_t at = (first + i) % pages * TX_LIST_MAX;
		size_t left = look->count - at;

		look->stray_count += store_strangers(
		    &tx, look->arena, look->server->settings->id, look->names + at,
		    left < TX_LIST_MAX ? left : TX_LIST_MAX,
		    look->strays + look->stray_count, STRAYS_MAX - look->stray_count);
	}
	return tx_commit(&tx);
}

static void run(void *self)
{
	struct look *look = self;
	const struct server *server = look->server;

	if (atomic_load(&server->failing) || !atomic_load(&server->in_service))
		return;
	look->err = server->driver->list(server->settings, look->arena, &look->names,
	                                 &look->count, &look->why);
	if (!look->err)
		look->err = sift(look);
}

/* ---- on the loop ---- */

static void report(struct look *look, const char *name)
{
	char object[LOCK_NAME_SIZE];
	const struct fault fault = {
		.kind = REPAIR_STRAY,
		.object = object,
		.server_id = look->server->settings->id,
		.pool = look->poolmgr->config.pool_name,
		.name = name,
		.detail = "has the zone, and there is no such domain",
	};

	lock_name_digest(name, object);
	repair_saw(look->poolmgr, look->server, &fault);
}

static void ended(void *self)
{
	struct look *look = self;

	if (look->err)
		log_info("zones not listed: server=%s err=%s why=\"%s\"",
		         look->server->settings->id, err_name(look->err), look->why.text);
	if (lane_job_ran(look->server->lane))
		for (size_t i = 0; i < look->stray_count; i++)
			report(look, look->strays[i]);
	arena_free(&look->arena);
	free(look);
}

static void look_at(struct poolmgr *poolmgr, struct server *server)
{
	struct look *look = xcalloc(1, sizeof(*look));

	look->poolmgr = poolmgr;
	look->server = server;
	look->arena = arena_new();
	if (!lane_submit(server->lane, run, ended, look)) {
		arena_free(&look->arena);
		free(look);
	}
}

/* What it would take to list the zones of this server is said once. */
static bool can_list(struct server *server)
{
	const struct driver *driver = server->driver;
	const char *lack = driver->list_lacks ? driver->list_lacks(server->settings) : NULL;

	if (lack && !server->unlisted)
		log_info("zones that nobody wants are not looked for: server=%s why=\"%s\"",
		         server->settings->id, lack);
	server->unlisted = lack != NULL;
	return driver->list && !lack;
}

void strays_look(struct poolmgr *poolmgr, const struct scope *scope)
{
	for (size_t i = 0; i < poolmgr->servers->count; i++) {
		struct server *server = &poolmgr->servers->item[i];

		if (share_has(&scope->share, server->settings->id) && can_list(server))
			look_at(poolmgr, server);
	}
}
