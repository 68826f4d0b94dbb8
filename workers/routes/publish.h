/*
 * publish -- sends the domains of routers to central. The process with the router's lock
 * makes one change for all records of a domain that differ, with one serial. Then it asks
 * central until the name servers have this serial. A call without an answer is repeated:
 * sending an existing record set again changes nothing. Every routes.check_period all
 * records are sent again.
 *
 * publish creates the domain of a new router, unless central has it already. When the
 * router is deleted, publish deletes the domain if it has created it and the domain is
 * empty. If the domain is below routes.parent, the ownership registry of that zone gets a
 * delegation.
 */
#pragma once

#include "routes.h"

void publish_metrics(void);		/* before the fork */

struct publisher *publisher_new(struct routes *routes);
void publisher_free(struct publisher **publisher);
/* called each second: starts due routers */
void publisher_fire(struct publisher *publisher);
/* the router has changed */
void publisher_now(struct publisher *publisher, const char *router);
void publisher_drain(struct publisher *publisher);	/* start no further work */
bool publisher_is_idle(const struct publisher *publisher);
