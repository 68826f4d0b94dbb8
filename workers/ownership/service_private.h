/*
 * service_private -- declarations that only the files of the service use. service.c
 * handles calls. service_access.c finds the registry of a call. service_apply.c stores
 * endpoints. service_records.c lists and imports the records of a zone.
 */
#pragma once

#include "ownership.h"

/*
 * Finds the registry of the call. ERR_NOT_FOUND: there is no such registry, or the
 * caller may not use the registry.
 */
enum err service_registry(struct ownership *ownership, struct request *req,
                          struct registry **registry);

/* Notes for the log that the call changes the registry. */
struct changed *service_note_registry(struct request *req,
                                      const struct registry *registry);

rpc_handler service_apply_endpoints;
rpc_handler service_storage_records, service_storage_import;
