#include "retry.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "health.h"
#include "operation.h"
#include "runtime/tx.h"
#include "servers.h"
#include "store.h"
#include "store_due.h"
#include "store_health.h"
#include "store_servers.h"
#include "tell.h"

enum {
	RETRY_ROWS = 200,
	PROBE_ROWS = 4,
	RETURN_ROWS = 1000,
	WAITING_MAX = 2000,	/* operations of a server: the rest of its lane is users' */
	EVER_S = 86400,
};

/* What is due of a server through its control channel, or for its DNS port. */
struct page {
	struct due_of of;	/* limit 0: nothing is asked for */
	struct due *due;
	bool is_probe;		/* by the process that writes so first */
	struct health health;	/* of the server, as it was read */
};

struct retry {
	struct poolmgr *poolmgr;
	bool is_running;
	/* of a turn */
	struct arena *arena;
	char id[ID_LEN + 1];
	struct scope scope;	/* share.total 0: not known yet, or nothing */
	int lease_s;
	struct seen_servers seen;
	/* of the server in hand */
	size_t at;
	bool is_returning;
	struct page pages[CHANNELS];
	enum err err;
	struct why why;
};

struct retry *retry_new(struct poolmgr *poolmgr)
{
	struct retry *retry = xcalloc(1, sizeof(*retry));

	retry->poolmgr = poolmgr;
	retry->arena = arena_new();
	return retry;
}

void retry_free(struct retry **retry)
{
	if (!*retry)
		return;
	arena_free(&(*retry)->arena);
	free(*retry);
	*retry = NULL;
}

static struct server *server_in_hand(const struct retry *retry)
{
	return &retry->poolmgr->servers->item[retry->at];
}

static void end_turn(struct retry *retry)
{
	retry->is_running = false;
	arena_reset(retry->arena);
}

/* What the database did not let us do is done in the next turn. */
static bool has_gone_well(const struct retry *retry)
{
	enum err err = retry->err;

	if (!poolmgr_ran(retry->poolmgr))
		return false;
	/* that is said where it is seen; a race was won by another, who does it */
	if (err && err != ERR_UNREACHABLE && err != ERR_RACE)
		log_warn("retries not read: err=%s why=\"%s\"", err_name(err),
		         retry->why.text);
	return !err;
}

/* ---- on the lane ---- */

static void look(void *self)
{
	struct retry *retry = self;
	struct tx tx = tx_autocommit(retry->poolmgr->lane_db, &retry->why);

	store_servers(&tx, retry->arena, retry->poolmgr->config.pool_name, &retry->seen);
	retry->err = tx_commit(&tx);
}

/* Who is back in service makes up for what it missed at once, not when its time comes. */
static enum err hurry_returning(struct retry *retry)
{
	const char *server_id = server_in_hand(retry)->settings->id;
	struct tx tx = tx_autocommit(retry->poolmgr->lane_db, &retry->why);
	int64_t rows = store_return(&tx, &retry->scope.share, server_id, RETURN_ROWS);
	enum err err = tx_commit(&tx);

	retry->is_returning = err || rows == RETURN_ROWS;
	return err;
}

/* The zone of a deleted domain whose name lives again belongs to the new one. */
static void settle_superseded(struct tx *tx, const struct retry *retry, struct due **due)
{
	while (*due)
		if ((*due)->superseded) {
			store_settle(tx, &(struct outcome){
			    (*due)->domain.id, server_in_hand(retry)->settings->id,
			    ACTION_DELETE, "SUCCESS", "superseded by a new domain", 0 });
			*due = (*due)->next;
		} else {
			due = &(*due)->next;
		}
}

static bool begins_probe(struct tx *tx, const struct retry *retry, enum channel channel)
{
	const struct page *page = &retry->pages[channel];
	struct health_move move = health_probe(channel, &page->health, random_u32());

	return store_health_move(tx, retry->poolmgr->config.pool_name, page->of.server_id,
	                         channel, &page->health, &move, NULL);
}

/*
 * A probe counts only with something to send, and what another process probes is not claimed
 * here: both are written together.
 */
static enum err claim_due(struct retry *retry, enum channel channel, struct due *due)
{
	struct page *page = &retry->pages[channel];
	struct tx tx = tx_begin(retry->poolmgr->lane_db, &retry->why);

	store_claim(&tx, retry->arena, &due, page->of.ahead_s, retry->lease_s);
	settle_superseded(&tx, retry, &due);
	if (due && page->is_probe && !begins_probe(&tx, retry, channel) && !tx.err) {
		tx_rollback(&tx);
		return OK;
	}
	enum err err = tx_commit(&tx);
	page->due = err ? NULL : due;
	return err;
}

static enum err claim_page(struct retry *retry, enum channel channel)
{
	struct page *page = &retry->pages[channel];
	struct tx tx = tx_autocommit(retry->poolmgr->lane_db, &retry->why);
	struct due *due = store_due(&tx, retry->arena, &retry->scope, &page->of);

	if (!due && !page->is_probe)
		store_forget_due(&tx, &retry->scope.share, &page->of);
	enum err err = tx_commit(&tx);

	return err || !due ? err : claim_due(retry, channel, due);
}

