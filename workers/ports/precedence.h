/*
 * precedence -- deletes the object of a call when Neutron has a different object with the
 * same id.
 *
 * A tenant's call can use the id of a network, subnet or port before Neutron's message
 * about the object with this id arrives. If the two objects differ in tenant or network,
 * these functions delete the call's object before neutron_apply() writes Neutron's
 * object. Otherwise Neutron's object takes the place of the call's object in the same
 * row. These functions never delete a network without a tenant, because only an
 * administrator can create such a network. If is_fed of a row is true, the row belongs to
 * Neutron, even after Neutron has deleted the object.
 */
#pragma once

#include "neutron_apply.h"
#include "store.h"

/*
 * Each function runs its own transaction if the function must delete an object. The
 * deletion of a network also deletes the ports and subnets that calls created in the
 * network.
 */
enum err precedence_network(const struct neutron_apply *apply,
                            const struct network_row *network, struct why *why);
enum err precedence_subnet(const struct neutron_apply *apply,
                           const struct subnet_row *subnet, struct why *why);
enum err precedence_port(const struct neutron_apply *apply, const struct port_row *port,
                         struct why *why);
