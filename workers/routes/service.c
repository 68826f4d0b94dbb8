#include <string.h>

#include "backend_check.h"
#include "binding.h"
#include "core/route_backend.h"
#include "host_claim.h"
#include "model/json.h"
#include "scheduler.h"
#include "service.h"

/* ---- one call about a route ---- */

enum { PROMOTED_MAX = 64 };

struct route_call {
	struct routes *routes;
	struct request *req;
	struct tx *tx;
	struct route_row route;
	struct binding_result binding;	/* after a new host */
	struct host_changes changes;
	char promoted[PROMOTED_MAX][ID_LEN + 1];	/* routes that got the host */
	size_t promoted_count;
};

static void route_call_add_promoted(void *self, const char *id)
{
	struct route_call *call = self;

	if (call->promoted_count < PROMOTED_MAX)
		memcpy(call->promoted[call->promoted_count++], id, ID_LEN + 1);
}

/* Adds a router whose instances served the route. */
static void route_call_add_router(void *self, const char *router)
{
	struct route_call *call = self;

	host_changes_add(&call->changes, router, call->route.id);
}

/* For the log line of the call. */
static void route_note_changed(struct request *req, const struct route_row *route)
{
	rpc_changed(req, "route", arena_printf(req->arena, "%s/%s", route->namespace,
	                                       route->name));
}

static enum err route_call_commit(struct route_call *call)
{
	enum err err;

	binding_add_changes(call->tx, &call->binding, 1, &call->changes);
	host_changes_write(&call->changes, call->tx);
	err = tx_commit(call->tx);
	if (err)
		return err;
	binding_notify(call->routes, &call->binding, 1);
	host_changes_cast(&call->changes, call->routes);
	for (size_t i = 0; i < call->promoted_count; i++)
		scheduler_schedule(call->routes->scheduler, call->promoted[i]);
	return OK;
}

/* Answers with the present route. */
static enum err route_call_answer(struct route_call *call)
{
	struct tx tx = tx_autocommit(call->routes->runtime.db, &call->req->why);
	const struct route_key key = { .id = call->route.id };

	if (store_route_read(&tx, call->req->arena, &key, &call->route))
		call->req->result = json_pack("{s:o}", "route",
		                              codec_route_encode(&call->route));
	return tx_commit(&tx);
}

static void route_call_check_host(struct route_call *call, const struct route_row *route)
{
	const char *router = store_router_find_host(call->tx, call->req->arena,
	                                            route->host);
	const char *suffix = call->routes->settings.suffix;

	if (router)
		tx_fail(call->tx, ERR_INVALID, "host: must not be in the domain of "
		        "router %.63s, where zonefleet-routes generates the names: leave "
		        "host out", router);
	else if (*suffix && host_is_in(route->host, suffix))
		tx_fail(call->tx, ERR_INVALID, "host: must not be in %.200s, which "
		        "contains the domains of routers (routes.suffix)", suffix);
	else if (host_is_wide(route->host) && !call->req->context.is_admin)
		tx_fail(call->tx, ERR_DENIED, "host: a wildcard of a tenant must have at "
		        "least two labels after '*', not '%.253s'", route->host);
}

/*
 * A tenant's route must not name other backends: they belong to other tenants or to
 * HAProxy, for example its statistics page.
 */
static void route_call_check_backend(struct route_call *call,
                                     const struct route_row *route)
{
	const char *pattern = call->routes->settings.backend_pattern;

	if (call->tx->err || call->req->context.is_admin ||
	    backend_check_allows(call->routes, route))
		return;
	tx_fail(call->tx, ERR_DENIED, "backend: '%.100s' is not allowed in namespace "
	        "%.63s. Use a backend that matches '%.100s' (routes.backend_pattern), or "
	        "ask an administrator", route->backend, route->namespace, pattern);
}

/* Claims the host of the route, or makes the route wait for it. */
static void route_call_claim(struct route_call *call, struct route_row *route)
{
	struct why why;

	route->is_waiting = false;
	route->last_error = "";
	if (!route->host || call->tx->err)
		return;
	route_call_check_host(call, route);
	if (call->tx->err || host_claim_take(call->tx, call->req->arena, route, &why))
		return;
	route->is_waiting = true;
	route->last_error = arena_strdup(call->req->arena, why.text);
}

