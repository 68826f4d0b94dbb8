/*
 * zone_lookup -- finds the zone of a name, and the current serial of the zone in the
 * database.
 *
 * A name server that got a NOTIFY for serial S from one process can query any other
 * process. The answer must contain S or a newer serial, so zone_lookup reads the database
 * after the query has arrived. While a statement is running, zone_lookup collects further
 * queries. The next statement reads the zones of these queries, up to STORE_NAMES names.
 * For a query that does not need the newest serial, mini-DNS also uses a result that is
 * at most one second old.
 *
 * The SOA records and serials of zones stay in the SOA cache (core/soa_cache.h). While a
 * process has a lease (announcer.h), the process answers SOA queries for these zones
 * without the database. If the process has possibly missed announcements,
 * zone_lookup_recover() compares the cache with the database (recovery.h).
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "store.h"

struct db_config;
struct deltas;
struct figures;
struct zone_lookup;
struct loop;

/*
 * HEAD is NULL without an error if zonefleet has no zone that contains the name. HEAD is
 * borrowed until the callback returns.
 */
typedef void zone_lookup_fn(void *self, enum err err, const struct head *head);

/*
 * MEMORY: maximum size of the SOA cache in bytes. The lookup adds the deltas that it
 * reads to DELTAS.
 */
struct zone_lookup *zone_lookup_new(struct loop *loop, const struct db_config *config,
                                    struct deltas *deltas, const struct figures *figures,
                                    int64_t memory);
/* Calls all pending callbacks, then frees the lookup. */
void zone_lookup_free(struct zone_lookup **lookup);
/*
 * Finds the zone of NAME, and calls FN with the head of this zone. APEX is true if NAME
 * is probably the apex of a zone, as in a transfer. In this case, the lookup reads the
 * names above NAME only if NAME is not an apex. ERR_BUSY: too many requests are waiting,
 * or the lookup is ending. After ERR_BUSY, the lookup does not call FN.
 */
enum err zone_lookup_find(struct zone_lookup *lookup, const struct name *name, bool apex,
                          zone_lookup_fn *fn, void *self);
/*
 * Reads the head of ZONE before an expected query, if fewer than 64 requests are waiting.
 */
void zone_lookup_prefetch(struct zone_lookup *lookup, const struct name *zone);
/*
 * Reads the head of the zone NAME from the SOA cache. False: the cache has no usable
 * entry. Use the head only while the process has a lease (announcer.h).
 */
bool zone_lookup_cached(const struct zone_lookup *lookup, const struct name *name,
                        struct head *head);
/*
 * Returns the encoded SOA record of the zone NAME (soa_cache_record()). NULL: the cache
 * has no usable entry. Use the record only while the process has a lease.
 */
const uint8_t *zone_lookup_soa_record(const struct zone_lookup *lookup,
                                      const struct name *name, size_t *len);
/*
 * Drops the zone from the SOA cache if the cache has an older edition. Call it when an
 * announcement of EDITION has arrived. False: the cache already has this edition or a
 * newer edition.
 */
bool zone_lookup_changed(struct zone_lookup *lookup, const struct name *zone,
                         const struct edition *edition);
/* Starts a recovery. Call it when the process has possibly missed announcements. */
void zone_lookup_recover(struct zone_lookup *lookup);
/*
 * True: mini-DNS has looked for the zone of NAME in the database within the last second.
 * *head NULL: zonefleet has no zone that contains NAME.
 */
bool zone_lookup_recent(const struct zone_lookup *lookup, const struct name *name,
                        const struct head **head);
