/*
 * route_backend -- which backends of HAProxy a route may name. A backend leads to the
 * hosts of a project; a route to a backend of another project would publish these under a
 * host of its own. So a tenant's route names backends of its namespace only, by patterns
 * of the settings:
 *
 *	NAMESPACE	the route's namespace, which is one project's; it has no "_"
 *	PROJECT		its project
 *	*		any octets, once a pattern; all else is itself
 *
 * "NAMESPACE_* static" is two patterns, the second one backend for all. Pure.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/route_name.h"

enum { BACKEND_MAX = 255 };

/* PATTERNS: separated by blanks, at least one. ERR_INVALID begins with FIELD. */
enum err route_backend_check_patterns(const char *patterns, const char *field,
                                      struct why *why);
/* NAMESPACE_NAME, which HAProxy's configuration has if the route names no other. */
void route_backend_default(const char *namespace, const char *name,
                           char backend[BACKEND_MAX + 1]);
/* PATTERNS as checked; without its default, which a route may name in any case. */
bool route_backend_matches(const char *patterns, const char *namespace,
                           const char *project, const char *backend);
