/*
 * schedule -- routes without a router get one, by the strategy; and those of a router
 * that is drained get another. A new one at once, by the process that took it; all others
 * by whoever has a share of the fleet's work with them (seed 004), each second. One
 * transaction binds many, and moves the strategy's position with them: a process that
 * dies in its midst has bound none.
 *
 * What cannot be bound says why and is tried again, with backoff, and at once when a
 * router comes, takes routes again, or has an instance that is up again; it keeps no
 * other back.
 */
#pragma once

#include "routes.h"

void schedule_metrics(void);		/* before the fork */

struct scheduler *scheduler_new(struct routes *routes);
void scheduler_free(struct scheduler **scheduler);
void scheduler_fire(struct scheduler *scheduler);	/* each second */
/*
 * This one was just made, and is committed. What fails now is tried again by its time. If
 * the strategy is "external" it is only told that it is there.
 */
void scheduler_now(struct scheduler *scheduler, const char *id);
