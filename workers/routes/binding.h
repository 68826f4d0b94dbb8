/*
 * binding -- assigns a route to a router. The binding sets the route's phase and dns;
 * nothing else sets them. A route that had another router keeps its name there for a
 * grace time. A generated name gets a CNAME to the new name, and the instances of both
 * routers serve it.
 */
#pragma once

#include "host_changes.h"
#include "routes.h"
#include "store.h"

/* For the messages after the commit. */
struct binding_result {
	struct route_row route;
	const char *router, *dns;
	const char *former_router;	/* or NULL */
	bool has_changed;
};

/*
 * Assigns ROUTE, whose row is locked and which has the claim of its host, to ROUTER.
 * ERR_INVALID: the router's domain has no room for a name; nothing was written. The
 * transaction keeps the errors of its statements.
 */
enum err binding_assign(struct routes *routes, struct tx *tx, struct arena *arena,
                        const struct route_row *route, const struct router_row *router,
                        struct binding_result *result, struct why *why);
/* The route is new again, and its names are free. */
void binding_remove(struct tx *tx, struct arena *arena, const struct route_row *route,
                    const char *reason);
/* Adds the routers whose hosts change. RESULTS must live as long as CHANGES. */
void binding_add_changes(struct tx *tx, const struct binding_result *results,
                         size_t count, struct host_changes *changes);
/* After the commit: sends the notifications. */
void binding_notify(struct routes *routes, const struct binding_result *results,
                    size_t count);
