/*
 * store_pool_delete -- deletes a pool and all rows about its domains, servers and pool
 * managers. Some of these tables belong to the pool manager. Central deletes their rows
 * only while no pool manager of the pool is running: then no other program ever would.
 */
#include "store_pool_delete.h"

#include "consistency/heartbeat.h"
#include "store_fleet.h"
#include "store_sweep.h"

static int64_t pool_count(struct tx *tx, const char *sql, const char *id, int64_t max)
{
	return tx_select_number(tx, sql, TX_BIND(tx_text(id), tx_int(max + 1)));
}

#define COUNT_OF(table) \
	"SELECT COUNT(*) FROM (SELECT 1 FROM domains d JOIN " table " r " \
	"ON r.domain_id = d.id WHERE d.pool_id = ? LIMIT ?) t"

void store_pool_count(struct tx *tx, const struct pool *pool, struct pool_use *use)
{
	const char *id = pool->id;

	use->domains = tx_select_number(tx,
		"SELECT COUNT(*) FROM domains WHERE pool_id = ? AND status <> 'DELETED'",
		TX_BIND(tx_text(id)));
	use->tombstones = pool_count(tx, "SELECT COUNT(*) FROM (SELECT 1 FROM domains "
	                             "WHERE pool_id = ? AND status = 'DELETED' "
	                             "LIMIT ?) t", id, POOL_TOMBSTONES_MAX);
	use->rows = pool_count(tx, COUNT_OF("records"), id, POOL_ROWS_MAX) +
	            pool_count(tx, COUNT_OF("journal"), id, POOL_ROWS_MAX);
}

bool store_pool_has_manager(struct tx *tx, const struct pool *pool)
{
	return tx_select_number(tx,
		"SELECT COUNT(*) FROM worker_nodes w WHERE w.service = "
		"CONCAT('pool_manager.', ?) AND " WORKER_LIVES("w"),
		TX_BIND(tx_text(pool->name), tx_int(heartbeat_config.timeout_ms))) > 0;
}

/* Records before their record sets, and the domains last: foreign keys. */
static void pool_delete_tombstones(struct tx *tx, struct arena *arena,
                                   const char *const *ids, size_t count)
{
	static const char *const statements[] = {
		"DELETE t FROM pool_manager_status t FORCE INDEX (status_of) "
		"WHERE t.domain_id IN (",
		"DELETE t FROM records t FORCE INDEX (record_open) "
		"WHERE t.domain_id IN (",
		"DELETE t FROM recordsets t FORCE INDEX (recordset_name) "
		"WHERE t.domain_id IN (",
		"DELETE t FROM journal t FORCE INDEX (PRIMARY) WHERE t.domain_id IN (",
		"DELETE t FROM domains t FORCE INDEX (PRIMARY) WHERE t.id IN (",
	};
	struct tx_value values[TX_LIST_MAX + 1];

	store_sweep_keep_serials(tx, arena, ids, count);
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		size_t places;
		const char *sql = tx_list(arena, statements[i], ")", count, &places);

		tx_list_fill(values, ids, count, places);
		values[places].type = TX_END;
		tx_exec(tx, sql, values);
	}
}

/* Deletes up to TX_LIST_MAX tombstones. Returns their number. */
static size_t pool_delete_some(struct tx *tx, struct arena *arena, const char *id)
{
	const char *ids[TX_LIST_MAX];
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows, "SELECT id FROM domains WHERE pool_id = ? LIMIT ?",
	          TX_BIND(tx_text(id), tx_int(TX_LIST_MAX)));
	while (count < TX_LIST_MAX && tx_next(&rows))
		ids[count++] = row_text(&rows);
	tx_select_end(&rows);
	if (count && !tx->err)
		pool_delete_tombstones(tx, arena, ids, count);
	return tx->err ? 0 : count;
}

void store_pool_delete(struct tx *tx, const struct pool *pool, struct arena *arena)
{
	static const char *const statements[] = {
		"DELETE FROM repairs WHERE pool_name = ?",
		"DELETE FROM pool_servers WHERE pool_name = ?",
		"DELETE FROM worker_nodes WHERE service = CONCAT('pool_manager.', ?)",
		"DELETE FROM pools WHERE name = ?",
	};

	while (pool_delete_some(tx, arena, pool->id) == TX_LIST_MAX)
		;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		tx_exec(tx, statements[i], TX_BIND(tx_text(pool->name)));
}
