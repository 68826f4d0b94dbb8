/*
 * port_records -- what DNS says of a port: its name and its addresses' generated names,
 * each with all that it stands for, and the reverse of each address, which is the name if
 * there is one (seed 002, the table of queries). A port may have a domain of its own, for
 * its name only: what is generated is in the network's. An address that is not to be
 * published (subnets.h) has none of it.
 */
#pragma once

#include "base/arena.h"
#include "core/subnets.h"
#include "dns/address.h"
#include "model/name.h"

/* How a network's ports are published. */
struct port_network {
	struct name domain;		/* len 0: its ports have no names */
	uint8_t v4_bits, v6_bits;	/* of its reverse zones: see reverse_check() */
	struct subnets subnets;
};

struct port_names {
	struct name fqdn;		/* len 0: it was given none */
	struct name domain;		/* of that, if the port has its own; else len 0 */
	const struct address *addresses;
	size_t count;
};

/* Texts are canonical (model/name.h), and live in the arena. */
struct port_record {
	const char *zone, *name;
	uint16_t type;
	const char *data;		/* presentation */
	enum { ZONE_OF_NETWORK, ZONE_OF_PORT, ZONE_REVERSE } owner;	/* whose zone */
};

/* Their number; *records: in ARENA. */
size_t port_records(const struct port_network *network, const struct port_names *port,
                    struct arena *arena, struct port_record **records);
