#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "core/strategy.h"
#include "host_changes.h"
#include "model/json.h"
#include "publish.h"
#include "runtime/loop.h"
#include "runtime/redo_timer.h"
#include "service.h"

bool service_read_router(struct request *req, struct tx *tx, const char *name,
                         enum router_lock lock, struct router_row *router)
{
	if (store_router_read(tx, req->arena, name, lock, router))
		return true;
	tx_fail(tx, ERR_NOT_FOUND, "there is no router '%.63s'",
	        err_quote(name, (char[64]){ 0 }, 64));
	return false;
}

static void router_lock(struct request *req, struct tx *tx, const char *name,
                        struct router_row *router)
{
	if (service_read_router(req, tx, name, ROUTER_LOCK, router) &&
	    router->state == ROUTER_GOING)
		tx_fail(tx, ERR_CONFLICT, "router %.63s is being deleted", name);
}

/* Commits, answers, and starts to publish the domain. */
static enum err router_commit(struct routes *routes, struct request *req, struct tx *tx,
                              const char *name)
{
	const struct alive_rule rule = routes_alive_rule(routes);
	struct router_row router;
	enum err err;

	store_addresses_update_shown(tx, name, &rule);
	if (store_router_read(tx, req->arena, name, ROUTER_READ, &router))
		req->result = json_pack("{s:o}", "router",
		                        codec_router_encode(&router, true, routes));
	err = tx_commit(tx);
	if (!err)
		publish_now(routes, name);
	return err;
}

/* ---- the routes of a router ---- */

enum { PAGE = 500, LOCKED_MS = 1000 };

/*
 * Updates one page of routes, because there may be many. Returns the number of matched
 * routes.
 */
typedef int64_t page_fn(struct tx *tx, const char *router);

static int64_t page_clear_errors(struct tx *tx, const char *router)
{
	return store_routes_clear_errors(tx, router, PAGE);
}

/* Retries all routes without a router, because one may fit the router now. */
static int64_t page_retry(struct tx *tx, const char *router)
{
	(void)router;
	return store_routes_retry_now(tx, PAGE);
}

/*
 * Begins a transaction with the same lock as transactions that bind routes. Such a
 * transaction comes before, and its failures are stored; or it comes after, and reads the
 * changed router. So no route is missed. The lock comes first in each transaction.
 */
static struct tx router_tx_begin(struct routes *routes, struct why *why)
{
	struct tx tx = tx_begin(routes->runtime.db, why);

	store_strategy_lock(&tx, strategy_words[routes->settings.strategy]);
	return tx_move(&tx);
}

/* The further pages after a call, each in a turn of the loop. */
struct pages {
	struct pages *next;
	struct routes *routes;
	struct redo_timer *redo;
	struct loop_timer *turn;
	char *router;
	page_fn *page;
	int64_t matched;		/* of the last page */
};

static void pages_free(struct pages *pages)
{
	struct pages **at = &pages->routes->pages;

	while (*at != pages)
		at = &(*at)->next;
	*at = pages->next;
	redo_timer_free(&pages->redo);
	loop_timer_free(&pages->turn);
	free(pages->router);
	free(pages);
}

static enum err page_write(void *self, struct why *why)
{
	struct pages *pages = self;
	struct tx tx = router_tx_begin(pages->routes, why);

	pages->matched = pages->page(&tx, pages->router);
	return tx_commit(&tx);
}

/* Only after a full page there may be more. */
static void pages_on_written(void *self, enum err err, const struct why *why)
{
	struct pages *pages = self;

	if (err)
		log_warn("routes of the router not updated: router=%s reason=\"%s\"",
		         pages->router, why->text);
	if (err == ERR_LOCKED)
		loop_timer_set(pages->turn, LOCKED_MS);
	else if (err || pages->matched < PAGE)
		pages_free(pages);
	else
		loop_timer_set(pages->turn, 0);
}

static void pages_on_turn(void *self)
{
	struct pages *pages = self;

	redo_timer_run(pages->redo, page_write, pages_on_written);
}

/* MATCHED: number of routes in the first page, which the call has written. */
static void pages_write(struct routes *routes, const char *router, page_fn *page,
                        int64_t matched)
{
	struct loop *loop = routes->runtime.loop;
	struct pages *pages;

	if (matched < PAGE)
		return;
	pages = xcalloc(1, sizeof(*pages));
	pages->next = routes->pages;
	routes->pages = pages;
	pages->routes = routes;
	pages->redo = redo_timer_new(loop, pages);
	pages->turn = loop_timer_new(loop, pages_on_turn, pages);
	pages->router = xstrdup(router);
	pages->page = page;
	loop_timer_set(pages->turn, 0);
}

