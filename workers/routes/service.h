/*
 * service -- handles the calls to zonefleet-routes. service.c contains the table of all
 * methods and handles the calls about routes. service_router.c handles the calls about
 * routers. service_binding.c handles the calls about bindings and about the hosts that
 * instances serve.
 */
#pragma once

#include "codec.h"
#include "runtime/access.h"

rpc_handler service_create_router, service_update_router, service_get_router,
	service_list_routers, service_delete_router, service_drain_router,
	service_report_address;
rpc_handler service_create_binding, service_list_bindings, service_router_hosts,
	service_hosts_versions;
/* Stops the updates of many routes that earlier calls have started (routes->pages). */
void service_stop(struct routes *routes);
/*
 * Reads the router with its addresses. If no router has this name, fails TX with
 * ERR_NOT_FOUND and returns false.
 */
bool service_read_router(struct request *req, struct tx *tx, const char *name,
                         enum router_lock lock, struct router_row *router);
