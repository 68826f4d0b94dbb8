#include "store_sweep.h"

#include <string.h>

#include "store_fleet.h"

#define OLDER_THAN_S "< UTC_TIMESTAMP(3) - INTERVAL ? SECOND"

static void sweep_read_ids(struct tx_rows *rows, struct sweep_list *list)
{
	list->count = 0;
	while (tx_next(rows)) {
		const char *id = row_text(rows);

		if (list->count < SWEEP_DOMAINS && id &&
		    id_parse(id, list->ids[list->count]))
			list->count++;
	}
}

/*
 * Runs HEAD ids TAIL. It locks only these rows: a scan would wait for each row that
 * another transaction has locked, and would keep the locks.
 */
static int64_t sweep_exec_ids(struct tx *tx, struct arena *arena, const char *head,
                              const char *tail, const char *const *ids, size_t count)
{
	struct tx_value values[TX_LIST_MAX + 1];
	const char *sql;
	size_t places;

	if (!count)
		return 0;
	sql = tx_list(arena, head, tail, count, &places);
	tx_list_fill(values, ids, count, places);
	values[places].type = TX_END;
	return tx_exec(tx, sql, values);
}

static int64_t sweep_exec_list(struct tx *tx, struct arena *arena, const char *head,
                               const char *tail, const struct sweep_list *list)
{
	const char *ids[SWEEP_DOMAINS];

	for (size_t i = 0; i < list->count; i++)
		ids[i] = list->ids[i];
	return sweep_exec_ids(tx, arena, head, tail, ids, list->count);
}

/* Finds the last of the next SWEEP_SCAN domains after CURSOR; "": there are fewer. */
static void sweep_find_horizon(struct tx *tx, const char *cursor,
                               char horizon[ID_LEN + 1])
{
	struct tx_rows rows;
	const char *id;

	*horizon = '\0';
	if (!tx_select_row(tx, NULL, &rows,
	                   "SELECT id FROM domains WHERE id > ? ORDER BY id "
	                   "LIMIT 1 OFFSET ?",
	                   TX_BIND(tx_text(cursor), tx_int(SWEEP_SCAN - 1))))
		return;
	id = row_text(&rows);
	if (id)
		id_parse(id, horizon);
	tx_select_end(&rows);
}

void store_sweep_find_tombstones(struct tx *tx, int age_s, char cursor[ID_LEN + 1],
                                 struct sweep_list *list)
{
	char horizon[ID_LEN + 1];
	struct tx_rows rows;

	sweep_find_horizon(tx, cursor, horizon);
	/* not EXISTS: as a join it would read the DELETED records of all domains */
	tx_select(tx, NULL, &rows,
	          "SELECT d.id FROM domains d WHERE d.id > ? AND (? = '' OR "
	          "d.id <= ?) AND d.live = 1 AND (SELECT 1 FROM records r "
	          "WHERE r.domain_id = d.id AND r.status = 'DELETED' AND r.updated_at "
	          OLDER_THAN_S
	          " LIMIT 1) = 1 ORDER BY d.id LIMIT ?",
	          TX_BIND(tx_text(cursor), tx_text(horizon), tx_text(horizon),
	                  tx_int(age_s), tx_int(SWEEP_DOMAINS)));
	sweep_read_ids(&rows, list);
	if (list->count == SWEEP_DOMAINS)
		memcpy(cursor, list->ids[SWEEP_DOMAINS - 1], ID_LEN + 1);
	else
		memcpy(cursor, horizon, ID_LEN + 1);
}

int64_t store_sweep_tombstones(struct tx *tx, const char *domain_id, int age_s)
{
	struct tx_rows rows;
	int64_t count;

	if (tx_select_row(tx, NULL, &rows,
	                  "SELECT 1 FROM domains WHERE id = ? FOR UPDATE",
	                  TX_BIND(tx_text(domain_id))))
		tx_select_end(&rows);
	count = tx_exec(tx,
	                "DELETE FROM records WHERE domain_id = ? AND status = 'DELETED' "
	                "AND updated_at " OLDER_THAN_S " LIMIT ?",
	                TX_BIND(tx_text(domain_id), tx_int(age_s), tx_int(SWEEP_ROWS)));
	if (count < SWEEP_ROWS)
		tx_exec(tx, "DELETE FROM recordsets WHERE domain_id = ? AND NOT EXISTS "
		            "(SELECT 1 FROM records r WHERE r.recordset_id = "
		            "recordsets.id) LIMIT ?",
		        TX_BIND(tx_text(domain_id), tx_int(SWEEP_ROWS)));
	return count;
}

