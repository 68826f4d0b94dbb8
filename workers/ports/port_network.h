/*
 * port_network -- decides which addresses of a port zonefleet publishes. zonefleet always
 * publishes a floating IP. For a fixed address, the decision depends on the subnet. If an
 * address is in no known subnet, zonefleet publishes the address. There is one exception:
 * if ports.publish is "flagged" and the port comes from Neutron, zonefleet does not
 * publish the address until the subnet arrives.
 */
#pragma once

#include "ports.h"
#include "store.h"

struct port_network port_network_of(const struct ports *ports,
                                    const struct network_row *network,
                                    const struct port_row *port);