static void route_call_lock_parent(struct route_call *call, const char *host)
{
	if (host)
		store_parent_lock(call->tx, host_parent(host));
}

/* Locks the parents in the order of host_claim.h. A and B may be NULL. */
static void route_call_lock_parents(struct route_call *call, const char *a, const char *b)
{
	bool turned = a && b && strcmp(host_parent(a), host_parent(b)) > 0;

	route_call_lock_parent(call, turned ? b : a);
	route_call_lock_parent(call, turned ? a : b);
}

/* A host that the call releases or takes needs a gate (host_claim.h). */
static void route_call_pass_gate(struct route_call *call, const char *a, const char *b)
{
	if (a || b)
		store_gate_pass(call->tx);
}

/* ---- create ---- */

static bool text_is_equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* True: the message is a repetition. */
static bool route_is_same(const struct route_row *a, const struct route_row *b)
{
	return !strcmp(a->id, b->id) && text_is_equal(a->host, b->host) &&
	       !strcmp(a->labels, b->labels) && !strcmp(a->backend, b->backend);
}

/* Calls in different namespaces at the same time may exceed the quota a little. */
static void route_call_check_quota(struct route_call *call, const char *project_id)
{
	int quota = call->routes->settings.quota;

	if (quota >= 0 && !call->req->context.is_admin &&
	    store_project_is_full(call->tx, project_id, quota))
		tx_fail(call->tx, ERR_QUOTA, "the tenant already has %d routes, and its "
		        "quota (routes.quota) allows no more", quota);
}

/* A free namespace brings the backends NAMESPACE_*, which may be an operator's. */
static void route_call_claim_namespace(struct route_call *call,
                                       const struct route_row *route)
{
	const char *pattern = call->routes->settings.namespace_pattern;
	bool was_free;

	if (!store_namespace_claim(call->tx, route->namespace, route->project_id,
	                           &was_free))
		tx_fail(call->tx, ERR_DENIED, "namespace: %.63s belongs to another "
		        "tenant: choose a different namespace", route->namespace);
	else if (was_free && !call->req->context.is_admin &&
	         !route_backend_allows_namespace(pattern, route->project_id,
	                                         route->namespace))
		tx_fail(call->tx, ERR_DENIED, "namespace: '%.63s' must match '%.100s' "
		        "(routes.namespace_pattern), or an administrator must create the "
		        "first route of this namespace", route->namespace, pattern);
}

static void route_call_create(struct route_call *call)
{
	struct route_row *route = &call->route, was;
	const struct route_key key = {
		.namespace = route->namespace, .name = route->name,
	};
	struct tx *tx = call->tx;

	route_call_lock_parents(call, route->host, NULL);
	route_call_pass_gate(call, route->host, NULL);
	route_call_claim_namespace(call, route);
	if (tx->err)
		return;
	if (store_route_lock(tx, call->req->arena, &key, &was)) {
		if (!route_is_same(&was, route))
			tx_fail(tx, ERR_EXISTS, "name: route %.63s/%.253s already "
			        "exists: choose a different name",
			        route->namespace, route->name);
		return;
	}
	route_call_check_quota(call, route->project_id);
	route_call_check_backend(call, route);
	route_call_claim(call, route);
	store_route_insert(tx, route);
	route_note_changed(call->req, route);
}

static enum err service_create_route(void *self, struct request *req)
{
	struct route_call call = { self, req, .changes.arena = req->arena };
	struct route_input input;
	enum err err = codec_route_decode(req, &input);

	if (!err)
		err = access_check(req, input.route.project_id);
	if (err)
		return err;

	struct tx tx = tx_begin(call.routes->runtime.db, &req->why);
	call.tx = &tx;
	call.route = input.route;
	route_call_create(&call);
	err = tx_commit(&tx);
	if (err)
		return err;
	scheduler_schedule(call.routes->scheduler, call.route.id);
	return route_call_answer(&call);
}

/* ---- the route of a call ---- */

/*
 * Reads the route before the transaction, because the transaction must lock the parent of
 * its host first (host_claim.h).
 */
static enum err route_call_read(struct route_call *call, const struct route_key *key,
                                struct route_row *seen)
{
	struct tx tx = tx_autocommit(call->routes->runtime.db, &call->req->why);

