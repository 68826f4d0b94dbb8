/*
 * service_private -- between service.c, where the calls about ports are,
 * service_network.c, with those about networks, and service_hosts.c, which tells what
 * dnsmasq wants to know.
 */
#pragma once

#include "codec.h"

/* ERR_DENIED unless the caller is of that project, or an administrator. */
enum err service_check_rights(struct request *req, const char *project_id);
/* The network's project and its reverse zones, for what its ports give. */
struct port_network service_network_of(const struct ports *ports,
                                       const struct network_row *network);
/* The port's name in the network's domain, if it has both. ERR_INVALID. */
enum err service_name_port(const struct ports *ports, const struct network_row *network,
                           struct port_row *port, struct arena *arena, struct why *why);
/* Its records, as they should be. */
struct change;
void service_want_port(const struct ports *ports, const struct network_row *network,
                       const struct port_row *port, struct change *change);

rpc_handler service_set_network, service_get_network, service_list_networks,
	service_delete_network, service_export_hosts;
