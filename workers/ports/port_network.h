/*
 * port_network -- how the addresses of PORT in NETWORK are published. The rules of
 * subnets apply to fixed addresses. A floating IP is always published. If ports.publish
 * is "flagged", an address of Neutron in no known subnet is not published until its
 * subnet arrives. Other addresses in no known subnet are published.
 */
#pragma once

#include "ports.h"
#include "store.h"

struct port_network port_network_of(const struct ports *ports,
                                    const struct network_row *network,
                                    const struct port_row *port);
