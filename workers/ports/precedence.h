/*
 * precedence -- what Neutron tells wins over what a call made of the same id.
 *
 * A tenant's call may name the id of a network, subnet or port that Neutron has and has
 * not told yet. These functions delete the call's thing before the told one is written,
 * if they differ in their project or network. A thing of the same project and network
 * becomes Neutron's as it is. A network of no project stays: only an administrator can
 * make one. A row with is_fed is Neutron's, also after Neutron told its end.
 */
#pragma once

#include "neutron_apply.h"
#include "store.h"

/*
 * Each function runs a transaction of its own, and only if it has to delete something.
 * With a network go the ports and subnets that calls made in it.
 */
enum err precedence_network(const struct told *told, const struct network_row *network,
                            struct why *why);
enum err precedence_subnet(const struct told *told, const struct subnet_row *subnet,
                           struct why *why);
enum err precedence_port(const struct told *told, const struct port_row *port,
                         struct why *why);