static void claim(void *self)
{
	struct retry *retry = self;

	retry->err = OK;
	if (!retry->scope.share.total)
		retry->scope = poolmgr_scope(retry->poolmgr, retry->poolmgr->lane_db);
	if (!retry->scope.share.total)
		return;
	if (retry->is_returning)
		retry->err = hurry_returning(retry);
	for (enum channel channel = 0; channel < CHANNELS && !retry->err; channel++)
		if (retry->pages[channel].of.limit)
			retry->err = claim_page(retry, channel);
}

/* ---- on the loop ---- */

/* Together, a list a message. */
static void tell_updates(struct retry *retry, struct server *server, const struct due *due,
                         const struct cause *cause)
{
	struct domain_ref *list = arena_alloc(retry->arena, RETRY_ROWS * sizeof(*list));
	struct domain_refs refs = { list, 0 };
	const struct server *one[] = { server };

	for (; due; due = due->next)
		if (due->action == ACTION_UPDATE)
			list[refs.count++] = due->domain;
	tell_servers(retry->poolmgr->tell, &refs, &(struct audience){ one, 1 }, cause);
}

static void do_again(struct retry *retry, const struct due *due,
                     const struct cause *cause)
{
	struct server *server = server_in_hand(retry);

	tell_updates(retry, server, due, cause);
	for (; due; due = due->next)
		if (due->action != ACTION_UPDATE)
			operation_start(retry->poolmgr, &due->domain, due->action, server,
			                cause);
}

static void next_server(struct retry *retry);

static void claimed(void *self)
{
	struct retry *retry = self;
	struct server *server = server_in_hand(retry);
	struct cause cause = { .request_id = retry->id, .recovery = true };

	if (!has_gone_well(retry) || !retry->scope.share.total) {
		end_turn(retry);
		return;
	}
	server->returning = retry->is_returning;
	log_request(retry->id);
	do_again(retry, retry->pages[CHANNEL_DNS].due, &cause);
	cause.probe = retry->pages[CHANNEL_CONTROL].is_probe;
	do_again(retry, retry->pages[CHANNEL_CONTROL].due, &cause);
	log_request(NULL);
	retry->at++;
	next_server(retry);
}

/*
 * A probe waits for no row's own time: after hours of failures that is minutes
 * away, and only the probe can tell that the server is back.
 */
static void limit_due(const struct server *server, enum channel channel,
                      struct page *page)
{
	page->health = server->health[channel];
	page->is_probe = server_fails(server, channel);
	page->of.limit = page->is_probe ? PROBE_ROWS : RETRY_ROWS;
	page->of.ahead_s = page->is_probe ? EVER_S : 0;
	if (page->is_probe && !page->health.is_due)
		page->of.limit = 0;
}

static void limit_pages(struct retry *retry, struct server *server)
{
	const char *id = server->settings->id;
	struct page *control = &retry->pages[CHANNEL_CONTROL];
	struct page *dns = &retry->pages[CHANNEL_DNS];

	*control = (struct page){ { .server_id = id, .control = true } };
	*dns = (struct page){ { .server_id = id } };
	if (lane_waiting(server->lane) + RETRY_ROWS <= WAITING_MAX)
		limit_due(server, CHANNEL_CONTROL, control);
	if (server_is_known(server))
		limit_due(server, CHANNEL_DNS, dns);
}

/* A server that fails is asked whether anything is due or not. */
static bool needs_retry(const struct retry *retry, const struct server *server)
{
	if (!atomic_load(&server->in_service))
		return false;
	if (server->returning || server_fails(server, CHANNEL_CONTROL) ||
	    server_fails(server, CHANNEL_DNS))
		return true;
	for (size_t i = 0; i < retry->seen.count; i++)
		if (!strcmp(retry->seen.item[i].id, server->settings->id))
			return retry->seen.item[i].has_due;
	return false;
}

static void next_server(struct retry *retry)
{
	const struct servers *servers = retry->poolmgr->servers;

	while (retry->at < servers->count && !needs_retry(retry, server_in_hand(retry)))
		retry->at++;
	if (retry->at == servers->count || retry->poolmgr->is_draining) {
		end_turn(retry);
		return;
	}
	retry->is_returning = server_in_hand(retry)->returning;
	limit_pages(retry, server_in_hand(retry));
	if (!poolmgr_submit(retry->poolmgr, claim, claimed, retry))
		end_turn(retry);
}

/* What all processes know of a server. */
static void take(struct servers *servers, const struct seen_server *seen)
{
	struct server *server = servers_find(servers, seen->id);

	servers_set(servers, seen->id, seen->in_service);
	if (server)
		health_seen(server, seen->health);
}

static void looked(void *self)
{
	struct retry *retry = self;
	struct servers *servers = retry->poolmgr->servers;

	if (!has_gone_well(retry)) {
		end_turn(retry);
		return;
	}
	for (size_t i = 0; i < retry->seen.count; i++)
		take(servers, &retry->seen.item[i]);
	next_server(retry);
}

/* One statement while nothing is due. */
void retry_fire(struct retry *retry)
{
	struct poolmgr *poolmgr = retry->poolmgr;

	servers_measure(poolmgr->servers);
	if (retry->is_running)
		return;
	retry->at = 0;
	retry->scope = (struct scope){ .pool = NULL };
	retry->lease_s = poolmgr_poll_budget_s(poolmgr) + 30;
	id_random(retry->id);
	retry->is_running = poolmgr_submit(poolmgr, look, looked, retry);
}