	*seen = (struct route_row){ .host = NULL };
	store_route_read(&tx, call->req->arena, key, seen);
	return tx_commit(&tx);
}

/* Fails if the host has changed since SEEN was read. */
static void route_call_lock(struct route_call *call, const struct route_key *key,
                            const struct route_row *seen)
{
	if (!store_route_lock(call->tx, call->req->arena, key, &call->route) ||
	    access_check(call->req, call->route.project_id))
		tx_fail(call->tx, ERR_NOT_FOUND, "there is no route '%s'",
		        route_key_text(key, call->req->arena));
	else if (!text_is_equal(seen->host, call->route.host))
		tx_fail(call->tx, ERR_RACE, "another call changed the host of the route "
		        "at the same time: try again later");
	if (!call->tx->err)
		store_route_routers(call->tx, call->req->arena, call->route.id,
		                    route_call_add_router, call);
}

/* ---- update ---- */

static void route_call_check_status(struct route_call *call,
                                    const struct route_input *input)
{
	const struct route_row *now = &call->route;

	if (input->phase && strcmp(input->phase, now->is_scheduled ? "scheduled" : "new"))
		tx_fail(call->tx, ERR_INVALID, "status.phase: must be '%s', not '%s', "
		        "because only a binding changes phase",
		        now->is_scheduled ? "scheduled" : "new",
		        err_quote(input->phase, (char[81]){ 0 }, 81));
	else if (input->dns && !text_is_equal(input->dns, now->dns))
		tx_fail(call->tx, ERR_INVALID, "status.dns: must be '%.253s', not '%s', "
		        "because only a binding changes dns: leave out dns",
		        now->dns ? now->dns : "",
		        err_quote(input->dns, (char[81]){ 0 }, 81));
}

/* Binds the route to its present router under the new host. */
static void route_call_rebind(struct route_call *call, const struct route_row *was)
{
	struct request *req = call->req;
	struct router_row router;
	enum err err;

	if (!was->router)
		return;
	if (call->route.is_waiting) {
		binding_remove(call->tx, req->arena, was, call->route.last_error);
		return;
	}
	if (!store_router_read(call->tx, req->arena, was->router, ROUTER_LOCK, &router))
		return;
	err = binding_assign(call->routes, call->tx, req->arena, &call->route, &router,
	                     &call->binding, &req->why);
	if (err && !call->tx->err)
		call->tx->err = err;
}

static void route_call_update(struct route_call *call, struct route_input *input)
{
	const struct route_row was = call->route;
	struct route_row *route = &call->route;
	bool is_other;

	route_call_check_status(call, input);
	if (call->tx->err)
		return;
	codec_route_complete(input, &was);
	*route = input->route;
	/* an unchanged backend may stay */
	if (strcmp(was.backend, route->backend))
		route_call_check_backend(call, route);
	is_other = !text_is_equal(was.host, route->host);
	if (is_other && was.host)
		host_claim_release(call->tx, call->req->arena, was.host, was.id,
		                   route_call_add_promoted, call);
	if (is_other)
		route_call_claim(call, route);
	store_route_update(call->tx, route);
	if (!route_is_same(&was, route))
		route_note_changed(call->req, route);
	if (is_other)
		route_call_rebind(call, &was);
}

static enum err service_update_route(void *self, struct request *req)
{
	struct route_call call = { self, req, .changes.arena = req->arena };
	struct route_input input;
	struct route_row seen;
	struct route_key key;
	enum err err = codec_route_decode_key(req, &key);

	if (!err)
		err = codec_route_decode_values(req, &input);
	if (!err)
		err = route_call_read(&call, &key, &seen);
	if (err)
		return err;

	struct tx tx = tx_begin(call.routes->runtime.db, &req->why);
	call.tx = &tx;
	route_call_lock_parents(&call, seen.host, input.route.host);
	route_call_pass_gate(&call, seen.host, input.route.host);
	route_call_lock(&call, &key, &seen);
	if (!tx.err)
		route_call_update(&call, &input);
	err = route_call_commit(&call);
	if (err)
		return err;
	scheduler_schedule(call.routes->scheduler, call.route.id);
	return route_call_answer(&call);
}

