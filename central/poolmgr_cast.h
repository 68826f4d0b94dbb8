/*
 * poolmgr_cast -- what central tells the pool managers, after the commit. A message
 * that is lost costs time, not truth: the domain's row says what is owed,
 * and the pool manager's periodic sync finds it.
 */
#pragma once

#include "central.h"
#include "core/zone.h"

/* A domain of which a pool manager is to hear. */
struct news {
	const char *method;	/* create_domain, update_domain, ..., sync_domain */
	const struct zone *zone;
	const struct context *context;	/* of the request that it is due to */
};

/*
 * Updates of one pool share a message (update_domains). Its context is central's own: the
 * domain's state is nobody's request any more, and reports come back with its rights.
 * COUNT is LIST_MAX at most.
 */
void peers_tell(struct central *central, const struct news *news, size_t count);
