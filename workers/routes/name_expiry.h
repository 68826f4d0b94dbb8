/*
 * moves -- moves former names of routes to their next state when their time is over
 * (core/former_name.h). A name whose grace is over is to lose its CNAME. A name is deleted when
 * no resolver can have its CNAME any more, and the agents of the routers that served it
 * are told.
 *
 * Each process does this, one small page of rows a turn. It skips a row that another
 * process has already changed, and the rows of a router that another transaction has
 * locked.
 */
#pragma once

#include "routes.h"

enum { MOVES_PERIOD_MS = 5000 };

/* Sets moves_period_ms: the next turn comes soon if there is perhaps more to do. */
void moves_fire(struct routes *routes);
