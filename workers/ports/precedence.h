/*
 * precedence -- an object of Neutron replaces an object of a call with the same id.
 *
 * A tenant's call may use the id of a network, subnet or port of Neutron before
 * Neutron's message about it arrives. If the two differ in tenant or network, these
 * functions delete the call's object before neutron_apply() writes Neutron's object.
 * Otherwise the row becomes Neutron's. A network without a tenant stays: only an
 * administrator can create such a network. A row with is_fed is Neutron's, even after
 * Neutron has deleted the object.
 */
#pragma once

#include "neutron_apply.h"
#include "store.h"

/*
 * Each function runs its own transaction if it must delete an object. With a network it
 * deletes the ports and subnets that calls created in it.
 */
enum err precedence_network(const struct neutron_apply *apply,
                            const struct network_row *network, struct why *why);
enum err precedence_subnet(const struct neutron_apply *apply,
                           const struct subnet_row *subnet, struct why *why);
enum err precedence_port(const struct neutron_apply *apply, const struct port_row *port,
                         struct why *why);
