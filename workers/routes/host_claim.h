/*
 * host_claim -- a claim gives a host to one route. The first route that asks for a host
 * has the claim until it is deleted or gets another host. Other routes wait. When a claim
 * is released, the same transaction gives it to the route that has waited longest.
 *
 * "*.example.org" stands for all names of one label more. One tenant may have the
 * wildcard and names below it. Then no other tenant can have any of them.
 *
 * Order of locks: first the parents of the hosts (store_parent_lock()), by name. Then a
 * gate, if a route gets or releases a host (store_gate_pass()). Then the namespace, the
 * route, routers, and last the versions of hosts (host_changes.h). A transaction that
 * creates a router first locks all gates.
 */
#pragma once

#include "routes.h"
#include "store.h"

/* True: ROUTE has the claim of its host. False: WHY says who has it. */
bool host_claim_take(struct tx *tx, struct arena *arena, const struct route_row *route,
                     struct why *why);
/*
 * ROUTE_ID loses the claim of HOST, and no router serves the host for it. The route that
 * has waited longest gets the claim; the others get a new reason. EACH receives the id of
 * each route that the scheduler can bind now.
 */
void host_claim_release(struct tx *tx, struct arena *arena, const char *host,
                        const char *route_id, void (*each)(void *self, const char *id),
                        void *self);
/*
 * Each minute: gives hosts without a claim to routes that wait for them. Such a host is
 * the result of a fault.
 */
void host_claim_fire(struct routes *routes);
