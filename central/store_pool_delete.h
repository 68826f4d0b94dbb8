/*
 * store_pool_delete -- the SQL statements that delete a pool. Before you call
 * store_pool_delete(), lock the row of the pool. While the row is locked, check the
 * counts of store_pool_count(), and check that store_pool_has_manager() is false.
 */
#pragma once

#include "store.h"

/*
 * The maximum number of tombstones that one transaction deletes, and the maximum number
 * of rows that it deletes from the tables records and journal together.
 */
enum { POOL_TOMBSTONES_MAX = 1000, POOL_ROWS_MAX = 5000 };

struct pool_use {
	int64_t domains;		/* number of domains that are not DELETED */
	/* number of tombstones; the count stops at POOL_TOMBSTONES_MAX + 1 */
	int64_t tombstones;
	/* number of rows of records and journal; each count stops at POOL_ROWS_MAX + 1 */
	int64_t rows;
};
void store_pool_count(struct tx *tx, const struct pool *pool, struct pool_use *use);
/* True: a pool manager of the pool is running. */
bool store_pool_has_manager(struct tx *tx, const struct pool *pool);
/*
 * Deletes the pool with its tombstones and name servers. Also deletes the rows that the
 * pool managers have written about these domains and servers, and about themselves. All
 * domains of the pool must be DELETED.
 */
void store_pool_delete(struct tx *tx, const struct pool *pool, struct arena *arena);
