/*
 * zones -- snapshots of zones, loaded when first needed, each in one
 * transaction on a reader lane, and kept within a budget of bytes: the one
 * that was not used for longest goes first. One that a transfer still reads
 * stays alive until that ends, and counts; while those in use fill the
 * budget, no other zone is loaded. A zone is whole or not served: a database
 * that fails in the middle of a load is ERR_UNREACHABLE.
 *
 * One whose rows cannot be served, that of its SOA among them, is remembered as broken
 * at its serial, in the little that is kept of each domain, and is read again at most
 * once in ten seconds.
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
	int readers;			/* lanes, each with a connection */
	int64_t memory;
};

/*
 * The zone is borrowed until the callback returns: zone_hold()
 * keeps it. NULL with an error.
 */
typedef void zone_fn(void *self, enum err err, struct zone *zone);

struct zones *zones_new(struct loop *loop, const struct zones_config *config);
void zones_free(struct zones **zones);
/* The zone at the serial of HEAD if it is in memory. */
struct zone *zones_cached(struct zones *zones, const struct head *head);
/*
 * HEAD itself is broken; or when the zone was read last, at the serial of HEAD, its rows
 * could not be served; a newer one may be whole. Whatever HEAD says, zones_get() knows
 * better.
 */
bool zones_broken(struct zones *zones, const struct head *head);
bool zones_some_broken(const struct zones *zones);	/* any, by its rows */
/*
 * At the serial of HEAD or newer. ERR_NOT_FOUND: gone meanwhile; ERR_INVALID: cannot be
 * served; ERR_BUSY: no room. May call back before it returns.
 */
void zones_get(struct zones *zones, const struct head *head, zone_fn *fn, void *self);
/*
 * A transfer let go of one: at the end of the turn those that nobody needs any more are
 * freed. May be called from within a zone_fn.
 */
void zones_trim_later(struct zones *zones);
