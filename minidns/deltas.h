/*
 * deltas -- reads and caches deltas. A delta is the difference between two serials of a
 * zone. A lane (a thread) reads the changes from the journal and merges these changes
 * into one delta. This module caches deltas, because after a change all servers of a pool
 * send IXFR queries for the same delta within milliseconds. The cache contains up to 256
 * deltas. All deltas together have up to 32 MiB. If several queries need the same delta,
 * the lane reads the delta only once. The delta of the newest change is usually in the
 * cache already, because zone_lookup reads this delta together with the SOA and serial of
 * the zone.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "core/ixfr.h"
#include "store.h"

struct db_config;
struct deltas;
struct loop;

/*
 * Largest number of journal octets for one delta. If a delta needs more octets, mini-DNS
 * sends the whole zone.
 */
enum { DELTAS_OCTETS = 16 * 1024 * 1024 };

/*
 * DELTA is NULL, without an error, if the journal contains no such delta within the size
 * limit. The delta is borrowed until the callback returns. To keep the delta, call
 * delta_hold().
 */
typedef void delta_fn(void *self, enum err err, struct delta *delta);

struct deltas *deltas_new(struct loop *loop, const struct db_config *config);
void deltas_free(struct deltas **deltas);
/*
 * Adds a delta that ends at the serial of HEAD to the cache. Takes ownership of the delta
 * and sets *delta to NULL.
 */
void deltas_put(struct deltas *deltas, const struct head *head, struct delta **delta);
/*
 * Gets the delta from the older serial FROM to the serial of HEAD. Possibly calls FN
 * before this call returns. ERR_BUSY: too many deltas are waiting for the lane.
 *
 * OCTETS: the size limit of the delta. OCTETS also limits the part of the journal that
 * the lane reads. Even a small delta can need a large part of the journal, if later
 * changes undo earlier changes. Queries that need the delta wait while the lane reads. If
 * OCTETS is less than DELTAS_OCTETS, this module does not cache the delta.
 */
void deltas_get(struct deltas *deltas, const struct head *head, uint32_t from,
                size_t octets, delta_fn *fn, void *self);
