/*
 * backend_check -- checks the backends of routes. A tenant may name only backends that
 * match routes.backend_pattern. An older route may have a backend that does not match.
 * Such a route keeps its backend. After its start, each process writes one log line for
 * each such route.
 */
#pragma once

#include "routes.h"

struct backend_check *backend_check_new(struct routes *routes);
void backend_check_free(struct backend_check **check);
void backend_check_fire(struct backend_check *check);	/* reads one page of routes */

/* True: a tenant may choose the backend of ROUTE. */
bool backend_check_allows(const struct routes *routes, const struct route_row *route);
