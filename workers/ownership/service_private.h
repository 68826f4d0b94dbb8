/*
 * service_private -- between service.c, where the calls are, service_apply.c, which takes
 * what is wanted, and service_records.c, which tells and takes the records of a zone.
 */
#pragma once

#include "ownership.h"

/* The registry of the call, if its caller may use it. */
enum err service_registry(struct ownership *ownership, struct request *req,
                          struct registry **registry);

rpc_handler service_apply_endpoints;
rpc_handler service_storage_records, service_storage_import;
