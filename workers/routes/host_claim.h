/*
 * host_claim -- a claim gives a host to one route. The first route with a host has the
 * claim until its deletion or another host of the route. Other routes with this host
 * wait. The transaction that releases a claim gives it to the route that has waited
 * longest.
 *
 * "*.example.org" stands for all names with one more label. If one tenant has the
 * wildcard or names below it, no other tenant can have the wildcard or a name below it.
 *
 * Order of locks: first the parents of the hosts (store_parent_lock()), sorted by name.
 * Then a gate, if a route gets or releases a host (store_gate_pass()). Then the
 * namespace, the route, routers, and last the versions of hosts (host_changes.h). A
 * transaction that creates a router first locks all gates.
 */
#pragma once

#include "routes.h"
#include "store.h"

/* True: ROUTE has the claim of its host. False: *why names the owner. */
bool host_claim_take(struct tx *tx, struct arena *arena, const struct route_row *route,
                     struct why *why);
/*
 * ROUTE_ID loses the claim of HOST, and no router serves the host for it. The route that
 * has waited longest gets the claim; the other waiting routes get a new reason. EACH
 * receives the id of each route that the scheduler can bind now.
 */
void host_claim_release(struct tx *tx, struct arena *arena, const char *host,
                        const char *route_id, void (*each)(void *self, const char *id),
                        void *self);
/*
 * Each minute: gives unclaimed hosts to routes that wait for them. Only a fault leaves a
 * host unclaimed while a route waits.
 */
void host_claim_fire(struct routes *routes);
