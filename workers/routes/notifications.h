/*
 * notifications -- messages about routes and routers for programs that listen to
 * notifications. A message may get lost; then a listener finds the change when it asks.
 */
#pragma once

#include "routes.h"
#include "store.h"

struct route_event {
	const char *event;	/* "route.": new, scheduled, rebound, unschedulable */
	const char *id, *namespace, *name;
	const char *router, *dns;	/* NULL: none */
	const char *reason;		/* of "route.unschedulable", or "" */
};
void notifications_send_route(struct routes *routes, const struct route_event *event);
/* "router.zone.published" */
void notifications_send_zone_published(struct routes *routes,
                                       const struct router_row *router);
