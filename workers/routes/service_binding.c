#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "binding.h"
#include "consistency/hosts_versions.h"
#include "core/route_name.h"
#include "model/json.h"
#include "service_private.h"

enum { HOSTS_PAGE = 500, HOSTS_ASKED = 100 };

/* ---- create ---- */

/* By its name, or by its domain. */
static void find_router(struct request *req, struct tx *tx,
                        const struct binding_wish *wish, struct router_row *router)
{
	const char *name = wish->router;

	if (!name)
		name = store_router_of_host(tx, req->arena, wish->dns);
	if (!name || !store_router_read(tx, req->arena, name, ROUTER_LOCK, router))
		tx_fail(tx, ERR_NOT_FOUND, "no router %.253s", err_quote(
		        wish->router ? wish->router : wish->dns, (char[254]){ 0 }, 254));
	else if (wish->dns && strcmp(wish->dns, router->dns))
		tx_fail(tx, ERR_INVALID, "binding.dns: is not that of router %.63s, %.253s",
		        router->name, router->dns);
	else if (router->state != ROUTER_ACTIVE)
		tx_fail(tx, ERR_CONFLICT, "router %.63s takes no routes: it is %s",
		        router->name, router_state_name(router->state));
}

static void find_route(struct request *req, struct tx *tx,
                       const struct binding_wish *wish, struct route_row *route)
{
	const struct route_key key = { .namespace = wish->namespace, .name = wish->name };

	if (!store_route_lock(tx, req->arena, &key, route))
		tx_fail(tx, ERR_NOT_FOUND, "no route %.63s/%.253s",
		        err_quote(wish->namespace, (char[64]){ 0 }, 64),
		        err_quote(wish->name, (char[254]){ 0 }, 254));
	else if (route->is_waiting)
		tx_fail(tx, ERR_CONFLICT, "the route waits: %.300s", route->last_error);
}

/* As the scheduler makes them: for strategies that run elsewhere, and by hand. */
enum err service_create_binding(void *self, struct request *req)
{
	struct routes *routes = self;
	struct binding_wish wish;
	struct route_row route;
	struct router_row router;
	struct bound bound = { .has_changed = false };
	struct hosts_news news = { .arena = req->arena };
	struct binding_row binding;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_binding(req, &wish);
	if (err)
		return err;

	struct tx tx = tx_begin(routes->runtime.db, &req->why);
	find_route(req, &tx, &wish, &route);
	if (!tx.err)
		find_router(req, &tx, &wish, &router);
	if (!tx.err) {
		err = binding_make(routes, &tx, req->arena, &route, &router, &bound,
		                   &req->why);
		if (err && !tx.err)
			tx.err = err;
	}
	if (!tx.err && store_binding_read(&tx, req->arena, route.id, &binding)) {
		binding.router_dns = router.dns;
		req->result = json_pack("{s:o}", "binding", codec_encode_binding(&binding));
	}
	binding_news(&tx, &bound, 1, &news);
	hosts_news_raise(&news, &tx);
	err = tx_commit(&tx);
	if (err)
		return err;
	binding_tell(routes, &bound, 1);
	hosts_news_tell(&news, routes);
	return OK;
}

/* ---- list ---- */

struct listing {
	json_t *list;
	char last[ID_LEN + 1];
};

static void take_binding(void *self, const struct binding_row *binding)
{
	struct listing *listing = self;

	json_array_append_new(listing->list, codec_encode_binding(binding));
	memcpy(listing->last, binding->route_id, sizeof(listing->last));
}

enum err service_list_bindings(void *self, struct request *req)
{
	struct routes *routes = self;
	struct listing listing = { .last = "" };
	char marker[ID_LEN + 1] = "";
	const char *router = NULL;
	int limit;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router_sought(req, "router", &router, &req->why);
	if (!err)
		err = json_get_id(req->args, "marker", 0, marker, &req->why);
	if (!err)
		err = codec_limit(req, &limit, &req->why);
	if (err)
		return err;
	listing.list = json_array();

