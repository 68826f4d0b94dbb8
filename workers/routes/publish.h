/*
 * publish -- sends the domains of routers to central. The process with the router's lock
 * sends all changes to the records of the domain together, as one change with one serial.
 * Then the process asks central for the state of the domain until the name servers serve
 * this serial. The process repeats a call that got no answer. The repeated call is safe,
 * because central does not change a record set that already exists. Once per
 * routes.check_period, a process sends all records again.
 *
 * zonefleet-routes creates the domain of a new router, unless central already has the
 * domain. zonefleet-routes deletes such a domain with its router, but only if the domain
 * is empty. If the domain is below
 * routes.parent, zonefleet-routes adds a delegation through the registry of that shared
 * zone.
 */
#pragma once

#include "routes.h"

void publish_metrics(void);		/* before the fork */

/* routes->publisher */
struct reconciler *publish_new(struct routes *routes);
/* the router has changed */
void publish_now(struct routes *routes, const char *router);
/* runs each second: starts the routers that are due */
void publish_fire(struct routes *routes);
