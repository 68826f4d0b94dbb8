/*
 * backend_check -- checks the backends of routes. A tenant may name only backends that
 * match routes.backend_pattern. An older route can have a backend that does not match.
 * Such a route keeps its backend. After its start, each process checks all routes once.
 * The process writes a log line for each of the first 20 routes whose backend does not
 * match, and a log line with the number of all these routes.
 */
#pragma once

#include "routes.h"

struct backend_check *backend_check_new(struct routes *routes);
void backend_check_free(struct backend_check **check);
/* Checks one page of routes. Does nothing when all routes are checked. */
void backend_check_fire(struct backend_check *check);

/* True: a tenant may choose the backend of ROUTE. */
bool backend_check_allows(const struct routes *routes, const struct route_row *route);
