/*
 * port_network -- how zonefleet publishes the addresses of PORT in NETWORK. The rules of
 * subnets apply to fixed addresses. It always publishes a floating IP. If ports.publish
 * is "flagged", it publishes an address of Neutron in no known subnet only after the
 * subnet has arrived. It publishes other addresses in no known subnet.
 */
#pragma once

#include "ports.h"
#include "store.h"

struct port_network port_network_of(const struct ports *ports,
                                    const struct network_row *network,
                                    const struct port_row *port);
