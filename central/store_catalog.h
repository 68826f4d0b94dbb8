/*
 * store_catalog -- finds the domains that a catalog zone must add or remove. The
 * generated column domains.member is 1 if the catalog zone of the pool must list the
 * domain. The column domains.catalog_id contains the id of the catalog zone that lists
 * the domain now. This module writes only catalog_id (schema/003_catalog.sql).
 */
#pragma once

#include "core/catalog.h"
#include "store.h"

enum { CATALOGS_MAX = 1000, CATALOG_MEMBERS = 2000 };	/* maximum in one update */

struct catalog_ref {
	const char *id, *pool_id;
};
/* Reads the catalog zones of all pools, at most CATALOGS_MAX. Returns their number. */
size_t store_catalog_find(struct tx *tx, struct arena *arena, struct catalog_ref *found);
/* Reads at most CATALOG_MEMBERS domains to add to or to remove from the catalog zone. */
size_t store_catalog_due(struct tx *tx, struct arena *arena,
                         const struct catalog_ref *catalog, const char **ids);
/*
 * Locks the domains of IDS. Fills MEMBERS with the domains that are still due, and
 * returns their number. *skipped: another transaction has locked some of the domains.
 */
size_t store_catalog_lock(struct tx *tx, struct arena *arena,
                          const struct catalog_ref *catalog, const char *const *ids,
                          size_t count, struct catalog_member *members, bool *skipped);
/* Writes to the rows of MEMBERS whether the catalog zone lists these domains now. */
void store_catalog_mark(struct tx *tx, struct arena *arena,
                        const struct catalog_ref *catalog,
                        const struct catalog_member *members, size_t count);
