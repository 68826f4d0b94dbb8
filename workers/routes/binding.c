#include "binding.h"

#include <string.h>

#include "notifications.h"

/* ---- the name ---- */

/*
 * Generates a name that no other route has, and claims it. The last try contains the id
 * of the route, because deleted routes may keep the other names until central has deleted
 * them.
 */
static enum err binding_generate_name(struct tx *tx, struct arena *arena,
                                      const struct route_row *route,
                                      const char *dns, const char **name, struct why *why)
{
	const char *const salts[] = { NULL, "", route->id };
	char host[ROUTE_HOST_MAX + 1];
	enum err err;

	for (size_t i = 0; i < sizeof(salts) / sizeof(salts[0]); i++) {
		err = route_name_generate(route->namespace, route->name, dns, salts[i],
		                          host, why);
		if (err)
			return err;
		if (store_claim_take(tx, host, route)) {
			*name = arena_strdup(arena, host);
			return OK;
		}
		if (tx->err)
			return tx->err;
	}
	return fail(why, ERR_EXISTS, "the generated name %.253s belongs to another "
	            "route: set host", host);
}

/* ---- the former name ---- */

/* True: the name is generated. A host of an owner is never in the domain of a router. */
static bool binding_name_is_generated(struct tx *tx, struct arena *arena, const char *dns)
{
	return store_router_find_host(tx, arena, dns);
}

/*
 * The target of the CNAME: a name in the domain of the new router. If the host of the
 * route is outside of it, the target is "router", which is never generated because it has
 * no hyphen. The owner's host itself is not used, because its records may lead back to
 * the former name.
 */
static const char *binding_cname_target(struct arena *arena,
                                        const struct binding_row *now,
                                        const struct router_row *router)
{
	size_t len = strlen(now->dns), tail = strlen(router->dns);

	if (len > tail && now->dns[len - tail - 1] == '.' &&
	    !strcmp(now->dns + len - tail, router->dns))
		return now->dns;
	return arena_printf(arena, "router.%s", router->dns);
}

/* Keeps the former name for a grace time, except a host that the owner has taken back. */
static void binding_leave(struct routes *routes, struct tx *tx, struct arena *arena,
                          const struct binding_row *was, const struct binding_row *now,
                          const char *target)
{
	bool has_moved = strcmp(was->router, now->router);
	bool was_generated = binding_name_is_generated(tx, arena, was->dns);
	struct former_name former = {
		.route_id = now->route_id, .router = was->router, .dns = was->dns,
		.target = was_generated && has_moved ? target : NULL,
	};

	if (!was_generated && strcmp(was->dns, now->dns))
		return;
	store_former_name_insert(tx, &former, &(struct former_name_times){
	                         routes->settings.delay_s, routes->settings.grace_s });
	if (former.target)
		store_router_touch(tx, was->router);
}

static void binding_count_route(struct tx *tx, const char *was, const char *now)
{
	if (was && now && !strcmp(was, now))
		return;
	if (was)
		store_router_add_bound(tx, was, -1);
	if (now)
		store_router_add_bound(tx, now, 1);
}

/* ---- the binding ---- */

static bool binding_row_is_same(const struct binding_row *a, const struct binding_row *b)
{
	return !strcmp(a->router, b->router) && !strcmp(a->dns, b->dns);
}

static void binding_write(struct routes *routes, struct tx *tx, struct arena *arena,
                          const struct binding_row *was, const struct binding_row *now,
                          const struct router_row *router)
{
	if (!was) {
		store_binding_insert(tx, now);
	} else {
		const char *target = binding_cname_target(arena, now, router);

		store_former_names_retarget(tx, now->route_id, target,
		                            routes->settings.delay_s);
		binding_leave(routes, tx, arena, was, now, target);
		store_binding_update(tx, now);
		store_former_name_keep(tx, now->route_id, now->router, now->dns);
		store_router_touch(tx, now->router);
	}
	store_route_set_bound(tx, now->route_id, now->dns);
	binding_count_route(tx, was ? was->router : NULL, now->router);
}

/* True: the route keeps its generated name, because it has the same router as before. */
static bool binding_keeps_name(const struct binding_row *was,
                               const struct route_row *route,
                               const struct router_row *router)
{
	return !route->host && !strcmp(was->router, router->name) &&
	       host_is_in(was->dns, router->dns);
}

enum err binding_assign(struct routes *routes, struct tx *tx, struct arena *arena,
                        const struct route_row *route, const struct router_row *router,
                        struct binding_result *result, struct why *why)
{
	struct binding_row was, now = {
		.namespace = route->namespace, .name = route->name, .route_id = route->id,
		.router = router->name, .dns = route->host,
	};
	bool exists = store_binding_read(tx, arena, route->id, &was);
	enum err err = OK;

	if (exists && binding_keeps_name(&was, route, router))
		now.dns = was.dns;
	else if (!route->host)
		err = binding_generate_name(tx, arena, route, router->dns, &now.dns, why);
	if (err || tx->err)
		return err ? err : tx->err;
	*result = (struct binding_result){
		.route = *route, .router = now.router, .dns = now.dns,
		.former_router = exists ? was.router : NULL,
		.has_changed = !exists || !binding_row_is_same(&was, &now),
	};
	if (result->has_changed)
		binding_write(routes, tx, arena, exists ? &was : NULL, &now, router);
	return tx->err;
}

void binding_remove(struct tx *tx, struct arena *arena, const struct route_row *route,
                    const char *reason)
{
	struct binding_row was;

	store_former_names_end(tx, route->id);
	if (!store_binding_read(tx, arena, route->id, &was))
		return;
	store_binding_delete(tx, route->id);
	binding_count_route(tx, was.router, NULL);
	if (!route->host || strcmp(route->host, was.dns))
		store_claim_release(tx, was.dns, route->id);
	store_route_set_unbound(tx, route->id, reason);
}

/* ---- after the transaction ---- */

struct route_changes {
	struct host_changes *changes;
	const char *route_id;
};

static void route_changes_add(void *self, const char *router)
{
	const struct route_changes *route = self;

	host_changes_add(route->changes, router, route->route_id);
}

void binding_add_changes(struct tx *tx, const struct binding_result *results,
                         size_t count, struct host_changes *changes)
{
	for (size_t i = 0; i < count; i++) {
		const struct binding_result *result = &results[i];
		struct route_changes route = { changes, result->route.id };

		if (!result->has_changed)
			continue;
		host_changes_add(changes, result->router, route.route_id);
		if (!result->former_router)
			continue;
		host_changes_add(changes, result->former_router, route.route_id);
		store_route_routers(tx, changes->arena, route.route_id, route_changes_add,
		                    &route);
	}
}

void binding_notify(struct routes *routes, const struct binding_result *results,
                    size_t count)
{
	for (const struct binding_result *at = results; at < results + count; at++)
		if (at->has_changed)
			notifications_send_route(routes, &(struct route_event){
				.event = at->former_router ? "route.rebound"
				                           : "route.scheduled",
				.id = at->route.id, .namespace = at->route.namespace,
				.name = at->route.name, .router = at->router,
				.dns = at->dns, .reason = "" });
}
