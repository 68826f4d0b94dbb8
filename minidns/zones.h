/*
 * zones -- snapshots of zones. A lane (a thread) loads a zone in one transaction when a
 * query first needs the zone. A budget limits the memory in bytes. If the budget is used
 * up, mini-DNS drops the zone that has been unused longest. A zone stays in memory while
 * a transfer reads it, and its size counts towards the budget. While the zones in use
 * fill the budget, mini-DNS loads no further zone. mini-DNS never serves an incomplete
 * zone: if the database fails during a load, the result is ERR_UNREACHABLE.
 *
 * Each domain has a small entry in this module. If mini-DNS cannot serve the rows of a
 * zone, the entry marks the zone as broken at its serial. mini-DNS reads such a zone
 * again at most once every ten seconds.
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
	int64_t memory;
};

/*
 * The zone is borrowed until the callback returns. To keep it, call zone_hold(). After
 * an error ZONE is NULL.
 */
typedef void zone_fn(void *self, enum err err, struct zone *zone);

struct zones *zones_new(struct loop *loop, const struct zones_config *config);
void zones_free(struct zones **zones);
/* Returns the zone at the serial of HEAD, or NULL if this zone is not in memory. */
struct zone *zones_cached(struct zones *zones, const struct head *head);
/*
 * True: HEAD itself is broken, or when mini-DNS last read the zone at the serial of HEAD,
 * the zone had rows that mini-DNS cannot serve. A newer version may be valid; only
 * zones_get() can find out.
 */
bool zones_broken(struct zones *zones, const struct head *head);
/* True: at least one zone has rows that mini-DNS cannot serve. */
bool zones_some_broken(const struct zones *zones);
/*
 * Gets the zone at the serial of HEAD or newer. ERR_NOT_FOUND: the domain has been
 * deleted. ERR_INVALID: mini-DNS cannot serve the zone. ERR_BUSY: the budget has no
 * room. May call back before it returns.
 */
void zones_get(struct zones *zones, const struct head *head, zone_fn *fn, void *self);
/*
 * Call it when a transfer has released a zone. Frees the unused zones at the end of this
 * turn of the event loop. A zone_fn may call this function.
 */
void zones_trim_later(struct zones *zones);
