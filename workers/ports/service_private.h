/*
 * service_private -- between service.c, where the calls about ports are,
 * service_network.c and service_subnet.c, with those about networks and subnets, and
 * service_hosts.c, which tells what dnsmasq wants to know. The call about comparisons is
 * in service_compare.c, and that about how far records are in service_published.c.
 */
#pragma once

#include "codec.h"
#include "runtime/access.h"

/* ERR_NOT_FOUND for one that nobody described, or of another project. */
void service_check_network(struct request *req, struct tx *tx, const char *id);
rpc_handler service_set_network, service_get_network, service_list_networks,
	service_delete_network, service_set_subnet, service_get_subnet,
	service_list_subnets, service_delete_subnet, service_export_hosts,
	service_hosts_versions, service_compare, service_get_published;