void service_stop(struct routes *routes)
{
	while (routes->pages)
		pages_free(routes->pages);
}

/* ---- create, update ---- */

static bool router_row_has_address(const struct router_row *router,
                                   const struct router_address *at)
{
	for (size_t i = 0; i < router->count; i++)
		if (address_same_host(&router->addresses[i].address, &at->address))
			return router->addresses[i].is_up == at->is_up;
	return false;
}

/* No router has the same address twice. */
static bool router_row_same_addresses(const struct router_row *a,
                                      const struct router_row *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (!router_row_has_address(b, &a->addresses[i]))
			return false;
	return a->count == b->count;
}

static bool router_row_same_capacity(const struct router_row *a,
                                     const struct router_row *b)
{
	return a->has_capacity == b->has_capacity &&
	       (!a->has_capacity || a->capacity == b->capacity);
}

static bool router_row_same_values(const struct router_row *a, const struct router_row *b)
{
	return !strcmp(a->dns, b->dns) && !strcmp(a->label, b->label) &&
	       a->ttl == b->ttl && !strcmp(a->description, b->description) &&
	       !strcmp(a->zone, b->zone) && router_row_same_capacity(a, b) &&
	       router_row_same_addresses(a, b);
}

static bool router_row_is_same(const struct router_row *a, const struct router_row *b)
{
	return router_row_same_values(a, b) && a->state == ROUTER_ACTIVE;
}

/*
 * Checks that the domain does not overlap another router's domain and contains no claimed
 * host.
 */
static void router_check_domain(struct request *req, struct tx *tx,
                                const struct router_row *router)
{
	const char *around = store_router_find_host(tx, req->arena, router->dns);
	const char *below = store_router_find_below(tx, req->arena, router->dns);
	const char *host = store_claim_find_below(tx, req->arena, router->dns);

	if (around)
		tx_fail(tx, ERR_EXISTS, "dns: %.253s must not be in the domain of router "
		        "%.63s", router->dns, around);
	else if (below)
		tx_fail(tx, ERR_EXISTS, "dns: %.253s must not contain the domain of "
		        "router %.63s", router->dns, below);
	else if (host)
		tx_fail(tx, ERR_EXISTS, "dns: %.253s contains %.253s, the host of a "
		        "route: choose a domain that contains no host of a route",
		        router->dns, host);
}

enum err service_create_router(void *self, struct request *req)
{
	struct routes *routes = self;
	struct router_input input;
	struct router_row was;
	int64_t retried;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router_decode(routes, req, &input);
	if (err)
		return err;

	struct tx tx = router_tx_begin(routes, &req->why);
	store_gates_lock(&tx);
	if (store_router_read(&tx, req->arena, input.router.name, ROUTER_LOCK, &was)) {
		if (!router_row_is_same(&was, &input.router))	/* else: a retry */
			tx_fail(&tx, ERR_EXISTS, "name: router %.63s already exists%s: "
			        "choose a different name",
			        was.name,
			        was.state == ROUTER_GOING ? " and is being deleted" : "");
	} else {
		router_check_domain(req, &tx, &input.router);
		store_router_insert(&tx, &input.router);
		store_addresses_replace(&tx, &input.router);
		rpc_changed(req, "router", input.router.name);
	}
	retried = page_retry(&tx, input.router.name);
	err = router_commit(routes, req, &tx, input.router.name);
	if (!err)
		pages_write(routes, input.router.name, page_retry, retried);
	return err;
}

/* With all_down = "keep" an update must not remove the last address of the domain. */
static void router_check_addresses(const struct routes *routes, struct tx *tx,
                                   const struct router_row *was)
{
	const struct alive_rule rule = routes_alive_rule(routes);
	bool had = false;

	for (size_t i = 0; i < was->count; i++)
		had |= was->addresses[i].is_shown;
	if (had && rule.keeps && !store_addresses_any_usable(tx, was->name, &rule))
		tx_fail(tx, ERR_CONFLICT, "addresses: no address is up, so the domain "
		        "would have no address: keep an old address until a new address "
		        "is up, or set routes.all_down = \"withdraw\"");
}

/* True: the router may now have routes that were not possible before. */
static bool router_row_accepts_more(const struct router_row *was,
                                    const struct router_row *is)
{
	return strcmp(was->label, is->label) || !router_row_same_capacity(was, is) ||
	       !router_row_same_addresses(was, is);
}

enum err service_update_router(void *self, struct request *req)
{
	struct routes *routes = self;
	struct router_input input;
	struct router_row was;
	int64_t retried = 0;
	const char *name;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router_decode_name(req, &name, &req->why);
	if (!err)
		err = codec_router_decode_values(req, &input);
	if (err)
		return err;

