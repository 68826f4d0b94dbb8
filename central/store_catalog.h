/*
 * store_catalog -- finds the domains that a catalog zone must add or remove. The
 * generated column domains.member is 1 if the catalog zone of the pool must list the
 * domain. The column domains.catalog_id contains the id of the catalog zone that lists
 * the domain now. This module writes only catalog_id (schema/003_catalog.sql).
 */
#pragma once

#include "core/catalog.h"
#include "store.h"

/* maximum numbers of catalog zones in one round, and of domains in one transaction */
enum { CATALOGS_MAX = 1000, CATALOG_MEMBERS = 2000 };

struct catalog_ref {
	const char *id, *pool_id;
};
/* Reads the catalog zones of all pools, at most CATALOGS_MAX. Returns their number. */
size_t store_catalog_find(struct tx *tx, struct arena *arena, struct catalog_ref *found);
/*
 * Reads the ids of at most CATALOG_MEMBERS domains that the catalog zone must add or
 * remove. Returns the number of ids.
 */
size_t store_catalog_due(struct tx *tx, struct arena *arena,
                         const struct catalog_ref *catalog, const char **ids);
/*
 * Locks the domains IDS, except domains that another transaction has locked. Writes the
 * domains that the catalog zone must still add or remove to MEMBERS, and returns their
 * number. Sets SKIPPED to true if the function could not lock all domains.
 */
size_t store_catalog_lock(struct tx *tx, struct arena *arena,
                          const struct catalog_ref *catalog, const char *const *ids,
                          size_t count, struct catalog_member *members, bool *skipped);
/* Writes to the rows of MEMBERS whether the catalog zone lists these domains now. */
void store_catalog_mark(struct tx *tx, struct arena *arena,
                        const struct catalog_ref *catalog,
                        const struct catalog_member *members, size_t count);
