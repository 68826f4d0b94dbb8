/*
 * service_private -- between service.c, where the calls about routes are,
 * service_router.c, with those about routers, and service_binding.c, with those about
 * bindings and what instances serve.
 */
#pragma once

#include "codec.h"
#include "runtime/access.h"

rpc_handler service_create_router, service_update_router, service_get_router,
	service_list_routers, service_delete_router, service_drain_router,
	service_report_address;
rpc_handler service_create_binding, service_list_bindings, service_router_hosts,
	service_hosts_versions;