	struct tx tx = router_tx_begin(routes, &req->why);
	router_lock(req, &tx, name, &was);
	if (!tx.err) {
		codec_router_complete(&input, &was);
		store_router_update(&tx, &input.router);
		if (input.has_addresses) {
			store_addresses_replace(&tx, &input.router);
			router_check_addresses(routes, &tx, &was);
		}
		if (!router_row_same_values(&was, &input.router))
			rpc_changed(req, "router", name);
		if (router_row_accepts_more(&was, &input.router))
			retried = page_retry(&tx, name);
	}
	err = router_commit(routes, req, &tx, name);
	if (!err)
		pages_write(routes, name, page_retry, retried);
	return err;
}

/* ---- drain, delete ---- */

enum err service_drain_router(void *self, struct request *req)
{
	struct routes *routes = self;
	struct router_row router;
	int64_t cleared = 0, retried = 0;
	const char *name;
	bool drain = true;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router_decode_name(req, &name, &req->why);
	if (!err)
		err = json_get_bool(req->args, "drain", 0, &drain, &req->why);
	if (err)
		return err;

	struct tx tx = router_tx_begin(routes, &req->why);
	router_lock(req, &tx, name, &router);
	if (!tx.err) {
		if ((router.state == ROUTER_DRAINING) != drain)
			rpc_changed(req, "router", name);
		router.state = drain ? ROUTER_DRAINING : ROUTER_ACTIVE;
		store_router_update(&tx, &router);
		cleared = drain ? 0 : page_clear_errors(&tx, name);
		retried = page_retry(&tx, name);
	}
	err = router_commit(routes, req, &tx, name);
	if (err)
		return err;
	pages_write(routes, name, page_clear_errors, cleared);
	pages_write(routes, name, page_retry, retried);
	return OK;
}

/* The time when the last of the former names will be gone. */
static const char *former_names_text(const struct former_names_left *left,
                                     struct arena *arena)
{
	if (left->leading)
		return arena_printf(arena, "the grace period (routes.rebind_grace) ends "
		                    "at %s. After this period, resolvers can keep the "
		                    "names for the TTL of %u s",
		                    left->until, left->ttl);
	if (left->leaving)
		return arena_printf(arena, "the name servers may still serve the names. "
		                    "Resolvers can keep the names for the TTL of %u s",
		                    left->ttl);
	return arena_printf(arena, "resolvers can keep the names until %s", left->until);
}

static void router_check_former_names(struct request *req, struct tx *tx,
                                      const struct router_row *router)
{
	struct former_names_left left;

	store_router_former_names(tx, req->arena, router, &left);
	if (left.count)
		tx_fail(tx, ERR_CONFLICT, "%" PRId64 " former names or hosts of routes "
		        "may still lead clients to this router: %s. Wait, or set force "
		        "(client: --force)",
		        left.count, former_names_text(&left, req->arena));
}

static void router_add_change(void *self, const char *router)
{
	host_changes_add(self, router, NULL);
}

/* No router serves the former names of this router any more. */
static void router_end(struct request *req, struct tx *tx, struct router_row *router,
                       struct host_changes *changes)
{
	host_changes_add(changes, router->name, NULL);
	store_router_successors(tx, req->arena, router->name, router_add_change, changes);
	store_router_former_names_end(tx, router->name);
	router->state = ROUTER_GOING;
	store_router_update(tx, router);
	host_changes_write(changes, tx);
}

enum err service_delete_router(void *self, struct request *req)
{
	struct routes *routes = self;
	struct host_changes changes = { .arena = req->arena };
	struct router_row router;
	const char *name;
	bool force = false;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router_decode_name(req, &name, &req->why);
	if (!err)
		err = json_get_bool(req->args, "force", 0, &force, &req->why);
	if (err)
		return err;

	struct tx tx = tx_begin(routes->runtime.db, &req->why);
	service_read_router(req, &tx, name, ROUTER_LOCK, &router);
	if (!tx.err && router.bound && router.state == ROUTER_DRAINING)
		tx_fail(&tx, ERR_CONFLICT, "router %.63s is draining, but still has "
		        "routes (%u): wait until the routes have other routers "
		        "('zonefleet route list --router %.63s' shows why a route stays)",
		        router.name, router.bound, router.name);
	else if (!tx.err && router.bound)
		tx_fail(&tx, ERR_CONFLICT, "this router still has routes (%u): drain the "
		        "router first", router.bound);
	if (!tx.err && !force)
		router_check_former_names(req, &tx, &router);
	if (!tx.err && router.state != ROUTER_GOING)
		rpc_changed(req, "router", name);
	if (!tx.err)
		router_end(req, &tx, &router, &changes);
	err = tx_commit(&tx);
	if (!err) {
		publish_now(routes, name);
		host_changes_cast(&changes, routes);
	}
	return rpc_deleted(req, err);
}

