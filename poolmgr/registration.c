#include "registration.h"

#include <stdlib.h>

#include "adjust.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/tx.h"
#include "servers.h"
#include "store_adjust.h"
#include "store_servers.h"

struct registration {
	struct poolmgr *poolmgr;
	bool is_running;
	bool is_stale;			/* addresses have changed during the job */
	struct servers servers;		/* a copy for the job */
	enum err err;
	struct why why;
};

struct registration *registration_new(struct poolmgr *poolmgr)
{
	struct registration *registration = xcalloc(1, sizeof(*registration));

	registration->poolmgr = poolmgr;
	return registration;
}

void registration_free(struct registration **registration)
{
	if (!*registration)
		return;
	free((*registration)->servers.item);
	free(*registration);
	*registration = NULL;
}

/* ---- before the loop ---- */

static void registration_apply(struct servers *servers, const struct seen_server *seen)
{
	struct server *server = servers_find(servers, seen->id);

	servers_set(servers, seen->id, seen->in_service);
	if (server)
		adjust_seen(server, seen->settings_digest);
}

/* The program starts: the pool can be created later. */
static void registration_warn(const char *pool)
{
	log_warn("the database has no pool of this name: pool=%s reason=\"correct "
	         "poolmgr.pool_name, or run 'zonefleet pool create %s --ns HOST "
	         "--admin'\"", pool, pool);
}

static enum err registration_try_begin(void *self, struct why *why)
{
	struct poolmgr *poolmgr = self;
	struct servers *servers = poolmgr->servers;
	struct arena *arena = arena_new();
	struct seen_servers seen;
	struct tx tx = tx_begin(poolmgr->runtime.db, why);

	store_settings_at(&tx, clock_ms() - servers->loaded_ms, servers->settings_at);
	store_register(&tx, poolmgr->config.pool_name, servers);
	store_read_servers(&tx, arena, poolmgr->config.pool_name, &seen);
	bool lacks_pool = store_lacks_pool(&tx, poolmgr->config.pool_name);
	enum err err = tx_commit(&tx);
	for (size_t i = 0; !err && i < seen.count; i++)
		registration_apply(servers, &seen.item[i]);
	if (!err && lacks_pool)
		registration_warn(poolmgr->config.pool_name);
	arena_free(&arena);
	return err;
}

enum err registration_begin(struct poolmgr *poolmgr, struct why *why)
{
	return tx_retry(registration_try_begin, poolmgr, why);
}

/* ---- on the lane ---- */

static enum err registration_try_write(void *self, struct why *why)
{
	struct registration *registration = self;
	struct tx tx = tx_begin(registration->poolmgr->lane_db, why);

	store_register(&tx, registration->poolmgr->config.pool_name,
	               &registration->servers);
	return tx_commit(&tx);
}

static void registration_write(void *self)
{
	struct registration *registration = self;

	registration->err = tx_retry(registration_try_write, registration,
	                            &registration->why);
}

/* ---- on the loop ---- */

static void registration_written(void *self)
{
	struct registration *registration = self;

	registration->is_running = false;
	if (!poolmgr_ran(registration->poolmgr))
		return;
	if (registration->err)
		log_warn("servers not written to the database: reason=\"%s\"",
		         registration->why.text);
	if (registration->is_stale)
		registration_renew(registration);
}

void registration_renew(struct registration *registration)
{
	struct poolmgr *poolmgr = registration->poolmgr;

	registration->is_stale = registration->is_running;
	if (registration->is_running)
		return;
	servers_copy(poolmgr->servers, &registration->servers);
	registration->is_running = poolmgr_submit(poolmgr, registration_write,
	                                          registration_written, registration);
	if (!registration->is_running)
		log_warn("servers not written to the database: reason=\""
		         POOLMGR_IS_FULL "\"",
		         POOLMGR_JOBS_MAX);
}
