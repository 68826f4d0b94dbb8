/*
 * route_name -- checks and makes the names and hosts of routes (requirements: seed 003).
 * Hosts have no final dot, as in HTTP requests.
 *
 * A route without a host gets a name of one label in the domain of its router:
 *
 *	namespace myapp, name test, router's domain shard1.v3.rhcloud.com
 *	myapp-test.shard1.v3.rhcloud.com
 *
 * Dots in a name become hyphens. zonefleet-routes cuts a label longer than 63 octets and
 * ends it with a hash of the whole label. If another route already has the name, the name
 * also ends with a hash. For example, ns-a/b and ns/a-b would otherwise get the same
 * name.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

enum { ROUTE_HOST_MAX = 253, ROUTE_LABEL_MAX = 63 };

/*
 * Check one label (namespace or router), or one or more labels (name). A label consists
 * of lower-case letters, digits and hyphens, but does not begin or end with a hyphen.
 * TEXT may contain any octets. ERR_INVALID: *why begins with FIELD.
 */
enum err route_name_check_label(const char *text, const char *field, struct why *why);
enum err route_name_check(const char *text, const char *field, struct why *why);

/*
 * Writes the host or domain TEXT to HOST in lower case, without its final dot. TEXT must
 * contain at least two labels and only ASCII characters. The last label must not be a
 * number, as it is in an IPv4 address. If WILDCARD is set, the first label may be "*",
 * which stands for one label. ERR_INVALID: *why begins with FIELD.
 */
enum err host_normalize(const char *text, const char *field, bool wildcard,
                        char host[ROUTE_HOST_MAX + 1], struct why *why);
bool host_is_wildcard(const char *host);
/* True: HOST is the wildcard of a whole top-level domain. */
bool host_is_wide(const char *host);
/*
 * Returns HOST without its first label. For a normalized host, the result is never empty.
 */
const char *host_parent(const char *host);
/* True: HOST is DOMAIN or below DOMAIN. */
bool host_is_in(const char *host, const char *domain);

/*
 * Makes the host NAMESPACE-NAME.DNS. If SALT is not NULL, or the label would be too long,
 * the label ends with a hash of namespace, name and SALT. SALT is "", an id or NULL.
 * ERR_INVALID: the host would be too long.
 */
enum err route_name_generate(const char *namespace, const char *name, const char *dns,
                             const char *salt, char host[ROUTE_HOST_MAX + 1],
                             struct why *why);
