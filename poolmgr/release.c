#include "release.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/tx_list.h"
#include "servers.h"
#include "store_due.h"

enum { PAUSE_MS = 10 * 1000 };	/* at least, between two releases of a server */

struct release {
	struct poolmgr *poolmgr;
	const char *server_id;
	bool control;
	size_t rows;			/* number of rows in the last statement */
	enum err err;
	struct why why;
};

static enum err release_some(void *self, struct why *why)
{
	struct release *of = self;
	struct tx tx = tx_autocommit(of->poolmgr->lane_db, why);

	of->rows = store_release(&tx, of->poolmgr->config.pool_name, of->server_id,
	                         of->control);
	return tx_commit(&tx);
}

/* Runs on the pool manager's lane. */
static void release_run(void *self)
{
	struct release *of = self;

	of->err = tx_retry(release_some, of, &of->why);
}

static void release_ended(void *self)
{
	struct release *of = self;
	bool more = poolmgr_ran(of->poolmgr) && !of->err && of->rows == TX_LIST_MAX;

	if (of->err)
		log_warn("retries not scheduled: server=%s reason=\"%s\"", of->server_id,
		         of->why.text);
	if (!more || !poolmgr_submit(of->poolmgr, release_run, release_ended, of))
		free(of);
}

void release_server(struct poolmgr *poolmgr, const char *server_id, bool control)
{
	struct release *of = xcalloc(1, sizeof(*of));

	*of = (struct release){ poolmgr, servers_find(poolmgr->servers, server_id)
	                                 ->settings->id, control };
	if (poolmgr_submit(poolmgr, release_run, release_ended, of))
		return;
	log_warn("retries not scheduled: server=%s reason=\"" POOLMGR_IS_FULL "\"",
	         server_id, POOLMGR_JOBS_MAX);
	free(of);
}

void release_find(const struct poolmgr *poolmgr, struct tx *tx, struct arena *arena,
                  const struct server_report *reports, size_t count,
                  struct recovered *recovered)
{
	const struct server_report *successes[LIST_MAX];
	size_t n = 0;

	recovered->count = 0;
	for (size_t i = 0; i < count; i++)
		if (reports[i].report == REPORT_SUCCESS &&
		    servers_find(poolmgr->servers, reports[i].name_server)->has_waiting)
			successes[n++] = &reports[i];
	if (n)
		recovered->count = store_recovered(tx, arena, successes, n,
		                                   recovered->server_ids);
}

void release_recovered(struct poolmgr *poolmgr, const struct recovered *recovered)
{
	for (size_t i = 0; i < recovered->count; i++) {
		struct server *server = servers_find(poolmgr->servers,
		                                     recovered->server_ids[i]);

		if (server->released_ms && clock_ms() < server->released_ms + PAUSE_MS)
			continue;
		server->released_ms = clock_ms();
		log_info("server serves new serials again: server=%s",
		         server->settings->id);
		release_server(poolmgr, server->settings->id, false);
	}
}
