#include "retry.h"

#include <stdlib.h>
#include <string.h>

#include "adjust.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "health.h"
#include "operation.h"
#include "peers.h"
#include "runtime/tx.h"
#include "servers.h"
#include "store.h"
#include "store_due.h"
#include "store_health.h"
#include "store_servers.h"

enum {
	RETRY_ROWS = 200,
	PROBE_ROWS = 4,
	SAMPLE_ROWS = 10,
	SAMPLE_MS = 10 * 1000,
	CATCH_UP_ROWS = 1000,
	/* jobs on a lane; the rest of its room is for orders of users */
	WAITING_MAX = 2000,
	EVER_S = 86400,
};

/* Due rows of a server for one channel. */
struct page {
	struct due_of of;	/* limit 0: no rows are read */
	struct due *due;
	bool is_probe;		/* the process that claims it first sends it */
	struct health health;	/* of the server, as read */
};

struct retry {
	struct poolmgr *poolmgr;
	bool is_running;
	uint64_t generation;	/* of the last share */
	/* of a turn */
	struct arena *arena;
	char id[ID_LEN + 1];
	struct scope scope;	/* share.total 0: no share */
	int lease_s;
	struct seen_servers seen;
	/* for the current server */
	size_t at;
	enum catch_up catch_up;
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

static struct server *retry_server(const struct retry *retry)
{
	return &retry->poolmgr->servers->item[retry->at];
}

static void retry_end(struct retry *retry)
{
	retry->is_running = false;
	arena_reset(retry->arena);
}

/* False: the database has failed; the next turn of the loop continues. */
static bool retry_is_ok(const struct retry *retry)
{
	enum err err = retry->err;

	if (!poolmgr_ran(retry->poolmgr))
		return false;
	/*
	 * the database code logs the first error; after a race another process has the
	 * rows
	 */
	if (err && err != ERR_UNREACHABLE && err != ERR_RACE)
		log_warn("cannot read which retries are due: err=%s reason=\"%s\"",
		         err_name(err), retry->why.text);
	return !err;
}

/* ---- on the lane ---- */

static void retry_read_servers(void *self)
{
	struct retry *retry = self;
	struct tx tx = tx_autocommit(retry->poolmgr->lane_db, &retry->why);

	store_read_servers(&tx, retry->arena, retry->poolmgr->config.pool_name,
	                   &retry->seen);
	retry->err = tx_commit(&tx);
	if (!retry->err)
		retry->scope = poolmgr_scope(retry->poolmgr, retry->poolmgr->lane_db);
}

/*
 * The server is back in service, or the share is new: makes pending rows due
 * immediately. A dead process may have known that a server answers again, and it has not
 * finished the rows that it had claimed. A second run of an action changes nothing.
 */
static enum err retry_schedule_catch_up(struct retry *retry)
{
	const char *server_id = retry_server(retry)->settings->id;
	struct tx tx = tx_autocommit(retry->poolmgr->lane_db, &retry->why);
	int64_t rows = store_catch_up(&tx, &retry->scope.share, server_id,
	                              retry->catch_up == CATCH_UP_UNFINISHED,
	                              CATCH_UP_ROWS);
	enum err err = tx_commit(&tx);

	if (!err && rows < CATCH_UP_ROWS)
		retry->catch_up = CATCH_UP_NONE;
	return err;
}

/* A new domain has the name of the deleted one, so the zone stays for the new domain. */
static void retry_settle_superseded(struct tx *tx, const struct retry *retry,
                                    struct due **due)
{
	while (*due)
		if ((*due)->superseded) {
			store_settle(tx, &(struct outcome){
			    (*due)->domain.id, retry_server(retry)->settings->id,
			    ACTION_DELETE, "SUCCESS", "a new domain has the same name "
			    "and keeps the zone", 0 });
			*due = (*due)->next;
		} else {
			due = &(*due)->next;
		}
}

static bool retry_begin_probe(struct tx *tx, const struct retry *retry,
                              enum channel channel)
{
	const struct page *page = &retry->pages[channel];
	struct health_move move = health_probe(&page->health, random_u32());

