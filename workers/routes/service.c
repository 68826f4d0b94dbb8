#include <string.h>

#include "backends.h"
#include "binding.h"
#include "claims.h"
#include "model/json.h"
#include "schedule.h"
#include "service_private.h"

/* ---- what a call about a route does in its transaction ---- */

enum { HEIRS_MAX = 64 };

struct deed {
	struct routes *routes;
	struct request *req;
	struct tx *tx;
	struct route_row route;
	struct bound bound;		/* its router, if it got another name */
	struct hosts_news news;
	char heirs[HEIRS_MAX][ID_LEN + 1];	/* who has hosts by it; the scheduler finds the others */
	size_t heir_count;
};

static void take_heir(void *self, const char *id)
{
	struct deed *deed = self;

	if (deed->heir_count < HEIRS_MAX)
		memcpy(deed->heirs[deed->heir_count++], id, ID_LEN + 1);
}

/* Its instances served the route before. */
static void take_router(void *self, const char *router)
{
	struct deed *deed = self;

	hosts_news_add(&deed->news, router, deed->route.id);
}

static enum err commit(struct deed *deed)
{
	enum err err;

	binding_news(deed->tx, &deed->bound, 1, &deed->news);
	hosts_news_raise(&deed->news, deed->tx);
	err = tx_commit(deed->tx);
	if (err)
		return err;
	binding_tell(deed->routes, &deed->bound, 1);
	hosts_news_tell(&deed->news, deed->routes);
	for (size_t i = 0; i < deed->heir_count; i++)
		scheduler_now(deed->routes->scheduler, deed->heirs[i]);
	return OK;
}

/* The answer: the route as it is by now. */
static enum err answer(struct deed *deed)
{
	struct tx tx = tx_autocommit(deed->routes->runtime.db, &deed->req->why);
	const struct route_key key = { .id = deed->route.id };

	if (store_route_read(&tx, deed->req->arena, &key, &deed->route))
		deed->req->result = json_pack("{s:o}", "route",
		                              codec_encode_route(&deed->route));
	return tx_commit(&tx);
}

/* Names of routers are generated, and who has a wildcard keeps others from all below it. */
static void check_host(struct deed *deed, const struct route_row *route)
{
	const char *router = store_router_of_host(deed->tx, deed->req->arena, route->host);
	const char *suffix = deed->routes->settings.suffix;

	if (router)
		tx_fail(deed->tx, ERR_INVALID, "host: is in the domain of router %.63s, "
		        "where names are generated: leave it out", router);
	else if (*suffix && host_is_in(route->host, suffix))
		tx_fail(deed->tx, ERR_INVALID, "host: is in %.200s, where the domains of "
		        "routers are", suffix);
	else if (host_is_wide(route->host) && !deed->req->context.is_admin)
		tx_fail(deed->tx, ERR_DENIED, "host: a wildcard of less than two labels "
		        "behind \"*\" is for administrators");
}

/* Other backends belong to other projects, or to HAProxy itself, as its statistics do. */
static void check_backend(struct deed *deed, const struct route_row *route)
{
	const char *pattern = deed->routes->settings.backend_pattern;

	if (deed->tx->err || deed->req->context.is_admin ||
	    backends_allow(deed->routes, route))
		return;
	tx_fail(deed->tx, ERR_DENIED, "backend: \"%.100s\" is no backend of namespace %.63s: "
	        "it must match \"%.100s\" (routes.backend_pattern), or an administrator names "
	        "it", route->backend, route->namespace, pattern);
}

/* Its host, or a place among those who wait for it. */
static void claim(struct deed *deed, struct route_row *route)
{
	struct why why;

	route->is_waiting = false;
	route->last_error = "";
	if (!route->host || deed->tx->err)
		return;
	check_host(deed, route);
	if (deed->tx->err || claims_take(deed->tx, deed->req->arena, route, &why))
		return;
	route->is_waiting = true;
	route->last_error = arena_strdup(deed->req->arena, why.text);
}

static void lock_parent(struct deed *deed, const char *host)
{
	if (host)
		store_parent_lock(deed->tx, host_parent(host));
}

/* In the order that claims.h has. Either may be NULL. */
static void lock_parents(struct deed *deed, const char *a, const char *b)
{
	bool turned = a && b && strcmp(host_parent(a), host_parent(b)) > 0;

	lock_parent(deed, turned ? b : a);
	lock_parent(deed, turned ? a : b);
}

/* One of these, if there is one, will be a route's: this one's, or of whoever waits for it. */
static void pass_gate(struct deed *deed, const char *a, const char *b)
{
	if (a || b)
		store_gate_pass(deed->tx);
}

/* ---- create ---- */

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* A message that comes again. */
static bool is_same(const struct route_row *a, const struct route_row *b)
{
	return !strcmp(a->id, b->id) && is_same_text(a->host, b->host) &&
	       !strcmp(a->labels, b->labels) && !strcmp(a->backend, b->backend);
}

