/*
 * publish -- sends the domains of routers to central. The process with the router's lock
 * sends all changes to the records of the domain together, as one change with one
 * serial. After central has accepted the change, the process asks central for the state
 * of the domain until the name servers serve this serial. The process repeats a call
 * that got no answer. A repeated call is safe: each change sets or deletes a whole
 * record set, so the same change has no further effect. Once per routes.check_period, a
 * process sends all records again.
 *
 * zonefleet-routes creates the domain of a new router, unless central already has the
 * domain. When a router is deleted, zonefleet-routes deletes the domain only if
 * zonefleet-routes created the domain and the domain is empty. If the domain is below
 * routes.parent, zonefleet-routes adds a delegation through the registry of that shared
 * zone.
 */
#pragma once

#include "routes.h"

/* Registers the metrics. Call it before the fork. */
void publish_metrics(void);

/* Makes the reconciler of routers, for routes->publisher. */
struct reconciler *publish_new(struct routes *routes);
/* Starts to publish the domain of the router. Call it when the router has changed. */
void publish_now(struct routes *routes, const char *router);
/* Starts to publish the domains that are due. Runs each second. */
void publish_fire(struct routes *routes);
