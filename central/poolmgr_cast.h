/*
 * poolmgr_cast -- sends casts about changed domains to the pool managers, after the
 * commit. A lost cast only delays the change: the row of the domain contains the task,
 * and the periodic sync of the pool manager finds the task.
 */
#pragma once

#include "central.h"
#include "core/zone.h"

struct poolmgr_cast {
	const char *method;	/* create_domain, update_domain, ..., or sync_domain */
	const struct zone *zone;
	const struct context *context;	/* of the request that changed the domain */
};

/*
 * Sends the casts. One message (update_domains) contains all updates of one pool. The
 * context of this message contains the id of one request and central's own rights. The
 * pool manager uses these rights for its reports. COUNT is at most LIST_MAX.
 */
void poolmgr_cast_send(struct central *central, const struct poolmgr_cast *casts,
                       size_t count);
