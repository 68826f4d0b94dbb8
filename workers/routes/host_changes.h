/*
 * host_changes -- collects the routes whose hosts a transaction changes, grouped by the
 * routers that serve them. The last step of the transaction raises the version of the
 * hosts of each router (consistency/store_hosts.h). After the commit, the process sends
 * one message to the agents of each router:
 *
 *	routes.ROUTER	routes_changed(router, routes?, version)	cast, fanout
 */
#pragma once

#include <jansson.h>

#include "routes.h"
#include "store.h"

struct changed_router;

struct host_changes {			/* zeroed, except for the arena */
	struct arena *arena;
	struct changed_router *routers;	/* sorted by name */
};

/*
 * Adds a change. If ROUTE_ID is NULL, all routes of the router may have changed. Borrows
 * both strings.
 */
void host_changes_add(struct host_changes *changes, const char *router,
                      const char *route_id);
json_t *host_changes_routers(const struct host_changes *changes);	/* their names */
void host_changes_write(struct host_changes *changes, struct tx *tx);
void host_changes_cast(const struct host_changes *changes, struct routes *routes);
