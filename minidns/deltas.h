/*
 * deltas -- the changes from one serial of a zone to another. A thread reads them from
 * the journal and merges them into one difference, which deltas caches for a while.
 * After a change all servers of a pool ask for the same delta within milliseconds.
 * Requests for the same delta wait for one thread. The delta of the newest change is
 * usually here already, because zone_lookup reads it with the head of the zone.
 *
 * OCTETS also bounds the journal that the thread reads for a delta: a zone may change
 * for a week and end as it was, and a request for a small delta waits during the read of
 * a large delta. With a bound below DELTAS_OCTETS it does not cache the delta.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "core/ixfr.h"
#include "store.h"

struct db_config;
struct deltas;
struct loop;

/* Limit of the journal octets for one delta. Beyond it mini-DNS sends the whole zone. */
enum { DELTAS_OCTETS = 16 * 1024 * 1024 };

/*
 * DELTA is NULL without an error: the journal has no such delta within the bound.
 * Borrowed until the callback returns; delta_hold() keeps it.
 */
typedef void delta_fn(void *self, enum err err, struct delta *delta);

struct deltas *deltas_new(struct loop *loop, const struct db_config *config);
void deltas_free(struct deltas **deltas);
/* Adds the delta that leads to HEAD. Takes it over and sets *delta to NULL. */
void deltas_put(struct deltas *deltas, const struct head *head, struct delta **delta);
/*
 * The delta from the older serial FROM to the serial of HEAD. OCTETS: the bound. May
 * call back before it returns.
 */
void deltas_get(struct deltas *deltas, const struct head *head, uint32_t from,
                size_t octets, delta_fn *fn, void *self);