/* ---- get, list ---- */

enum err service_get_router(void *self, struct request *req)
{
	struct routes *routes = self;
	struct router_row router;
	const char *name;
	enum err err = codec_router_decode_name(req, &name, &req->why);

	if (err)
		return err;

	struct tx tx = tx_begin_snapshot(routes->runtime.db, &req->why);
	if (service_read_router(req, &tx, name, ROUTER_READ, &router))
		req->result = json_pack("{s:o}", "router", codec_router_encode(&router,
		                        req->context.is_admin, routes));
	return tx_commit(&tx);
}

struct router_answer {
	struct routes *routes;
	json_t *list;
	bool is_admin;
	char last[ROUTE_LABEL_MAX + 1];
};

static void router_list_append(void *self, const struct router_row *router)
{
	struct router_answer *answer = self;

	json_array_append_new(answer->list, codec_router_encode(router, answer->is_admin,
	                                                        answer->routes));
	snprintf(answer->last, sizeof(answer->last), "%s", router->name);
}

enum err service_list_routers(void *self, struct request *req)
{
	struct routes *routes = self;
	struct router_answer answer = {
		.routes = routes, .is_admin = req->context.is_admin,
	};
	const char *marker = NULL;
	int limit;
	enum err err = codec_router_decode_filter(req, "marker", &marker, &req->why);

	if (!err)
		err = codec_decode_limit(req, &limit, &req->why);
	if (err)
		return err;
	answer.list = json_array();

	struct tx tx = tx_begin_snapshot(routes->runtime.db, &req->why);
	store_routers(&tx, req->arena, marker ? marker : "", limit, router_list_append,
	              &answer);
	req->result = json_pack("{s:o, s:s?}", "routers", answer.list, "marker",
		json_array_size(answer.list) == (size_t)limit ? answer.last : NULL);
	return tx_commit(&tx);
}

/* ---- instances ---- */

static enum err address_report_decode(struct request *req, struct address_report *report)
{
	const char *text;
	int64_t version = -1;
	enum err err = codec_router_decode_name(req, &report->router, &req->why);

	if (!err)
		err = json_get_text(req->args, "address", JSON_REQUIRED, ADDRESS_TEXT,
		                    &text, &req->why);
	if (!err)
		err = address_parse_host("address", text, &report->address, &req->why);
	if (!err)
		err = json_get_int(req->args, "version", 0, 0, INT64_MAX, &version,
		                   &req->why);
	report->has_version = version >= 0;
	report->version = report->has_version ? (uint64_t)version : 0;
	return err;
}

/*
 * Handles a report about an address that counted as silent, or does not exist. Routes may
 * be bound now.
 */
static enum err address_report_revive(struct routes *routes, struct request *req,
                                      const struct address_report *report)
{
	struct tx tx = router_tx_begin(routes, &req->why);
	int64_t retried = 0;
	enum err err;

	if (store_address_revive(&tx, report))
		retried = page_retry(&tx, report->router);
	else
		tx_fail(&tx, ERR_NOT_FOUND, "there is no router '%.63s' with this "
		        "address",
		        err_quote(report->router, (char[64]){ 0 }, 64));
	err = tx_commit(&tx);
	if (!err)
		pages_write(routes, report->router, page_retry, retried);
	return err;
}

/* Makes domains due that have a CNAME waiting for this version of the hosts. */
static enum err address_report_wake(struct routes *routes, struct request *req,
                                    const char *router)
{
	struct tx tx = tx_autocommit(routes->runtime.db, &req->why);

	store_former_names_wake(&tx, router, ROUTES_PATIENCE_S);
	return tx_commit(&tx);
}

/* An agent reports that the instance at an address is alive. */
enum err service_report_address(void *self, struct request *req)
{
	struct routes *routes = self;
	struct address_report report;
	bool is_renewed;
	enum err err = access_require_admin(req);

	if (!err)
		err = address_report_decode(req, &report);
	if (err)
		return err;

	struct tx tx = tx_autocommit(routes->runtime.db, &req->why);
	is_renewed = store_address_renew(&tx, &report, routes->settings.alive_ms);
	err = tx_commit(&tx);
	if (!err && !is_renewed)
		err = address_report_revive(routes, req, &report);
	if (!err && report.has_version)
		err = address_report_wake(routes, req, report.router);
	return err;
}
