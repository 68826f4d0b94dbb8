/*
 * service_private -- between service.c, where the calls are, and service_records.c, which
 * has those that tell and take the records of a whole zone.
 */
#pragma once

#include "ownership.h"

/* The registry of the call, if its caller may use it. */
enum err service_registry(struct ownership *ownership, struct request *req,
                          struct registry **registry);

rpc_handler service_storage_records, service_storage_import;
