#include "binding.h"

#include <string.h>

#include "notifications.h"

/* ---- the name ---- */

/*
 * One that nobody has; it is the route's then. The last one is of its id: routes of its
 * name that were before may still have the others, until central takes them back.
 */
static enum err generate(struct tx *tx, struct arena *arena,
                         const struct route_row *route,
                         const char *dns, const char **name, struct why *why)
{
	const char *const salts[] = { NULL, "", route->id };
	char host[ROUTE_HOST_MAX + 1];
	enum err err;

	for (size_t i = 0; i < sizeof(salts) / sizeof(salts[0]); i++) {
		err = route_generate(route->namespace, route->name, dns, salts[i], host,
		                     why);
		if (err)
			return err;
		if (store_claim_take(tx, host, route)) {
			*name = arena_strdup(arena, host);
			return OK;
		}
		if (tx->err)
			return tx->err;
	}
	return fail(why, ERR_EXISTS, "%.253s is another route's", host);
}

/* ---- the name before ---- */

/* No host that was given is in the domain of a router. */
static bool is_generated(struct tx *tx, struct arena *arena, const char *dns)
{
	return store_router_find_host(tx, arena, dns);
}

/*
 * What a name before leads to is a name in the domain of the router that the route has
 * now. If its own is none there, one that is never generated: they have a hyphen. Names
 * that others rule lead back to ours, sometimes.
 */
static const char *target_of(struct arena *arena, const struct binding_row *is,
                             const struct router_row *router)
{
	size_t len = strlen(is->dns), tail = strlen(router->dns);

	if (len > tail && is->dns[len - tail - 1] == '.' &&
	    !strcmp(is->dns + len - tail, router->dns))
		return is->dns;
	return arena_printf(arena, "router.%s", router->dns);
}

/* It stays for a while, unless it was a host that the route's owner took back. */
static void leave(struct routes *routes, struct tx *tx, struct arena *arena,
                  const struct binding_row *was, const struct binding_row *is,
                  const char *target)
{
	bool has_moved = strcmp(was->router, is->router);
	bool was_generated = is_generated(tx, arena, was->dns);
	struct former_name former = {
		.route_id = is->route_id, .router = was->router, .dns = was->dns,
		.target = was_generated && has_moved ? target : NULL,
	};

	if (!was_generated && strcmp(was->dns, is->dns))
		return;
	store_former_name_insert(tx, &former, &(struct former_name_times){
	                         routes->settings.delay_s, routes->settings.grace_s });
	if (former.target)
		store_router_touch(tx, was->router);
}

static void count(struct tx *tx, const char *was, const char *is)
{
	if (was && is && !strcmp(was, is))
		return;
	if (was)
		store_router_add_bound(tx, was, -1);
	if (is)
		store_router_add_bound(tx, is, 1);
}

/* ---- both ---- */

static bool is_same(const struct binding_row *a, const struct binding_row *b)
{
	return !strcmp(a->router, b->router) && !strcmp(a->dns, b->dns);
}

static void write_binding(struct routes *routes, struct tx *tx, struct arena *arena,
                          const struct binding_row *was, const struct binding_row *is,
                          const struct router_row *router)
{
	if (!was) {
		store_binding_insert(tx, is);
	} else {
		const char *target = target_of(arena, is, router);

		store_former_names_retarget(tx, is->route_id, target,
		                            routes->settings.delay_s);
		leave(routes, tx, arena, was, is, target);
		store_binding_update(tx, is);
		store_former_name_keep(tx, is->route_id, is->router, is->dns);
		store_router_touch(tx, is->router);
	}
	store_route_set_bound(tx, is->route_id, is->dns);
	count(tx, was ? was->router : NULL, is->router);
}

/* A generated name is the route's for as long as it has that router. */
static bool keeps_name(const struct binding_row *was, const struct route_row *route,
                       const struct router_row *router)
{
	return !route->host && !strcmp(was->router, router->name) &&
	       host_is_in(was->dns, router->dns);
}

enum err binding_make(struct routes *routes, struct tx *tx, struct arena *arena,
                      const struct route_row *route, const struct router_row *router,
                      struct bound *bound, struct why *why)
{
	struct binding_row was, is = {
		.namespace = route->namespace, .name = route->name, .route_id = route->id,
		.router = router->name, .dns = route->host,
	};
	bool is_there = store_binding_read(tx, arena, route->id, &was);
	enum err err = OK;

	if (is_there && keeps_name(&was, route, router))
		is.dns = was.dns;
	else if (!route->host)
		err = generate(tx, arena, route, router->dns, &is.dns, why);
	if (err || tx->err)
		return err ? err : tx->err;
	*bound = (struct bound){ .route = *route, .router = is.router, .dns = is.dns,
	                         .was_router = is_there ? was.router : NULL,
	                         .has_changed = !is_there || !is_same(&was, &is) };
	if (bound->has_changed)
		write_binding(routes, tx, arena, is_there ? &was : NULL, &is, router);
	return tx->err;
}

void binding_end(struct tx *tx, struct arena *arena, const struct route_row *route,
                 const char *reason)
{
	struct binding_row was;

	store_former_names_end(tx, route->id);
	if (!store_binding_read(tx, arena, route->id, &was))
		return;
	store_binding_delete(tx, route->id);
	count(tx, was.router, NULL);
	if (!route->host || strcmp(route->host, was.dns))
		store_claim_release(tx, was.dns, route->id);
	store_route_set_unbound(tx, route->id, reason);
}

/* ---- told ---- */

static void tell_route(struct routes *routes, const struct bound *bound)
{
	notifications_send_route(routes, &(struct route_event){
		.event = bound->was_router ? "route.rebound" : "route.scheduled",
		.id = bound->route.id, .namespace = bound->route.namespace,
		.name = bound->route.name, .router = bound->router, .dns = bound->dns,
		.reason = "" });
}

struct telling {
	struct host_changes *news;
	const char *route_id;
};

static void take_router(void *self, const char *router)
{
	const struct telling *telling = self;

	host_changes_add(telling->news, router, telling->route_id);
}

void binding_news(struct tx *tx, const struct bound *bound, size_t count,
                  struct host_changes *news)
{
	for (size_t i = 0; i < count; i++) {
		struct telling telling = { news, bound[i].route.id };

		if (!bound[i].has_changed)
			continue;
		host_changes_add(news, bound[i].router, telling.route_id);
		if (!bound[i].was_router)
			continue;
		host_changes_add(news, bound[i].was_router, telling.route_id);
		store_route_routers(tx, news->arena, telling.route_id, take_router,
		                    &telling);
	}
}

void binding_tell(struct routes *routes, const struct bound *bound, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bound[i].has_changed)
			tell_route(routes, &bound[i]);
}
