#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "core/strategy.h"
#include "hosts_news.h"
#include "model/json.h"
#include "service_private.h"
#include "shard.h"

/* The argument "router", locked, if it is there. */
static void lock_router(struct request *req, struct tx *tx, const char *name,
                        struct router_row *router)
{
	if (!store_router_read(tx, req->arena, name, ROUTER_LOCK, router))
		tx_fail(tx, ERR_NOT_FOUND, "no router %.63s",
		        err_quote(name, (char[64]){ 0 }, 64));
	else if (router->state == ROUTER_GOING)
		tx_fail(tx, ERR_CONFLICT, "router %.63s is going", name);
}

/* Its domain is told of at once. */
static enum err end(struct routes *routes, struct request *req, struct tx *tx,
                    const char *name)
{
	const struct alive_rule rule = routes_alive_rule(routes);
	struct router_row router;
	enum err err;

	store_addresses_follow(tx, name, &rule);
	if (store_router_read(tx, req->arena, name, ROUTER_READ, &router))
		req->result = json_pack("{s:o}", "router",
		                        codec_encode_router(&router, true, routes));
	err = tx_commit(tx);
	if (!err)
		shards_now(routes->shards, name);
	return err;
}

/* ---- its routes ---- */

enum { PAGE = 500 };

/* Of all routes that it is about, some: there may be many, and others lock them, too. */
typedef int64_t page_fn(struct tx *tx, const char *router);

static int64_t stay(struct tx *tx, const char *router)
{
	return store_routes_stay(tx, router, PAGE);
}

/* Whichever they are: there is more room, or another label, for them. */
static int64_t come(struct tx *tx, const char *router)
{
	(void)router;
	return store_routes_due_now(tx, PAGE);
}

/*
 * Whoever binds comes before, and what it could not bind is written and seen, or after, and
 * has what this transaction makes of the router: no route misses both. First of all in it.
 */
static struct tx begin_chance(struct routes *routes, struct why *why)
{
	struct tx tx = tx_begin(routes->runtime.db, why);

	store_strategy_lock(&tx, strategy_words[routes->settings.strategy]);
	return tx_move(&tx);
}

struct pages {
	struct routes *routes;
	const char *router;
	page_fn *page;
	int64_t matched;
};

static enum err write_page(void *self, struct why *why)
{
	struct pages *pages = self;
	struct tx tx = begin_chance(pages->routes, why);

	pages->matched = pages->page(&tx, pages->router);
	return tx_commit(&tx);
}

/* MATCHED: of the page before; only a full one has more behind it. */
static void write_pages(struct routes *routes, const char *router, page_fn *page,
                        int64_t matched)
{
	struct pages pages = { routes, router, page, matched };
	struct why why;

	while (pages.matched == PAGE)
		if (tx_retry_on_loop(write_page, &pages, &why)) {
			log_warn("routes not changed: router=%s reason=\"%s\"", router,
			         why.text);
			return;
		}
}

/* ---- create, update ---- */

static bool has_address(const struct router_row *router, const struct router_address *at)
{
	for (size_t i = 0; i < router->count; i++)
		if (address_same_host(&router->addresses[i].address, &at->address))
			return router->addresses[i].is_up == at->is_up;
	return false;
}

/* Neither has one twice. */
static bool has_same_addresses(const struct router_row *a, const struct router_row *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (!has_address(b, &a->addresses[i]))
			return false;
	return a->count == b->count;
}

static bool has_same_capacity(const struct router_row *a, const struct router_row *b)
{
	return a->has_capacity == b->has_capacity &&
	       (!a->has_capacity || a->capacity == b->capacity);
}

static bool is_same_router(const struct router_row *a, const struct router_row *b)
{
	return !strcmp(a->dns, b->dns) && !strcmp(a->label, b->label) &&
	       a->ttl == b->ttl && !strcmp(a->description, b->description) &&
	       !strcmp(a->zone, b->zone) && has_same_capacity(a, b) &&
	       has_same_addresses(a, b) && a->state == ROUTER_ACTIVE;
}

/* Domains of routers do not overlap, nor do they have a host that somebody has. */
static void check_domain(struct request *req, struct tx *tx,
                         const struct router_row *router)
{
	const char *around = store_router_of_host(tx, req->arena, router->dns);
	const char *below = store_router_below(tx, req->arena, router->dns);
	const char *host = store_claim_in(tx, req->arena, router->dns);

	if (around)
		tx_fail(tx, ERR_EXISTS, "dns: is in the domain of router %.63s", around);
	else if (below)
		tx_fail(tx, ERR_EXISTS, "dns: the domain of router %.63s is in it", below);
	else if (host)
		tx_fail(tx, ERR_EXISTS, "dns: a route has a host in that domain, %.253s",
		        host);
}

enum err service_create_router(void *self, struct request *req)
{
	struct routes *routes = self;
	struct router_wish wish;
	struct router_row was;
	int64_t woken;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router(routes, req, &wish);
	if (err)
		return err;

