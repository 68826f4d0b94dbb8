/*
 * scheduler -- binds each route without a router to a router, and each route of a
 * draining router to another router, by the strategy of the settings. The process that
 * creates a route binds it at once. Each second every process binds due routes of its
 * share. One transaction binds many routes and moves the position of the strategy.
 *
 * A route that fits no router gets a reason and waits for a retry. The pauses grow. The
 * retry comes at once if a router is created, accepts routes again, or has a live
 * instance again.
 */
#pragma once

#include "routes.h"

void scheduler_metrics(void);		/* before the fork */

struct scheduler *scheduler_new(struct routes *routes);
void scheduler_free(struct scheduler **scheduler);
void scheduler_fire(struct scheduler *scheduler);	/* each second */
/*
 * Binds route ID now; it must be committed. After a failure the next turn tries again.
 * With the strategy "external" it only sends the notification "route.new".
 */
void scheduler_schedule(struct scheduler *scheduler, const char *id);
