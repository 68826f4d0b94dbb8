/*
 * backend_check -- a tenant may name only backends that match routes.backend_pattern. A
 * route from before may have another backend and keeps it. After its start the process
 * logs such routes once.
 */
#pragma once

#include "routes.h"

struct backend_check *backend_check_new(struct routes *routes);
void backend_check_free(struct backend_check **check);
void backend_check_fire(struct backend_check *check);	/* reads one page of routes */

/* May a tenant give ROUTE its backend? */
bool backend_check_allows(const struct routes *routes, const struct route_row *route);
