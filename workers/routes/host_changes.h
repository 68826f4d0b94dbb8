/*
 * host_changes -- collects the routes whose hosts a transaction changes, grouped by the
 * routers that serve these routes. The last step of the transaction raises the version of
 * the hosts of each router (consistency/store_hosts.h). After the commit, the process
 * sends one message to the agents of each router:
 *
 *	routes.ROUTER	routes_changed(router, routes?, version)	cast, fanout
 */
#pragma once

#include <jansson.h>

#include "routes.h"
#include "store.h"

struct changed_router;

/* Before use, clear all members and set `arena`. */
struct host_changes {
	struct arena *arena;
	struct changed_router *routers;	/* the changed routers, sorted by name */
};

/*
 * Adds a change of the hosts of ROUTER. If ROUTE_ID is NULL, the change possibly
 * concerns all routes of ROUTER. Borrows both strings.
 */
void host_changes_add(struct host_changes *changes, const char *router,
                      const char *route_id);
/* Returns the names of the changed routers. */
json_t *host_changes_routers(const struct host_changes *changes);
/* Raises the versions of the hosts. Call it last in the transaction. */
void host_changes_write(struct host_changes *changes, struct tx *tx);
/* Sends the messages to the agents. Call it after the commit. */
void host_changes_cast(const struct host_changes *changes, struct routes *routes);
