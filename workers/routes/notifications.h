/*
 * notifications -- sends notifications about routes and routers to other programs.
 * Notifications can be lost. A program that has missed a notification can list the routes
 * to find the change.
 */
#pragma once

#include "routes.h"
#include "store.h"

struct route_event {
	/*
	 * name of the event: "route.new", "route.scheduled", "route.rebound" or
	 * "route.unschedulable"
	 */
	const char *event;
	const char *id, *namespace, *name;
	/* router and name of the route; NULL: no router */
	const char *router, *dns;
	/* reason, only for "route.unschedulable"; "": another event */
	const char *reason;
};
void notifications_send_route(struct routes *routes, const struct route_event *event);
/* Sends "router.zone.published". */
void notifications_send_zone_published(struct routes *routes,
                                       const struct router_row *router);