	struct tx tx = begin_chance(routes, &req->why);
	store_gates_lock(&tx);
	if (store_router_read(&tx, req->arena, wish.router.name, ROUTER_LOCK, &was)) {
		if (!is_same_router(&was, &wish.router))	/* else: a message again */
			tx_fail(&tx, ERR_EXISTS, "name: there is a router %.63s%s",
			        was.name, was.state == ROUTER_GOING ? ", which is going"
			                                            : "");
	} else {
		check_domain(req, &tx, &wish.router);
		store_router_insert(&tx, &wish.router);
		store_addresses_put(&tx, &wish.router);
	}
	woken = come(&tx, wish.router.name);
	err = end(routes, req, &tx, wish.router.name);
	if (!err)
		write_pages(routes, wish.router.name, come, woken);
	return err;
}

/* By the addresses as they are now the domain has some, or had none before. */
static void check_addresses(const struct routes *routes, struct tx *tx,
                            const struct router_row *was)
{
	const struct alive_rule rule = routes_alive_rule(routes);
	bool had = false;

	for (size_t i = 0; i < was->count; i++)
		had |= was->addresses[i].is_shown;
	if (had && rule.keeps && !store_addresses_hold(tx, was->name, &rule))
		tx_fail(tx, ERR_CONFLICT, "addresses: none of these is up, and the domain "
		        "would be empty; keep one that it has until another is up, delete "
		        "the router, or set routes.all_down = \"withdraw\"");
}

/* To routes that it could not have before. */
static bool gives_chances(const struct router_row *was, const struct router_row *is)
{
	return strcmp(was->label, is->label) || !has_same_capacity(was, is) ||
	       !has_same_addresses(was, is);
}

enum err service_update_router(void *self, struct request *req)
{
	struct routes *routes = self;
	struct router_wish wish;
	struct router_row was;
	int64_t woken = 0;
	const char *name;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router_name(req, &name, &req->why);
	if (!err)
		err = codec_router_values(req, &wish);
	if (err)
		return err;

	struct tx tx = begin_chance(routes, &req->why);
	lock_router(req, &tx, name, &was);
	if (!tx.err) {
		codec_router_complete(&wish, &was);
		store_router_update(&tx, &wish.router);
		if (wish.has_addresses) {
			store_addresses_put(&tx, &wish.router);
			check_addresses(routes, &tx, &was);
		}
		if (gives_chances(&was, &wish.router))
			woken = come(&tx, name);
	}
	err = end(routes, req, &tx, name);
	if (!err)
		write_pages(routes, name, come, woken);
	return err;
}

/* ---- drain, delete ---- */

enum err service_drain_router(void *self, struct request *req)
{
	struct routes *routes = self;
	struct router_row router;
	int64_t staying = 0, woken = 0;
	const char *name;
	bool drain = true;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router_name(req, &name, &req->why);
	if (!err)
		err = json_get_bool(req->args, "drain", 0, &drain, &req->why);
	if (err)
		return err;

	struct tx tx = begin_chance(routes, &req->why);
	lock_router(req, &tx, name, &router);
	if (!tx.err) {
		router.state = drain ? ROUTER_DRAINING : ROUTER_ACTIVE;
		store_router_update(&tx, &router);
		staying = drain ? 0 : stay(&tx, name);
		woken = come(&tx, name);
	}
	err = end(routes, req, &tx, name);
	if (err)
		return err;
	write_pages(routes, name, stay, staying);
	write_pages(routes, name, come, woken);
	return OK;
}

/* What the last of these names waits for. */
static const char *moves_words(const struct moves_left *left, struct arena *arena)
{
	if (left->leading)
		return arena_printf(arena, "the grace ends at %s (routes.rebind_grace), then "
		                    "the name servers drop the names, and resolvers may "
		                    "keep them for %u s more (the ttl)", left->until,
		                    left->ttl);
	if (left->leaving)
		return arena_printf(arena, "the name servers may still have the names, and "
		                    "resolvers may keep them for %u s more (the ttl)",
		                    left->ttl);
	return arena_printf(arena, "resolvers may keep the names until %s", left->until);
}

static void check_moves(struct request *req, struct tx *tx,
                        const struct router_row *router)
{
	struct moves_left left;

	store_router_moves(tx, req->arena, router, &left);
	if (left.count)
		tx_fail(tx, ERR_CONFLICT, "%" PRId64 " names that routes had at it still "
		        "lead to others: %s. Wait, or end that by \"force\"", left.count,
		        moves_words(&left, req->arena));
}

static void take_mover(void *self, const char *router)
{
	hosts_news_add(self, router, NULL);
}

/* What routes were called there before is served nowhere any more. */
static void end_router(struct request *req, struct tx *tx, struct router_row *router,
                       struct hosts_news *news)
{
	hosts_news_add(news, router->name, NULL);
	store_router_movers(tx, req->arena, router->name, take_mover, news);
	store_router_moves_end(tx, router->name);
	router->state = ROUTER_GOING;
	store_router_update(tx, router);
	hosts_news_raise(news, tx);
}

enum err service_delete_router(void *self, struct request *req)
{
	struct routes *routes = self;
	struct hosts_news news = { .arena = req->arena };
	struct router_row router;
	const char *name;
	bool force = false;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router_name(req, &name, &req->why);
	if (!err)
		err = json_get_bool(req->args, "force", 0, &force, &req->why);
	if (err)
		return err;

