#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "binding.h"
#include "consistency/hosts_versions.h"
#include "core/route_name.h"
#include "model/json.h"
#include "service.h"

enum { HOSTS_PAGE = 500, HOSTS_ASKED = 100 };

/* ---- create ---- */

/* Finds the router by name or by domain. */
static void binding_find_router(struct request *req, struct tx *tx,
                                const struct binding_input *input,
                                struct router_row *router)
{
	const char *name = input->router;

	if (!name)
		name = store_router_find_host(tx, req->arena, input->dns);
	if (!name || !store_router_read(tx, req->arena, name, ROUTER_LOCK, router))
		tx_fail(tx, ERR_NOT_FOUND, "binding.%s '%.253s'",
		        input->router ? "router: there is no router"
		                      : "dns: there is no router with the domain",
		        err_quote(input->router ? input->router : input->dns,
		                  (char[254]){ 0 }, 254));
	else if (input->dns && strcmp(input->dns, router->dns))
		tx_fail(tx, ERR_INVALID, "binding.dns: router %.63s has the domain "
		        "%.253s, not '%s'",
		        router->name, router->dns,
		        err_quote(input->dns, (char[81]){ 0 }, 81));
	else if (router->state != ROUTER_ACTIVE)
		tx_fail(tx, ERR_CONFLICT, "router %.63s does not accept routes: its "
		        "state must be active, not %s",
		        router->name, router_state_name(router->state));
}

static void binding_find_route(struct request *req, struct tx *tx,
                               const struct binding_input *input, struct route_row *route)
{
	const struct route_key key = {
		.namespace = input->namespace, .name = input->name,
	};

	if (!store_route_lock(tx, req->arena, &key, route))
		tx_fail(tx, ERR_NOT_FOUND, "there is no route '%.63s/%.253s'",
		        err_quote(input->namespace, (char[64]){ 0 }, 64),
		        err_quote(input->name, (char[254]){ 0 }, 254));
	else if (route->is_waiting)
		tx_fail(tx, ERR_CONFLICT, "the route waits for its host: %.300s",
		        route->last_error);
}

/* For an external scheduler, or for an operator. */
enum err service_create_binding(void *self, struct request *req)
{
	struct routes *routes = self;
	struct binding_input input;
	struct route_row route;
	struct router_row router;
	struct binding_result result = { .has_changed = false };
	struct host_changes changes = { .arena = req->arena };
	struct binding_row binding;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_binding_decode(req, &input);
	if (err)
		return err;

	struct tx tx = tx_begin(routes->runtime.db, &req->why);
	binding_find_route(req, &tx, &input, &route);
	if (!tx.err)
		binding_find_router(req, &tx, &input, &router);
	if (!tx.err) {
		err = binding_assign(routes, &tx, req->arena, &route, &router, &result,
		                     &req->why);
		if (err && !tx.err)
			tx.err = err;
		if (result.has_changed)
			rpc_changed(req, "route", arena_printf(req->arena, "%s/%s",
			                                       route.namespace,
			                                       route.name));
	}
	if (!tx.err && store_binding_read(&tx, req->arena, route.id, &binding)) {
		binding.router_dns = router.dns;
		req->result = json_pack("{s:o}", "binding",
		                        codec_binding_encode(&binding));
	}
	binding_add_changes(&tx, &result, 1, &changes);
	host_changes_write(&changes, &tx);
	err = tx_commit(&tx);
	if (err)
		return err;
	binding_notify(routes, &result, 1);
	host_changes_cast(&changes, routes);
	return OK;
}

/* ---- list ---- */

struct binding_list {
	json_t *json;
	char last[ID_LEN + 1];
};

static void binding_list_add(void *self, const struct binding_row *binding)
{
	struct binding_list *list = self;

	json_array_append_new(list->json, codec_binding_encode(binding));
	memcpy(list->last, binding->route_id, sizeof(list->last));
}

enum err service_list_bindings(void *self, struct request *req)
{
	struct routes *routes = self;
	struct binding_list list = { .last = "" };
	char marker[ID_LEN + 1] = "";
	const char *router = NULL;
	int limit;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router_decode_filter(req, "router", &router, &req->why);
	if (!err)
		err = json_get_id(req->args, "marker", 0, marker, &req->why);
	if (!err)
		err = codec_decode_limit(req, &limit, &req->why);
	if (err)
		return err;
	list.json = json_array();

