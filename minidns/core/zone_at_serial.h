/*
 * zone_at_serial -- a zone as it was at an earlier serial. The module starts with the
 * current zone and a delta (ixfr.h). The delta contains all changes since the earlier
 * serial. The module omits the records that the delta added, and includes the records
 * that the delta removed. zone_at_serial_next() returns all records one by one, in the
 * canonical form (dns/canonical.h). The records have no particular order. A caller can
 * read a large zone in steps.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ixfr.h"
#include "core/zone_walk.h"
#include "dns/canonical.h"

struct zone_at_serial;

/*
 * The largest delta, in octets. The limit is small, because in one turn of the event
 * loop, zone_at_serial_new() reads all records that the delta adds.
 */
enum { ZONE_AT_SERIAL_OCTETS = 256 * 1024 };

/*
 * Returns ZONE as it was at the serial where DELTA begins; DELTA NULL: the current zone.
 * Borrows ZONE and DELTA. SEED is random. NULL: the delta is too large, or does not end
 * at the serial of ZONE.
 */
struct zone_at_serial *zone_at_serial_new(const struct zone *zone,
                                          const struct delta *delta, uint32_t seed);
void zone_at_serial_free(struct zone_at_serial **view);
void zone_at_serial_rewind(struct zone_at_serial *view);
/* Writes the next record into RECORD. False: there are no more records. */
bool zone_at_serial_next(struct zone_at_serial *view, struct canonical *record);
