/*
 * peers -- whom it concerns hears of it: a router's instances, that its routes are others
 * now (fanout routes.<router>); whoever listens to notifications, what became of a route
 * or a router. What gets lost on its way they find by asking.
 */
#pragma once

#include "routes.h"
#include "store.h"

/* ROUTES_CHANGED_MAX of a message; COUNT 0: any may be. */
enum { ROUTES_CHANGED_MAX = 100 };
void peers_routes_changed(struct routes *routes, const char *router,
                          const char *const *ids, size_t count);

/* "route.scheduled", "route.rebound", "route.unschedulable" */
struct route_news {
	const char *event;
	const char *id, *namespace, *name;
	const char *router, *dns;	/* NULL: none */
	const char *reason;		/* of what is not */
};
void peers_route(struct routes *routes, const struct route_news *news);
/* "router.zone.published" */
void peers_zone_published(struct routes *routes, const struct router_row *router);
