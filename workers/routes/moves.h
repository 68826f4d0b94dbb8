/*
 * moves -- what time does to the names that routes had before (core/move.h): a name whose grace
 * is over is to lose its CNAME, a name whose CNAME no resolver can have any more goes, and the
 * agents of the routers that served it hear that.
 *
 * Each process does this, a page of rows at a time. A row that another process was faster with
 * is left alone.
 */
#pragma once

#include "routes.h"

void moves_fire(struct routes *routes);		/* every few seconds */
