/*
 * zone_walk -- iterates over all records of a zone. A caller can keep the position and
 * read a large zone in steps. The zone must outlive the iteration.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/zone.h"

struct zone_walk {
	const struct zone *zone;
	uint32_t node, set;
	/* offset of the next record in the set, and number of records left in the set */
	uint32_t rdata, left;
};

struct zone_walk zone_walk(const struct zone *zone);
/* Reads the next record into RR. False: there are no more records. */
bool zone_walk_next(struct zone_walk *walk, struct rr *rr);
