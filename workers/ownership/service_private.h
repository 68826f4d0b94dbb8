/*
 * service_private -- between service.c, which has the calls, service_apply.c, which takes
 * endpoints, and service_records.c, which lists and imports the records of a zone.
 */
#pragma once

#include "ownership.h"

/* The registry of the call, if its caller may use it. */
enum err service_registry(struct ownership *ownership, struct request *req,
                          struct registry **registry);

rpc_handler service_apply_endpoints;
rpc_handler service_storage_records, service_storage_import;
