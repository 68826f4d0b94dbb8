/*
 * route_backend -- the backends of HAProxy that a tenant's route may name. A backend
 * leads to the servers of one tenant. A route to another tenant's backend would publish
 * these servers under its own host. So a pattern of the settings must match the backend:
 *
 *	NAMESPACE	the namespace of the route, which has one tenant and no "_"
 *	PROJECT		the tenant of the route
 *	*		any octets, at most once in a pattern
 *
 * "NAMESPACE_* static" is two patterns: all routes may name the backend "static".
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/route_name.h"

enum { BACKEND_MAX = 255 };

/* PATTERNS: at least one, separated by blanks. A reason begins with FIELD. */
enum err route_backend_check_patterns(const char *patterns, const char *field,
                                      struct why *why);
/* Makes NAMESPACE_NAME, the backend of a route without a given backend. */
void route_backend_default(const char *namespace, const char *name,
                           char backend[BACKEND_MAX + 1]);
/*
 * True: a pattern matches. PATTERNS must have passed the check. A route may always name
 * its default backend.
 */
bool route_backend_matches(const char *patterns, const char *namespace,
                           const char *project, const char *backend);