/* ---- delete ---- */

static enum err service_delete_route(void *self, struct request *req)
{
	struct route_call call = { self, req, .changes.arena = req->arena };
	struct route_row seen;
	struct route_key key;
	enum err err = codec_route_decode_key(req, &key);

	if (!err)
		err = route_call_read(&call, &key, &seen);
	if (err)
		return err;

	struct tx tx = tx_begin(call.routes->runtime.db, &req->why);
	call.tx = &tx;
	route_call_lock_parents(&call, seen.host, NULL);
	route_call_pass_gate(&call, seen.host, NULL);
	store_namespace_lock(&tx, seen.namespace);
	route_call_lock(&call, &key, &seen);
	if (!tx.err) {
		binding_remove(&tx, req->arena, &call.route, "");
		store_route_delete(&tx, call.route.id);
		route_note_changed(req, &call.route);
		if (call.route.host)
			host_claim_release(&tx, req->arena, call.route.host,
			                   call.route.id, route_call_add_promoted, &call);
		store_namespace_release(&tx, call.route.namespace);
	}
	err = route_call_commit(&call);
	if (!err)
		req->result = json_pack("{s:o}", "routers",
		                        host_changes_routers(&call.changes));
	return rpc_deleted(req, err);
}

/* ---- get, list ---- */

static enum err service_get_route(void *self, struct request *req)
{
	struct routes *routes = self;
	struct route_row route;
	struct route_key key;
	enum err err = codec_route_decode_key(req, &key);

	if (err)
		return err;

	struct tx tx = tx_autocommit(routes->runtime.db, &req->why);
	if (store_route_read(&tx, req->arena, &key, &route) &&
	    !access_check(req, route.project_id))
		req->result = json_pack("{s:o}", "route", codec_route_encode(&route));
	else
		tx_fail(&tx, ERR_NOT_FOUND, "there is no route '%s'",
		        route_key_text(&key, req->arena));
	return tx_commit(&tx);
}

struct route_list {
	json_t *json;
	char last[ID_LEN + 1];
};

static void route_list_add(void *self, const struct route_row *route)
{
	struct route_list *list = self;

	json_array_append_new(list->json, codec_route_encode(route));
	memcpy(list->last, route->id, sizeof(list->last));
}

static enum err service_list_routes(void *self, struct request *req)
{
	struct routes *routes = self;
	struct route_list list = { .last = "" };
	struct route_filter filter;
	enum err err = codec_route_decode_filter(req, &filter);

	if (err)
		return err;
	list.json = json_array();

	struct tx tx = tx_autocommit(routes->runtime.db, &req->why);
	store_routes(&tx, req->arena, &filter, route_list_add, &list);
	req->result = json_pack("{s:o, s:s?}", "routes", list.json, "marker",
		json_array_size(list.json) == (size_t)filter.limit ? list.last : NULL);
	return tx_commit(&tx);
}

const struct rpc_method routes_methods[] = {
	{ "create_route",         service_create_route,   "route" },
	{ "update_route",         service_update_route,   "route values",
	  .subject = "route" },
	{ "delete_route",         service_delete_route,   "route", .subject = "route" },
	{ "get_route",            service_get_route,      "route" },
	{ "list_routes",          service_list_routes,
	  "namespace? router? phase? marker? limit?" },
	{ "create_router",        service_create_router,  "router", .subject = "router" },
	{ "update_router",        service_update_router,  "router values",
	  .subject = "router" },
	{ "drain_router",         service_drain_router,   "router drain?",
	  .subject = "router" },
	{ "delete_router",        service_delete_router,  "router force?",
	  .subject = "router" },
	{ "get_router",           service_get_router,     "router" },
	{ "list_routers",         service_list_routers,   "marker? limit?" },
	{ "report_address",       service_report_address, "router address version?",
	  .agents = true, .subject = "router" },
	{ "create_route_binding", service_create_binding, "binding" },
	{ "list_route_bindings",  service_list_bindings,  "router? marker? limit?" },
	{ "router_hosts",         service_router_hosts,   "router routes? marker? limit?",
	  .agents = true },
	{ "hosts_versions",       service_hosts_versions, "routers", .agents = true },
	{ 0 }
};