/* Several that come at once, in different namespaces, may be some more. */
static void check_quota(struct deed *deed, const char *project_id)
{
	int quota = deed->routes->settings.quota;

	if (quota >= 0 && !deed->req->context.is_admin &&
	    store_project_is_full(deed->tx, project_id, quota))
		tx_fail(deed->tx, ERR_QUOTA, "the project has %d routes, and may have no more "
		        "(routes.quota)", quota);
}

static void make_route(struct deed *deed)
{
	struct route_row *route = &deed->route, was;
	const struct route_key key = { .namespace = route->namespace, .name = route->name };
	struct tx *tx = deed->tx;

	lock_parents(deed, route->host, NULL);
	pass_gate(deed, route->host, NULL);
	if (!store_namespace_take(tx, route->namespace, route->project_id)) {
		tx_fail(tx, ERR_DENIED, "namespace: is another project's");
		return;
	}
	if (store_route_lock(tx, deed->req->arena, &key, &was)) {
		if (!is_same(&was, route))
			tx_fail(tx, ERR_EXISTS, "name: there is a route %.63s/%.253s",
			        route->namespace, route->name);
		return;
	}
	check_quota(deed, route->project_id);
	check_backend(deed, route);
	claim(deed, route);
	store_route_insert(tx, route);
}

static enum err create_route(void *self, struct request *req)
{
	struct deed deed = { .routes = self, .req = req, .news.arena = req->arena };
	struct route_wish wish;
	enum err err = codec_route(req, &wish);

	if (!err)
		err = access_check(req, wish.route.project_id);
	if (err)
		return err;

	struct tx tx = tx_begin(deed.routes->runtime.db, &req->why);
	deed.tx = &tx;
	deed.route = wish.route;
	make_route(&deed);
	err = tx_commit(&tx);
	if (err)
		return err;
	scheduler_now(deed.routes->scheduler, deed.route.id);
	return answer(&deed);
}

/* ---- the route that a call is about ---- */

static void lock_route(struct deed *deed, const struct route_key *key)
{
	if (store_route_lock(deed->tx, deed->req->arena, key, &deed->route) &&
	    !access_check(deed->req, deed->route.project_id))
		return;
	tx_fail(deed->tx, ERR_NOT_FOUND, "no such route");
}

/*
 * The route as it is before the transaction, which is to lock its host first of all (see
 * claims.h): what it read before that would be older than what it waited for.
 */
static enum err look(struct deed *deed, const struct route_key *key, struct route_row *seen)
{
	struct tx tx = tx_autocommit(deed->routes->runtime.db, &deed->req->why);

	*seen = (struct route_row){ .host = NULL };
	store_route_read(&tx, deed->req->arena, key, seen);
	return tx_commit(&tx);
}

/* Its host may be another one by now than the one that was SEEN. */
static void lock_seen(struct deed *deed, const struct route_key *key,
                      const struct route_row *seen)
{
	lock_route(deed, key);
	if (!deed->tx->err && !is_same_text(seen->host, deed->route.host))
		tx_fail(deed->tx, ERR_RACE, "the route got another host meanwhile");
	if (!deed->tx->err)
		store_route_routers(deed->tx, deed->req->arena, deed->route.id,
		                    take_router, deed);
}

/* ---- update ---- */

/* V2 of seed 003: nobody but a binding changes them. */
static void check_status(struct deed *deed, const struct route_wish *wish)
{
	const struct route_row *is = &deed->route;

	if (wish->phase && strcmp(wish->phase, is->is_scheduled ? "scheduled" : "new"))
		tx_fail(deed->tx, ERR_INVALID, "status.phase: is changed by a binding only");
	else if (wish->dns && !is_same_text(wish->dns, is->dns))
		tx_fail(deed->tx, ERR_INVALID, "status.dns: is changed by a binding only");
}

/* With another host, at the router that it has. */
static void rebind(struct deed *deed, const struct route_row *was)
{
	struct request *req = deed->req;
	struct router_row router;
	enum err err;

	if (!was->router)
		return;
	if (deed->route.is_waiting) {
		binding_end(deed->tx, req->arena, was, deed->route.last_error);
		return;
	}
	if (!store_router_read(deed->tx, req->arena, was->router, ROUTER_LOCK, &router))
		return;
	err = binding_make(deed->routes, deed->tx, req->arena, &deed->route, &router,
	                   &deed->bound, &req->why);
	if (err && !deed->tx->err)
		deed->tx->err = err;
}

static void change_route(struct deed *deed, struct route_wish *wish)
{
	const struct route_row was = deed->route;
	struct route_row *route = &deed->route;
	bool is_other;

	check_status(deed, wish);
	if (deed->tx->err)
		return;
	codec_route_complete(wish, &was);
	*route = wish->route;
	if (strcmp(was.backend, route->backend))	/* what it has it keeps */
		check_backend(deed, route);
	is_other = !is_same_text(was.host, route->host);
	if (is_other && was.host)
		claims_free(deed->tx, deed->req->arena, was.host, was.id, take_heir, deed);
	if (is_other)
		claim(deed, route);
	store_route_update(deed->tx, route);
	if (is_other)
		rebind(deed, &was);
}

