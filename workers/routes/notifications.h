/*
 * peers -- whoever listens to notifications hears what became of a route or a router.
 * What gets lost on its way they find by asking.
 */
#pragma once

#include "routes.h"
#include "store.h"

/* "route.new", "route.scheduled", "route.rebound", "route.unschedulable" */
struct route_news {
	const char *event;
	const char *id, *namespace, *name;
	const char *router, *dns;	/* NULL: none */
	const char *reason;		/* of what is not */
};
void peers_route(struct routes *routes, const struct route_news *news);
/* "router.zone.published" */
void peers_zone_published(struct routes *routes, const struct router_row *router);
