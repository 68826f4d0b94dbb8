/*
 * store_pool_delete -- the SQL statements that delete a pool. Before you call
 * store_pool_delete(), lock the row of the pool. Then check the counts, and check that no
 * pool manager of the pool is running.
 */
#pragma once

#include "store.h"

/*
 * Maximum numbers in one transaction: of tombstones, and of rows of the tables records
 * and journal together.
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
