/*
 * past -- a zone as it was at an earlier serial: what it is now, without what it has
 * gained since and with what it has lost, as a delta (ixfr.h) tells. All its records, one
 * after the other, in no order, canonical as they are compared; whoever reads a large one
 * does so a little at a time. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ixfr.h"
#include "core/zone_walk.h"
#include "dns/canonical.h"

struct past;

/* Of a delta with more octets none is made: all it has gained is read at once. */
enum { PAST_OCTETS_MAX = 256 * 1024 };

/*
 * ZONE at the serial that DELTA leads from; DELTA NULL: as it is. Both are borrowed; SEED
 * is random. NULL: the delta is too large, or does not lead to this zone.
 */
struct past *past_new(const struct zone *zone, const struct delta *delta, uint32_t seed);
void past_free(struct past **past);
void past_rewind(struct past *past);
/* False: there are no more. */
bool past_next(struct past *past, struct canonical *record);
