/*
 * zone_walk -- all records of a zone, one after the other, and a place in between that
 * can be kept: whoever reads a large one does so a little at a time. Borrows the zone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/zone.h"

struct zone_walk {
	const struct zone *zone;
	uint32_t node, set;
	uint32_t rdata, left;		/* of the set in hand; left 0: none is */
};

struct zone_walk zone_walk(const struct zone *zone);
/* False: there are no more. */
bool zone_walk_next(struct zone_walk *walk, struct rr *rr);
