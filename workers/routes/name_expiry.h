/*
 * name_expiry -- moves former names of routes to their next state when the time in the
 * current state is over (core/former_name.h). At the end of the grace time, a process
 * removes the CNAME of the name. When the CNAME has expired in the caches of all
 * resolvers, the process deletes the name and sends a message to the agents of the
 * routers that served the name.
 *
 * In each round, each process handles one small page of rows. The process skips rows that
 * another process has already changed, and rows of a router that another transaction has
 * locked.
 */
#pragma once

#include "routes.h"

enum { NAME_EXPIRY_PERIOD_MS = 5000 };

/*
 * Handles one page of rows, and sets name_expiry_period_ms. After a full page, this
 * period is short.
 */
void name_expiry_fire(struct routes *routes);
