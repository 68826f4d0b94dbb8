/*
 * route_name -- names of routes and their hosts (seed 003), as texts without a final dot,
 * as in HTTP requests.
 *
 * A route without a host gets a name of one label in the domain of its router:
 *
 * 	namespace myapp, name test, router's domain shard1.v3.rhcloud.com
 * 	myapp-test.shard1.v3.rhcloud.com
 *
 * Dots in a name become hyphens. zonefleet-routes cuts a label longer than 63 octets and
 * ends it in a hash of the whole label. A taken name also gets a hash: ns-a/b and ns/a-b
 * would get the same name.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

enum { ROUTE_HOST_MAX = 253, ROUTE_LABEL_MAX = 63 };

/*
 * Checks one label (namespace, router), or one or more labels (name): lower-case letters,
 * digits, and hyphens that neither begin nor end a label. TEXT may have any octets.
 * ERR_INVALID: the reason begins with FIELD.
 */
enum err route_name_check_label(const char *text, const char *field, struct why *why);
enum err route_name_check(const char *text, const char *field, struct why *why);

/*
 * Writes the host or domain TEXT to HOST in lower case, without its final dot. It needs
 * at least two labels, and the last label must not be a number, as in an address. With
 * WILDCARD the first label may be "*", which stands for one label. Text that is not
 * ASCII is also ERR_INVALID.
 */
enum err host_normalize(const char *text, const char *field, bool wildcard,
                        char host[ROUTE_HOST_MAX + 1], struct why *why);
bool host_is_wildcard(const char *host);
/* True: a wildcard of a whole top-level domain. */
bool host_is_wide(const char *host);
/* HOST without its first label. Never empty for a normalized host. */
const char *host_parent(const char *host);
/* True: HOST is DOMAIN or below it. */
bool host_is_in(const char *host, const char *domain);

/*
 * Makes NAMESPACE-NAME in DNS. A name with a SALT (an id, or ""), or longer than a label,
 * ends in a hash of namespace, name and salt. ERR_INVALID: the host would be too long.
 */
enum err route_name_generate(const char *namespace, const char *name, const char *dns,
                             const char *salt, char host[ROUTE_HOST_MAX + 1],
                             struct why *why);
