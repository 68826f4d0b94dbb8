/*
 * route -- a zone and a name server of it, which is what a NOTIFY and a poll
 * are about, read from an order and usable as the key of a map.
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

/* *tsig_key: what to sign with; of length 0: nothing. */
enum err route_read(const struct poll_order *order, struct name *zone,
                    struct address *server, struct name *tsig_key, struct why *why);
void route_key(const struct name *zone, const struct address *server,
               struct route_key *key);
/* The same without the port: what a transfer can be seen to belong to. */
void route_host_key(const struct name *zone, const struct address *server,
                    struct route_key *key);