	return store_health_move(tx, retry->poolmgr->config.pool_name, page->of.server_id,
	                         channel, &page->health, &move, NULL);
}

/*
 * Claims due rows. A probe needs a row to send. One transaction writes the probe and
 * claims the row, so that two processes do not probe at the same time.
 */
static enum err retry_claim_due(struct retry *retry, enum channel channel,
                                struct due *due)
{
	struct page *page = &retry->pages[channel];
	struct tx tx = tx_begin(retry->poolmgr->lane_db, &retry->why);

	store_claim(&tx, retry->arena, &due, page->of.ahead_s, retry->lease_s);
	retry_settle_superseded(&tx, retry, &due);
	if (due && page->is_probe && !retry_begin_probe(&tx, retry, channel) && !tx.err) {
		tx_rollback(&tx);
		return OK;
	}
	enum err err = tx_commit(&tx);
	page->due = err ? NULL : due;
	return err;
}

static enum err retry_claim_page(struct retry *retry, enum channel channel)
{
	struct page *page = &retry->pages[channel];
	struct tx tx = tx_autocommit(retry->poolmgr->lane_db, &retry->why);
	struct due *due = store_due(&tx, retry->arena, &retry->scope, &page->of);

	if (!due && !page->is_probe)
		store_forget_due(&tx, &retry->scope.share, &page->of);
	enum err err = tx_commit(&tx);

