/*
 * store_pool_delete -- the SQL statements that delete a pool. First check the counts and
 * store_pool_has_manager() under the lock of the pool's row.
 */
#pragma once

#include "store.h"

/* One transaction deletes at most this many tombstones, and records and changes. */
enum { POOL_TOMBSTONES_MAX = 1000, POOL_ROWS_MAX = 5000 };

struct pool_use {
	int64_t domains;		/* that are not DELETED */
	int64_t tombstones;		/* at most POOL_TOMBSTONES_MAX + 1 */
	int64_t rows;			/* of records and of the journal */
};
void store_pool_count(struct tx *tx, const struct pool *pool, struct pool_use *use);
/* True: a pool manager of the pool is running. */
bool store_pool_has_manager(struct tx *tx, const struct pool *pool);
/*
 * Deletes the pool, its tombstones, its name servers, and what the pool manager has
 * stored about them. All domains of the pool must be DELETED.
 */
void store_pool_delete(struct tx *tx, const struct pool *pool, struct arena *arena);
