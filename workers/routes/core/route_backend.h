/*
 * route_backend -- decides which backends of HAProxy a tenant's route may name. The
 * servers of a backend belong to one tenant. If a route could name the backend of another
 * tenant, the route would publish the servers of that tenant under the host of the route.
 * So one of the patterns in the settings must match the backend:
 *
 *	NAMESPACE	the namespace of the route, which has one tenant and no "_"
 *	PROJECT		the tenant of the route
 *	*		any octets, at most once in a pattern
 *
 * "NAMESPACE_* static" contains two patterns. The second pattern allows the backend
 * "static" for all routes. The patterns in routes.namespace_pattern limit the namespaces
 * that a tenant may claim. This limit is necessary, because a route may name the
 * backends of its namespace.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/route_name.h"

enum { BACKEND_MAX = 255 };

/*
 * Checks a list of patterns, which are separated by blanks. ERR_INVALID: PATTERNS
 * contains no pattern, or a pattern contains "*" more than once. *why begins with FIELD.
 */
enum err route_backend_check_patterns(const char *patterns, const char *field,
                                      struct why *why);
/*
 * Writes the name of the default backend of a route: NAMESPACE, an underscore and NAME.
 */
void route_backend_default(const char *namespace, const char *name,
                           char backend[BACKEND_MAX + 1]);
/*
 * True: a pattern matches. route_backend_check_patterns() must have accepted PATTERNS. A
 * route may always name its default backend.
 */
bool route_backend_matches(const char *patterns, const char *namespace,
                           const char *project, const char *backend);
/*
 * True: the tenant PROJECT may claim the free NAMESPACE. route_backend_check_patterns()
 * must have accepted PATTERNS. A pattern with the word NAMESPACE matches no namespace.
 */
bool route_backend_allows_namespace(const char *patterns, const char *project,
                                    const char *namespace);
