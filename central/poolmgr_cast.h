/*
 * poolmgr_cast -- sends casts about changed domains to the pool managers, after the
 * commit. A lost cast only delays the change, because the periodic sync of the pool
 * manager finds the task in the row of the domain.
 */
#pragma once

#include "central.h"
#include "core/zone.h"

struct poolmgr_cast {
	const char *method;	/* create_domain, update_domain, ..., or sync_domain */
	const struct zone *zone;
	/* context of the request that changed the domain */
	const struct context *context;
};

/*
 * Sends CASTS. One message (update_domains) contains all updates of one pool. The context
 * of a message contains the id of one request, and the rights of an administrator instead
 * of the rights of the caller. The pool manager needs these rights for its reports. COUNT
 * is at most LIST_MAX.
 */
void poolmgr_cast_send(struct central *central, const struct poolmgr_cast *casts,
                       size_t count);
