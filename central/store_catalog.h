/*
 * store_catalog -- which domains a pool's catalog zone has to list, and which it does
 * list: domains.member and domains.catalog_id (schema/003_catalog.sql).
 */
#pragma once

#include "core/catalog.h"
#include "store.h"

enum { CATALOGS_MAX = 1000, CATALOG_MEMBERS = 2000 };	/* of one update */

struct catalog_ref {
	const char *id, *pool_id;
};
/* The catalogs of all pools, in the arena: CATALOGS_MAX at most. How many. */
size_t store_catalog_find(struct tx *tx, struct arena *arena, struct catalog_ref *found);
/* Domains that the catalog should list, or list no more: CATALOG_MEMBERS at most. */
size_t store_catalog_due(struct tx *tx, struct arena *arena,
                         const struct catalog_ref *catalog, const char **ids);
/*
 * Locks those of IDS that nobody else has locked, without a wait, and takes those that
 * are due still. How many; *passed: some were locked.
 */
size_t store_catalog_lock(struct tx *tx, struct arena *arena,
                          const struct catalog_ref *catalog, const char *const *ids,
                          size_t count, struct catalog_member *members, bool *passed);
/* What the catalog lists now. */
void store_catalog_mark(struct tx *tx, struct arena *arena,
                        const struct catalog_ref *catalog,
                        const struct catalog_member *members, size_t count);
