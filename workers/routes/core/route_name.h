/*
 * route_name -- what routes and their hosts are called (seed 003), as text without a last
 * dot, as hosts are written in requests of HTTP.
 *
 * A route without a host gets a name in the domain of its router, of one label:
 *
 *	namespace myapp, name test, router's domain shard1.v3.rhcloud.com
 *	myapp-test.shard1.v3.rhcloud.com
 *
 * Dots of a name become hyphens. A label that would be of more than 63 octets is cut and
 * ends in a hash of what it is of, and so does the label of a route that finds its name
 * taken, for ns-a/b and ns/a-b would be called the same.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

enum { ROUTE_HOST_MAX = 253, ROUTE_LABEL_MAX = 63 };

/*
 * One label (namespace, router), or several (name): lower-case letters, digits, hyphens
 * that begin and end no label. ERR_INVALID in words that begin with FIELD. Any octets may
 * come.
 */
enum err route_check_label(const char *text, const char *field, struct why *why);
enum err route_check_name(const char *text, const char *field, struct why *why);

/*
 * A host or a domain, in any case and with or without its last dot, into HOST: at least
 * two labels, the last one not of digits only, for that would be an address. With
 * WILDCARD the first label may be "*", which stands for one label. ERR_INVALID also for
 * what is not ASCII: it has a form of letters, "xn--...".
 */
enum err route_host(const char *text, const char *field, bool wildcard,
                    char host[ROUTE_HOST_MAX + 1], struct why *why);
bool host_is_wildcard(const char *host);
/* A wildcard of a whole top-level domain. */
bool host_is_wide(const char *host);
/* Without its first label: never empty for what route_host() took. */
const char *host_parent(const char *host);
/* Below DOMAIN, or the same. */
bool host_is_in(const char *host, const char *domain);

/*
 * NAMESPACE-NAME in DNS. With a SALT (else NULL), or if that is longer than a label, it
 * ends in a hash of namespace, name and salt (an id; "": of these two). ERR_INVALID: DNS
 * leaves no room for it.
 */
enum err route_generate(const char *namespace, const char *name, const char *dns,
                        const char *salt, char host[ROUTE_HOST_MAX + 1],
                        struct why *why);
