/*
 * name_expiry -- moves former names of routes to their next state when their time is over
 * (core/former_name.h). A name whose grace is over loses its CNAME. The process deletes a
 * name when the caches of all resolvers have dropped its CNAME. Then the agents of the
 * routers that served it get a message.
 *
 * Each process does this, one small page of rows in a turn. It skips rows that another
 * process has already changed, and rows of a router that another transaction has locked.
 */
#pragma once

#include "routes.h"

enum { NAME_EXPIRY_PERIOD_MS = 5000 };

/* Sets name_expiry_period_ms: after a full page the next turn comes soon. */
void name_expiry_fire(struct routes *routes);