void store_sweep_find_deleted(struct tx *tx, struct sweep_list *list)
{
	struct tx_rows rows;

	tx_select(tx, NULL, &rows,
	          "SELECT d.id FROM pools p JOIN domains d ON d.pool_id = p.id "
	          "AND d.status = 'DELETED' WHERE EXISTS (SELECT 1 FROM recordsets s "
	          "WHERE s.domain_id = d.id) OR EXISTS (SELECT 1 FROM journal j "
	          "WHERE j.domain_id = d.id) LIMIT ?", TX_BIND(tx_int(SWEEP_DOMAINS)));
	sweep_read_ids(&rows, list);
}

int64_t store_sweep_deleted(struct tx *tx, const char *domain_id)
{
	static const char *const statements[] = {
		"DELETE FROM records WHERE domain_id = ? LIMIT ?",
		"DELETE FROM recordsets WHERE domain_id = ? LIMIT ?",
		"DELETE FROM journal WHERE domain_id = ? LIMIT ?",
	};
	int64_t count = 0;

	for (size_t i = 0; !count && i < sizeof statements / sizeof statements[0]; i++)
		count = tx_exec(tx, statements[i],
		                TX_BIND(tx_text(domain_id), tx_int(SWEEP_ROWS)));
	return count;
}

void store_sweep_find_domains(struct tx *tx, int age_s, struct sweep_list *list)
{
	struct tx_rows rows;

	tx_select(tx, NULL, &rows,
	          "SELECT d.id FROM pools p JOIN domains d ON d.pool_id = p.id "
	          "AND d.status = 'DELETED' WHERE d.updated_at " OLDER_THAN_S
	          " AND NOT EXISTS (SELECT 1 FROM pool_manager_status t "
	          "WHERE t.domain_id = d.id) "
	          "AND d.catalog_id NOT IN (SELECT catalog_id FROM pools "
	          "WHERE catalog_id IS NOT NULL) "
	          "AND NOT EXISTS (SELECT 1 FROM recordsets s WHERE s.domain_id = d.id) "
	          "AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.domain_id = d.id) "
	          "LIMIT ?", TX_BIND(tx_int(age_s), tx_int(SWEEP_DOMAINS)));
	sweep_read_ids(&rows, list);
}

/* A list may have two tombstones of a name: the newer one counts. */
void store_sweep_keep_serials(struct tx *tx, struct arena *arena, const char *const *ids,
                              size_t count)
{
	sweep_exec_ids(tx, arena,
	               "INSERT INTO last_serials (name, serial, deleted_at) "
	               "SELECT d.name, d.serial, d.updated_at FROM domains d "
	               "FORCE INDEX (PRIMARY) WHERE d.id IN (",
	               ") AND d.status = 'DELETED' ORDER BY d.updated_at, d.id "
	               "ON DUPLICATE KEY UPDATE last_serials.serial = "
	               "IF(VALUES(deleted_at) < last_serials.deleted_at, "
	               "last_serials.serial, VALUES(serial)), last_serials.deleted_at = "
	               "GREATEST(last_serials.deleted_at, VALUES(deleted_at))", ids,
	               count);
}

int64_t store_sweep_domains(struct tx *tx, const struct sweep_list *list,
                            struct arena *arena)
{
	const char *ids[SWEEP_DOMAINS];

	for (size_t i = 0; i < list->count; i++)
		ids[i] = list->ids[i];
	store_sweep_keep_serials(tx, arena, ids, list->count);
	return sweep_exec_list(tx, arena, "DELETE d FROM domains d FORCE INDEX (PRIMARY) "
	                       "WHERE d.id IN (", ") AND d.status = 'DELETED'", list);
}

int64_t store_sweep_last_serials(struct tx *tx, int age_s)
{
	return tx_exec(tx,
	               "DELETE FROM last_serials WHERE deleted_at " OLDER_THAN_S
	               " LIMIT ?", TX_BIND(tx_int(age_s), tx_int(SWEEP_ROWS)));
}

/* A change to delete. */
struct old_change {
	const char *domain_id;
	uint32_t serial;
};

