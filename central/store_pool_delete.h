/*
 * store_pool_delete -- the SQL statements that delete a pool. Before you call
 * store_pool_delete(), lock the row of the pool, and check the counts and
 * store_pool_has_manager().
 */
#pragma once

#include "store.h"

/*
 * Limits of one transaction: tombstones, and rows of records and of the journal together.
 */
enum { POOL_TOMBSTONES_MAX = 1000, POOL_ROWS_MAX = 5000 };

struct pool_use {
	int64_t domains;		/* number of domains that are not DELETED */
	int64_t tombstones;		/* at most POOL_TOMBSTONES_MAX + 1 */
	int64_t rows;			/* number of records and changes together */
};
void store_pool_count(struct tx *tx, const struct pool *pool, struct pool_use *use);
/* True: a pool manager of the pool is running. */
bool store_pool_has_manager(struct tx *tx, const struct pool *pool);
/*
 * Deletes the pool, its tombstones and its name servers, and the rows of the pool manager
 * about them. All domains of the pool must be DELETED.
 */
void store_pool_delete(struct tx *tx, const struct pool *pool, struct arena *arena);
