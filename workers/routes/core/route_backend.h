/*
 * route_backend -- the backends of HAProxy that a tenant's route may name. A backend
 * leads to the servers of one tenant. A route to another tenant's backend would publish
 * them under its own host. So a pattern of the settings must match the backend:
 *
 *	NAMESPACE	the namespace of the route; one tenant has it, and it has no "_"
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

/* PATTERNS: at least one, with blanks between. A reason begins with FIELD. */
enum err route_backend_check_patterns(const char *patterns, const char *field,
                                      struct why *why);
/* NAMESPACE_NAME, the backend of a route that names none. */
void route_backend_default(const char *namespace, const char *name,
                           char backend[BACKEND_MAX + 1]);
/* PATTERNS must be checked. A route may name its default backend in any case. */
bool route_backend_matches(const char *patterns, const char *namespace,
                           const char *project, const char *backend);
