/*
 * deltas -- the changes from one serial of a zone to another. A thread reads the changes
 * from the journal and merges them into one difference. deltas caches the difference for
 * a while, because after a change all servers of a pool ask for the same delta within
 * milliseconds. Requests for the same delta wait for one thread. The delta of the newest
 * change is usually in the cache already, because zone_lookup reads it with the head of
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
 * DELTA is NULL without an error if the journal has no such delta within the bound. The
 * delta is borrowed until the callback returns. To keep it, call delta_hold().
 */
typedef void delta_fn(void *self, enum err err, struct delta *delta);

struct deltas *deltas_new(struct loop *loop, const struct db_config *config);
void deltas_free(struct deltas **deltas);
/*
 * Adds the delta that leads to HEAD. Takes ownership of the delta and sets *delta to
 * NULL.
 */
void deltas_put(struct deltas *deltas, const struct head *head, struct delta **delta);
/*
 * Gets the delta from the older serial FROM to the serial of HEAD. May call back before
 * it returns.
 *
 * OCTETS: the bound. It also limits the journal that the thread reads for the delta. A
 * zone can change for a week and end as it was, and a request for a small delta waits
 * while the thread reads a large delta. If OCTETS is less than DELTAS_OCTETS, deltas
 * does not cache the delta.
 */
void deltas_get(struct deltas *deltas, const struct head *head, uint32_t from,
                size_t octets, delta_fn *fn, void *self);
