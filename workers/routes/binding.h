/*
 * binding -- assigns a route to a router. Only this module sets `phase` and `dns` of a
 * route. A route that leaves a router keeps its name at this router for a grace time. If
 * the former name is a generated name, the former name gets a CNAME record to the new
 * name. During the grace time, the instances of both routers serve both names.
 */
#pragma once

#include "host_changes.h"
#include "routes.h"
#include "store.h"

/* The values for the messages that the process sends after the commit. */
struct binding_result {
	struct route_row route;
	const char *router, *dns;
	/* router that the route has left; NULL: no such router */
	const char *former_router;
	bool has_changed;
};

/*
 * Assigns ROUTE to ROUTER. The caller must have locked the row of ROUTE. If ROUTE has a
 * chosen host, ROUTE must also have the claim on this host. ERR_INVALID: a name in the
 * router's domain would be too long. ERR_EXISTS: other routes have all names that the
 * function can generate. After these two errors, the function has written nothing. If a
 * statement fails, the function returns the error of TX.
 */
enum err binding_assign(struct routes *routes, struct tx *tx, struct arena *arena,
                        const struct route_row *route, const struct router_row *router,
                        struct binding_result *result, struct why *why);
/*
 * Removes the binding of ROUTE, ends its former names and releases its generated name.
 * If the owner has chosen a host, ROUTE keeps the claim on this host. After the call,
 * ROUTE is unscheduled.
 */
void binding_remove(struct tx *tx, struct arena *arena, const struct route_row *route,
                    const char *reason);
/* Adds to CHANGES the routers whose hosts change. RESULTS must outlive CHANGES. */
void binding_add_changes(struct tx *tx, const struct binding_result *results,
                         size_t count, struct host_changes *changes);
/* Sends the notifications. Call it after the commit. */
void binding_notify(struct routes *routes, const struct binding_result *results,
                    size_t count);
