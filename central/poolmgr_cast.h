/*
 * poolmgr_cast -- casts about changed domains to the pool managers, after the commit. A
 * lost message costs time, no data: the row of the domain has the task, and the periodic
 * sync of the pool manager finds it.
 */
#pragma once

#include "central.h"
#include "core/zone.h"

struct poolmgr_cast {
	const char *method;	/* create_domain, update_domain, ..., sync_domain */
	const struct zone *zone;
	const struct context *context;	/* of the request that changed the domain */
};

/*
 * Updates of one pool share a message (update_domains). Its context has the id of one
 * request and the rights of central itself: the reports come back with these rights.
 * COUNT is LIST_MAX at most.
 */
void poolmgr_cast_send(struct central *central, const struct poolmgr_cast *casts,
                       size_t count);