	return err || !due ? err : retry_claim_due(retry, channel, due);
}

static void retry_claim(void *self)
{
	struct retry *retry = self;

	retry->err = OK;
	if (retry->catch_up)
		retry->err = retry_schedule_catch_up(retry);
	for (enum channel channel = 0; channel < CHANNELS && !retry->err; channel++)
		if (retry->pages[channel].of.limit)
			retry->err = retry_claim_page(retry, channel);
}

/* ---- on the loop ---- */

static void retry_send_updates(struct retry *retry, struct server *server,
                               const struct due *due, const struct cause *cause)
{
	struct domain_ref *list = arena_alloc(retry->arena, RETRY_ROWS * sizeof(*list));
	struct domain_refs refs = { list, 0 };
	const struct server *one[] = { server };

	for (; due; due = due->next)
		if (due->action == ACTION_UPDATE)
			list[refs.count++] = due->domain;
	peers_notify_all(retry->poolmgr->peers, &refs, &(struct server_list){ one, 1 },
	                 cause);
}

static void retry_send(struct retry *retry, const struct due *due,
                       const struct cause *cause)
{
	struct server *server = retry_server(retry);

	retry_send_updates(retry, server, due, cause);
	for (; due; due = due->next)
		if (due->action != ACTION_UPDATE)
			operation_start(retry->poolmgr, &due->domain, due->action, server,
			                cause);
}

static void retry_next_server(struct retry *retry);

static void retry_claimed(void *self)
{
	struct retry *retry = self;
	struct server *server = retry_server(retry);
	struct cause cause = { .request_id = retry->id, .recovery = true };

	if (!retry_is_ok(retry)) {
		retry_end(retry);
		return;
	}
	server->catch_up = retry->catch_up;
	log_request(retry->id);
	for (enum channel channel = 0; channel < CHANNELS; channel++) {
		cause.probe = retry->pages[channel].is_probe;
		retry_send(retry, retry->pages[channel].due, &cause);
	}
	log_request(NULL);
	retry->at++;
	retry_next_server(retry);
}

/*
 * Sets the limits of the page. A probe also takes rows that are not due yet: after hours
 * of failures they become due only in some minutes, and only the probe can find out that
 * the server answers again.
 */
static void retry_limit_page(const struct server *server, enum channel channel,
                             struct page *page)
{
	page->health = server->health[channel];
	page->is_probe = server_fails(server, channel);
	page->of.limit = page->is_probe ? PROBE_ROWS : RETRY_ROWS;
	page->of.ahead_s = page->is_probe ? EVER_S : 0;
	if (page->is_probe && !page->health.is_due)
		page->of.limit = 0;
}

static bool retry_needs_sample(const struct server *server)
{
	return server->has_waiting && !server_fails(server, CHANNEL_DNS) &&
	       clock_ms() >= server->sampled_ms + SAMPLE_MS;
}

/*
 * Now and then some rows of a server that answers are tried before their time. After a
 * long fault the rows become due only in some minutes. A success of one of them releases
 * the others (release.h).
 */
static void retry_limit_sample(struct server *server, struct page *page)
{
	if (!retry_needs_sample(server))
		return;
	server->sampled_ms = clock_ms();
	page->of.limit = SAMPLE_ROWS;
	page->of.ahead_s = EVER_S;
	page->of.waiting = true;
}

static void retry_limit_pages(struct retry *retry, struct server *server)
{
	const char *id = server->settings->id;
	struct page *control = &retry->pages[CHANNEL_CONTROL];
	struct page *dns = &retry->pages[CHANNEL_DNS];

	*control = (struct page){ { .server_id = id, .control = true } };
	*dns = (struct page){ { .server_id = id } };
	if (lane_waiting(server->lane) + RETRY_ROWS <= WAITING_MAX)
		retry_limit_page(server, CHANNEL_CONTROL, control);
	if (server_is_known(server))
		retry_limit_page(server, CHANNEL_DNS, dns);
	if (dns->of.limit)
		retry_limit_sample(server, dns);
}

/*
 * True: rows of the server must be read. A failing server is read for the probe, even if
 * no row is due.
 */
static bool retry_needs_server(const struct retry *retry, const struct server *server)
{
	if (!atomic_load(&server->in_service))
		return false;
	if (server->catch_up || server_fails(server, CHANNEL_CONTROL) ||
	    server_fails(server, CHANNEL_DNS) || retry_needs_sample(server))
		return true;
	for (size_t i = 0; i < retry->seen.count; i++)
		if (!strcmp(retry->seen.item[i].id, server->settings->id))
			return retry->seen.item[i].has_due;
	return false;
}

static void retry_next_server(struct retry *retry)
{
	const struct servers *servers = retry->poolmgr->servers;

	while (retry->at < servers->count && !retry_needs_server(retry,
	                                                         retry_server(retry)))
		retry->at++;
	if (retry->at == servers->count || retry->poolmgr->is_draining) {
		retry_end(retry);
		return;
	}
	retry->catch_up = retry_server(retry)->catch_up;
	retry_limit_pages(retry, retry_server(retry));
	if (!poolmgr_submit(retry->poolmgr, retry_claim, retry_claimed, retry))
		retry_end(retry);
}

/* Applies the shared state of a server. */
static void retry_apply_server_state(struct servers *servers,
                                     const struct seen_server *seen)
{
	struct server *server = servers_find(servers, seen->id);

	servers_set(servers, seen->id, seen->in_service);
	if (!server)
		return;
	health_seen(server, seen->health);
	adjust_seen(server, seen->settings_digest);
	server->has_waiting = seen->has_waiting;
}

static void retry_take_share(struct retry *retry)
{
	struct servers *servers = retry->poolmgr->servers;

	if (retry->scope.share.generation == retry->generation)
		return;
	retry->generation = retry->scope.share.generation;
	for (size_t i = 0; i < servers->count; i++)
		if (!servers->item[i].catch_up)
			servers->item[i].catch_up = CATCH_UP_UNFINISHED;
}

static void retry_servers_read(void *self)
{
	struct retry *retry = self;
	struct servers *servers = retry->poolmgr->servers;

	if (!retry_is_ok(retry)) {
		retry_end(retry);
		return;
	}
	for (size_t i = 0; i < retry->seen.count; i++)
		retry_apply_server_state(servers, &retry->seen.item[i]);
	if (!retry->scope.share.total) {
		retry_end(retry);
		return;
	}
	retry_take_share(retry);
	retry_next_server(retry);
}

/* If no row is due, a turn needs only two statements. */
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
	retry->is_running = poolmgr_submit(poolmgr, retry_read_servers,
	                                   retry_servers_read, retry);
}
