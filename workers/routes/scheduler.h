/*
 * scheduler -- chooses a router for each route without a router, and binds the route to
 * this router. Each route of a draining router gets a different router in the same way.
 * The option routes.strategy decides which router a route gets. The process that creates
 * a route binds the route immediately. Each second, every process binds the due routes of
 * its share. One transaction binds many routes and stores the new position of the
 * strategy in the list of routers.
 *
 * If no router fits a route, the route gets a reason and waits for a retry, with growing
 * pauses. A process retries the waiting routes immediately if a router is created,
 * accepts routes again or has a live instance again.
 */
#pragma once

#include "routes.h"

/* Registers the metrics. Call it before the fork. */
void scheduler_metrics(void);

struct scheduler *scheduler_new(struct routes *routes);
void scheduler_free(struct scheduler **scheduler);
/* Binds the due routes of this process's share. Call it each second. */
void scheduler_fire(struct scheduler *scheduler);
/*
 * Binds route ID now. Call it after the commit of the route. If another transaction has
 * locked a row, or the database fails, a process retries within about a second. If no
 * router fits, a process retries with growing pauses. If the strategy is "external", the
 * scheduler only sends the notification "route.new".
 */
void scheduler_schedule(struct scheduler *scheduler, const char *id);
