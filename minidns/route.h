/*
 * route -- a zone and one of its name servers: the subject of a NOTIFY or a poll.
 * route_read() reads a route from an order. route_key() makes a map key from a route.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "dns/address.h"
#include "model/messages.h"
#include "model/name.h"

enum { ROUTE_KEY = 1 + 16 + 2 + NAME_MAX_WIRE };

struct route_key {
	uint8_t octets[ROUTE_KEY];
	size_t len;
};

/*
 * Reads the route of ORDER, and the name of the key that signs the message. Length 0 of
 * this name: no signature.
 */
enum err route_read(const struct poll_order *order, struct name *zone,
                    struct address *server, struct name *tsig_key, struct why *why);
void route_key(const struct name *zone, const struct address *server,
               struct route_key *key);
/*
 * Like route_key(), but the key does not contain the port, because a transfer shows only
 * the address of the server.
 */
void route_host_key(const struct name *zone, const struct address *server,
                    struct route_key *key);