static enum err update_route(void *self, struct request *req)
{
	struct deed deed = { .routes = self, .req = req, .news.arena = req->arena };
	struct route_wish wish;
	struct route_row seen;
	struct route_key key;
	enum err err = codec_route_key(req, &key);

	if (!err)
		err = codec_route_values(req, &wish);
	if (!err)
		err = look(&deed, &key, &seen);
	if (err)
		return err;

	struct tx tx = tx_begin(deed.routes->runtime.db, &req->why);
	deed.tx = &tx;
	lock_parents(&deed, seen.host, wish.route.host);
	pass_gate(&deed, seen.host, wish.route.host);
	lock_seen(&deed, &key, &seen);
	if (!tx.err)
		change_route(&deed, &wish);
	err = commit(&deed);
	if (err)
		return err;
	scheduler_now(deed.routes->scheduler, deed.route.id);
	return answer(&deed);
}

/* ---- delete ---- */

static enum err delete_route(void *self, struct request *req)
{
	struct deed deed = { .routes = self, .req = req, .news.arena = req->arena };
	struct route_row seen;
	struct route_key key;
	enum err err = codec_route_key(req, &key);

	if (!err)
		err = look(&deed, &key, &seen);
	if (err)
		return err;

	struct tx tx = tx_begin(deed.routes->runtime.db, &req->why);
	deed.tx = &tx;
	lock_parents(&deed, seen.host, NULL);
	pass_gate(&deed, seen.host, NULL);
	store_namespace_lock(&tx, seen.namespace);
	lock_seen(&deed, &key, &seen);
	if (!tx.err) {
		binding_end(&tx, req->arena, &deed.route, "");
		store_route_delete(&tx, deed.route.id);
		if (deed.route.host)
			claims_free(&tx, req->arena, deed.route.host, deed.route.id,
			            take_heir, &deed);
		store_namespace_leave(&tx, deed.route.namespace);
	}
	err = commit(&deed);
	if (!err)			/* in whose domains its names were */
		req->result = json_pack("{s:o}", "routers", hosts_news_routers(&deed.news));
	return rpc_deleted(req, err);
}

/* ---- get, list ---- */

static enum err get_route(void *self, struct request *req)
{
	struct routes *routes = self;
	struct route_row route;
	struct route_key key;
	enum err err = codec_route_key(req, &key);

	if (err)
		return err;

	struct tx tx = tx_autocommit(routes->runtime.db, &req->why);
	if (store_route_read(&tx, req->arena, &key, &route) &&
	    !access_check(req, route.project_id))
		req->result = json_pack("{s:o}", "route", codec_encode_route(&route));
	else
		tx_fail(&tx, ERR_NOT_FOUND, "no such route");
	return tx_commit(&tx);
}

struct listing {
	json_t *list;
	char last[ID_LEN + 1];
};

static void take_route(void *self, const struct route_row *route)
{
	struct listing *listing = self;

	json_array_append_new(listing->list, codec_encode_route(route));
	memcpy(listing->last, route->id, sizeof(listing->last));
}

static enum err list_routes(void *self, struct request *req)
{
	struct routes *routes = self;
	struct listing listing = { .last = "" };
	struct route_filter filter;
	enum err err = codec_route_filter(req, &filter);

	if (err)
		return err;
	listing.list = json_array();

	struct tx tx = tx_autocommit(routes->runtime.db, &req->why);
	store_routes(&tx, req->arena, &filter, take_route, &listing);
	req->result = json_pack("{s:o, s:s?}", "routes", listing.list, "marker",
		json_array_size(listing.list) == (size_t)filter.limit ? listing.last : NULL);
	return tx_commit(&tx);
}

const struct rpc_method routes_methods[] = {
	{ "create_route",         create_route,           "route" },
	{ "update_route",         update_route,           "route values" },
	{ "delete_route",         delete_route,           "route" },
	{ "get_route",            get_route,              "route" },
	{ "list_routes",          list_routes,
	  "namespace? router? phase? marker? limit?" },
	{ "create_router",        service_create_router,  "router" },
	{ "update_router",        service_update_router,  "router values" },
	{ "drain_router",         service_drain_router,   "router drain?" },
	{ "delete_router",        service_delete_router,  "router force?" },
	{ "get_router",           service_get_router,     "router" },
	{ "list_routers",         service_list_routers,   "marker? limit?" },
	{ "report_address",       service_report_address, "router address version?",
	  .agents = true },
	{ "create_route_binding", service_create_binding, "binding" },
	{ "list_route_bindings",  service_list_bindings,  "router? marker? limit?" },
	{ "router_hosts",         service_router_hosts,   "router routes? marker? limit?",
	  .agents = true },
	{ "hosts_versions",       service_hosts_versions, "routers", .agents = true },
	{ 0 }
};
