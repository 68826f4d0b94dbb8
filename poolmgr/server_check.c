#include "server_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/membership.h"
#include "peers.h"
#include "poolmgr.h"
#include "runtime/tx.h"
#include "servers.h"
#include "store_due.h"

struct server_check {
	struct poolmgr *poolmgr;
	char cursor[ID_LEN + 1];	/* the domain of the last check */
	/* of the check that the lane reads */
	bool is_running;
	struct arena *arena;
	struct due *page;		/* domains after the cursor */
	enum err err;
	struct why why;
};

struct server_check *server_check_new(struct poolmgr *poolmgr)
{
	struct server_check *check = xcalloc(1, sizeof(*check));

	check->poolmgr = poolmgr;
	check->arena = arena_new();
	id_random(check->cursor);
	return check;
}

void server_check_free(struct server_check **check)
{
	if (*check)
		arena_free(&(*check)->arena);
	free(*check);
	*check = NULL;
}

/* ---- on the lane ---- */

/* The master checks for the whole pool, so its domain may be in any share. */
static void server_check_read(void *self)
{
	struct server_check *check = self;
	const struct poolmgr *poolmgr = check->poolmgr;
	const struct scope pool = { poolmgr->config.pool_name, { .factor = 0, .total = 1 } };

	check->err = OK;
	check->page = NULL;
	if (!membership_is_master(poolmgr->runtime.membership))
		return;
	struct tx tx = tx_autocommit(poolmgr->lane_db, &check->why);
	check->page = store_page(&tx, check->arena, &pool, check->cursor, LIST_MAX);
	check->err = tx_commit(&tx);
}

/* ---- on the loop ---- */

static void server_check_order(struct poolmgr *poolmgr, const struct domain_ref *domain,
                               const struct server *server, const struct cause *cause)
{
	struct domain_ref one = *domain;

	/* the answer of a server with failures ends their row, so it needs a report */
	if (server->health[CHANNEL_DNS].failures)
		peers_poll(poolmgr->peers, domain, server, cause);
	else
		peers_poll_all(poolmgr->peers, &(struct domain_refs){ &one, 1 },
		               &(struct server_list){ &server, 1 }, cause);
}

static void server_check_servers(struct poolmgr *poolmgr, const struct domain_ref *domain)
{
	const struct servers *servers = poolmgr->servers;
	char id[ID_LEN + 1];
	const struct cause cause = { id, .recovery = true, .probe = true };

	id_random(id);
	log_request(id);
	for (size_t i = 0; i < servers->count; i++)
		if (server_has(&servers->item[i], domain) &&
		    !server_fails(&servers->item[i], CHANNEL_DNS))
			server_check_order(poolmgr, domain, &servers->item[i], &cause);
	log_request(NULL);
}

/* A poll with one try must not replace the poll of a change. */
static bool server_check_is_usable(const struct domain_ref *domain)
{
	return domain->state.status == STATUS_ACTIVE && !domain->is_catalog;
}

/* The first usable domain of the page; NULL: the next check continues after the page. */
static const struct domain_ref *server_check_choose(struct server_check *check)
{
	const struct due *at = check->page;

	*check->cursor = '\0';
	for (; at; at = at->next) {
		snprintf(check->cursor, sizeof(check->cursor), "%s", at->domain.id);
		if (server_check_is_usable(&at->domain))
			return &at->domain;
	}
	return NULL;
}

static void server_check_on_read(void *self)
{
	struct server_check *check = self;

	check->is_running = false;
	if (!poolmgr_ran(check->poolmgr))
		return;
	if (check->err && check->err != ERR_UNREACHABLE)
		log_warn("servers not checked: err=%s reason=\"%s\"", err_name(check->err),
		         check->why.text);
	if (check->err || !check->page) {
		*check->cursor = '\0';
		return;
	}
	const struct domain_ref *domain = server_check_choose(check);
	if (domain)
		server_check_servers(check->poolmgr, domain);
}

void server_check_fire(struct server_check *check)
{
	if (check->is_running || check->poolmgr->is_draining)
		return;
	arena_reset(check->arena);
	check->is_running = poolmgr_submit(check->poolmgr, server_check_read,
	                                   server_check_on_read, check);
}
