/*
 * host_claim -- gives each host to only one route. A claim is the right of one route to
 * use a host. The first route with a host gets the claim on this host. The route keeps
 * the claim until the route is deleted or gets a different host. Other routes with the
 * claimed host wait. The transaction that releases a claim gives the claim to the route
 * that has waited longest.
 *
 * "*.example.org" stands for all names directly below example.org. If a tenant has this
 * wildcard or one of these names, no other tenant can have the wildcard or any of these
 * names.
 *
 * A transaction locks in this order:
 *
 *	the parents of the hosts, sorted by name (store_parent_lock())
 *	a gate (store_gate_pass()), if a route gets or releases a host
 *	the namespace, the route, routers
 *	the versions of hosts (host_changes.h)
 *
 * A gate is a lock. A transaction that creates a router locks all gates before any other
 * step. So until the end of this transaction, no route gets a host in the domain of the
 * new router.
 */
#pragma once

#include "routes.h"
#include "store.h"

/*
 * Gives ROUTE the claim on its host, if the claim is free. True: ROUTE has the claim.
 * False: another route has the claim, or another tenant has a wildcard or name that
 * excludes this host. *why contains the reason.
 */
bool host_claim_take(struct tx *tx, struct arena *arena, const struct route_row *route,
                     struct why *why);
/*
 * Releases the claim of route ROUTE_ID on HOST, and ends the former names of the route
 * that are equal to HOST. The route that has waited longest for HOST gets the claim, and
 * the other waiting routes get a new reason. If HOST is a wildcard, the function also
 * gives free hosts directly below its parent to waiting routes. If HOST is not a
 * wildcard, the function also gives the wildcard above HOST to a waiting route, if this
 * wildcard is free. Calls EACH with the id of each route that the scheduler can bind
 * now.
 */
void host_claim_release(struct tx *tx, struct arena *arena, const char *host,
                        const char *route_id, void (*each)(void *self, const char *id),
                        void *self);
/*
 * Gives unclaimed hosts to routes that wait for them. Runs each minute. Only a fault can
 * leave a host unclaimed while a route waits for it.
 */
void host_claim_fire(struct routes *routes);
