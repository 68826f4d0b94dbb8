#include "route.h"

#include <string.h>

#include "base/log.h"

enum err route_read(const struct poll_order *order, struct name *zone,
                    struct address *server, struct name *tsig_key, struct why *why)
{
	static const struct name root = { .len = 1 };
	enum err err = name_parse(order->domain.name, "domain.name", zone, why);

	if (err)
		return err;
	if (!address_parse(order->destination.host, order->destination.port, server))
		return fail(why, ERR_INVALID, "destination.host: must be an IPv4 or IPv6 "
		            "address, not '%s'",
		            order->destination.host);
	tsig_key->len = 0;
	if (order->destination.tsig_key)
		err = name_parse_in(order->destination.tsig_key, &root,
		                    "destination.tsig_key", tsig_key, why);
	if (!err && tsig_key->len)
		name_fold(tsig_key);
	return err;
}

static void route_key_put(struct route_key *key, const void *data, size_t len)
{
	bug_if(len > sizeof(key->octets) - key->len);
	memcpy(key->octets + key->len, data, len);
	key->len += len;
}

void route_host_key(const struct name *zone, const struct address *server,
                    struct route_key *key)
{
	key->len = 0;
	route_key_put(key, &server->bits, sizeof(server->bits));
	route_key_put(key, server->octets, sizeof(server->octets));
	route_key_put(key, zone->wire, zone->len);
}

void route_key(const struct name *zone, const struct address *server,
               struct route_key *key)
{
	route_host_key(zone, server, key);
	route_key_put(key, &server->port, sizeof(server->port));
}
