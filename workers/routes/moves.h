/*
 * moves -- what time does to the names that routes had before (core/move.h): a name whose grace
 * is over is to lose its CNAME, a name whose CNAME no resolver can have any more goes, and the
 * agents of the routers that served it hear that.
 *
 * Each process does this, a small page of rows a turn. It leaves alone a row that another
 * process was faster with, and the rows of a router that another transaction has locked.
 */
#pragma once

#include "routes.h"

enum { MOVES_PERIOD_MS = 5000 };

/* Sets moves_period_ms: the next turn comes soon if there is perhaps more to do. */
void moves_fire(struct routes *routes);
