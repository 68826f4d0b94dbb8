/*
 * publish -- sends the domains of routers to central. The process with the router's lock
 * makes one change for all records of a domain that differ, with one serial. Then it
 * asks central until the name servers have this serial. It repeats a call without an
 * answer: sending an existing record set again changes nothing. Every
 * routes.check_period it sends all records again.
 *
 * publish creates the domain of a new router, unless central has it already. With the
 * router, publish deletes the domain if publish has created the domain and the domain is
 * empty. If the domain is below routes.parent, the ownership registry of that zone gets
 * a delegation.
 */
#pragma once

#include "routes.h"

void publish_metrics(void);		/* before the fork */

/* routes->publisher */
struct reconciler *publish_new(struct routes *routes);
void publish_now(struct routes *routes, const char *router);	/* it has changed */
void publish_fire(struct routes *routes);	/* each second: routers that are due */
