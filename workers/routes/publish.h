/*
 * publish -- brings the domains of routers to central: one change for all records of a
 * domain that differ, with one serial, by the process that has the router's lock. Then it
 * asks central until the name servers have that serial. A call without an answer is
 * repeated: a record set that is there already changes nothing. Every
 * routes.check_period all records are sent again.
 *
 * publish creates the domain of a new router, unless central has it. It deletes a domain
 * that it has created when the router is deleted, if the domain is empty then. If the
 * domain is below routes.parent, the ownership registry of that zone gets a delegation.
 */
#pragma once

#include "routes.h"

void publish_metrics(void);		/* before the fork */

/* routes->publisher */
struct reconciler *publish_new(struct routes *routes);
void publish_now(struct routes *routes, const char *router);	/* it has changed */
void publish_fire(struct routes *routes);	/* each second: routers that are due */
