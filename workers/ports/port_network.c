#include "port_network.h"

struct port_network port_network_of(const struct ports *ports,
                                    const struct network_row *network,
                                    const struct port_row *port)
{
	struct port_network as = { .domain = network->domain,
	                           .v4_bits = (uint8_t)ports->settings.v4_bits,
	                           .v6_bits = (uint8_t)ports->settings.v6_bits };

	if (port->is_floating)
		return as;
	as.subnets = network->subnets;
	as.subnets.hides_others = port->is_fed && !ports_publishes_all(ports);
	return as;
}