	struct tx tx = tx_autocommit(routes->runtime.db, &req->why);
	store_bindings(&tx, req->arena, router, marker, limit, take_binding, &listing);
	req->result = json_pack("{s:o, s:s?}", "bindings", listing.list, "marker",
		json_array_size(listing.list) == (size_t)limit ? listing.last : NULL);
	return tx_commit(&tx);
}

/* ---- what a router's instances serve ---- */

struct hosts {
	json_t *list;
	struct buf lines;		/* of the route that is being read */
	char last[ID_LEN + 1];
};

/* All of a route's hosts are read. */
static void end_route(struct hosts *hosts)
{
	if (!hosts->lines.len)
		return;
	json_array_append_new(hosts->list, json_pack("{s:s, s:s}", "route", hosts->last,
	                      "map", buf_string(&hosts->lines)));
	buf_reset(&hosts->lines);
}

/* A wildcard is found by what is behind the first label of a host. */
static void take_host(void *self, const struct host_row *host)
{
	struct hosts *hosts = self;

	if (strcmp(hosts->last, host->route_id))
		end_route(hosts);
	snprintf(hosts->last, sizeof(hosts->last), "%s", host->route_id);
	buf_printf(&hosts->lines, "%s %s\n", host->host + host_is_wildcard(host->host),
	           host->backend);
}

static enum err read_asked(const struct request *req, struct tx *tx, const char *router,
                           const json_t *ids, struct hosts *hosts)
{
	for (size_t i = 0; i < json_array_size(ids) && !tx->err; i++) {
		const char *text = json_string_value(json_array_get(ids, i));
		char id[ID_LEN + 1];

		if (!text || !id_parse(text, id))
			return tx_fail(tx, ERR_INVALID, "routes: must be ids");
		store_route_hosts(tx, req->arena, router, id, take_host, hosts);
		end_route(hosts);
	}
	return tx->err;
}

enum err service_router_hosts(void *self, struct request *req)
{
	struct routes *routes = self;
	struct hosts hosts = { .last = "" };
	char marker[ID_LEN + 1] = "";
	const json_t *ids = NULL;
	struct router_row router;
	const char *name;
	int limit;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router_name(req, &name, &req->why);
	if (!err)
		err = json_get_id(req->args, "marker", 0, marker, &req->why);
	if (!err)
		err = codec_limit(req, &limit, &req->why);
	if (!err)
		err = json_get_array(req->args, "routes", 0, HOSTS_ASKED, &ids, &req->why);
	if (err)
		return err;
	if (limit > HOSTS_PAGE)
		limit = HOSTS_PAGE;
	hosts.list = json_array();

	struct tx tx = tx_begin_snapshot(routes->runtime.db, &req->why);
	if (!store_router_read(&tx, req->arena, name, ROUTER_READ, &router))
		tx_fail(&tx, ERR_NOT_FOUND, "no router %.63s",
		        err_quote(name, (char[64]){ 0 }, 64));
	else if (ids)
		read_asked(req, &tx, name, ids, &hosts);
	else
		store_router_hosts(&tx, req->arena, name, marker, limit, take_host, &hosts);
	end_route(&hosts);
	buf_clear(&hosts.lines);
	req->result = json_pack("{s:o, s:s?, s:I}", "hosts", hosts.list, "marker",
		!ids && json_array_size(hosts.list) == (size_t)limit ? hosts.last : NULL,
		"version", (json_int_t)store_hosts_version(&tx, HOSTS_OF_ROUTER, name));
	return tx_commit(&tx);
}

static const char *name_of(struct arena *arena, const char *text)
{
	struct why why;

	(void)arena;
	return route_check_label(text, "routers", &why) ? NULL : text;
}

enum err service_hosts_versions(void *self, struct request *req)
{
	struct routes *routes = self;

	return hosts_versions(req, routes->runtime.db, HOSTS_OF_ROUTER, "routers",
	                      name_of);
}