/* Deletes the change and all earlier changes of its domain. */
static void sweep_cut_journal(struct tx *tx, const struct old_change *change)
{
	tx_exec(tx, "DELETE FROM journal WHERE domain_id = ? AND "
	        "((CAST(? AS SIGNED) - CAST(serial AS SIGNED)) & 4294967295) "
	        "BETWEEN 0 AND 2147483647",
	        TX_BIND(tx_text(change->domain_id), tx_u32(change->serial)));
}

/*
 * Deletes changes up to the newest one that, together with all later ones, has more than
 * LIMIT bytes. One statement reads the serial of the domain and the journal: a change
 * between two statements would count as the oldest, and all changes before it would go.
 */
static void sweep_cut_large_journal(struct tx *tx, const char *domain_id, int64_t limit)
{
	struct old_change change = { .domain_id = domain_id };
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	                   "SELECT serial FROM (SELECT j.serial, SUM(j.bytes) OVER "
	                   "(ORDER BY (CAST(d.serial AS SIGNED) - "
	                   "CAST(j.serial AS SIGNED)) & 4294967295) AS total "
	                   "FROM journal j JOIN domains d ON d.id = j.domain_id "
	                   "WHERE j.domain_id = ?) t WHERE total > ? "
	                   "ORDER BY total LIMIT 1",
	                   TX_BIND(tx_text(domain_id), tx_int(limit))))
		return;
	change.serial = row_u32(&rows);
	tx_select_end(&rows);
	sweep_cut_journal(tx, &change);
}

int64_t store_sweep_large_journals(struct tx *tx, int within_s, int64_t limit,
                                   struct arena *arena)
{
	const char *ids[SWEEP_DOMAINS];
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT d.id FROM domains d JOIN journal j "
	          "ON j.domain_id = d.id WHERE d.id IN (SELECT domain_id FROM journal "
	          "WHERE created_at > UTC_TIMESTAMP(3) - INTERVAL ? SECOND) "
	          "GROUP BY d.id HAVING SUM(j.bytes) > ? LIMIT ?",
	          TX_BIND(tx_int(within_s), tx_int(limit), tx_int(SWEEP_DOMAINS)));
	while (count < SWEEP_DOMAINS && tx_next(&rows))
		ids[count++] = row_text(&rows);
	tx_select_end(&rows);
	for (size_t i = 0; i < count; i++)
		sweep_cut_large_journal(tx, ids[i], limit);
	return (int64_t)count;
}

int64_t store_sweep_journal(struct tx *tx, int age_s, struct arena *arena)
{
	struct old_change *changes = arena_alloc(arena, SWEEP_ROWS * sizeof(*changes));
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT domain_id, serial FROM journal WHERE created_at "
	          OLDER_THAN_S " ORDER BY created_at DESC LIMIT ?",
	          TX_BIND(tx_int(age_s), tx_int(SWEEP_ROWS)));
	for (; count < SWEEP_ROWS && tx_next(&rows); count++) {
		changes[count].domain_id = row_text(&rows);
		changes[count].serial = row_u32(&rows);
	}
	tx_select_end(&rows);
	for (size_t i = 0; i < count; i++)
		sweep_cut_journal(tx, &changes[i]);
	return (int64_t)count;
}

int64_t store_sweep_requests(struct tx *tx, int age_s)
{
	return tx_exec(tx,
	               "DELETE FROM requests WHERE created_at " OLDER_THAN_S " LIMIT ?",
	               TX_BIND(tx_int(age_s), tx_int(SWEEP_ROWS)));
}

int64_t store_sweep_open_imports(struct tx *tx, int age_s, struct arena *arena)
{
	struct sweep_list list;
	struct tx_rows rows;

	/* locked, because a new part would renew updated_at */
	tx_select(tx, NULL, &rows,
	          "SELECT id FROM imports WHERE state = 'OPEN' AND updated_at "
	          OLDER_THAN_S " LIMIT ? FOR UPDATE SKIP LOCKED",
	          TX_BIND(tx_int(age_s), tx_int(SWEEP_DOMAINS)));
	sweep_read_ids(&rows, &list);
	return sweep_exec_list(tx, arena, "UPDATE imports FORCE INDEX (PRIMARY) "
	                       "SET state = 'ERROR', reason = 'open for too long', "
	                       "updated_at = UTC_TIMESTAMP(3) WHERE id IN (", ")", &list);
}

