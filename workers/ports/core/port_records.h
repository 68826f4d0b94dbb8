/*
 * port_records -- makes the records of a port (requirements: seed 002, the table of
 * queries). port_records() makes address records for the port's name and for the
 * generated names, and a PTR record for each address. The PTR record contains the port's
 * name or, if the port has no name, the generated name. The name of a port can be in a
 * domain that differs from the network's domain. Generated names are always in the
 * network's domain. A hidden address (subnets.h) has no records.
 */
#pragma once

#include "base/arena.h"
#include "core/subnets.h"
#include "dns/address.h"
#include "model/name.h"

/* How zonefleet publishes a network's ports. */
struct port_network {
	/* domain of the network; len 0: the ports have no names */
	struct name domain;
	/*
	 * All addresses of a reverse zone have the same first v4_bits or v6_bits bits
	 * (reverse_check()).
	 */
	uint8_t v4_bits, v6_bits;
	struct subnets subnets;
};

struct port_names {
	struct name fqdn;		/* name of the port; len 0: no name */
	/* the port's own domain; len 0: the network's domain */
	struct name domain;
	const struct address *addresses;
	size_t count;
};

/* The strings are canonical (model/name.h) and in the arena. */
struct port_record {
	const char *zone, *name;
	uint16_t type;
	const char *data;		/* data in presentation format */
	/* the object to which the zone belongs */
	enum { ZONE_OF_NETWORK, ZONE_OF_PORT, ZONE_REVERSE } owner;
};

/* Makes *records in ARENA and returns their number. */
size_t port_records(const struct port_network *network, const struct port_names *port,
                    struct arena *arena, struct port_record **records);
