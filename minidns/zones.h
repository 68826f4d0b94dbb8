/*
 * zones -- snapshots of zones. A lane (a thread) loads a zone in one transaction when a
 * query needs the zone at a serial that is not in memory. A budget limits the memory in
 * bytes. If the zones exceed the budget, mini-DNS drops the zone that has been unused
 * longest. A zone stays in memory while a transfer reads the zone. The size of this zone
 * counts towards the budget. While the zones in use exceed the budget, mini-DNS loads no
 * further zone. mini-DNS never serves an incomplete zone. If the database fails during a
 * load, the result is ERR_UNREACHABLE.
 *
 * Each domain that a query has needed has a small entry in this module. If mini-DNS
 * cannot serve the rows of a zone, the entry marks the zone as broken at its serial.
 * mini-DNS reads the zone at this serial again at most once every ten seconds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store.h"

struct db_config;
struct figures;
struct loop;
struct zones;

struct zones_config {
	const struct db_config *db;
	const struct figures *figures;
	int readers;			/* number of lanes, each with a connection */
	int64_t memory;			/* budget in bytes */
};

/*
 * The zone is borrowed until the callback returns. To keep the zone, call zone_hold().
 * After an error ZONE is NULL.
 */
typedef void zone_fn(void *self, enum err err, struct zone *zone);

struct zones *zones_new(struct loop *loop, const struct zones_config *config);
void zones_free(struct zones **zones);
/* Returns the zone at the serial of HEAD, or NULL if this zone is not in memory. */
struct zone *zones_cached(struct zones *zones, const struct head *head);
/*
 * True: HEAD has no valid SOA, or the zone is marked as broken at the serial of HEAD.
 * Only zones_get() reads the zone again, and finds out whether the zone is valid now.
 */
bool zones_broken(struct zones *zones, const struct head *head);
/* True: at least one zone is marked as broken. */
bool zones_some_broken(const struct zones *zones);
/*
 * Gets the zone at the serial of HEAD or newer. ERR_NOT_FOUND: the domain has been
 * deleted. ERR_INVALID: mini-DNS cannot serve the zone. ERR_BUSY: the zones in use exceed
 * the budget, too many loads are waiting, or three loads returned only older serials than
 * the serial of HEAD. Possibly calls FN before this call returns.
 */
void zones_get(struct zones *zones, const struct head *head, zone_fn *fn, void *self);
/*
 * Call it when a transfer or a comparison has released a zone. At the end of this turn of
 * the event loop, mini-DNS frees the zones that newer versions have replaced, and frees
 * unused zones until the zones fit into the budget. A callback of the type zone_fn may
 * call this function.
 */
void zones_trim_later(struct zones *zones);