int64_t store_sweep_import_records(struct tx *tx)
{
	struct sweep_list list;
	struct tx_rows rows;

	/* not EXISTS: as a join it would read all staged records */
	tx_select(tx, NULL, &rows,
	          "SELECT i.id FROM imports i WHERE i.state IN ('DONE', 'ERROR') "
	          "AND (SELECT 1 FROM import_records r WHERE r.import_id = i.id "
	          "LIMIT 1) = 1 LIMIT 1", TX_NONE);
	sweep_read_ids(&rows, &list);
	if (!list.count)
		return 0;
	return tx_exec(tx, "DELETE FROM import_records WHERE import_id = ? LIMIT ?",
	               TX_BIND(tx_text(list.ids[0]), tx_int(SWEEP_ROWS)));
}

int64_t store_sweep_imports(struct tx *tx, int age_s, struct arena *arena)
{
	struct sweep_list list;
	struct tx_rows rows;

	tx_select(tx, NULL, &rows,
	          "SELECT i.id FROM imports i WHERE i.state IN ('DONE', 'ERROR') AND "
	          "i.updated_at " OLDER_THAN_S " AND (SELECT 1 FROM import_records r "
	          "WHERE r.import_id = i.id LIMIT 1) IS NULL LIMIT ?",
	          TX_BIND(tx_int(age_s), tx_int(SWEEP_DOMAINS)));
	sweep_read_ids(&rows, &list);
	return sweep_exec_list(tx, arena, "DELETE i FROM imports i FORCE INDEX (PRIMARY) "
	                       "WHERE i.id IN (", ")", &list);
}

size_t store_sweep_find_paths(struct tx *tx, struct arena *arena,
                              const char *names[SWEEP_NAMES])
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT name FROM domains WHERE live = 1 AND name LIKE '%/%' AND name "
	          "REGEXP '(^|[^a-z0-9])/|/([^a-z0-9]|$)' LIMIT ?",
	          TX_BIND(tx_int(SWEEP_NAMES)));
	while (tx_next(&rows))
		names[count++] = row_text(&rows);
	return count;
}

/* A process that writes a heartbeat again between the two statements keeps its row. */
int64_t store_sweep_workers(struct tx *tx, int age_s, int timeout_ms,
                            struct arena *arena)
{
	struct tx_value values[TX_LIST_MAX + 2];
	const char *names[SWEEP_DOMAINS];
	struct tx_rows rows;
	size_t places, count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT n.plugin_name FROM worker_nodes n WHERE n.plugin_time < NOW(6) "
	          "- INTERVAL ? SECOND AND NOT EXISTS (SELECT 1 FROM worker_nodes w "
	          "WHERE w.service = n.service AND " WORKER_LIVES("w") ") LIMIT ?",
	          TX_BIND(tx_int(age_s), tx_int(timeout_ms), tx_int(SWEEP_DOMAINS)));
	while (count < SWEEP_DOMAINS && tx_next(&rows))
		names[count++] = row_text(&rows);
	tx_select_end(&rows);
	if (!count)
		return 0;
	const char *sql = tx_list(arena, "DELETE w FROM worker_nodes w "
	                          "FORCE INDEX (PRIMARY) WHERE w.plugin_name IN (",
	                          ") AND w.plugin_time < NOW(6) - INTERVAL ? SECOND",
	                          count, &places);
	tx_list_fill(values, names, count, places);
	values[places] = tx_int(age_s);
	values[places + 1].type = TX_END;
	return tx_exec(tx, sql, values);
}

bool store_sweep_next_pool(struct tx *tx, char cursor[ID_LEN + 1])
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	                   "SELECT id FROM pools WHERE id > ? AND capacity IS NOT NULL "
	                   "ORDER BY id LIMIT 1", TX_BIND(tx_text(cursor))))
		return false;
	store_read_id(&rows, "pools.id", cursor);
	tx_select_end(&rows);
	return !tx->err;
}

int64_t store_sweep_count_domains(struct tx *tx, const char *pool_id)
{
	return tx_select_number(tx,
		"SELECT COUNT(*) FROM domains WHERE pool_id = ? "
		"AND status IN ('PENDING', 'ACTIVE', 'ERROR')",
		TX_BIND(tx_text(pool_id)));
}

void store_sweep_set_domains(struct tx *tx, const char *pool_id, int64_t domains)
{
	tx_exec(tx, "UPDATE pools SET domains = ? WHERE id = ? AND domains <> ?",
	        TX_BIND(tx_int(domains), tx_text(pool_id), tx_int(domains)));
}