	struct tx tx = tx_begin(routes->runtime.db, &req->why);
	if (!store_router_read(&tx, req->arena, name, ROUTER_LOCK, &router))
		tx_fail(&tx, ERR_NOT_FOUND, "no router %.63s",
		        err_quote(name, (char[64]){ 0 }, 64));
	else if (router.bound)
		tx_fail(&tx, ERR_CONFLICT, "%u routes are bound to it: drain it first",
		        router.bound);
	else if (!force)
		check_moves(req, &tx, &router);
	if (!tx.err)
		end_router(req, &tx, &router, &news);
	err = tx_commit(&tx);
	if (!err) {
		shards_now(routes->shards, name);
		hosts_news_tell(&news, routes);
	}
	return rpc_deleted(req, err);
}

/* ---- get, list ---- */

enum err service_get_router(void *self, struct request *req)
{
	struct routes *routes = self;
	struct router_row router;
	const char *name;
	enum err err = codec_router_name(req, &name, &req->why);

	if (err)
		return err;

	struct tx tx = tx_begin_snapshot(routes->runtime.db, &req->why);
	if (store_router_read(&tx, req->arena, name, ROUTER_READ, &router))
		req->result = json_pack("{s:o}", "router",
			codec_encode_router(&router, req->context.is_admin, routes));
	else
		tx_fail(&tx, ERR_NOT_FOUND, "no router %.63s",
		        err_quote(name, (char[64]){ 0 }, 64));
	return tx_commit(&tx);
}

struct listing {
	struct routes *routes;
	json_t *list;
	bool is_admin;
	char last[ROUTE_LABEL_MAX + 1];
};

static void take_router(void *self, const struct router_row *router)
{
	struct listing *listing = self;

	json_array_append_new(listing->list, codec_encode_router(router, listing->is_admin,
	                                                         listing->routes));
	snprintf(listing->last, sizeof(listing->last), "%s", router->name);
}

enum err service_list_routers(void *self, struct request *req)
{
	struct routes *routes = self;
	struct listing listing = { .routes = routes, .is_admin = req->context.is_admin };
	const char *marker = NULL;
	int limit;
	enum err err = codec_router_sought(req, "marker", &marker, &req->why);

	if (!err)
		err = codec_limit(req, &limit, &req->why);
	if (err)
		return err;
	listing.list = json_array();

	struct tx tx = tx_begin_snapshot(routes->runtime.db, &req->why);
	store_routers(&tx, req->arena, marker ? marker : "", limit, take_router, &listing);
	req->result = json_pack("{s:o, s:s?}", "routers", listing.list, "marker",
		json_array_size(listing.list) == (size_t)limit ? listing.last : NULL);
	return tx_commit(&tx);
}

/* ---- its instances ---- */

static enum err read_report(struct request *req, struct address_report *report)
{
	const char *text;
	int64_t version = -1;
	enum err err = codec_router_name(req, &report->router, &req->why);

	if (!err)
		err = json_get_text(req->args, "address", JSON_REQUIRED, ADDRESS_TEXT, &text,
		                    &req->why);
	if (!err)
		err = address_parse_host("address", text, &report->address, &req->why);
	if (!err)
		err = json_get_int(req->args, "version", 0, 0, INT64_MAX, &version,
		                   &req->why);
	report->has_version = version >= 0;
	report->version = report->has_version ? (uint64_t)version : 0;
	return err;
}

/* It was down, or is none: with it there is a chance for routes. */
static enum err revive(struct routes *routes, struct request *req,
                       const struct address_report *report)
{
	struct tx tx = begin_chance(routes, &req->why);
	int64_t woken = 0;
	enum err err;

	if (store_address_seen(&tx, report))
		woken = come(&tx, report->router);
	else
		tx_fail(&tx, ERR_NOT_FOUND, "there is no router %.63s, or it has no such address",
		        err_quote(report->router, (char[64]){ 0 }, 64));
	err = tx_commit(&tx);
	if (!err)
		write_pages(routes, report->router, come, woken);
	return err;
}

/* Whatever it served before: a name that may lead to it waits no longer than for this. */
static enum err serve(struct routes *routes, struct request *req, const char *router)
{
	struct tx tx = tx_autocommit(routes->runtime.db, &req->why);

	store_moves_served(&tx, router, ROUTES_PATIENCE_S);
	return tx_commit(&tx);
}

/* An agent says that the instance at an address lives; if it was down, routes can come. */
enum err service_report_address(void *self, struct request *req)
{
	struct routes *routes = self;
	struct address_report report;
	bool lives_on;
	enum err err = access_require_admin(req);

	if (!err)
		err = read_report(req, &report);
	if (err)
		return err;

	struct tx tx = tx_autocommit(routes->runtime.db, &req->why);
	lives_on = store_address_lives_on(&tx, &report, routes->settings.alive_ms);
	err = tx_commit(&tx);
	if (!err && !lives_on)
		err = revive(routes, req, &report);
	if (!err && report.has_version)
		err = serve(routes, req, report.router);
	return err;
}
