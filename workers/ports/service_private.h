/*
 * service_private -- declarations that only the files of the service use. service.c
 * handles calls about ports. service_access.c checks the network of a call. The handlers
 * of other calls are in service_network.c, service_subnet.c, service_hosts.c (hosts for
 * dnsmasq), service_compare.c and service_published.c (the progress of records).
 */
#pragma once

#include "codec.h"
#include "runtime/access.h"

/*
 * Checks that the caller may use the network. ERR_NOT_FOUND: the network is unknown, or
 * belongs to another tenant.
 */
void service_check_network(struct request *req, struct tx *tx, const char *id);
rpc_handler service_set_network, service_get_network, service_list_networks,
	service_delete_network, service_set_subnet, service_get_subnet,
	service_list_subnets, service_delete_subnet, service_export_hosts,
	service_hosts_versions, service_compare, service_get_published;
