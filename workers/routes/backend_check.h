/*
 * backends -- tells, once after the start of a process, which routes have a backend that
 * they might not name today (routes.backend_pattern). They keep it, and work as before:
 * the rule is for what a tenant names from now on.
 */
#pragma once

#include "routes.h"

struct backends_look *backends_new(struct routes *routes);
void backends_free(struct backends_look **look);
void backends_fire(struct backends_look *look);	/* a page of routes; none after the last */

/* May a tenant give its ROUTE this backend? */
bool backends_allow(const struct routes *routes, const struct route_row *route);