	struct tx tx = tx_autocommit(routes->runtime.db, &req->why);
	store_bindings(&tx, req->arena, router, marker, limit, binding_list_add, &list);
	req->result = json_pack("{s:o, s:s?}", "bindings", list.json, "marker",
		json_array_size(list.json) == (size_t)limit ? list.last : NULL);
	return tx_commit(&tx);
}

/* ---- the hosts that instances serve ---- */

struct host_list {
	json_t *list;
	struct buf lines;		/* of the present route */
	char last[ID_LEN + 1];
};

static void host_list_end_route(struct host_list *hosts)
{
	if (!hosts->lines.len)
		return;
	json_array_append_new(hosts->list, json_pack("{s:s, s:s}", "route", hosts->last,
	                      "map", buf_string(&hosts->lines)));
	buf_reset(&hosts->lines);
}

/* In the map of HAProxy a wildcard is ".parent" (agent.h). */
static void host_list_add(void *self, const struct host_row *host)
{
	struct host_list *hosts = self;

	if (strcmp(hosts->last, host->route_id))
		host_list_end_route(hosts);
	snprintf(hosts->last, sizeof(hosts->last), "%s", host->route_id);
	buf_printf(&hosts->lines, "%s %s\n", host->host + host_is_wildcard(host->host),
	           host->backend);
}

static enum err host_list_read(const struct request *req, struct tx *tx,
                               const char *router,
                               const json_t *ids, struct host_list *hosts)
{
	for (size_t i = 0; i < json_array_size(ids) && !tx->err; i++) {
		const char *text = json_string_value(json_array_get(ids, i));
		char id[ID_LEN + 1];

		if (!text || !id_parse(text, id))
			return tx_fail(tx, ERR_INVALID, "routes[%zu]: must be an id of "
			               "32 hexadecimal digits", i);
		store_route_hosts(tx, req->arena, router, id, host_list_add, hosts);
		host_list_end_route(hosts);
	}
	return tx->err;
}

enum err service_router_hosts(void *self, struct request *req)
{
	struct routes *routes = self;
	struct host_list hosts = { .last = "" };
	char marker[ID_LEN + 1] = "";
	const json_t *ids = NULL;
	struct router_row router;
	const char *name;
	int limit;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_router_decode_name(req, &name, &req->why);
	if (!err)
		err = json_get_id(req->args, "marker", 0, marker, &req->why);
	if (!err)
		err = codec_decode_limit(req, &limit, &req->why);
	if (!err)
		err = json_get_array(req->args, "routes", 0, HOSTS_ASKED, &ids,
		                     &req->why);
	if (err)
		return err;
	if (limit > HOSTS_PAGE)
		limit = HOSTS_PAGE;
	hosts.list = json_array();

	struct tx tx = tx_begin_snapshot(routes->runtime.db, &req->why);
	service_read_router(req, &tx, name, ROUTER_READ, &router);
	if (!tx.err && ids)
		host_list_read(req, &tx, name, ids, &hosts);
	else if (!tx.err)
		store_router_hosts(&tx, req->arena, name, marker, limit, host_list_add,
		                   &hosts);
	host_list_end_route(&hosts);
	buf_clear(&hosts.lines);
	req->result = json_pack("{s:o, s:s?, s:I}", "hosts", hosts.list, "marker",
		!ids && json_array_size(hosts.list) == (size_t)limit ? hosts.last : NULL,
		"version", (json_int_t)store_hosts_version(&tx, HOSTS_OF_ROUTER, name));
	return tx_commit(&tx);
}

static const char *router_name_parse(struct arena *arena, const char *text)
{
	struct why why;

	(void)arena;
	return route_name_check_label(text, "routers", &why) ? NULL : text;
}

enum err service_hosts_versions(void *self, struct request *req)
{
	struct routes *routes = self;

	return hosts_versions(req, routes->runtime.db, HOSTS_OF_ROUTER, "routers",
	                      router_name_parse);
}
