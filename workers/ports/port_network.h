/*
 * port_network -- what PORT of NETWORK is published as. What is said of a subnet's
 * addresses is not said of floating IPs, for they are no fixed ones: they are published
 * in any case. With ports.publish "flagged" an address of Neutron's that is in no known
 * subnet is not published until its subnet is told; others are, and with "all" all of
 * them.
 */
#pragma once

#include "ports.h"
#include "store.h"

struct port_network port_network_of(const struct ports *ports,
                                    const struct network_row *network,
                                    const struct port_row *port);
